// All that was gathered about the state just before one transaction, before it is weighed.

import type { CurrentLedgerEntries, CurrentLedgerEntry } from "../sources/source.ts";
import type { FootprintKey } from "./folded-footprint.ts";
import type { LaterChanges, Traced } from "./gather/later-changes.ts";
import type { OwnChanges, OwnTransaction } from "./own-changes.ts";
import type { LedgerState } from "./stream/ledger-state.ts";

export interface Evidence {
  readonly transaction: OwnTransaction;
  /** Name of the operation's result code, e.g. `invokeHostFunctionTrapped`; null when none ran. */
  readonly operationCode: string | null;
  readonly footprint: readonly FootprintKey[];
  /** Keys that the transaction lists in `archivedSorobanEntries` (protocol 23+). */
  readonly markedArchived: ReadonlySet<string>;
  readonly own: OwnChanges;
  /** What the transaction saw of its own ledger; null when no source has the ledger whole. */
  readonly visible: LedgerState | null;
  /** Entries as some node has them now; null when no node could be asked. */
  readonly current: CurrentLedgerEntries | null;
  /** Who said so; when nobody did, why. */
  readonly currentOrigin: string;
  /**
   * `current` is of an earlier ledger, and `visible` was folded from it without a gap. Null when
   * `current` is of the transaction's ledger or a later one.
   */
  readonly bridged: boolean | null;
  readonly later: LaterChanges;
  /** By key of entries that changed since. */
  readonly traced: ReadonlyMap<string, Traced>;
}

export function currentOf(evidence: Evidence, key: FootprintKey): CurrentLedgerEntry | null {
  return evidence.current?.entries.get(key.keyXdr) ?? null;
}

/** Every change from the transaction's ledger to that of `current` was seen. */
export function sawEveryLaterChange({ current, later, bridged }: Evidence): boolean {
  return bridged === null && current !== null && later.readTo >= current.latestLedger;
}

/** `ledgers 5 to 8`, `ledger 5`. */
export function ledgersText(first: number, last: number): string {
  return first === last ? `ledger ${first}` : `ledgers ${first} to ${last}`;
}
