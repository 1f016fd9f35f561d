// What a place that knows the chain can be asked for, and how several are asked. An adapter
// implements what its node offers; `undefined` methods are simply not asked. Every answer has
// passed the adapter's own schema.
// Invariant: nothing here is trusted to be true. The callers check hashes and belonging.

import { SvcError } from "../base/errors/errors.ts";
import type { LedgerFacts } from "../model/chain-record.ts";

/** What one source knows of a transaction; null where it does not have the part. */
export interface TransactionAnswer {
  readonly envelopeXdr: string;
  readonly resultXdr: string;
  readonly resultMetaXdr: string | null;
  readonly feeChangesXdr: string | null;
  readonly refundChangesXdr: string | null;
  readonly diagnosticEventsXdr: readonly string[];
  readonly ledgerSequence: number;
  /** From 1; null when the source does not say. */
  readonly applicationOrder: number | null;
  /** Of its ledger; absent when the source does not say. */
  readonly closeTimeUnixSeconds?: string;
}

/** An entry as getLedgerEntries answers it. */
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

/** The newest ledger that a node knows, with what a contract sees of it. */
export interface LedgerTip {
  readonly sequence: number;
  readonly closeTimeUnixSeconds: string;
  readonly protocolVersion: number;
}

export interface FetchContext {
  readonly signal: AbortSignal;
}

export interface LedgerRange {
  readonly first: number;
  readonly last: number;
}

export interface Source {
  /** For people and origins, without credentials: `horizon https://horizon-testnet.stellar.org`. */
  readonly name: string;
  /** It lies on this machine: whoever names it may have no network at all. */
  readonly local?: true;
  /** Ledgers that the source keeps, as far as it has told yet. */
  range?(): LedgerRange | null;
  /** Null: this source does not know the hash (a status, not an error). */
  fetchTransaction?(hash: string, context: FetchContext): Promise<TransactionAnswer | null>;
  fetchLedgerFacts?(sequence: number, context: FetchContext): Promise<LedgerFacts | null>;
  /** Of the newest ledger it knows; what protocol a network runs now, say. */
  fetchLatestFacts?(context: FetchContext): Promise<LedgerFacts | null>;
  /** Of the newest ledger too, and cheap to ask often. */
  fetchTip?(context: FetchContext): Promise<LedgerTip>;
  /** LedgerCloseMeta bytes of one ledger; null when out of the source's range. */
  fetchLedgerCloseMeta?(sequence: number, context: FetchContext): Promise<Uint8Array | null>;
  /** Ledgers first..last in order, those the source has (may begin later or end earlier). */
  fetchLedgerCloseMetas?(
    first: number,
    last: number,
    context: FetchContext,
  ): AsyncIterable<{ readonly sequence: number; readonly ledgerCloseMeta: Uint8Array }>;
  fetchLedgerEntries?(
    keysXdr: readonly string[],
    context: FetchContext,
  ): Promise<CurrentLedgerEntries>;
}

/** The first answer, from whom, and what those said who could not be asked. */
export interface Asked<T> {
  readonly answer: T | null;
  readonly source: Source | null;
  readonly failures: readonly SvcError[];
}

/**
 * Asks the sources in order until one has an answer. A node that fails is passed over; a lie, an
 * interruption and the end of the time allowed are thrown. `ask`: undefined, not to ask this one.
 */
export async function askInTurn<T>(
  sources: readonly Source[],
  context: FetchContext,
  ask: (source: Source) => Promise<T | null> | undefined,
): Promise<Asked<T>> {
  const failures: SvcError[] = [];
  for (const source of sources) {
    try {
      const answer = await ask(source);
      if (answer !== null && answer !== undefined) return { answer, source, failures };
    } catch (error) {
      if (context.signal.aborted || !isFailureOfNode(error)) throw error;
      failures.push(error);
    }
  }
  return { answer: null, source: null, failures };
}

/** Another node may do better. */
export function isFailureOfNode(error: unknown): error is SvcError {
  return (
    error instanceof SvcError &&
    (error.code.startsWith("NETWORK_") || error.code === "LEDGER_ENTRY_INVALID")
  );
}
