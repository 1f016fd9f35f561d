// A code by its name alone: a result code of a transaction or an operation, a node's status, or an
// error of the contract host. Every spelling in use is understood: `txBadSeq` (SDKs), `txBAD_SEQ`
// (XDR), `tx_bad_seq` (Horizon).

import { sentenceStart } from "../base/text/sentence.ts";
import type { CodeExplanation } from "../model/node-answer.ts";
import { showError } from "../xdr/values/value-text.ts";
import { hostErrorNamed } from "./host-messages/host-error-named.ts";
import { hostErrorInWords } from "./host-messages/host-errors.ts";
import {
  OPERATION_CODES,
  operationCodeInWords,
  operationResultInWords,
} from "./naming/operation-codes.ts";
import { STATUS_WORDS } from "./naming/status-words.ts";
import {
  TRANSACTION_CODES,
  transactionCodeInWords,
  transactionCodeRemedy,
} from "./naming/transaction-codes.ts";

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
  const ofTransaction = TRANSACTION_CODES.find((each) => plain(each) === name);
  if (ofTransaction !== undefined) return transactionCode(ofTransaction);
  const ofOperation = OPERATION_CODES.find((each) => plain(each) === name);
  if (ofOperation !== undefined)
    return operationCode(ofOperation, operationCodeInWords(ofOperation) ?? "");
  // Horizon names an operation's result without the operation: `op_underfunded`.
  const result = operationResultInWords(name.replace(/^(op|function)/, ""));
  return result === null ? null : operationCode(text, result);
}

/** Names for "Did you mean". */
export function codeNames(): string[] {
  return [...Object.keys(STATUS_WORDS), ...TRANSACTION_CODES, ...OPERATION_CODES];
}

function plain(text: string): string {
  return text.replaceAll(/[\s_-]/g, "").toLowerCase();
}

function transactionCode(code: string): CodeExplanation {
  const kind = code.startsWith("op") ? "operation result" : "transaction result";
  const meaning = ended(transactionCodeInWords(code) ?? "");
  return { code, kind, meaning, remedy: transactionCodeRemedy(code) ?? FIND_CAUSE };
}

function operationCode(code: string, words: string): CodeExplanation {
  return { code, kind: "operation result", meaning: ended(words), remedy: FIND_CAUSE };
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
