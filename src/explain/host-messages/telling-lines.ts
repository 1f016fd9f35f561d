// The lines of a pasted text that say what failed: without the frames of stacks, and without most
// of the output of a long command, whose other words can be about anything.

const LONGEST_MESSAGE = 2000;
const MOST_SEARCHED = 1024 * 1024;

/**
 * A frame of a stack in the form of JavaScript, Java, Python, Dart, Rust or Go. What runs there has
 * names of its own, such as `setTimeout`.
 */
const FRAME = new RegExp(
  [
    String.raw`at (?:async |new )?[^\n]*[(:@ ][^\s()]*:\d+(?::\d+)?\)?`,
    String.raw`at [\w.$<>/-]+\((?:[\w$]+\.(?:java|kt|scala|cs)(?::\d+)?|Native Method|Unknown Source|<anonymous>)\)`,
    String.raw`File "[^"\n]+", line \d+.*`,
    String.raw`#\d+ {2,}\S.*\(.*\)`,
    String.raw`\d+: {1,4}(?:0x[0-9a-f]+ - )?[\w<>{}#&, ]+::.*`,
    String.raw`goroutine \d+ .*`,
    String.raw`[\w./@-]+\.go:\d+.*`,
  ]
    .map((form) => String.raw`^\s*${form}$`)
    .join("|"),
);

const LONGEST_FRAME = 500;

/** The text without the frames of stacks in it. */
export function withoutFrames(text: string): string {
  const isFrame = (line: string) => line.length <= LONGEST_FRAME && FRAME.test(line);
  const lines = text.split("\n").filter((line) => !isFrame(line));
  return lines.length === 0 ? text : lines.join("\n").trim();
}

/** Words of a line that says what failed. */
const TELLS =
  /error|fail|panic|fatal|exception|refus|reject|denied|invalid|unable|unsupported|could(?: not|n't)|can(?:not|'t)|not (?:found|installed|supported|allowed|enabled|satisfied|implemented)|missing|expired|❌|⛔|×|required|exceed|too (?:large|many|low|small|old|long)/i;

/** The first lines of a long text that say what failed: its other words can be about anything. */
export function tellingLines(text: string): string {
  if (text.length <= LONGEST_MESSAGE) return text;
  const lines = text.slice(0, MOST_SEARCHED).split("\n");
  let made = "";
  for (const line of lines) {
    if (line.length > LONGEST_MESSAGE / 2 || !TELLS.test(line)) continue;
    if (made.length + line.length > LONGEST_MESSAGE) break;
    made += `${line}\n`;
  }
  return made.trim();
}
