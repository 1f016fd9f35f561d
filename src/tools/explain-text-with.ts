// Explains what people paste or save: a code or a word by its name, base64 XDR, an error as a tool
// prints it, or JSON of a node's answers. Nothing is fetched, and nothing runs. The parts that only
// some texts need are passed, so that a program can load them when a text needs them.

import type { ErrorRow } from "../base/errors/base-errors.ts";
import { SvcError } from "../base/errors/errors.ts";
import { excessOfJson } from "../base/json-bounds.ts";
import { flag, HTTP, phrase, phraseFor, svc, svcDebug, type Wording } from "../base/phrase.ts";
import { CATALOGUE, rowOf } from "../error-catalogue.ts";
import {
  codesWithin,
  explainMessage,
  explainMessageWith,
  explainResultCodes,
  type ToolMessages,
  wordsWithin,
} from "../explain/codes-within.ts";
import type { explainEnvelope, offlineFacts } from "../explain/envelope-answer.ts";
import type { explainAnswer, KnownContract } from "../explain/explain-answer.ts";
import { codeNames, explainCode, LISTS } from "../explain/explain-code.ts";
import type {
  AnswerExplanation,
  CodeExplanation,
  ListedTopic,
  NodeAnswer,
} from "../model/node-answer.ts";
import { NEWEST_PROTOCOL } from "../model/protocols.ts";
import {
  type NumberedTransaction,
  numberedTransaction,
  transactionOfUrl,
} from "../model/transaction-url.ts";
import { EMPTY_ANSWER, findNodeAnswers } from "../sources/files/node-answers.ts";
import { openEnvelope } from "../xdr/envelope/envelope.ts";
import { errorOf, readDiagnosticEvent } from "../xdr/outcome/diagnostics.ts";
import { readTransactionMeta } from "../xdr/outcome/meta.ts";
import { readNativeEvents } from "../xdr/outcome/native-events.ts";
import { readPrintedData, readPrintedEvents } from "../xdr/outcome/printed-events.ts";
import { readTransactionResult, resultOfRefusal } from "../xdr/outcome/result.ts";
import { isUnknownXdr } from "../xdr/reader/shape.ts";
import { showError } from "../xdr/values/value-text.ts";
import { explainStrkey } from "./explain-strkey.ts";
import type { explainUnknown, UPDATE_FOR_LATER } from "./explain-unknown.ts";
import type { explainWasm } from "./explain-wasm.ts";
import type { explainXdr } from "./explain-xdr.ts";

export type ExplainedText =
  /** `codes` is not empty. */
  | { readonly kind: "codes"; readonly codes: readonly CodeExplanation[] }
  /** `answers` is not empty. */
  | { readonly kind: "answers"; readonly answers: readonly AnswerExplanation[] }
  /** `names` has the codes that a mistyped one may have meant. */
  | { readonly kind: "unknown"; readonly names: readonly string[] };

export interface TextToExplain {
  readonly text: string;
  /** The bytes of the text, if they may be a binary file. */
  readonly bytes?: Uint8Array;
  /** The name of the input, for errors. */
  readonly name: string;
  /** The contract whose errors the text contains. */
  readonly contract?: KnownContract | null;
}

export interface AnswerParts {
  readonly explainAnswer: typeof explainAnswer;
  readonly explainEnvelope: typeof explainEnvelope;
  readonly explainUnknown: typeof explainUnknown;
  readonly explainWasm: typeof explainWasm;
  readonly explainXdr: typeof explainXdr;
  readonly offlineFacts: typeof offlineFacts;
  readonly UPDATE_FOR_LATER: typeof UPDATE_FOR_LATER;
}

/** The parts that only some texts need. */
export interface RarerParts {
  /** Explains answers of nodes, logs, envelopes, and all other XDR and wasm. */
  readonly answers: () => AnswerParts;
  /** The messages of tools. They are asked for last, when nothing else explains a text. */
  readonly toolMessages: ToolMessages;
}

/** Explains a text. Throws FILE_INVALID, and the errors of the parts. */
export function explainTextWith(
  parts: RarerParts,
  { text, bytes, ...request }: TextToExplain,
): ExplainedText {
  return explainGivenText(text, bytes ?? null, { ...request, parts });
}

