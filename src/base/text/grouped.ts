// Formats large numbers for people.

/** Turns `1234567` into `1,234,567`. In another text only the digits at the end are grouped. */
export function grouped(decimal: string | bigint | number): string {
  return String(decimal).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Turns `-1234567.8910` into `-1,234,567.8910`. */
export function groupedDecimal(amount: string): string {
  const [integer = "", fraction] = amount.split(".");
  const sign = integer.startsWith("-") ? "-" : "";
  const shown = `${sign}${grouped(integer.slice(sign.length))}`;
  return fraction === undefined ? shown : `${shown}.${fraction}`;
}

/** Returns `1 stroop` or `1,234,567 stroops`. */
export function stroopsInWords(stroops: string | bigint): string {
  return `${grouped(stroops)} stroop${String(stroops) === "1" ? "" : "s"}`;
}
