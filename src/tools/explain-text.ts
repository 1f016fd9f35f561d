// What people paste or save: a code by its name, base64 XDR, or JSON of a node's answers → what each
// means. Nothing is fetched and nothing runs.

import { SvcError } from "../base/errors/errors.ts";
import { explainAnswer } from "../explain/explain-answer.ts";
import { codeNames, explainCode } from "../explain/explain-code.ts";
import type { AnswerExplanation, CodeExplanation, NodeAnswer } from "../model/node-answer.ts";
import { EMPTY_ANSWER, findNodeAnswers } from "../sources/files/node-answers.ts";
import { openEnvelope } from "../xdr/envelope/envelope.ts";
import { readDiagnosticEvent } from "../xdr/outcome/diagnostics.ts";
import { readTransactionMeta } from "../xdr/outcome/meta.ts";
import { readTransactionResult } from "../xdr/outcome/result.ts";

export type ExplainedText =
  | { readonly kind: "code"; readonly code: CodeExplanation }
  /** At least one. */
  | { readonly kind: "answers"; readonly answers: readonly AnswerExplanation[] }
  /** `names`: what a mistyped code may have meant. */
  | { readonly kind: "unknown"; readonly names: readonly string[] };

/** `name`: of the input, for errors. Throws FILE_INVALID. */
export function explainText(text: string, name: string): ExplainedText {
  const trimmed = text.trim();
  if (/^[[{"]/.test(trimmed)) return explainJson(trimmed, name);
  const code = explainCode(trimmed);
  if (code !== null) return { kind: "code", code };
  const answer = answerOfXdr(trimmed.split(/[\s,]+/));
  if (answer !== null) return { kind: "answers", answers: [explainAnswer(answer)] };
  return explainPrinted(trimmed) ?? { kind: "unknown", names: codeNames() };
}

const ERROR = String.raw`Error\(\w{1,16}, #?\w{1,20}\)`;
/** As the host writes it, or as the end of a line. */
const HOST_ERROR = new RegExp(`HostError: ${ERROR}|(?<=^|: )${ERROR}$`, "m");

/** An error of the host as SDKs and tools print it: after words of their own, before its log. */
function explainPrinted(text: string): ExplainedText | null {
  const found = HOST_ERROR.exec(text);
  const code = found === null ? null : explainCode(found[0]);
  if (found === null || code === null) return null;
  const error = text.slice(found.index);
  if (error === found[0]) return { kind: "code", code };
  return { kind: "answers", answers: [explainAnswer({ ...EMPTY_ANSWER, kind: "xdr", error })] };
}

function explainJson(text: string, name: string): ExplainedText {
  const json = parsed(text, name);
  if (typeof json === "string") return explainText(json, name);
  const isList = Array.isArray(json) && json.every((each) => typeof each === "string");
  const alone = isList ? answerOfXdr(json) : null;
  const found = alone === null ? findNodeAnswers(json) : [alone];
  if (found.length > 0)
    return { kind: "answers", answers: found.map((answer) => explainGiven(answer, name)) };
  const error = errorAlone(json);
  if (error !== null) return error;
  throw new SvcError("FILE_INVALID", {
    message: `${name} is JSON without an answer that svc can explain.`,
    remedy:
      "Pass the answer of sendTransaction, getTransaction or a failed simulateTransaction, with " +
      "its XDR in base64 (xdrFormat base64).",
  });
}

/** `{"error": "HostError: …"}`: nothing shows which answer of a node it is from. */
function errorAlone(json: unknown): ExplainedText | null {
  const { error, message } = (json ?? {}) as { readonly error?: unknown; message?: unknown };
  const given = (error as { readonly message?: unknown } | null | undefined)?.message ?? error;
  const text = given ?? message;
  if (typeof text !== "string") return null;
  // The host's log follows its error.
  const code = explainCode(text.split("\n", 1)[0] ?? "");
  // Many APIs say "not found" of something else.
  if (code?.kind === "node status") return null;
  return code === null ? explainPrinted(text) : { kind: "code", code };
}

/** XDR that cannot be decoded is the input's fault. */
function explainGiven(answer: NodeAnswer, name: string): AnswerExplanation {
  try {
    return explainAnswer(answer);
  } catch (cause) {
    if (!(cause instanceof SvcError && cause.code === "XDR_INVALID")) throw cause;
    throw new SvcError("FILE_INVALID", {
      message: `${name} has XDR that cannot be decoded: ${cause.message}`,
      remedy: "Pass the node's answer as it was received, complete.",
      cause,
    });
  }
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SvcError("FILE_INVALID", {
      message: `${name} is not valid JSON: ${(cause as Error).message}.`,
      remedy: "Pass the node's answer as it was received, complete.",
      cause,
    });
  }
}

/** What one word can be, and the part of the answer that it is. */
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

/** Null when a word is none of them, or no part shows an outcome. */
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