function explainGivenText(text: string, bytes: Uint8Array | null, request: Beside): ExplainedText {
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
    (/^[[{"]/.test(trimmed) ? explainJson(trimmed, request) : null) ??
    explainPasted(trimmed, request) ?? { kind: "unknown", names: [...codeNames(), ...CODES] }
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

interface Beside extends Omit<TextToExplain, "text" | "bytes"> {
  readonly parts: RarerParts;
}

const CODES = Object.keys(CATALOGUE);
/** No name is longer. */
const LONGEST_NAME = 200;

/** Every known thing whose name is exactly this text. */
function explainWord(text: string, { contract = null }: Beside): ExplainedText | null {
  if (text.length > LONGEST_NAME) return null;
  const thing = thingNamed(text);
  const codes = [
    ...(thing === null ? [] : [thing]),
    ...rowNamed(text.toUpperCase().replace(/^\[(.*)\]$/, "$1")),
    ...explainCode(text, contract),
  ];
  return codes.length === 0 ? null : { kind: "codes", codes };
}

export function listTopic(topic: ListedTopic): readonly CodeExplanation[] {
  if (topic !== "errors") return LISTS[topic]();
  return Object.entries(CATALOGUE).map(([code, row]) => explainRow(code, row));
}

function rowNamed(code: string): CodeExplanation[] {
  const row = rowOf(code);
  return row === null ? [] : [explainRow(code, row)];
}

function explainRow(code: string, row: ErrorRow): CodeExplanation {
  return {
    code,
    kind: `error of svc, exit code ${row.exitCode}, HTTP status ${row.httpStatus}`,
    meaning: row.summary,
    remedy: row.advice,
    ...(row.httpAdvice !== undefined && { httpRemedy: phraseFor(row.httpAdvice, HTTP) }),
  };
}

/** Words that appear next to codes but are not codes. */
function thingNamed(text: string): CodeExplanation | null {
  const numbered = numberedTransaction(text);
  if (numbered !== null) return explainNumbered(numbered);
  const url = transactionOfUrl(text);
  if (url !== null) return explainHash(url.hash, url.network);
  const hash = /^(?:0x)?([0-9a-f]{64})$/i.exec(text)?.[1]?.toLowerCase();
  if (hash !== undefined) return explainHash(hash, null);
  if (/^\d{1,10}$/.test(text)) {
    const [number] = explainCode(`#${text}`);
    const meaning = `A number alone can mean many things. If it is the error of a contract: ${number?.meaning}`;
    return number === undefined ? null : { ...number, meaning };
  }
  return explainStrkey(text);
}

function explainNumbered({ id, ledger, order, network }: NumberedTransaction): CodeExplanation {
  const on = network === null ? "" : ` of ${network}`;
  return {
    code: id,
    kind: "number of a transaction (SEP-35)",
    meaning: `An explorer's number, which means transaction ${order} in ledger ${ledger}${on}.`,
    remedy: phrase`Copy the transaction's hash from the explorer's page, and ${svc("debug", "run")} with it.`,
  };
}

function explainHash(hash: string, network: string | null): CodeExplanation {
  const meaning = "A hash shows nothing by itself: the transaction has to be fetched and replayed.";
  // A contract's code and a ledger have hashes too.
  const remedy =
    network === null
      ? phrase`If it is the hash of a transaction, ${svcDebug(hash, null, "run")}, with ${flag("network")} for another network than testnet.`
      : phrase`${svcDebug(hash, network, "Run")}.`;
  return { code: hash, kind: "hash", meaning, remedy };
}

const LONGEST_PRINTED = 1024 * 1024;
/**
 * The form in which languages print an object: `errorResultXdr: 'AAAA…'`,
 * `error_result_xdr='AAAA…'`.
 */
const RESULT_FIELD = /(?:\b|_|error)result_?xdr\W{1,6}([A-Za-z0-9+/]{16,}={0,2})/gi;

const ENVELOPE_FIELD = /(?:\b|_)envelope_?xdr\W{1,6}([A-Za-z0-9+/]{100,}={0,2})/gi;
/** The form in which nodes printed results until 2015: at least 16 bytes in hex. */
const HEX = /(?<![0-9a-f])(?:[0-9a-f]{8}){4,64}(?![0-9a-f])/gi;
const HASH_DIGITS = 64;

/** The results, with an envelope next to them, in an answer that a program printed. */
function answerOfFields(text: string): NodeAnswer | null {
  const searched = text.slice(0, LONGEST_PRINTED);
  const named = [...searched.matchAll(RESULT_FIELD)].flatMap(([, xdr = ""]) => xdr);
  const hex = [...searched.matchAll(HEX)].flatMap(([digits]) =>
    digits.length === HASH_DIGITS ? [] : Uint8Array.fromHex(digits).toBase64(),
  );
  const envelopes = [...searched.matchAll(ENVELOPE_FIELD)].flatMap(([, xdr = ""]) => xdr);
  for (const results of [named, hex]) {
    const answer = answerOfXdr(results);
    const beside = envelopes.length === 1 && answer !== null && results.length === 1;
    if (answer !== null) return (beside ? answerOfXdr([...results, ...envelopes]) : null) ?? answer;
  }
  const [envelope = "", ...others] = envelopes;
  const resultXdr = envelope === "" || others.length > 0 ? null : resultOfCodes(text);
  if (resultXdr === null || withPart(envelope, EMPTY_ANSWER)?.envelopeXdr !== envelope) return null;
  return { ...EMPTY_ANSWER, kind: "xdr", envelopeXdr: envelope, resultXdr };
}

/** The only transaction result that a text names, without operations; null if there is none. */
function resultOfCodes(text: string): string | null {
  const [code, ...others] = codesWithin(text);
  return code === undefined || others.length > 0 ? null : resultOfRefusal(code);
}

/**
 * Explains the output of a terminal or a log: XDR, an error with its log, JSON, or codes in a text.
 */
function explainPasted(text: string, request: Beside): ExplainedText | null {
  const fields = [...text.slice(0, LONGEST_PRINTED).matchAll(RESULT_FIELD)];
  const answer = answerOfXdr(text.split(/[\s,]+/)) ?? answerOfFields(text);
  if (answer !== null) return { kind: "answers", answers: [explainGiven(answer, request)] };
  const other = explainOtherXdr(text, request) ?? explainLink(text, request);
  if (other !== null) return other;
  const printed = explainPrinted(text, request);
  if (printed !== null) return printed;
  const later = fields
    .map(([, xdr = ""]) => request.parts.answers().explainUnknown(xdr))
    .find((each) => each !== null);
  if (later !== undefined) return { kind: "codes", codes: [later] };
  const within = explainWithin(text, request);
  if (within !== null) return within;
  const codes = [
    ...[...text.matchAll(/\[([A-Z_]{4,60})\]/g)].flatMap(([, code = ""]) => rowNamed(code)),
    ...codesWithin(text).flatMap((code) => explainCode(code).slice(0, 1)),
    ...wordsWithin(text),
  ];
  if (codes.length > 0) return { kind: "codes", codes };
  const message = explainMessage(text, request.parts.toolMessages) ?? hashWithin(text);
  return message && { kind: "codes", codes: [message] };
}

function hashWithin(text: string): CodeExplanation | null {
  const [hash] = text.length > LONGEST_NAME ? [] : (/\b[0-9a-f]{64}\b/i.exec(text) ?? []);
  return hash === undefined ? null : thingNamed(hash);
}

/** Explains a node's JSON in a text, which may have brackets before it; null if there is none. */
function explainWithin(text: string, request: Beside): ExplainedText | null {
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
const EVENT_LOG = /\[(?:Failed )?(?:Diagnostic|Contract|System) Event/;

/**
 * Explains a host error as SDKs and tools print it: after words of their own, and before its log.
 */
function explainPrinted(text: string, request: Beside): ExplainedText | null {
  const hasLog = EVENT_LOG.test(text) || readPrintedEvents(text).length > 0;
  const match = HOST_ERROR.exec(text);
  const [written = "", number] = match ?? [];
  const error = number === undefined ? written : `Error(Contract, #${number})`;
  const codes = match === null ? [] : explainCode(error, request.contract);
  if (!hasLog) {
    const data = explainData(text);
    const all = data === null ? codes : [data, ...codes];
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

/** Explains the data of one event without the rest of it: `data:["…", 100, 500]`. */
function explainData(text: string): CodeExplanation | null {
  const data = readPrintedData(text);
  return data && explainMessageWith(data.message, data.values);
}

function explainJson(text: string, request: Beside): ExplainedText | null {
  const json = parsed(text);
  if (json === undefined) {
    const pasted = explainPasted(text, request);
    if (pasted !== null) return pasted;
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
  const native = readNativeEvents(json);
  if (native.length > 0) {
    const answer = { ...EMPTY_ANSWER, kind: "xdr", diagnosticEventsXdr: native } as const;
    return { kind: "answers", answers: [explainGiven(answer, request)] };
  }
  const error = errorAlone(json, request) ?? explainPasted(text, request);
  if (error !== null) return error;
  throw new SvcError("FILE_INVALID", {
    message: `${request.name} is JSON without an answer that svc can explain.`,
    remedy:
      "Pass the answer of sendTransaction, getTransaction or a failed simulateTransaction, with " +
      "its XDR in base64 (xdrFormat base64).",
  });
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
function errorAlone(json: unknown, request: Beside): ExplainedText | null {
  const { error, message } = (json ?? {}) as { readonly error?: unknown; message?: unknown };
  const stated = (error as { readonly message?: unknown } | null | undefined)?.message ?? error;
  const text = stated ?? message;
  if (typeof text !== "string") return null;
  return explainPrinted(text, request) ?? explainPasted(text, request);
}

/** Explains an answer. XDR that cannot be decoded is damaged, or of a later protocol. */
function explainGiven(
  answer: NodeAnswer,
  { name, contract = null, parts }: Beside,
): AnswerExplanation {
  const { explainAnswer, UPDATE_FOR_LATER } = parts.answers();
  try {
    return explainAnswer(answer, contract, parts.toolMessages);
  } catch (cause) {
    if (!(cause instanceof SvcError && cause.code === "XDR_INVALID")) throw cause;
    if (isUnknownXdr(cause))
      throw new SvcError("PROTOCOL_UNKNOWN", {
        message:
          `${name} has XDR that no protocol up to ${NEWEST_PROTOCOL} has: ${cause.message}` +
          readablePartsOf(answer),
        remedy: UPDATE_FOR_LATER,
        cause,
      });
    throw new SvcError("FILE_INVALID", {
      message: `${name} has XDR that cannot be decoded: ${cause.message}`,
      remedy: "Pass the node's answer as it was received, complete.",
      cause,
    });
  }
}

/** A sentence with the readable parts of an answer; empty if there are none. */
function readablePartsOf(answer: NodeAnswer): string {
  const { hash, status, ledger, resultXdr, envelopeXdr } = answer;
  const ifRead = (read: () => string): string[] => {
    try {
      return [read()];
    } catch (error) {
      if (error instanceof SvcError) return [];
      throw error;
    }
  };
  const parts = [
    ...(hash === null ? [] : [`transaction ${hash}`]),
    ...(status === null ? [] : [`status ${status}`]),
    ...(ledger === null ? [] : [`ledger ${ledger}`]),
    ...(resultXdr === null ? [] : ifRead(() => `result ${readTransactionResult(resultXdr).code}`)),
    ...(envelopeXdr === null
      ? []
      : ifRead(() => `source account ${openEnvelope(envelopeXdr, "").sourceAccount}`)),
  ];
  return parts.length === 0 ? "" : ` The rest of the answer shows: ${parts.join(", ")}.`;
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

/**
 * One reader for each kind of XDR: it adds the word to the answer, or throws if the word is not of
 * that kind.
 */
const PARTS: readonly ((xdr: string, answer: NodeAnswer) => NodeAnswer)[] = [
  (xdr, answer) => {
    readTransactionResult(xdr);
    return { ...answer, resultXdr: xdr };
  },
  (xdr, answer) => {
    readDiagnosticEvent(xdr);
    return { ...answer, diagnosticEventsXdr: [...answer.diagnosticEventsXdr, xdr] };
  },
  (xdr, answer) => {
    readTransactionMeta(xdr);
    return { ...answer, resultMetaXdr: xdr };
  },
  (xdr, answer) => {
    openEnvelope(xdr, "");
    return { ...answer, envelopeXdr: xdr };
  },
];

/** Null if no word is of a known kind, or if no part shows an outcome. */
function answerOfXdr(words: readonly string[]): NodeAnswer | null {
  let answer: NodeAnswer = { ...EMPTY_ANSWER, kind: "xdr" };
  for (const word of words) {
    const extended = /^[A-Za-z0-9+/]{8,}={0,2}$/.test(word) ? withPart(word, answer) : null;
    if (extended === null) return null;
    answer = extended;
  }
  const { resultXdr, resultMetaXdr, diagnosticEventsXdr } = answer;
  const shows = resultXdr !== null || resultMetaXdr !== null || diagnosticEventsXdr.length > 0;
  return shows ? answer : null;
}

function withPart(word: string, answer: NodeAnswer): NodeAnswer | null {
  for (const part of PARTS) {
    try {
      return part(word, answer);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
    }
  }
  return null;
}

/** Explains XDR that shows no outcome, or only an error. */
function explainOtherXdr(text: string, { parts }: Beside): ExplainedText | null {
  const xdr = base64Of(text);
  if (xdr === null) return null;
  try {
    const error = errorOf(xdr);
    const [code] = error === null ? [] : explainCode(showError(error));
    if (code !== undefined) return { kind: "codes", codes: [code] };
  } catch {
    // The XDR is not an ScVal.
  }
  const { explainEnvelope, explainUnknown, explainXdr, offlineFacts } = parts.answers();
  if (withPart(xdr, EMPTY_ANSWER)?.envelopeXdr === xdr)
    return { kind: "answers", answers: [explainEnvelope(offlineFacts(xdr))] };
  const explanation = explainXdr(xdr) ?? explainUnknown(xdr);
  return explanation && { kind: "codes", codes: [explanation] };
}

/** A parameter of a link that is long enough to be XDR, as in Stellar Lab. */
const LINKED_XDR = /[=/]((?:[A-Za-z0-9+_-]|%[0-9A-F]{2}|\/\/?){60,}={0,2})(?=[;&#]|$)/gi;

/** A parameter whose name means XDR may be as short as a result. */
const NAMED_XDR = /[?&#](?:input|xdr)=((?:[A-Za-z0-9+_-]|%[0-9A-F]{2}|\/){12,}={0,2})(?=[;&#]|$)/gi;

/** Explains the XDR in an address, such as one of Stellar Lab; null if there is none. */
function explainLink(text: string, request: Beside): ExplainedText | null {
  if (!/^\w{2,6}:\/\/\S+$/.test(text)) return null;
  for (const [, written = ""] of text.matchAll(LINKED_XDR)) {
    // Stellar Lab writes a slash twice.
    const explanation = explainOtherXdr(written.replaceAll("//", "/"), request);
    if (explanation !== null) return explanation;
  }
  for (const [, written = ""] of text.matchAll(NAMED_XDR)) {
    const xdr = base64Of(written);
    const answer = xdr === null ? null : answerOfXdr([xdr]);
    if (answer !== null) return { kind: "answers", answers: [explainGiven(answer, request)] };
  }
  return null;
}

/**
 * XDR as base64. The text may have line breaks or quotes, lack padding, be URL-encoded, or be hex.
 */
function base64Of(text: string): string | null {
  const joined = text.replace(/[\s"'`]/g, "");
  // A hash shows nothing, and a single number of 32 bits is one of decimals.
  if (/^(?:0x)?(?:[0-9a-f]{8}){2,}$/i.test(joined) && joined.replace(/^0x/i, "").length !== 64)
    return Uint8Array.fromHex(joined.replace(/^0x/i, "")).toBase64();
  const plain = /%[0-9A-F]{2}/i.test(joined) ? decoded(joined) : joined;
  if (!/^[A-Za-z0-9+/_-]{6,}={0,2}$/.test(plain)) return null;
  const written = plain.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  // One character more than whole groups has no byte: the text was cut.
  const standard = written.length % 4 === 1 ? written.slice(0, -1) : written;
  return standard.padEnd(Math.ceil(standard.length / 4) * 4, "=");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
