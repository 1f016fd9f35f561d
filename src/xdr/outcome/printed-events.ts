// The event log below a printed error of the contract host, as stellar-cli, SDKs and RPC nodes
// print it, read back into diagnostic events (rs-soroban-env, events/mod.rs). The print does not
// show the types of numbers, nor where a text of a contract ends: what is ambiguous stays text.

import { concatBytes, utf8Bytes } from "../../base/bytes.ts";
import { decodeContractId, strkeyPattern } from "../../base/text/strkey.ts";
import { addressOf } from "../reader/from-json.ts";
import { SCV } from "../reader/scval-type.ts";
import { encodeBytes } from "../reader/value.ts";
import { setUint64, uint32s } from "../reader/words.ts";
import { ERROR_CODES, ERROR_TYPES } from "../values/value-text.ts";

const MOST_EVENTS = 10_000;
const MOST_LINES = 64;
const DEEPEST = 20;

const EVENT = /(?:^|\n)[ \t>|]*(?:\d{1,5}: )?\[(?:Failed )?(\w+) Event(?: \(not emitted\))?\] /g;
const HEAD = new RegExp(
  `^(?:contract:\\s?(${strkeyPattern(["contract"])}|[0-9a-f]{64}), ?)?topics:\\[`,
);
const KINDS = ["System", "Contract", "Diagnostic"];

/** DiagnosticEvents, the oldest first; empty when the text has no event log. */
export function readPrintedEvents(text: string): string[] {
  const found = [...text.matchAll(EVENT)].slice(0, MOST_EVENTS);
  const events = found.flatMap((head, i) => {
    const written = text.slice(head.index + head[0].length, found[i + 1]?.index);
    const [own = ""] = written.split(/\n[ \t]*\n/, 1);
    const kind = KINDS.indexOf(head[1] ?? "");
    return (kind === -1 ? null : readLines(own.trimEnd().split(/\r?\n/), kind)) ?? [];
  });
  return events.reverse();
}

/** A terminal breaks lines anywhere, and another text may follow: the longest that is whole. */
function readLines(lines: readonly string[], kind: number): string | null {
  for (let count = Math.min(lines.length, MOST_LINES); count > 0; count -= 1) {
    const read = readEvent(lines.slice(0, count).join(""), kind, count === 1);
    if (read !== null) return read;
  }
  return null;
}

/** `anyway`: data that cannot be read in full is a text; otherwise null. */
function readEvent(line: string, kind: number, anyway: boolean): string | null {
  const head = HEAD.exec(line);
  if (head === null) return null;
  const [start, contract] = head;
  const id = contract === undefined ? null : idOf(contract);
  const reader = new Reader(line, start.length);
  const topics = reader.list("]");
  if (topics === null || !reader.takes(/^, ?data:/)) return null;
  const dataAt = reader.at;
  const read = reader.value();
  const whole = read !== null && line.slice(reader.at).trim() === "" ? read : null;
  if (whole === null && !anyway) return null;
  // A quote in a text of a contract may end it early: nothing of that is a value.
  const data = whole ?? textValue(line.slice(dataAt));
  const [name, called] = topics;
  // A call names its contract by the bytes of its id.
  const callee = name?.text === "fn_call" ? decodeContractId(called?.text ?? "") : null;
  const xdr = topics.map((topic, i) => (i === 1 && callee !== null ? bytes(callee) : topic.xdr));
  return concatBytes([
    uint32s(0, 0, id === null ? 0 : 1),
    ...(id === null ? [] : [id]),
    uint32s(kind, 0, xdr.length),
    ...xdr,
    data.xdr,
  ]).toBase64();
}

function idOf(contract: string): Uint8Array | null {
  return contract.length === 64 ? Uint8Array.fromHex(contract) : decodeContractId(contract);
}

interface Read {
  readonly xdr: Uint8Array;
  /** As it is printed. */
  readonly text: string;
}

class Reader {
  constructor(
    private readonly line: string,
    public at: number,
  ) {}

  takes(pattern: RegExp): boolean {
    const found = pattern.exec(this.line.slice(this.at, this.at + 16))?.[0];
    this.at += found?.length ?? 0;
    return found !== undefined;
  }

  /** The values until the closing character, after the opening one. */
  list(close: "]" | "}", depth = 0): Read[] | null {
    const values: Read[] = [];
    for (;;) {
      if (this.line[this.at] === close) {
        this.at += 1;
        return values;
      }
      const value = this.value(depth);
      if (value === null) return null;
      values.push(value);
      if (this.line[this.at] !== close && !this.takes(/^[,:] ?/)) return null;
    }
  }

  /** Null where it cannot be read; the place is then that of the value. */
  value(depth = 0): Read | null {
    const from = this.at;
    const xdr = depth > DEEPEST ? null : this.content(depth);
    if (xdr === null) this.at = from;
    return xdr && { xdr, text: this.line.slice(from, this.at) };
  }

