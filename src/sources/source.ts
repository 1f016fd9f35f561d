// A source knows the chain. An adapter implements the methods that its node offers; the others are
// undefined and are not called. Every answer has passed the adapter's own schema.
// Invariant: no answer is trusted. The callers check the hashes, and that an answer belongs to the
// request.

import { SvcError } from "../base/errors/errors.ts";
import type { LedgerFacts } from "../model/chain-record.ts";
import { headerFacts } from "../xdr/ledger/facts-before-upgrades.ts";
import type { LedgerHeaderFacts } from "../xdr/ledger/header.ts";
import type { LedgerBytes } from "./files/ledger-stream.ts";

/** What one source knows about a transaction; null where it does not have the part. */
export interface TransactionAnswer {
  readonly envelopeXdr: string;
  readonly resultXdr: string;
  readonly resultMetaXdr: string | null;
  readonly feeChangesXdr: string | null;
  readonly refundChangesXdr: string | null;
  readonly diagnosticEventsXdr: readonly string[];
  readonly ledgerSequence: number;
  /** From 1; null when the source does not have it. */
  readonly applicationOrder: number | null;
  /** By the node's word; the result decides, where it decodes. */
  readonly succeeded?: boolean;
  /** The close time of the ledger; absent when the source does not have it. */
  readonly closeTimeUnixSeconds?: string;
}

/** An entry from getLedgerEntries. */
export interface CurrentLedgerEntry {
  readonly keyXdr: string;
  /** LedgerEntry (not LedgerEntryData), base64, rebuilt with its last-modified ledger. */
  readonly entryXdr: string;
  readonly lastModifiedLedger: number;
  /** 0: archived; null: no TTL (classic). */
  readonly liveUntilLedger: number | null;
}

export interface CurrentLedgerEntries {
  readonly latestLedger: number;
  /** Missing keys are absent. */
  readonly entries: ReadonlyMap<string, CurrentLedgerEntry>;
}

/** The latest ledger that a node has, with the facts that a contract can read. */
export interface LedgerTip {
  readonly sequence: number;
  readonly closeTimeUnixSeconds: string;
  readonly protocolVersion: number;
}

export interface FetchContext {
  readonly signal: AbortSignal;
  /** Another node can be asked, so that this one is not waited for long. */
  readonly brief?: boolean;
}

export interface TransactionContext extends FetchContext {
  /**
   * Throws when the answer cannot be right. A node's adapter calls it while it reads the answer, so
   * that the attempt counts as a failure of the node.
   */
  readonly check?: (answer: TransactionAnswer) => void;
}

export interface LedgerContext extends FetchContext {
  /**
   * Throws when the ledger cannot be right. A node's adapter calls it while it reads the answer, so
   * that the attempt counts as a failure of the node; what does not pass is not kept.
   */
  readonly check?: (ledger: LedgerBytes) => void;
}

export interface LedgerRange {
  readonly first: number;
  readonly last: number;
}

/** Facts of a ledger with the LedgerHeader that they are from. */
export interface SourcedFacts extends LedgerFacts {
  readonly headerXdr: string;
}

export function sourcedFacts(facts: LedgerHeaderFacts): SourcedFacts {
  return { ...headerFacts(facts), headerXdr: facts.header.toBase64() };
}

/** Where a node stands for the next request. */
export type Rank = "first" | "last" | "resting";

/** How a node has answered lately (standing.ts). */
export interface Standing {
  rank(): Rank;
  /** It did not answer when it was last asked. */
  readonly failing: boolean;
  /** It rests now. */
  readonly resting: boolean;
  /** The failure for which the node rests; null when it does not. */
  readonly failure: SvcError | null;
  /** It timed out lately. */
  readonly timedOut: boolean;
  /** Takes note of how `ask` ends. */
  run<T>(ask: () => Promise<T>): Promise<T>;
  /** Resolves when another node may be asked beside this one. */
  overdue(signal: AbortSignal): Promise<void>;
}

export interface Source {
  /** For people, without credentials: `horizon https://horizon-testnet.stellar.org`. */
  readonly name: string;
  /** Absent for what is on this machine. */
  readonly standing?: Standing;
  /** The source is on this machine: its user may have no network at all. */
  readonly local?: true;
  /** A false answer is a failure of it, as a timeout is, and does not end the run. */
  readonly forgiven?: true;
  /** Why the source was left out, although it might have known more; null while it is asked. */
  lapse?(): string | null;
  /** The ledgers that the source has, as far as its answers have shown. */
  range?(): LedgerRange | null;
  /** The protocol of the network's latest ledger, as far as its answers have shown. */
  protocolVersion?(): number | null;
  /**
   * Asks which network the node is of, ahead of the first question. Throws why the node does not
   * answer; whatever it says is checked with the questions. `anew`: also where it has said so.
   */
  greet?(anew: boolean, context: FetchContext): Promise<void>;
  /** Null: this source does not have the hash (a status, not an error). */
  fetchTransaction?(hash: string, context: TransactionContext): Promise<TransactionAnswer | null>;
  fetchLedgerFacts?(sequence: number, context: FetchContext): Promise<SourcedFacts | null>;
  /** The facts of the latest ledger, for example the network's protocol version. */
  fetchLatestFacts?(context: FetchContext): Promise<SourcedFacts | null>;
  /** The latest ledger too, in an answer that is small enough to fetch often. */
  fetchTip?(context: FetchContext): Promise<LedgerTip>;
  /** LedgerCloseMeta bytes of one ledger; null outside the source's range. */
  fetchLedgerCloseMeta?(sequence: number, context: LedgerContext): Promise<Uint8Array | null>;
  /** The ledgers first..last that the source has, in order (may start later or end earlier). */
  fetchLedgerCloseMetas?(
    first: number,
    last: number,
    context: LedgerContext,
  ): AsyncIterable<LedgerBytes>;
  fetchLedgerEntries?(
    keysXdr: readonly string[],
    context: FetchContext,
  ): Promise<CurrentLedgerEntries>;
}

/** For the end of a schema: the answer, after the context's check. */
export function checked({ check }: TransactionContext) {
  return (answer: TransactionAnswer): TransactionAnswer => {
    check?.(answer);
    return answer;
  };
}

/**
 * Another node may answer. So it may where one gave a value of a later protocol than svc knows; a
 * ledger of such a protocol is the same from each.
 */
export function isFailureOfNode(error: unknown): error is SvcError {
  return (
    error instanceof SvcError &&
    (error.code.startsWith("NETWORK_") ||
      error.code === "LEDGER_ENTRY_INVALID" ||
      (error.code === "PROTOCOL_UNKNOWN" && error.details.node !== undefined))
  );
}
