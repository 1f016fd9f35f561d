// A Verification is the outcome of replaying every Soroban transaction of a range of ledgers.

import type { VerdictKind } from "./verdict.ts";

export type VerdictCounts = Readonly<Record<VerdictKind, number>>;

/** A transaction that was not exact, or that could not be replayed at all. */
export interface NotExact {
  readonly hash: string;
  readonly ledger: number;
  readonly protocolVersion: number;
  /** From 1. */
  readonly applicationOrder: number;
  /** The file or node that it was read from. */
  readonly source: string;
  readonly verdict: VerdictKind;
  /** A short phrase without values, which groups transactions with the same cause. */
  readonly cause: string;
  /** One sentence with the values. */
  readonly detail: string;
  /** The contract that the transaction calls; null: it calls none, or was not looked up. */
  readonly contract?: string | null;
  /** An entry or a setting from before the first ledger is not known, or was assumed. */
  readonly lacksHistory?: boolean;
}

/** An entry that the chain loaded or restored with another value than earlier ledgers gave it. */
export interface StateMismatch {
  readonly kind: "state" | "restored";
  readonly ledger: number;
  /** File or node the ledger was read from. */
  readonly source: string;
  /** LedgerKey; a TTL entry's too. */
  readonly keyXdr: string;
  readonly key: string;
  /** The entry as text; null: it did not exist. */
  readonly folded: string | null;
  readonly onChain: string | null;
  /** LedgerEntry; null where it did not exist, and for a TTL. */
  readonly foldedXdr: string | null;
  readonly onChainXdr: string | null;
}

/** A transaction that was run under another protocol too. */
export interface RehearsedTransaction {
  readonly hash: string;
  readonly ledger: number;
  readonly contract: string | null;
  readonly function: string | null;
  /** Names of the parts that differ; empty when nothing does. */
  readonly differences: readonly string[];
  /** The first difference, with both values. */
  readonly detail: string;
}

/** The outcome of `--rehearse-protocol`. */
export interface Rehearsal {
  readonly protocolVersion: number;
  /** That were run under it: those that were reproduced under their own. */
  readonly transactions: number;
  /** Number of those that differ. */
  readonly different: number;
  /** The first that differ, at most as many as the caller requested. */
  readonly differences: readonly RehearsedTransaction[];
}

/** The nodes of a run, for the commands that its reports show. Addresses have no secrets. */
export interface VerificationNodes {
  /** Null: found out from the files. */
  readonly networkPassphrase: string | null;
  /** Addresses that the user has set, as `nodeAddress` shows them. */
  readonly rpcUrls: readonly string[];
  readonly ledgerLakeUrls: readonly string[];
}

export interface Verification {
  /** The files that were read, or the ledger range. */
  readonly inputs: readonly string[];
  readonly ledgers: number;
  /** Soroban transactions that were judged. */
  readonly transactions: number;
  /** Transactions without a Soroban operation; they do not run in the contract host. */
  readonly classicTransactions: number;
  /** Soroban transactions that were refused before their operation ran; nothing to replay. */
  readonly refusedTransactions: number;
  readonly verdicts: VerdictCounts;
  /** Protocol version as a decimal string → counts. */
  readonly byProtocol: Readonly<Record<string, VerdictCounts>>;
  /** Cause → number of transactions that are not exact for it. */
  readonly byCause: Readonly<Record<string, number>>;
  /** Contract → number of its transactions that are not exact. */
  readonly byContract: Readonly<Record<string, number>>;
  /** The first transaction of each verdict and cause, in ledger order. */
  readonly firstOfEach: readonly NotExact[];
  /** Exact transactions of whose inputs an entry or a network setting is only a node's word. */
  readonly exactUnconfirmed: number;
  /**
   * Transactions that are not exact while an entry or a setting from before the first ledger is not
   * known or was assumed: a run that begins earlier may find them exact.
   */
  readonly notExactWithoutHistory: number;
  /** In ledger order, at most as many as the caller requested. */
  readonly notExact: readonly NotExact[];
  /** Number of transactions that are not exact and missing from `notExact`. */
  readonly notExactOmitted: number;
  /** Entries whose state was corrupted. */
  readonly stateMismatches: number;
  /** In ledger order, at most as many as the caller asked to keep. */
  readonly mismatches: readonly StateMismatch[];
  /** Null: none was asked for. */
  readonly rehearsal: Rehearsal | null;
  readonly elapsedMilliseconds: number;
}
