// A slice of a text keeps the whole text in memory, and so does a text that is put together from
// slices. svc therefore copies the parts that it keeps of texts from elsewhere.

/** A call with this many arguments works in every runtime. */
const PIECE = 4096;

/** Returns the same characters in memory of their own. */
export function ownText(text: string): string {
  let copy = "";
  // Code units are copied, so that an unpaired surrogate stays as it is.
  for (let at = 0; at < text.length; at += PIECE) {
    const units = Array.from({ length: Math.min(PIECE, text.length - at) }, (_, i) =>
      text.charCodeAt(at + i),
    );
    copy += String.fromCharCode(...units);
  }
  return copy;
}

/** Returns at most `most` characters from the beginning, in memory of their own. */
export function beginningOf(text: string, most: number): string {
  return ownText(text.slice(0, most));
}

/** Returns at most `most` characters from the end, in memory of their own. */
export function endingOf(text: string, most: number): string {
  return most === 0 ? "" : ownText(text.slice(-most));
}
