// Values as JavaScript prints them: `[ 'error', { type: 'contract', code: 10n } ]`, of console.log and
// util.inspect. JSON is a part of it. What is left out, such as `[Object]`, is null.

const DEEPEST = 20;
const LONGEST = 1_000_000;

/** The first list or object in a text; undefined if there is none that can be read. */
export function readPrintedLiteral(text: string): unknown {
  if (text.length > LONGEST) return undefined;
  const at = text.search(/[[{]/);
  if (at === -1) return undefined;
  const reader = new LiteralReader(text, at);
  try {
    return reader.value(0);
  } catch (error) {
    if (error instanceof NotLiteral) return undefined;
    throw error;
  }
}

class NotLiteral extends Error {}

/** A token that ends nothing: a number, a word or a name with a type before its brackets. */
const WORD = /-?[\w$.+-]+/y;
/** `Uint8Array(32) [`, `Map(2) {`, `[Object: null prototype] {`. */
const TYPE = /(?:[A-Z]\w*(?:\(\d+\))?|\[[A-Z]\w*: null prototype\]) (?=[[{])/y;
const LEFT_OUT = /\[(?:Object|Array|Circular[^\]]*|Function[^\]]*|Getter[^\]]*)\]/y;
const BLANK = /\s*/y;

class LiteralReader {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  value(depth: number): unknown {
    if (depth > DEEPEST) throw new NotLiteral();
    this.#take(BLANK);
    if (this.#take(LEFT_OUT) !== null) return null;
    this.#take(TYPE);
    const next = this.#text[this.#at];
    if (next === "[") return this.#list(depth);
    if (next === "{") return this.#object(depth);
    if (next === "'" || next === '"' || next === "`") return this.#string(next);
    return this.#word();
  }

  #list(depth: number): unknown[] {
    const values: unknown[] = [];
    this.#at += 1;
    while (!this.#ends("]")) {
      values.push(this.value(depth + 1));
      this.#separator("]");
    }
    return values;
  }

  #object(depth: number): Record<string, unknown> {
    const fields: [string, unknown][] = [];
    this.#at += 1;
    while (!this.#ends("}")) {
      const key = this.value(depth + 1);
      // A Map prints `key => value`.
      if (this.#take(/\s*(?::|=>)/y) === null) throw new NotLiteral();
      fields.push([String(key), this.value(depth + 1)]);
      this.#separator("}");
    }
    return Object.fromEntries(fields);
  }

  #string(quote: string): string {
    const from = this.#at + 1;
    let at = from;
    while (this.#text[at] !== quote) {
      if (at >= this.#text.length) throw new NotLiteral();
      at += this.#text[at] === "\\" ? 2 : 1;
    }
    this.#at = at + 1;
    return this.#text
      .slice(from, at)
      .replace(/\\(.)/gs, (_, each: string) => UNESCAPED[each] ?? each);
  }

  #word(): unknown {
    const word = this.#take(WORD);
    if (word === null) throw new NotLiteral();
    if (word === "true" || word === "false") return word === "true";
    if (word === "null" || word === "undefined") return null;
    // A number of 64 bits or more stays a text.
    if (/^-?\d{1,15}$/.test(word)) return Number(word);
    return word.replace(/^(-?\d+)n$/, "$1");
  }

  #separator(end: string): void {
    this.#take(BLANK);
    if (this.#take(/,/y) !== null) return;
    if (this.#text[this.#at] !== end) throw new NotLiteral();
  }

  /** Passes the end of a list or an object; `... 3 more items` stands before it. */
  #ends(end: string): boolean {
    this.#take(/\s*(?:\.\.\. \d+ more items?)?\s*/y);
    if (this.#text[this.#at] !== end) return false;
    this.#at += 1;
    return true;
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const [token = null] = pattern.exec(this.#text) ?? [];
    if (token !== null) this.#at += token.length;
    return token;
  }
}

const UNESCAPED: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
