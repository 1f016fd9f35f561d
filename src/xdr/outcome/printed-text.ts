// A text that somebody copied from a screen, a log or a program → the forms that it may have had
// before: without the colours of a terminal, with its escapes undone, its pieces joined, its quotes
// straight. Each form keeps everything that the text says.

const LONGEST_TEXT = 4 * 1024 * 1024;

/** Colours and other commands for a terminal (ECMA-48, CSI), also where only `[31m` is left. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is removed
const COLOURS = /\u001b\[[0-9;]*[A-Za-z]|\[(?:\d{1,3};?){1,4}m/g;
const ENTITY = /&(?:quot|amp|lt|gt|apos|nbsp|#x?[0-9a-f]{1,6});/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  gt: ">",
  lt: "<",
  nbsp: " ",
  quot: '"',
};
/** A line that is one piece of a text in a program: `'…' +`. */
const PIECE = /^[ \t]*(?:\w+[ \t]*:?[:=][ \t]*)?(['"`])(.*)\1[ \t]*[+,;)\\]*[ \t]*$/;
const ESCAPE = /\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2})|([nrt0"'`\\/]))/gi;
const ESCAPED: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", 0: "\0" };
const STRAIGHT: Readonly<Record<string, string>> = { "“": '"', "”": '"', "„": '"', "″": '"' };

/** The text itself first, then each further form that differs from those before it. */
export function formsOfText(text: string): string[] {
  const forms = new Set<string>();
  let form = text.slice(0, LONGEST_TEXT);
  forms.add(form);
  for (const undo of UNDO) {
    form = undo(form);
    forms.add(form);
  }
  return [...forms];
}

const UNDO: readonly ((text: string) => string)[] = [
  (text) => text.replace(COLOURS, "").replaceAll("\r\n", "\n"),
  (text) => text.replace(ENTITY, characterOf),
  joinedPieces,
  withoutEscapes,
  // JSON within JSON is escaped twice.
  withoutEscapes,
  (text) => text.replace(/[“”„″]/g, (quote) => STRAIGHT[quote] ?? quote),
  withoutQuotesAround,
];

/** The quote that stands directly before the words of an error, or of its log. */
const QUOTED_ERROR = /(["'`])(?=(?:HostError|Event log|\S{0,3} ?error:|\[?(?:Failed )?Diagnostic))/;

/** A program printed the error as a text: its quotes are not part of it. */
function withoutQuotesAround(text: string): string {
  const match = QUOTED_ERROR.exec(text);
  const end = /(["'`])[\s,;)}\]]*$/.exec(text);
  if (match === null || end === null || match[1] !== end[1] || end.index <= match.index)
    return text;
  return text.slice(0, match.index) + text.slice(match.index + 1, end.index);
}

function characterOf(entity: string): string {
  const name = entity.slice(1, -1).toLowerCase();
  if (!name.startsWith("#")) return ENTITIES[name] ?? entity;
  const isHex = name.startsWith("#x");
  return codePoint(Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10)) ?? entity;
}

function codePoint(number: number): string | null {
  const isOne =
    Number.isInteger(number) && number <= 0x10ffff && (number < 0xd800 || number > 0xdfff);
  return isOne ? String.fromCodePoint(number) : null;
}

/** At least two lines that follow one another are pieces. The other lines stay. */
function joinedPieces(text: string): string {
  const lines = text.split("\n");
  const pieces = lines.map((line) => (line.length > 1 ? (PIECE.exec(line)?.[2] ?? null) : null));
  let [joined, isInside] = ["", false];
  for (const [index, line] of lines.entries()) {
    const piece = pieces[index] ?? null;
    const hasNeighbour =
      (pieces[index - 1] ?? null) !== null || (pieces[index + 1] ?? null) !== null;
    const isPiece = piece !== null && hasNeighbour;
    // A piece ends with the escape of a line break if the line ended there.
    joined += isPiece && isInside ? piece : `${index === 0 ? "" : "\n"}${isPiece ? piece : line}`;
    isInside = isPiece;
  }
  return joined;
}

function withoutEscapes(text: string): string {
  if (!/\\[nu"'x]/.test(text)) return text;
  return text.replace(ESCAPE, (whole, braced, four, two, letter: string | undefined) => {
    if (letter !== undefined) return ESCAPED[letter.toLowerCase()] ?? letter;
    return codePoint(Number.parseInt(braced ?? four ?? two, 16)) ?? whole;
  });
}
