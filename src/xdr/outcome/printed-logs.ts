// The logs of several failures in one text, such as the report of a test run or of a deployment:
// each failure has a log of its own, and what one reports says nothing of another.

/** The line of an error, directly before its log. */
const HEAD =
  /^[^\n]*Error\([^()\n]{3,40}\)[^\n]*\n(?:[ \t>|]*\n)?[ \t>|]*Event log \(newest first\):/gm;

/** Each failure with its log, in the order of the text; the whole text if it has only one. */
export function logsOfText(text: string): readonly string[] {
  const starts = [...text.matchAll(HEAD)].map(({ index }) => index);
  if (starts.length < 2) return [text];
  return starts.map((start, i) => text.slice(start, starts[i + 1]));
}
