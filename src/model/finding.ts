// Findings are the results of one run of svc: for each requested transaction an Investigation, or
// the reason why there is none, and the user's expectations that failed.

import type { SvcError } from "../base/errors/errors.ts";
import type { Investigation } from "./investigation.ts";

/** A condition of --fail-on that is true, or an expectation of --expect that failed. */
export interface FailedExpectation {
  /** Where the user set the expectation. */
  readonly origin: "--fail-on" | "--expect";
  /** The condition as the user wrote it: `cpu>1000`, `verdict`. */
  readonly condition: string;
  /** Expected and actual value, as text; may quote the chain. */
  readonly expected: string;
  readonly actual: string;
  /** One sentence with both, and by how much they differ. */
  readonly message: string;
}

/** Why there is no Investigation: an SvcError as plain data. */
export interface FoundError {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

// The outline of a transaction that svc cannot replay, because its ledger is of a later protocol:
// the parts that decode. Nothing of it was checked but the hash of the envelope.

export interface OutlinedOperation {
  readonly kind: string;
  /** Null: the transaction's. */
  readonly sourceAccount: string | null;
  /** Of a call: the contract, the function and its arguments as text. */
  readonly fields: readonly { readonly name: string; readonly value: string }[];
}

/** Of an error, where the sources had the transaction; null where it has none. */
export function outlineOf({ details }: SvcError): TransactionOutline | null {
  return (details.transaction as TransactionOutline | undefined) ?? null;
}

export interface TransactionOutline {
  /** Of the envelope; the requested one where that does not decode. */
  readonly hash: string;
  readonly ledger: number;
  /** By the result, or else by the node's word; null where neither shows it. */
  readonly succeeded: boolean | null;
  /** Null where the result does not decode. */
  readonly result: {
    readonly code: string;
    readonly innerCode: string | null;
    readonly operationCodes: readonly string[];
    readonly feeChargedStroops: string;
  } | null;
  /** Null where the envelope does not decode. */
  readonly envelope: {
    readonly sourceAccount: string;
    readonly sequence: string;
    readonly feeBidStroops: string;
    readonly operations: readonly OutlinedOperation[];
    /** TransactionEnvelope as JSON (SEP-51). */
    readonly json: unknown;
  } | null;
}

interface AnyFinding {
  /** The requested hash in lower-case hex, or the capsule's path. */
  readonly subject: string;
  /** The exit code of svc if this were the only transaction. */
  readonly exitCode: number;
  readonly elapsedMilliseconds: number;
}

export interface Investigated extends AnyFinding {
  readonly kind: "investigated";
  readonly investigation: Investigation;
  /** Null: nothing was expected. Empty: all expectations passed. */
  readonly failedExpectations: readonly FailedExpectation[] | null;
}

export interface Unanswered extends AnyFinding {
  readonly kind: "unanswered";
  readonly error: FoundError;
  /** What can be shown all the same; absent: nothing. */
  readonly outline?: TransactionOutline;
}

export type Finding = Investigated | Unanswered;

export interface Findings {
  /** True for one transaction given by its hash or capsule: its report is not part of a list. */
  readonly single: boolean;
  /** One finding per transaction, in the order of the request. */
  readonly list: readonly Finding[];
  /** The most severe exit code of the list. */
  readonly exitCode: number;
  readonly beganUnixMilliseconds: number;
}
