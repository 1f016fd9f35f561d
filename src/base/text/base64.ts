// Checks that a text is standard base64. Every entry of every request is checked, and a regular
// expression takes five times as long as the runtime's decoder. Most entries are small, and memory of
// their own takes five times as long as decoding them.

const SCRATCH = Buffer.allocUnsafeSlow(64 * 1024);

/** With padding, without line breaks. Empty text is standard base64. */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  // The decoder also accepts the URL alphabet. It ignores other characters, which makes its result
  // shorter.
  if (text.includes("-") || text.includes("_")) return false;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = (text.length / 4) * 3 - padding;
  if (bytes > SCRATCH.length) return Buffer.from(text, "base64").length === bytes;
  return SCRATCH.write(text, "base64") === bytes;
}
