// One entry of the network's state at a ledger, and its proof.

import type { NamedChange } from "../explanation.ts";
import type { UnknownState } from "./entry-state.ts";

/** A fact about an entry or its TTL in the validators' state. */
export type StateFact<Value> =
  | { readonly kind: "known"; readonly value: Value; readonly proof: StateProof }
  /** The entry did not exist. */
  | { readonly kind: "absent"; readonly proof: StateProof }
  | ({ readonly kind: "unknown" } & UnknownState);

export interface StateProof {
  /**
   * How the value at the ledger follows from the checkpoint. `checkpoint`: they are the same
   * ledger. `unchanged-until`: the checkpoint is later, and nothing wrote the entry in between.
   * `untouched-since`: it is earlier, and no transaction since could write it. `replayed`: it is
   * earlier, and svc replayed the transactions since that could.
   */
  readonly step: "checkpoint" | "unchanged-until" | "untouched-since" | "replayed";
  readonly checkpoint: number;
  /**
   * The hashes of the replayed transactions, in order. Each gave the result that validators signed,
   * on inputs that are known.
   */
  readonly replays?: readonly string[];
  /** Hex; null if no bucket of the list mentions the key. */
  readonly bucketHash: string | null;
  readonly bucketListHash: string;
  readonly headerHash: string;
  /** The ledger whose header was signed. The headers between it and the checkpoint are a chain. */
  readonly signedLedger: number;
  /** The signatures for that header; null if the archive shows none. */
  readonly signatures: StateSignatures | null;
}

export interface StateSignatures {
  /** G… addresses. */
  readonly signers: readonly string[];
  /**
   * The number of organisations of which more than half of the validators signed, and the number
   * that must.
   */
  readonly organisations: number;
  readonly needed: number;
  /** The ledger whose hash the user trusts. The header is in the chain before that ledger's. */
  readonly trustedLedger?: number;
}

export interface EntryValue {
  /** The value in words. */
  readonly text: string;
  readonly lastModifiedLedger: number;
  /** LedgerEntry, base64. */
  readonly entryXdr: string;
  /** True if the entry was evicted, so that only the hot archive has it (protocol 23). */
  readonly archived: boolean;
}

export interface StateReport {
  readonly network: string;
  readonly archive: string;
  /** The state is that after this ledger. */
  readonly ledger: number;
  /** The hash of a transaction of that ledger. The state is then that just before it. */
  readonly before?: string;
  /** LedgerKey, base64. */
  readonly keyXdr: string;
  /** The key in words. */
  readonly key: string;
  readonly entry: StateFact<EntryValue>;
  /** The last ledger of the TTL; null if the entry has no TTL. */
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
  /** A strkey (C…). */
  readonly contract: string;
  readonly since: number;
  readonly ledger: number;
  /** Entries that transactions in between declared, and their TTLs. */
  readonly changes: readonly StateChange[];
  /** Entries that were declared too, but are unknown at one of the ledgers. */
  readonly unknown: readonly {
    readonly key: string;
    readonly keyXdr: string;
    /** The end of a sentence, without a full stop. */
    readonly reason: string;
  }[];
  /** True if validators signed all transactions in between, so that no change is missing. */
  readonly isComplete: boolean;
}

export interface StateChange extends Omit<NamedChange, "role"> {
  /** LedgerKey, base64. */
  readonly keyXdr: string;
  /** LedgerEntries in base64; null if the entry did not exist. */
  readonly beforeXdr: string | null;
  readonly afterXdr: string | null;
  /** The last ledgers of the TTL; null without a TTL. */
  readonly liveUntil: { readonly before: number | null; readonly after: number | null };
  /** True if validators signed both states. */
  readonly isProven: boolean;
  /** True if replays, not signatures, show one of the states. */
  readonly isReplayed: boolean;
}

/** True if signatures alone prove the value. A value that replays left also depends on svc. */
export function isProven({ step, signatures }: StateProof): boolean {
  return step !== "replayed" && hasEnoughSignatures(signatures);
}

/**
 * True if two thirds of the organisations signed, as the networks' own quorum sets require, or if
 * the user trusts a hash.
 */
export function hasEnoughSignatures(signatures: StateSignatures | null): boolean {
  if (signatures === null) return false;
  const { organisations, needed, trustedLedger } = signatures;
  return trustedLedger !== undefined || (needed > 0 && organisations >= needed);
}
