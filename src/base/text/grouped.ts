// Digits of a large number as people read them.

/** `1234567` → `1,234,567`; text that is no decimal stays as it is, but for its digits at the end. */
export function grouped(decimal: string | bigint | number): string {
  return String(decimal).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `1 stroop`, `1,234,567 stroops`. */
export function stroopsInWords(stroops: string | bigint): string {
  return `${grouped(stroops)} stroop${String(stroops) === "1" ? "" : "s"}`;
}
