// A strict XML 1.0 parser for the content of a report: a declaration, elements, attributes, text
// and the five entities. Anything else is an error, including comments and CDATA sections.

export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Only of this element itself. */
  readonly text: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};
/** XML 1.0, production 2. */
const OUTCAST = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/** Throws with the position at which the document is not well formed. */
export function parseXml(document: string): XmlElement {
  const outcast = OUTCAST.exec(document);
  if (outcast !== null) throw new Error(`character that XML does not allow at ${outcast.index}`);
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!document.startsWith(head)) throw new Error("no declaration");
  const { element, end } = parseElement(document, head.length);
  if (document.slice(end) !== "\n") throw new Error(`something follows the root at ${end}`);
  return element;
}

function parseElement(document: string, start: number): { element: XmlElement; end: number } {
  const tag = /<([a-z][a-z-]*)((?: [a-z]+="[^"<]*")*)(\/?)>/y;
  tag.lastIndex = start;
  const [whole, name = "", written = "", empty] = tag.exec(document) ?? fail(document, start);
  const attributes: Record<string, string> = {};
  for (const [, key = "", value = ""] of written.matchAll(/ ([a-z]+)="([^"]*)"/g)) {
    if (key in attributes) fail(document, start);
    attributes[key] = unescaped(value);
  }
  let at = start + whole.length;
  if (empty === "/") return { element: { name, attributes, children: [], text: "" }, end: at };
  const children: XmlElement[] = [];
  let text = "";
  for (;;) {
    const next = document.indexOf("<", at);
    if (next === -1) fail(document, at);
    text += unescaped(document.slice(at, next));
    if (document.startsWith(`</${name}>`, next)) {
      const end = next + name.length + 3;
      return { element: { name, attributes, children, text }, end };
    }
    const child = parseElement(document, next);
    children.push(child.element);
    at = child.end;
  }
}

function unescaped(text: string): string {
  if (text.includes("]]>") || text.includes(">")) throw new Error(`a bare > in ${text}`);
  return text.replace(/&([^;]*);?/g, (found, name: string) => {
    const character = ENTITIES[name];
    if (character === undefined || !found.endsWith(";")) throw new Error(`entity ${found}`);
    return character;
  });
}

function fail(document: string, at: number): never {
  throw new Error(`not well formed at ${at}: ${document.slice(at, at + 60)}`);
}
