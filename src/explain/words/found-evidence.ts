// The evidence for a cause, and the details of how it was found, as data. evidence-words.ts words
// them.

import type { CodeLocation } from "../../model/execution.ts";
import type { ResultCode } from "../../model/result-code.ts";
import type { EnvelopeTerms } from "../../xdr/envelope/envelope-terms.ts";
import type { ErrorFacts } from "../../xdr/values/value-text.ts";
import type { CallName } from "./call-name.ts";

/** An archived entry of a footprint. */
export interface ArchivedEntry {
  readonly name: string;
  /** The last ledger in which the entry was live. */
  readonly liveUntil: number | null;
}

/** An operation that failed, with its fields. */
export interface OperationFacts {
  readonly position: number;
  readonly result: ResultCode;
  /** The kind and the fields in the envelope; null if they are unknown. */
  readonly described: {
    readonly kind: string;
    readonly fields: readonly (readonly [name: string, value: string])[];
  } | null;
}

/** The hash of a transaction on a network. */
export interface HashOnNetwork {
  readonly hash: string;
  readonly networkPassphrase: string;
}

/** A detail of a cause, besides its evidence: how it is known, or a report of the host. */
export type FoundDetail =
  | { readonly kind: "method"; readonly place: PlaceInCode; readonly trapped: boolean }
  | { readonly kind: "host"; readonly report: ReportFacts; readonly isEarlier: boolean };

/** An error that the host reported. */
export interface ReportFacts {
  /** The contract in which it was reported; null if it was in none. */
  readonly contract: string | null;
  readonly error: ErrorFacts;
  /** The message with its values; null if they add nothing to the error. */
  readonly data: string | null;
}

/** The place at which the code stopped, below the called function. */
interface PlaceInCode {
  readonly location: CodeLocation | undefined;
  readonly called: string | null;
}

/** A call that was authorized, with the calls that it was authorized to make. */
export interface SuppliedCall {
  readonly call: string;
  readonly calls: readonly SuppliedCall[];
}

/** Evidence for a cause. */
export type CauseEvidence =
  | { readonly kind: "failed-call"; readonly call: CallName }
  | { readonly kind: "callers"; readonly calls: readonly CallName[] }
  /** The place in the code. */
  | { readonly kind: "location"; readonly place: PlaceInCode }
  /**
   * An earlier error than the one that ended the run: a contract caught it, or it led to the later
   * one.
   */
  | { readonly kind: "reported-line"; readonly text: string }
  | { readonly kind: "earlier-error"; readonly report: ReportFacts }
  /** A supposition, which counts only if no deciding value is known. */
  | { readonly kind: "looked-up"; readonly entry: string }
  | { readonly kind: "absent-entries"; readonly entries: readonly string[] }
  | { readonly kind: "one-of-entries"; readonly entries: readonly string[] }
  | {
      readonly kind: "counted-as-written";
      readonly entries: readonly {
        readonly name: string;
        /** The size in bytes; null if the entry did not exist; absent if it is unknown. */
        readonly before?: number | null;
      }[];
      readonly more: number;
    }
  | { readonly kind: "also-archived"; readonly entry: ArchivedEntry }
  | {
      readonly kind: "required-authorization";
      readonly address: string;
      readonly calls: readonly string[];
      readonly certain: boolean;
    }
  | {
      readonly kind: "supplied-authorization";
      readonly address: string;
      readonly isOfSource: boolean;
      readonly calls: SuppliedCall;
      readonly signed: boolean;
      readonly last: number | null;
    }
  /** The one entry of a call that the summary names; null for an entry without a signature. */
  | { readonly kind: "supplied-until"; readonly last: number | null }
  | { readonly kind: "no-authorizations" }
  | { readonly kind: "operation"; readonly operation: OperationFacts }
  | { readonly kind: "operation-fields"; readonly operation: OperationFacts }
  | { readonly kind: "more-operations"; readonly count: number }
  | { readonly kind: "node-lacks"; readonly entries: readonly string[]; readonly more: number }
  /** No replay confirms the node's diagnostic events. */
  | { readonly kind: "by-node-alone" }
  /**
   * The replay ended differently from the node's diagnostic events; null if it ended without an
   * error.
   */
  | { readonly kind: "replayed-otherwise"; readonly error: ErrorFacts | null }
  /** A run with this argument succeeds. */
  | { readonly kind: "other-argument"; readonly name: string; readonly value: string }
  /** An earlier transaction changed the state since the simulation. */
  | {
      readonly kind: "state-changed";
      readonly transactionHash: string;
      readonly ledger: number;
      readonly applicationOrder: number;
      readonly entry: string;
      /** Empty for the entry itself. */
      readonly field: string;
      readonly before: string | null;
      readonly after: string | null;
    }
  /** The entry has the number in the key that was requested. */
  | {
      readonly kind: "last-changed";
      readonly entry: string;
      readonly number: bigint;
      readonly ledger: number;
    }
  /** Names that well-known libraries have for the number of an error. */
  | { readonly kind: "library-errors"; readonly number: number }
  /** The owner of the shown names. */
  | { readonly kind: "names-of"; readonly of: string }
  /** The meaning of a known message of a tool. */
  | { readonly kind: "message-meaning"; readonly meaning: string }
  /** The call that returned last before the error. */
  | {
      readonly kind: "returned-before";
      readonly call: string;
      readonly contract: string | null;
      readonly value: string;
    }
  /** The terms of the envelope that the code is about. */
  | { readonly kind: "envelope-terms"; readonly code: string; readonly terms: EnvelopeTerms }
  /** The hashes of the envelope. `isProven` is true if its signatures show the network. */
  | {
      readonly kind: "envelope-hashes";
      readonly hashes: readonly HashOnNetwork[];
      readonly isProven: boolean;
    };

/** Says whether evidence counts only if no deciding value is known. */
export function isSupposition({ kind }: CauseEvidence): boolean {
  return kind === "looked-up" || kind === "absent-entries" || kind === "other-argument";
}
