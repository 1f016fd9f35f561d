// One entry of the network's state at a ledger, and what proves it.

import type { NamedChange } from "./explanation.ts";

/** A fact about an entry or its TTL in the validators' state. */
export type StateFact<Value> =
  | { readonly kind: "known"; readonly value: Value; readonly proof: StateProof }
  /** The entry did not exist. */
  | { readonly kind: "absent"; readonly proof: StateProof }
  /** `reason`: a sentence's end, without a stop. */
  | { readonly kind: "unknown"; readonly reason: string };

export interface StateProof {
  /**
   * How the value at the ledger follows from the checkpoint: that is the ledger; it is later, and
   * nothing wrote the entry in between; it is earlier, and no transaction since could; it is
   * earlier, and svc replayed the transactions since that could.
   */
  readonly step: "checkpoint" | "unchanged-until" | "untouched-since" | "replayed";
  readonly checkpoint: number;
  /**
   * Hashes of the replayed transactions, in order: each gave the result that validators signed, on
   * inputs that are known.
   */
  readonly replays?: readonly string[];
  /** Hex; null: no bucket of the list mentions the key. */
  readonly bucketHash: string | null;
  readonly bucketListHash: string;
  readonly headerHash: string;
  /** The ledger whose header was signed; the headers between it and the checkpoint are a chain. */
  readonly signedLedger: number;
  /** The signatures for that header; null: the archive shows none. */
  readonly signatures: StateSignatures | null;
}

export interface StateSignatures {
  /** G… addresses. */
  readonly signers: readonly string[];
  /** Organisations of which more than half of the validators signed, and how many must. */
  readonly organisations: number;
  readonly needed: number;
  /** The header is in the chain before that of this ledger, whose hash the user trusts. */
  readonly trustedLedger?: number;
}

export interface EntryValue {
  /** The value in words. */
  readonly text: string;
  readonly lastModifiedLedger: number;
  /** LedgerEntry, base64. */
  readonly entryXdr: string;
  /** Evicted: only the hot archive has it (protocol 23). */
  readonly archived: boolean;
}

export interface StateReport {
  readonly network: string;
  readonly archive: string;
  /** The state is that after this ledger. */
  readonly ledger: number;
  /** Hash of a transaction of that ledger: the state is that just before it instead. */
  readonly before?: string;
  /** LedgerKey, base64. */
  readonly keyXdr: string;
  /** The key in words. */
  readonly key: string;
  readonly entry: StateFact<EntryValue>;
  /** Live until this ledger; null: the entry has no TTL. */
  readonly liveUntil: StateFact<number> | null;
  /** If a fact is unknown: the ledgers before and after at which every fact is known. */
  readonly checkpoints?: readonly number[];
  /** If nothing is proven: how many of several archives have the same header. */
  readonly agreement?: { readonly archives: number; readonly asked: number };
}

/** The differences of a contract's state between two ledgers, after each of them. */
export interface StateDiff {
  readonly network: string;
  readonly archive: string;
  /** C… */
  readonly contract: string;
  readonly since: number;
  readonly ledger: number;
  /** Entries that transactions in between declared, and their TTLs. */
  readonly changes: readonly StateChange[];
  /** Declared, too, and not known at one of the ledgers. */
  readonly unknown: readonly {
    readonly key: string;
    readonly keyXdr: string;
    /** A sentence's end, without a stop. */
    readonly reason: string;
  }[];
  /** Validators signed all transactions in between: no change is left out. */
  readonly isComplete: boolean;
}

export interface StateChange extends NamedChange {
  /** LedgerKey, base64. */
  readonly keyXdr: string;
  /** LedgerEntries, base64; null: it did not exist. */
  readonly beforeXdr: string | null;
  readonly afterXdr: string | null;
  /** Live until these ledgers; null: no TTL. */
  readonly liveUntil: { readonly before: number | null; readonly after: number | null };
  /** Validators signed both states. */
  readonly isProven: boolean;
  /** Replays, not signatures, show one of the states. */
  readonly isReplayed: boolean;
}

/** Whether signatures alone prove the value. What replays left rests on svc, too. */
export function isProven({ step, signatures }: StateProof): boolean {
  return step !== "replayed" && isSigned(signatures);
}

/**
 * True if two thirds of the organisations signed, as the networks' own quorum sets require, or if a
 * hash is trusted.
 */
export function isSigned(signatures: StateSignatures | null): boolean {
  if (signatures === null) return false;
  const { organisations, needed, trustedLedger } = signatures;
  return trustedLedger !== undefined || (needed > 0 && organisations >= needed);
}