  private content(depth: number): Uint8Array | null {
    const first = this.line[this.at];
    if (first === '"') return this.quoted();
    if (first === "[" || first === "{") {
      this.at += 1;
      const values = this.list(first === "[" ? "]" : "}", depth + 1);
      if (values === null) return null;
      const count = first === "[" ? values.length : values.length / 2;
      const isWhole = Number.isInteger(count);
      const words = uint32s(first === "[" ? SCV.vec : SCV.map, 1, count);
      return isWhole ? concatBytes([words, ...values.map(({ xdr }) => xdr)]) : null;
    }
    // `Error(Contract, #10)`, `Bytes(00ff)`, or a word.
    const pattern = /\w+\([^()"]*(?:\([^()"]*\)[^()"]*)*\)|-?\w+|/y;
    pattern.lastIndex = this.at;
    const word = pattern.exec(this.line)?.[0] ?? "";
    this.at += word.length;
    return wordValue(word);
  }

  /** A quote is the last one where the list goes on, or ends, behind it. */
  private quoted(): Uint8Array | null {
    const pattern = /"(?=\]|\}|, |: |\s*$)/g;
    pattern.lastIndex = this.at + 1;
    const end = pattern.exec(this.line)?.index;
    if (end === undefined) return null;
    const text = this.line.slice(this.at + 1, end);
    this.at = end + 1;
    return textValue(unescaped(text)).xdr;
  }
}

const NUMBERED = { TimePoint: SCV.timepoint, Duration: SCV.duration, LedgerKeyNonce: SCV.nonceKey };
const LONGEST_SYMBOL = 32;

function wordValue(word: string): Uint8Array {
  if (word === "true" || word === "false") return uint32s(SCV.bool, Number(word === "true"));
  if (word === "Void") return uint32s(SCV.void);
  if (word === "LedgerKeyContractInstance") return uint32s(SCV.instanceKey);
  if (/^-?\d{1,78}$/.test(word)) return numberValue(BigInt(word));
  const address = addressOf(word);
  if (address !== null) return encodeBytes("ScVal", { type: SCV.address, address });
  const [, name = "", inner = ""] = /^(\w+)\((.*)\)$/.exec(word) ?? [];
  if (name === "Bytes" && /^([0-9a-f]{2})*$/.test(inner)) return bytes(Uint8Array.fromHex(inner));
  if (name in NUMBERED && /^-?\d{1,20}$/.test(inner))
    return concatBytes([
      uint32s(NUMBERED[name as keyof typeof NUMBERED]),
      wideBytes(BigInt(inner), 1),
    ]);
  if (name === "Error") return errorValue(inner) ?? textValue(word).xdr;
  if (/^\w*$/.test(word) && word.length <= LONGEST_SYMBOL) return variable(SCV.symbol, word);
  return textValue(word).xdr;
}

function errorValue(inner: string): Uint8Array | null {
  const [type = "", code = ""] = inner.split(/, ?#?/);
  const at = ERROR_TYPES.indexOf(type);
  if (at === -1) return null;
  const number = type === "Contract" ? Number(code) : ERROR_CODES.indexOf(code);
  const isCode = Number.isInteger(number) && number >= 0 && number <= 0xffff_ffff;
  return isCode ? uint32s(SCV.error, at, number) : null;
}

function numberValue(value: bigint): Uint8Array {
  const isWide = BigInt.asIntN(128, value) !== value;
  return concatBytes([uint32s(isWide ? SCV.i256 : SCV.i128), wideBytes(value, isWide ? 4 : 2)]);
}

function wideBytes(value: bigint, words: number): Uint8Array {
  const wide = new Uint8Array(8 * words);
  for (let i = 0; i < words; i += 1)
    setUint64(wide, 8 * i, BigInt.asUintN(64, value >> BigInt(64 * (words - 1 - i))));
  return wide;
}

function textValue(text: string): Read {
  return { xdr: variable(SCV.string, text), text };
}

function bytes(of: Uint8Array): Uint8Array {
  return variable(SCV.bytes, of);
}

function variable(type: number, content: string | Uint8Array): Uint8Array {
  const body = typeof content === "string" ? utf8Bytes(content) : content;
  return concatBytes([
    uint32s(type, body.length),
    body,
    new Uint8Array((4 - (body.length % 4)) % 4),
  ]);
}

const ESCAPES: Readonly<Record<string, string>> = { 0: "\0", n: "\n", r: "\r", t: "\t" };

function unescaped(text: string): string {
  return text.replace(/\\(x[0-9a-f]{2}|.)/g, (_, mark: string) =>
    mark.length === 3
      ? String.fromCharCode(Number.parseInt(mark.slice(1), 16))
      : (ESCAPES[mark] ?? mark),
  );
}
