// Finds the parts of a Markdown comment that a renderer would interpret, by CommonMark's rules for
// code: without code blocks, code spans and svc's own marks, only plain words may be left.

const OWN_LINES = new Set([
  "<details><summary>Full report</summary>",
  "</details>",
  "| transaction | result | verdict | cause |",
  "|---|---|---|---|",
]);

/** Lines that, without their code, contain more than plain words. */
export function activeMarkdown(text: string): string[] {
  const found: string[] = [];
  let fence: string | null = null;
  for (const line of text.split("\n")) {
    if (fence !== null) {
      // A closing fence is at least as long, indented by at most three, with nothing after it.
      const closing = /^ {0,3}(`{3,})\s*$/.exec(line)?.[1];
      if (closing !== undefined && closing.length >= fence.length) fence = null;
      continue;
    }
    const opening = /^(`{3,})text$/.exec(line)?.[1];
    if (opening !== undefined) {
      fence = opening;
      continue;
    }
    if (!OWN_LINES.has(line) && isActive(withoutCode(line))) found.push(line);
  }
  if (fence !== null) found.push("a code block is not closed");
  return found;
}

function isActive(line: string): boolean {
  const own = line
    .replace(/^#{3,4} /, "")
    .replace(/^- \*\*(error|warning|note)\*\* /, "")
    .replace(/^ {2}- /, "")
    .replace("**not as expected**", "")
    .replace(/^\|(.*)\|$/, (_, cells: string) =>
      cells.split("|").length === 4 ? cells.replaceAll("|", "") : cells,
    )
    .replaceAll("\\_", "")
    .replaceAll(/ [=+−×] /g, " ");
  return !/^[\w ,.;:'"()%-]*$/.test(own) || /_|www\.|\bGH-\d|:\w+:/i.test(own);
}

/** A span ends at the next run of the same number of backticks; in a table a bar ends the cell. */
function withoutCode(line: string): string {
  if (/^( {2}- )?\+ /.test(line)) return "+ a list";
  if (line.startsWith("|") && /(?<!\\)\|/.test(spansOf(line).join(""))) return "a|bar|in|code";
  return line.replace(SPAN, "");
}

const SPAN = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g;

function spansOf(line: string): string[] {
  return line.match(SPAN) ?? [];
}
