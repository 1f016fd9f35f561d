// Explains what people paste or save: a code or a word by its name, base64 XDR, an error as a tool
// prints it, or JSON of a node's answers. Nothing is fetched, and nothing runs. The parts that only
// some texts need are passed, so that a program can load them when a text needs them.

import { SvcError } from "../base/errors/errors.ts";
import { excessOfJson } from "../base/json-bounds.ts";
import { jsonWithin } from "../base/json-within.ts";
import { phrase, svc, type Wording } from "../base/phrase.ts";
import {
  codesWithin,
  explainMessage,
  explainMessageWith,
  explainResultCodes,
  wordsWithin,
} from "../explain/codes-within.ts";
import { codeNames, explainCode, HOST_ERROR_KIND } from "../explain/explain-code.ts";
import { TOPIC_KIND } from "../explain/words.ts";
import type { CodeExplanation, ExplainedText, NodeAnswer } from "../model/node-answer.ts";
import { EMPTY_ANSWER, findNodeAnswers } from "../sources/files/node-answers.ts";
import { errorOf } from "../xdr/outcome/diagnostics.ts";
import { FRAMES, messageIn } from "../xdr/outcome/host-messages.ts";
import { readPrintedData, readPrintedEvents } from "../xdr/outcome/printed-events.ts";
import { HIDDEN_CODES, HIDDEN_RESULT } from "../xdr/outcome/tool-origins.ts";
import { showError } from "../xdr/values/value-text.ts";
import { explainGiven } from "./explain-given.ts";
import { explainWord, hashWithin, OWN_ERROR_CODES, rowNamed } from "./explain-name.ts";
import type { BesideText, RarerParts, TextToExplain } from "./text-to-explain.ts";
import {
  answerOfFields,
  answerOfXdr,
  isEnvelopeXdr,
  printedResults,
  xdrAsBase64,
} from "./xdr-in-text.ts";

/** Explains a text. Throws FILE_INVALID, and the errors of the parts. */
export function explainTextWith(
  parts: RarerParts,
  { text, bytes, ...request }: TextToExplain,
): ExplainedText {
  return explainGivenText(text, bytes ?? null, { ...request, parts });
}

