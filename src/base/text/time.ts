// Times in reports: UTC, to the second.

/** A Date holds at most 8.64e12 seconds; a TimePoint can hold more. */
export function timeInWords(unixSeconds: bigint): string {
  if (unixSeconds >= 8_640_000_000_000n) return `${unixSeconds} seconds after 1970`;
  const text = new Date(Number(unixSeconds) * 1000).toISOString().slice(0, 19);
  return `${text.replace("T", " ")} UTC`;
}
