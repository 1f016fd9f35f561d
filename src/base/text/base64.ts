// Checks that a text is standard base64. Every entry of every request is checked, and a regular
// expression takes five times as long as the runtime's decoder. Most entries are small, and
// allocating memory for each of them would take five times as long as decoding it.

const SCRATCH = new Uint8Array(64 * 1024);

/** True for base64 with padding and without line breaks. An empty text is standard base64. */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = (text.length / 4) * 3 - padding;
  try {
    // The decoder skips white space, which makes its result shorter.
    if (bytes > SCRATCH.length) return Uint8Array.fromBase64(text).length === bytes;
    return SCRATCH.setFromBase64(text).written === bytes;
  } catch {
    return false;
  }
}