function explainGivenText(
  text: string,
  bytes: Uint8Array | null,
  request: BesideText,
): ExplainedText {
  const trimmed = text.trim();
  // A binary file is not text, whatever words it contains.
  if (text.startsWith("\0asm")) {
    const code = request.parts.answers().explainWasm(bytes);
    return { kind: "codes", codes: [code] };
  }
  const own = OWN.find(([start]) => start.test(trimmed));
  if (own !== undefined) {
    const [, code, meaning, remedy] = own;
    return { kind: "codes", codes: [{ code, kind: "file of svc", meaning, remedy }] };
  }
  return (
    explainWord(trimmed, request) ??
    (/^[[{"]/.test(trimmed) ? explainJson(trimmed, request, true) : null) ??
    explainPasted(trimmed, request) ??
    explainPrintedValue(trimmed, request) ?? {
      kind: "unknown",
      names: [...codeNames(), ...OWN_ERROR_CODES],
    }
  );
}

/** Files that svc itself writes. */
const OWN: readonly (readonly [start: RegExp, code: string, meaning: string, remedy: Wording])[] = [
  [
    /^\{\s*"kind":\s*"svc-capsule"/,
    "capsule",
    "A capsule holds a transaction and the state that it ran against, for a replay without a network.",
    phrase`${svc("debug", "Run")} with the file.`,
  ],
  [
    /^<!doctype html>[\s\S]*svc-capsule/i,
    "page",
    "A page of svc holds the capsule of the transaction that it is about.",
    phrase`${svc("debug", "Run")} with the file, or open it in a browser.`,
  ],
  [
    /^\{\s*"format":\s*1,\s*"hash":\s*"[0-9a-f]{64}"/,
    "report",
    "A report of svc as JSON: its field `outcome` has the cause, the evidence and the remedy.",
    "Read `outcome`. Any word in it can be explained by itself.",
  ],
];

/**
 * Explains the output of a terminal or a log: XDR, an error with its log, JSON, or codes in a text.
 */
function explainPasted(text: string, request: BesideText): ExplainedText | null {
  const answer = answerOfXdr(text.split(/[\s,]+/)) ?? answerOfFields(text);
  if (answer !== null) return { kind: "answers", answers: [explainGiven(answer, request)] };
  const other = explainOtherXdr(text, request) ?? explainLink(text, request);
  if (other !== null) return other;
  const printed = explainPrinted(text, request);
  if (printed !== null) return printed;
  const later = printedResults(text)
    .map((xdr) => request.parts.answers().explainUnknown(xdr))
    .find((each) => each !== null);
  if (later !== undefined) return { kind: "codes", codes: [later] };
  const within = explainWithin(text, request);
  if (within !== null) return within;
  const [hidden = null] = HIDDEN_CODES.exec(text) ?? HIDDEN_RESULT.exec(text) ?? [];
  const behind = hidden === null ? null : explainMessage(hidden, request.parts.toolMessages);
  const codes = [
    ...[...text.matchAll(/\[([A-Z_]{4,60})\]/g)].flatMap(([, code = ""]) => rowNamed(code)),
    ...codesWithin(text).flatMap((code) => explainCode(code).slice(0, 1)),
    ...(behind === null ? [] : [behind]),
    ...wordsWithin(text),
  ];
  if (codes.length > 0) return { kind: "codes", codes };
  const message = explainMessage(text, request.parts.toolMessages) ?? hashWithin(text);
  return message && { kind: "codes", codes: [message] };
}

/** Explains a node's JSON in a text, which may have brackets before it; null if there is none. */
function explainWithin(text: string, request: BesideText): ExplainedText | null {
  for (const [open, close] of ["{}", "[]"] as const) {
    const from = text.indexOf(open ?? "");
    const json = from === -1 ? "" : text.slice(from, text.lastIndexOf(close ?? "") + 1);
    const value = json === "" || json === text ? undefined : parsed(json);
    if (value === undefined || typeof value !== "object" || isNumbers(value)) continue;
    try {
      return explainJson(json, request);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
    }
  }
  return null;
}

/**
 * The code of a JSON-RPC error in brackets, `[-32603]`, is not an answer. The words after it are.
 */
function isNumbers(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "number");
}

/**
 * The text may also have the form in which Rust writes a contract's error: `ScError(Contract(3))`,
 * `InvokeError::Contract(3)`.
 */
const HOST_ERROR =
  /(?:HostError: )?Error\(\w{1,16}, ?#?\w{1,20}\)|(?:Error(?:\(|::)|_error=)Contract\((\d{1,10})\)/;
/** The form in which Rust prints an error of the host: `ScError(Auth(InvalidAction))`. */
const NESTED_ERROR =
  /\bScError\((?<type>[A-Z]\w{1,15})\((?:ScErrorCode::)?(?<code>[A-Z]\w{1,19})\)\)/;
/** As people write it down, and as text recognition reads it. */
const WRITTEN_DOWN = new RegExp(
  String.raw`\bError ?\( ?Contract ?, ?# ?(\d{1,10}) ?\)|(?<!Status\()\bContractError\((\d{1,10})\)|` +
    String.raw`\bcontract ?error(?: code| number)?(?: ?[:=#] ?#?| )(\d{1,10})\b`,
  "i",
);
const EVENT_LOG = /\[(?:Failed )?(?:Diagnostic|Contract|System) Event/;

/**
 * Explains a host error as SDKs and tools print it: after words of their own, and before its log.
 */
function explainPrinted(text: string, request: BesideText): ExplainedText | null {
  const each = (log: string) => explainLog(log, request);
  const several = EVENT_LOG.test(text) ? request.parts.answers().explainLogs(text, each) : null;
  return several ?? each(text);
}

function explainLog(text: string, request: BesideText): ExplainedText | null {
  const hasLog = EVENT_LOG.test(text) || readPrintedEvents(text).length > 0;
  const match = HOST_ERROR.exec(text) ?? NESTED_ERROR.exec(text) ?? WRITTEN_DOWN.exec(text);
  const error = match === null ? "" : errorWritten(match);
  const codes = match === null ? [] : explainCode(error, request.contract);
  if (!hasLog) {
    const data = explainData(text) ?? (match && explainBeside(text.replace(match[0], "\n")));
    // A message says more than the host's error, unless the host adds it to all errors.
    const saysMore = data !== null && messageIn(FRAMES, data.code)?.row.passesOn !== true;
    const others = saysMore ? codes.filter(({ kind }) => kind !== HOST_ERROR_KIND) : codes;
    // What the host adds to all errors is no answer beside one that is.
    const isOfFrame = data !== null && messageIn(FRAMES, data.code) !== null;
    const all = data === null || (isOfFrame && codes.length > 0) ? codes : [data, ...others];
    return all.length === 0 ? null : { kind: "codes", codes: all };
  }
  const answer = explainGiven({ ...EMPTY_ANSWER, kind: "xdr", error: text }, request);
  const shows = answer.cause !== null && answer.cause.kind !== "request-refused";
  if (shows) return { kind: "answers", answers: [answer] };
  if (codes.length > 0) return { kind: "codes", codes };
  // The text is a log without an error.
  const diagnosticEventsXdr = readPrintedEvents(text);
  if (diagnosticEventsXdr.length === 0) return null;
  const quiet = { ...EMPTY_ANSWER, kind: "xdr", diagnosticEventsXdr } as const;
  return { kind: "answers", answers: [explainGiven(quiet, request)] };
}

/** The error as the host writes it. */
function errorWritten({
  0: written,
  1: first,
  2: second,
  3: third,
  groups,
}: RegExpExecArray): string {
  if (groups !== undefined) return `Error(${groups.type}, ${groups.code})`;
  const number = third ?? second ?? first;
  return number === undefined ? written : `Error(Contract, #${number})`;
}

/** Explains a message of the host beside its error, in whatever marks it stands. */
function explainBeside(text: string): CodeExplanation | null {
  for (const part of text.split(/[\n:"'`()[\],]+| [-–—] /)) {
    const message = part.trim();
    const explanation = message.length < SHORTEST_BESIDE ? null : explainMessageWith(message, null);
    if (explanation !== null) return explanation;
  }
  return null;
}

/** A shorter message of a host could be ordinary words. */
const SHORTEST_BESIDE = 20;

/** Explains the data of one event without the rest of it: `data:["…", 100, 500]`. */
function explainData(text: string): CodeExplanation | null {
  const data = readPrintedData(text);
  return data && explainMessageWith(data.message, data.values);
}

/** `isWhole`: the JSON is all of the text, so that a part of an event can be what is asked about. */
function explainJson(text: string, request: BesideText, isWhole = false): ExplainedText | null {
  const json = parsed(text);
  if (json === undefined) {
    const pasted =
      (HAS_TOPICS.test(text) ? explainPrintedEvents(text, request) : null) ??
      explainPasted(text, request) ??
      (isWhole ? explainPrintedValue(text, request) : null);
    if (pasted !== null) return pasted;
    // A log begins with a bracket too: `[Ledger FATAL] …`.
    if (/^\[\w/.test(text)) return null;
    throw new SvcError("FILE_INVALID", {
      message: `${request.name} is not valid JSON, and has no code that svc knows.`,
      remedy: "Pass the node's answer as it was received, complete.",
    });
  }
  if (typeof json === "string") return explainGivenText(json, null, request);
  const isList = Array.isArray(json) && json.every((each) => typeof each === "string");
  const alone = isList ? answerOfXdr(json) : null;
  const answers = alone === null ? findNodeAnswers(json) : [alone];
  const hidden = answers.length > 0 && answers.every(hidesResult) ? resultsNamed(text) : [];
  const codes =
    answers.length > 0
      ? hidden.flatMap((code) => explainCode(code).slice(0, 1))
      : explainResultCodes(json);
  if (answers.length > 0 && codes.length === 0)
    return { kind: "answers", answers: answers.map((answer) => explainGiven(answer, request)) };
  const named = answers.length === 0 && codes.length > 0 ? answerOfFields(text) : null;
  if (named !== null) return { kind: "answers", answers: [explainGiven(named, request)] };
  if (codes.length > 0) return { kind: "codes", codes };
  const native = HAS_TOPICS.test(text) ? explainEvents(json, request) : null;
  if (native !== null) return native;
  const error = errorAlone(json, request) ?? explainPasted(text, request);
  if (error !== null) return error;
  const topics = isWhole && HAS_PART.test(text) ? explainNative(json, request) : null;
  if (topics !== null) return topics;
  throw new SvcError("FILE_INVALID", {
    message: `${request.name} is JSON without an answer that svc can explain.`,
    remedy:
      "Pass the answer of sendTransaction, getTransaction or a failed simulateTransaction, with " +
      "its XDR in base64 (xdrFormat base64).",
  });
}

const HAS_TOPICS = /\btopics\b/;
/** What a part of such an event has in it. */
const HAS_PART = /\b(?:topics|error|type|fn_\w+|core_metrics)\b/;

function explainPrintedEvents(text: string, request: BesideText): ExplainedText | null {
  return explainEvents(request.parts.answers().readPrintedLiteral(text), request);
}

/** Explains events that an SDK has made plain values of. */
function explainEvents(value: unknown, request: BesideText): ExplainedText | null {
  const diagnosticEventsXdr = request.parts.answers().readNativeEvents(value);
  if (diagnosticEventsXdr.length === 0) return null;
  const answer = { ...EMPTY_ANSWER, kind: "xdr", diagnosticEventsXdr } as const;
  return { kind: "answers", answers: [explainGiven(answer, request)] };
}

/** Explains a part of such an event: an error, or the topics of a call. */
function explainNative(value: unknown, { contract, parts }: BesideText): ExplainedText | null {
  const error = parts.answers().nativeErrorIn(value);
  const [topic] = Array.isArray(value) ? value : [];
  const codes = explainCode(error ?? (topic === "error" ? "error event" : ""), contract);
  const named = codes.length > 0 || typeof topic !== "string" ? codes : topicNamed(topic);
  return named.length === 0 ? null : { kind: "codes", codes: named };
}

/** Other words of a list, such as function names, are no topics. */
function topicNamed(topic: string): CodeExplanation[] {
  return explainCode(topic).filter(({ kind }) => kind === TOPIC_KIND);
}

/** A part of an event as JavaScript prints it: with its brackets, or without them. */
const PRINTED_FORMS: readonly ((text: string) => string)[] = [
  (text) => `{${text}}`,
  (text) => `[${text}]`,
  (text) => text,
];

function explainPrintedValue(text: string, request: BesideText): ExplainedText | null {
  if (!HAS_PART.test(text)) return null;
  const { readPrintedLiteral } = request.parts.answers();
  const values = PRINTED_FORMS.map((form) => readPrintedLiteral(form(text)));
  for (const explain of [explainEvents, explainNative])
    for (const value of values) {
      const explained = explain(value, request);
      if (explained !== null) return explained;
    }
  return null;
}

/** True for a rejected transaction whose result is not XDR. */
function hidesResult({ status, resultXdr }: NodeAnswer): boolean {
  return status === "ERROR" && resultXdr === null;
}

/** The results that a text names. A status alone is not a result. */
function resultsNamed(text: string): readonly string[] {
  return codesWithin(text).filter((code) => !/^[A-Z_]+$/.test(code));
}

/** Explains `{"error": "HostError: …"}`. Nothing shows which answer of a node contained it. */
function errorAlone(json: unknown, request: BesideText): ExplainedText | null {
  const { error, message, exception } = (json ?? {}) as Readonly<Record<string, unknown>>;
  const stated = (error as { readonly message?: unknown } | null | undefined)?.message ?? error;
  // stellar-core names its errors `exception`.
  const text = stated ?? message ?? exception;
  const deeper = () => {
    for (const each of textsWithin(json)) {
      const hasError = HOST_ERROR.test(each) || EVENT_LOG.test(each);
      const explained = hasError ? explainPrinted(each, request) : null;
      if (explained !== null) return explained;
    }
    return null;
  };
  if (typeof text !== "string") return deeper();
  return explainPrinted(text, request) ?? deeper() ?? explainPasted(text, request);
}

/** An error tracker keeps the message some levels down. */
const DEEPEST_TEXT = 8;

/** The texts of a value, in the order of the JSON. */
function* textsWithin(part: unknown, depth = 0): Generator<string> {
  const value = jsonWithin(part);
  if (typeof value === "string") yield value;
  if (typeof value !== "object" || value === null || depth > DEEPEST_TEXT) return;
  for (const each of Object.values(value)) yield* textsWithin(each, depth + 1);
}

/** Undefined if the text is not JSON. */
function parsed(text: string): unknown {
  if (excessOfJson(text) !== null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Explains XDR that shows no outcome, or only an error. */
function explainOtherXdr(text: string, { parts }: BesideText): ExplainedText | null {
  const xdr = xdrAsBase64(text);
  if (xdr === null) return null;
  try {
    const error = errorOf(xdr);
    const [code] = error === null ? [] : explainCode(showError(error));
    if (code !== undefined) return { kind: "codes", codes: [code] };
  } catch {
    // The XDR is not an ScVal.
  }
  const { explainEnvelope, explainUnknown, explainXdr, offlineFacts } = parts.answers();
  if (isEnvelopeXdr(xdr)) return { kind: "answers", answers: [explainEnvelope(offlineFacts(xdr))] };
  const explanation = explainXdr(xdr) ?? explainUnknown(xdr);
  return explanation && { kind: "codes", codes: [explanation] };
}

/** A parameter of a link that is long enough to be XDR, as in Stellar Lab. */
const LINKED_XDR = /[=/]((?:[A-Za-z0-9+_-]|%[0-9A-F]{2}|\/\/?){60,}={0,2})(?=[;&#]|$)/gi;

/** A parameter whose name means XDR may be as short as a result. */
const NAMED_XDR = /[?&#](?:input|xdr)=((?:[A-Za-z0-9+_-]|%[0-9A-F]{2}|\/){12,}={0,2})(?=[;&#]|$)/gi;

/** Explains the XDR in an address, such as one of Stellar Lab; null if there is none. */
function explainLink(text: string, request: BesideText): ExplainedText | null {
  if (!/^\w{2,6}:\/\/\S+$/.test(text)) return null;
  for (const [, written = ""] of text.matchAll(LINKED_XDR)) {
    // Stellar Lab writes a slash twice.
    const explanation = explainOtherXdr(written.replaceAll("//", "/"), request);
    if (explanation !== null) return explanation;
  }
  for (const [, written = ""] of text.matchAll(NAMED_XDR)) {
    const xdr = xdrAsBase64(written);
    const answer = xdr === null ? null : answerOfXdr([xdr]);
    if (answer !== null) return { kind: "answers", answers: [explainGiven(answer, request)] };
  }
  return null;
}
