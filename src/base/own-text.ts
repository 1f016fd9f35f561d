// A slice of a text keeps the text that it is from in memory, and so does a text that is put
// together from slices. What is kept of a text that somebody else wrote is copied.

/** The same characters, in memory of their own. */
export function ownText(text: string): string {
  // UTF-16 keeps an unpaired surrogate as it is.
  return Buffer.from(text, "utf16le").toString("utf16le");
}

/** At most `most` characters from the beginning, in memory of their own. */
export function beginningOf(text: string, most: number): string {
  return ownText(text.slice(0, most));
}

/** At most `most` characters from the end, in memory of their own. */
export function endOf(text: string, most: number): string {
  return most === 0 ? "" : ownText(text.slice(-most));
}
