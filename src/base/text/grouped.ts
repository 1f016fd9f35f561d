// Formats large numbers for people.

/** `1234567` → `1,234,567`. In other text, only the digits at the end are grouped. */
export function grouped(decimal: string | bigint | number): string {
  return String(decimal).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `-1234567.8910` → `-1,234,567.8910`. */
export function groupedDecimal(amount: string): string {
  const [whole = "", fraction] = amount.split(".");
  const sign = whole.startsWith("-") ? "-" : "";
  const shown = `${sign}${grouped(whole.slice(sign.length))}`;
  return fraction === undefined ? shown : `${shown}.${fraction}`;
}

/** `1 stroop`, `1,234,567 stroops`. */
export function stroopsInWords(stroops: string | bigint): string {
  return `${grouped(stroops)} stroop${String(stroops) === "1" ? "" : "s"}`;
}
