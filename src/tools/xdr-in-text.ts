// Finds XDR in a text: the parts of a node's answer, as base64, hex or fields that a program printed.

import { SvcError } from "../base/errors/errors.ts";
import { codesWithin } from "../explain/codes-within.ts";
import type { NodeAnswer } from "../model/node-answer.ts";
import { EMPTY_ANSWER } from "../sources/files/node-answers.ts";
import { openEnvelope } from "../xdr/envelope/envelope.ts";
import { readDiagnosticEvent } from "../xdr/outcome/diagnostics.ts";
import { readErrorReports } from "../xdr/outcome/error-reports.ts";
import { readTransactionMeta } from "../xdr/outcome/meta.ts";
import { readTransactionResult, resultOfRefusal } from "../xdr/outcome/result.ts";

const LONGEST_PRINTED = 1024 * 1024;
/**
 * The form in which languages print an object: `errorResultXdr: 'AAAA…'`,
 * `error_result_xdr='AAAA…'`.
 */
const RESULT_FIELD = /(?:\b|_|error)result_?xdr\W{1,6}([A-Za-z0-9+/]{16,}={0,2})/gi;

const ENVELOPE_FIELD = /(?:\b|_)envelope_?xdr\W{1,6}([A-Za-z0-9+/]{100,}={0,2})/gi;
/** A word that can be a TransactionResult, with a fee below 2^34 stroops, wherever it stands. */
const RESULT_WORD = /(?<![A-Za-z0-9+/])AAAAA[A-Za-z0-9+/]{15,}={0,2}(?![A-Za-z0-9+/=])/g;
/** The form in which nodes printed results until 2015: at least 16 bytes in hex. */
const HEX = /(?<![0-9a-f])(?:[0-9a-f]{8}){4,64}(?![0-9a-f])/gi;
const HASH_DIGITS = 64;

/**
 * A word that can be a DiagnosticEvent, wherever it stands: a bool, and the ContractEvent's extension
 * point, which is 0.
 */
const EVENT_WORD = /(?<![A-Za-z0-9+/])AAAAA[AQ]AAAAA[A-Za-z0-9+/]{40,}={0,2}(?![A-Za-z0-9+/=])/g;
const MOST_WORDS = 1000;

/** The first words of a form, each once, in the order of the text. */
function wordsIn(text: string, form: RegExp): readonly string[] {
  const words = new Set([...text.matchAll(form)].map(([word]) => word));
  return [...words].slice(0, MOST_WORDS);
}

/**
 * The diagnostic events that a program printed as base64, in the order of the text; empty if none
 * of them is an error.
 */
function failingEventsIn(text: string): readonly string[] {
  const events = wordsIn(text, EVENT_WORD).filter((word) => {
    const { diagnosticEventsXdr = [] } = withPart(word, EMPTY_ANSWER) ?? {};
    return diagnosticEventsXdr.length > 0;
  });
  return readErrorReports(events).length > 0 ? events : [];
}

/**
 * The results, with an envelope and diagnostic events next to them, in an answer that a program
 * printed.
 */
export function answerOfFields(text: string): NodeAnswer | null {
  const searched = text.slice(0, LONGEST_PRINTED);
  const answer = resultsOfFields(text, searched);
  if (answer !== null && answer.diagnosticEventsXdr.length > 0) return answer;
  const diagnosticEventsXdr = failingEventsIn(searched);
  if (diagnosticEventsXdr.length === 0) return answer;
  return { ...(answer ?? { ...EMPTY_ANSWER, kind: "xdr", error: text }), diagnosticEventsXdr };
}

function resultsOfFields(text: string, searched: string): NodeAnswer | null {
  const named = printedResults(text);
  const hex = [...searched.matchAll(HEX)].flatMap(([digits]) =>
    digits.length === HASH_DIGITS ? [] : Uint8Array.fromHex(digits).toBase64(),
  );
  const envelopes = [...searched.matchAll(ENVELOPE_FIELD)].flatMap(([, xdr = ""]) => xdr);
  for (const results of [named, hex, failingResultsIn(searched)]) {
    const answer = answerOfXdr(results);
    const beside = envelopes.length === 1 && answer !== null && results.length === 1;
    if (answer !== null) return (beside ? answerOfXdr([...results, ...envelopes]) : null) ?? answer;
  }
  const [envelope = "", ...others] = envelopes;
  const resultXdr = envelope === "" || others.length > 0 ? null : resultOfCodes(text);
  if (resultXdr === null || !isEnvelopeXdr(envelope)) return null;
  return { ...EMPTY_ANSWER, kind: "xdr", envelopeXdr: envelope, resultXdr };
}

/**
 * The results of failed transactions that stand in the text without a name. Empty if the text names
 * a code by itself.
 */
function failingResultsIn(text: string): readonly string[] {
  if (codesWithin(text).length > 0) return [];
  return wordsIn(text, RESULT_WORD).filter((word) => {
    const { resultXdr = null } = withPart(word, EMPTY_ANSWER) ?? {};
    return resultXdr !== null && !readTransactionResult(resultXdr).success;
  });
}

/** The only transaction result that a text names, without operations; null if there is none. */
function resultOfCodes(text: string): string | null {
  const [code, ...others] = codesWithin(text);
  return code === undefined || others.length > 0 ? null : resultOfRefusal(code);
}

/** The results in an answer that a program printed, as base64 that may not be a result. */
export function printedResults(text: string): readonly string[] {
  return [...text.slice(0, LONGEST_PRINTED).matchAll(RESULT_FIELD)].flatMap(([, xdr = ""]) => xdr);
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
export function answerOfXdr(words: readonly string[]): NodeAnswer | null {
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

/** Says whether a word is an envelope in base64. */
export function isEnvelopeXdr(word: string): boolean {
  return withPart(word, EMPTY_ANSWER)?.envelopeXdr === word;
}

/**
 * XDR as base64. The text may have line breaks or quotes, lack padding, be URL-encoded, or be hex.
 */
export function xdrAsBase64(text: string): string | null {
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
