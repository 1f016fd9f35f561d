// Words times for reports: UTC, to the second, or to the millisecond if that is known.

/** A Date holds at most 8.64e12 seconds, but a TimePoint can hold more. */
export function timeInWords(unixSeconds: bigint, milliseconds: number | null = null): string {
  if (unixSeconds >= 8_640_000_000_000n) return `${unixSeconds} seconds after 1970`;
  const text = new Date(Number(unixSeconds) * 1000).toISOString().slice(0, 19);
  const fraction = milliseconds === null ? "" : `.${String(milliseconds).padStart(3, "0")}`;
  return `${text.replace("T", " ")}${fraction} UTC`;
}

/** The fields are decimal texts. The milliseconds also count from 1970 (protocol 30, CAP-88). */
export function closeTimeInWords(ledger: {
  readonly closeTimeUnixSeconds: string;
  readonly closeTimeUnixMilliseconds?: string;
}): string {
  const { closeTimeUnixSeconds, closeTimeUnixMilliseconds: exact } = ledger;
  const milliseconds = exact === undefined ? null : Number(BigInt(exact) % 1000n);
  return timeInWords(BigInt(closeTimeUnixSeconds), milliseconds);
}
