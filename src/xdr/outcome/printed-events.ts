// The event log below a printed error of the contract host, as stellar-cli, SDKs and RPC nodes
// print it, and as people hold it afterwards: shortened, on one line, behind the prefixes of a
// logger.
// It is read back into diagnostic events (rs-soroban-env, events/mod.rs).
// Invariant: a form of the text with more events, or with more of their values, is never passed
// over for one with fewer.

import { concatBytes } from "../../base/bytes.ts";
import { decodeContractId, strkeyPattern } from "../../base/text/strkey.ts";
import { SCV } from "../reader/scval-type.ts";
import { uint32s } from "../reader/words.ts";
import type { HostValue } from "../values/host-value.ts";
import { completedEvents } from "./printed-in-part.ts";
import { formsOfText } from "./printed-text.ts";
import { type PrintStyle, ValueReader } from "./printed-value.ts";
import { bytesValue, type PrintedValue, textValue } from "./printed-words.ts";
import { logOfRustEvents } from "./rust-events.ts";
import { ShownAddresses } from "./shown-addresses.ts";

export interface PrintedLog {
  /** DiagnosticEvents, the oldest first; empty when the text has no event log. */
  readonly eventsXdr: readonly string[];
  /** The text of a value that stands for one which was shortened or left out → the pasted text. */
  readonly pasted: ReadonlyMap<string, string>;
  /** The form of the text that the events were read from. */
  readonly text: string;
}

const MOST_EVENTS = 10_000;
const MOST_LINES = 64;
const LONGEST_EVENT = 64 * 1024;

