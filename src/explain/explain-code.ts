// A code by its name alone: a result code of a transaction or an operation, a node's status, or an
// error of the contract host. Every spelling in use is understood: `txBadSeq` (SDKs), `txBAD_SEQ`
// (XDR), `tx_bad_seq` (Horizon).

import { sentenceStart } from "../base/text/sentence.ts";
import type { CodeExplanation } from "../model/node-answer.ts";
import { showError } from "../xdr/values/value-text.ts";
import { hostErrorNamed } from "./host-messages/host-error-named.ts";
import { hostErrorInWords } from "./host-messages/host-errors.ts";
import { OPERATION_CODES, operationCodeInWords, resultOfCode } from "./naming/operation-codes.ts";
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

/**
 * Horizon's names of result codes (stellar-horizon, internal/codes) are mostly the protocol's in
 * snake case, an operation's without the operation, so that one name stands for several codes.
 * The exceptions are named by the code or by an operation's result alone.
 */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  txNoAccount: "tx_no_source_account",
  txBadMinSeqAgeOrGap: "tx_bad_minseq_age_or_gap",
  opNoAccount: "op_no_source_account",
  AlreadyExist: "op_already_exists",
  OfferCrossSelf: "op_cross_self",
  OverSendmax: "op_over_source_max",
  UnderDestmin: "op_under_dest_min",
  SellNotAuthorized: "sell_not_authorized",
  BuyNotAuthorized: "buy_not_authorized",
  BuyNoIssuer: "buy_no_issuer",
  NotFound: "op_offer_not_found",
  NotAuthMaintainLiabilities: "op_not_aut_maintain_liabilities",
  NoTrustLine: "op_no_trust",
  TrustNotRequired: "op_not_required",
  SeqnumTooFar: "op_seq_num_too_far",
  NameNotFound: "op_data_name_not_found",
  InvalidName: "op_data_invalid_name",
  NotIssuer: "op_no_issuer",
  Trapped: "function_trapped",
  ResourceLimitExceeded: "resource_limit_exceeded",
  EntryArchived: "entry_archived",
  InsufficientRefundableFee: "insufficient_refundable_fee",
};

/** Every code with its name in Horizon's answers. */
export const HORIZON_NAMES: ReadonlyMap<string, string> = new Map(
  [...TRANSACTION_CODES, ...OPERATION_CODES].map((code) => {
    const result = resultOfCode(code);
    const name = result === null ? snake(code) : `op${snake(result)}`;
    return [code, OTHER_NAMES[code] ?? OTHER_NAMES[result ?? ""] ?? name];
  }),
);

/** `NoTrust` → `_no_trust`, `txBadSeq` → `tx_bad_seq`. */
function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

interface StatusWords {
  /** One sentence. */
  readonly meaning: string;
  readonly remedy: string;
}

/** The statuses with which Stellar RPC answers sendTransaction and getTransaction. */
const STATUS_WORDS: Readonly<Record<string, StatusWords>> = {
  PENDING: {
    meaning: "The node accepted the transaction into its queue; no ledger has it yet.",
    remedy:
      "Ask getTransaction with its hash until it is in a ledger, or its time bounds have passed.",
  },
  DUPLICATE: {
    meaning: "The node already has this transaction in its queue.",
    remedy: "Do not send it again. Ask getTransaction with its hash until it is in a ledger.",
  },
  TRY_AGAIN_LATER: {
    meaning:
      "The node did not accept the transaction into its queue: the queue is full, or it has another " +
      "transaction of the same source account.",
    remedy:
      "Wait for the next ledger, about five seconds, and send the same envelope again. Send one " +
      "transaction of an account at a time. If it happens again, bid a higher fee.",
  },
  ERROR: {
    meaning: "The node refused the transaction. Its errorResultXdr contains the result code.",
    remedy: "Pass the node's whole answer, or its errorResultXdr, to `svc explain`.",
  },
  NOT_FOUND: {
    meaning:
      "The node does not have the transaction: no ledger has it yet, it was never included, or it is " +
      "older than the ledgers that the node keeps.",
    remedy:
      "If it was just sent, ask again until its time bounds have passed. Otherwise run `svc debug` " +
      "with its hash, which also asks Horizon and ledger lakes.",
  },
  SUCCESS: {
    meaning: "The transaction is in a ledger, and succeeded.",
    remedy: "Nothing is wrong. Run `svc debug` with its hash to see what it did.",
  },
  FAILED: {
    meaning: "The transaction is in a ledger, and failed. Its fee was charged.",
    remedy: "Run `svc debug` with its hash, or pass the node's whole answer to `svc explain`.",
  },
};
