// A code by its name alone: a result code of a transaction or an operation, a node's status, or an
// error of the contract host. Every spelling in use is understood: `txBadSeq` (SDKs), `txBAD_SEQ`
// (XDR), `tx_bad_seq` (Horizon).

import { sentenceStart } from "../base/text/sentence.ts";
import type { CodeExplanation } from "../model/node-answer.ts";
import { showError } from "../xdr/values/value-text.ts";
import { hostErrorNamed } from "./host-messages/host-error-named.ts";
import { hostErrorInWords } from "./host-messages/host-errors.ts";
import { HORIZON_NAMES } from "./naming/horizon-names.ts";
import { operationCodeInWords, resultOfCode } from "./naming/operation-codes.ts";
import { STATUS_WORDS } from "./naming/status-words.ts";
import { transactionCodeInWords, transactionCodeRemedy } from "./naming/transaction-codes.ts";

export const FIND_CAUSE =
  "Run `svc debug` with the transaction's hash, or `svc explain` with the node's whole answer: the " +
  "code alone does not show the cause.";

/** Null when there is no code of that name. */
export function explainCode(text: string): CodeExplanation | null {
  const error = hostError(text);
  if (error !== null) return error;
  const name = plain(text);
  const status = Object.keys(STATUS_WORDS).find((each) => plain(each) === name);
  const words = status === undefined ? undefined : STATUS_WORDS[status];
  if (status !== undefined && words !== undefined)
    return { code: status, kind: "node status", ...words };
  const codes = codesNamed(text);
  const [only] = codes;
  if (only === undefined) return null;
  return codes.length === 1 ? explained(only, only) : explainSeveral(text, codes);
}

/** The codes of a name: Horizon's names, and names without a prefix, can stand for several. */
function codesNamed(text: string): readonly string[] {
  const all = [...HORIZON_NAMES];
  const horizon = all.filter(([, name]) => name === text.toLowerCase()).map(([code]) => code);
  if (horizon.length > 0) return horizon;
  const given = plain(text);
  const code = all.find(([each]) => plain(each) === given)?.[0];
  if (code !== undefined) return [code];
  const [, prefix = "", rest = ""] = /^(tx|op|function)?(.*)$/.exec(given) ?? [];
  const ends = (name: string) => plain(name).replace(/^(tx|op|function)/, "") === rest;
  return all.flatMap(([each, name]) => {
    const isOfKind = prefix === "" || (prefix === "tx") === each.startsWith("tx");
    return isOfKind && (ends(name) || ends(resultOfCode(each) ?? each)) ? [each] : [];
  });
}

/** Names for "Did you mean". */
export function codeNames(): string[] {
  return [...Object.keys(STATUS_WORDS), ...HORIZON_NAMES.keys()];
}

function plain(text: string): string {
  return text.replaceAll(/[\s_-]/g, "").toLowerCase();
}

function explained(name: string, code: string): CodeExplanation {
  const kind = code.startsWith("tx") ? "transaction result" : "operation result";
  const remedy = transactionCodeRemedy(code) ?? FIND_CAUSE;
  return { code: name, kind, meaning: ended(wordsOf(code)), remedy };
}

/** Each meaning once, with the codes that have it. */
function explainSeveral(name: string, codes: readonly string[]): CodeExplanation {
  const meanings = Map.groupBy(codes, wordsOf);
  const [first = name] = codes;
  if (meanings.size === 1) return explained(name, first);
  const rarestFirst = [...meanings].sort(([, one], [, other]) => one.length - other.length);
  const sentences = rarestFirst.map(([words, having], i) =>
    i === rarestFirst.length - 1 && having.length > 2
      ? `Any other operation: ${words}.`
      : `${having.join(", ")}: ${words}.`,
  );
  const isOfTransaction = codes.some((code) => code.startsWith("tx"));
  const kind = isOfTransaction ? "transaction or operation result" : "operation result";
  return { code: name, kind, meaning: sentences.join(" "), remedy: FIND_CAUSE };
}

function wordsOf(code: string): string {
  return transactionCodeInWords(code) ?? operationCodeInWords(code) ?? "";
}

function hostError(text: string): CodeExplanation | null {
  const error = hostErrorNamed(text);
  if (error === null) return null;
  const { words, remedy } = hostErrorInWords(error);
  const code = showError(error);
  return { code, kind: "host error", meaning: ended(words), remedy: remedy ?? FIND_CAUSE };
}

function ended(clause: string): string {
  return `${sentenceStart(clause)}.`;
}