const MARK = String.raw`(?:(\d{1,5}): ?)?\[(?:Failed )?(System|Contract|Diagnostic) Event(?: \(not emitted\))?\] ?`;
const EVENT = new RegExp(String.raw`(?:^|\n)[ \t>|]*${MARK}`, "g");
/** Behind what a logger or a container prints before each line, which has no quote. */
const EVENT_BEHIND_PREFIX = new RegExp(String.raw`(?:^|\n)[^"\n]{0,160}?${MARK}`, "g");
const EVENT_ANYWHERE = new RegExp(MARK, "g");
const WHOLE_ID = `${strkeyPattern(["contract"])}|[0-9a-f]{64}`;
const HEAD = new RegExp(`(?:contract:\\s?(${WHOLE_ID}), ?)?topics:\\[`, "y");
const LOOSE_HEAD = /(?:contract:\s?(\[[A-Z_ ]{3,20}\]|[^,"[\]\n]{1,80}), ?)?topics:\[/y;
const KINDS = ["System", "Contract", "Diagnostic"];

/** DiagnosticEvents, the oldest first; empty when the text has no event log. */
export function readPrintedEvents(text: string): readonly string[] {
  return readPrintedLog(text).eventsXdr;
}

export function readPrintedLog(text: string): PrintedLog {
  let best: PrintedLog = { eventsXdr: [], pasted: new Map(), text };
  let mostWhole = 0;
  const rust = logOfRustEvents(text);
  if (rust === null && !HAS_EVENTS.test(text)) return best;
  const forms = rust === null ? formsWithParts(text) : [rust];
  for (const { style, mark } of READINGS)
    for (const form of forms) {
      const addresses = new ShownAddresses();
      const events =
        mark === null
          ? readOneLine(form, style, addresses)
          : readLines(form, mark, style, addresses);
      const whole = events.filter(({ isWhole }) => isWhole).length;
      const more = events.length - best.eventsXdr.length || whole - mostWhole;
      if (more <= 0) continue;
      const eventsXdr = events.map(({ xdr }) => xdr);
      best = { eventsXdr, pasted: addresses.pasted, text: form };
      mostWhole = whole;
    }
  return best;
}

/** What each text with an event, or with a part of one, has. */
const HAS_EVENTS = / Event|data:|VM call trapped: /;

/** The forms of the text, then those in which its events have the parts that were left out. */
function formsWithParts(text: string): string[] {
  const forms = formsOfText(text);
  const completed = forms.map(completedEvents).filter((form) => form !== null);
  return [...new Set([...forms, ...completed])];
}

interface EncodedEvent {
  /** DiagnosticEvent. */
  readonly xdr: string;
  /** False: its data could not be read, and is a text. */
  readonly isWhole: boolean;
}

/**
 * The data of an event whose other parts are missing, `data:["…", 100, 500]`: its message, and its
 * values as they are printed. Null when the text has none, or an event around it.
 */
export function readPrintedData(
  text: string,
): { readonly message: string; readonly values: readonly HostValue[] } | null {
  for (const form of formsOfText(text)) {
    const from = /\bdata: ?\[(?=")/.exec(form);
    if (from === null || / Event(?: \(not emitted\))?\]/.test(form)) continue;
    const at = from.index + from[0].length;
    const line = form.slice(at, at + LONGEST_EVENT);
    const style = { isLoose: true, isOneLine: false };
    const list = new ValueReader(line, 0, style, new ShownAddresses()).list("]");
    const [message, ...values] = list ?? [];
    if (message !== undefined)
      return {
        message: message.text.slice(1, -1),
        values: values.map(hostValueOfPrinted),
      };
  }
  return null;
}

/** A number is printed without its type, and read as one of these. */
const NUMBERS: ReadonlySet<number | undefined> = new Set([SCV.i128, SCV.i256]);

function hostValueOfPrinted({ xdr, text }: PrintedValue): HostValue {
  const type = xdr[3];
  const number = NUMBERS.has(type) ? BigInt(text) : null;
  return { text, number, isAddress: type === SCV.address };
}

interface Reading {
  readonly style: PrintStyle;
  /** What an event begins with; null: it can begin anywhere on a line. */
  readonly mark: RegExp | null;
}

/** The strictest first: where two read as many events, the stricter one counts. */
const READINGS: readonly Reading[] = [
  { style: { isLoose: false, isOneLine: false }, mark: EVENT },
  { style: { isLoose: false, isOneLine: false }, mark: EVENT_BEHIND_PREFIX },
  { style: { isLoose: true, isOneLine: false }, mark: EVENT_BEHIND_PREFIX },
  { style: { isLoose: false, isOneLine: true }, mark: null },
  { style: { isLoose: true, isOneLine: true }, mark: null },
];

/** Each event begins a line. */
function readLines(
  text: string,
  mark: RegExp,
  style: PrintStyle,
  addresses: ShownAddresses,
): EncodedEvent[] {
  const matches = [...text.matchAll(mark)].slice(0, MOST_EVENTS);
  const events = matches.flatMap((head, i) => {
    const written = text.slice(head.index + head[0].length, matches[i + 1]?.index);
    const [own = ""] = written.split(/\n[ \t]*\n/, 1);
    const kind = KINDS.indexOf(head[2] ?? "");
    return longestWhole(own.trimEnd().split(/\r?\n/), kind, style, addresses) ?? [];
  });
  return events.reverse();
}

/** A chat cuts a text anywhere, also in the mark of the next event. */
const NOTHING_MORE = /^\s*(?:\d{1,5}: ?\[[SCDF]\w{0,9}(?:…|\.{2,3})\s*)?$/;

/** A terminal breaks lines anywhere, and another text may follow: the longest that is whole. */
function longestWhole(
  lines: readonly string[],
  kind: number,
  style: PrintStyle,
  addresses: ShownAddresses,
): EncodedEvent | null {
  for (let count = Math.min(lines.length, MOST_LINES); count > 0; count -= 1) {
    const line = lines.slice(0, count).join("");
    const read = readEvent(line, 0, kind, style, addresses);
    if (read === null) continue;
    if (read.data !== null && NOTHING_MORE.test(line.slice(read.end)))
      return { xdr: read.encoded(read.data), isWhole: true };
    // A quote in a text of a contract may end it early: nothing of that is a value.
    if (count === 1)
      return {
        xdr: read.encoded(textValue(unquoted(line.slice(read.dataAt))).xdr),
        isWhole: false,
      };
  }
  return null;
}

/** A text without the quote that begins it, if whoever copied it lost the one that ends it. */
function unquoted(data: string): string {
  return /^"[^"]*$/.test(data) ? data.slice(1).trimEnd() : data;
}

/** Each event follows the one before it. Where they are numbered, the numbers rise. */
function readOneLine(text: string, style: PrintStyle, addresses: ShownAddresses): EncodedEvent[] {
  const events: EncodedEvent[] = [];
  let last = -1;
  EVENT_ANYWHERE.lastIndex = 0;
  while (events.length < MOST_EVENTS) {
    const mark = EVENT_ANYWHERE.exec(text);
    if (mark === null) break;
    const from = mark.index + mark[0].length;
    const number = mark[1] === undefined ? last + 1 : Number(mark[1]);
    if (number <= last) continue;
    const line = text.slice(from, from + LONGEST_EVENT);
    const read = readEvent(line, 0, KINDS.indexOf(mark[2] ?? ""), style, addresses);
    if (read === null || read.data === null) continue;
    last = number;
    // A text of a contract can end early for who reads on one line: only the end proves the values.
    const isWhole = NOTHING_MORE.test(line.slice(read.end));
    events.push({ xdr: read.encoded(read.data), isWhole });
    EVENT_ANYWHERE.lastIndex = from + read.end;
  }
  return events.reverse();
}

interface ReadEvent {
  readonly dataAt: number;
  /** ScVal; null where it cannot be read. */
  readonly data: Uint8Array | null;
  /** The place behind the data. */
  readonly end: number;
  /** The DiagnosticEvent with that data. */
  readonly encoded: (data: Uint8Array) => string;
}

function readEvent(
  line: string,
  from: number,
  kind: number,
  style: PrintStyle,
  addresses: ShownAddresses,
): ReadEvent | null {
  const pattern = style.isLoose ? LOOSE_HEAD : HEAD;
  pattern.lastIndex = from;
  const head = pattern.exec(line);
  if (head === null) return null;
  const [start, contract] = head;
  const id = contract === undefined ? null : idOf(contract, addresses);
  const reader = new ValueReader(line, from + start.length, style, addresses);
  const topics = reader.list("]");
  if (topics === null || !reader.takes(/^, ?data: ?/)) return null;
  const dataAt = reader.at;
  const data = reader.value()?.xdr ?? null;
  const [name, called] = topics;
  // A call names its contract by the bytes of its id.
  const callee = name?.text === "fn_call" ? calleeOf(called?.text ?? "", style, addresses) : null;
  const xdr = topics.map((topic, i) =>
    i === 1 && callee !== null ? bytesValue(callee) : topic.xdr,
  );
  const encoded = (value: Uint8Array) =>
    concatBytes([
      uint32s(0, 0, id === null ? 0 : 1),
      ...(id === null ? [] : [id]),
      uint32s(kind, 0, xdr.length),
      ...xdr,
      value,
    ]).toBase64();
  return { dataAt, data, end: reader.at, encoded };
}

function idOf(contract: string, addresses: ShownAddresses): Uint8Array {
  return /^[0-9a-f]{64}$/.test(contract)
    ? Uint8Array.fromHex(contract)
    : addresses.contractId(contract.trim());
}

function calleeOf(text: string, { isLoose }: PrintStyle, addresses: ShownAddresses) {
  const isNamed = isLoose && text !== "" && !text.startsWith("Bytes(");
  return isNamed ? addresses.contractId(text) : decodeContractId(text);
}
