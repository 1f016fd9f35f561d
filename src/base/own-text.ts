// A slice of a text keeps the text that it is from in memory, and so does a text that is put
// together from slices. What is kept of a text that somebody else wrote is copied.

/** Arguments that one call can take in every runtime. */
const PIECE = 4096;

/** The same characters, in memory of their own. */
export function ownText(text: string): string {
  let copy = "";
  // Code units, so that an unpaired surrogate stays as it is.
  for (let at = 0; at < text.length; at += PIECE) {
    const units = Array.from({ length: Math.min(PIECE, text.length - at) }, (_, i) =>
      text.charCodeAt(at + i),
    );
    copy += String.fromCharCode(...units);
  }
  return copy;
}

/** At most `most` characters from the beginning, in memory of their own. */
export function beginningOf(text: string, most: number): string {
  return ownText(text.slice(0, most));
}

/** At most `most` characters from the end, in memory of their own. */
export function endOf(text: string, most: number): string {
  return most === 0 ? "" : ownText(text.slice(-most));
}
