// The questions that an opened history archive answers, whether it is one archive or several that
// are asked in turn.

import type { ChainRecord } from "../model/chain-record.ts";
import type { ArchiveExcerpt } from "../model/snapshot.ts";
import type { StateReport } from "../model/state/proven-state.ts";
import type { ArchivedChain } from "./chain.ts";
import type { StateReader } from "./state-at.ts";

export interface OpenedArchive {
  readonly name: string;
  /** The latest ledger for which the archive can have signatures, according to the archive. */
  readonly latestLedger: number;
  /**
   * Reports an entry by its LedgerKey (base64). `before` is the hash of a transaction of the
   * ledger, and the state is that just before it. Null means the state after the ledger.
   */
  report(keyXdr: string, ledger: number, before?: string | null): Promise<StateReport>;
  before(keyXdr: string, ledger: number, hash: string): Promise<EntryBefore>;
  /**
   * Returns true if validators signed the ledger of the transaction. Throws NODE_LIED if they
   * signed another result or header than the record has, or the ledger without the transaction, and
   * ARCHIVE_BEHIND if the archive does not have the ledger.
   */
  checkRecord(record: ChainRecord): Promise<boolean>;
  /**
   * Asks several archives in turn until one answers. `restsOn` is the latest ledger that the answer
   * depends on. An archive in which validators signed the header of that ledger is preferred,
   * because an archive can make up ledgers that agree with each other.
   */
  ask<T>(question: (place: ArchivePlace) => Promise<T>, restsOn?: number): Promise<T>;
  /** Returns an excerpt of everything that was read, or null if it is too large. */
  excerpt(): Promise<ArchiveExcerpt | null>;
}

/** One archive. */
export interface ArchivePlace {
  readonly name: string;
  readonly chain: ArchivedChain;
  readonly states: StateReader;
}

export type EntryBefore = Pick<StateReport, "entry" | "liveUntil">;
