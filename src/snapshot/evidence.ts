// All that is known about the state just before one transaction, before it is weighed. Nodes,
// ledger files and folded streams bring the same kinds of evidence; decide-entry.ts, decide-ttl.ts
// and decide-settings.ts weigh it, and know nothing of where it came from.

import type { Provenance } from "../model/provenance.ts";
import type { ResultCode } from "../model/result-code.ts";
import type { CurrentLedgerEntry } from "../sources/source.ts";
import type { LedgerCloseMetaView } from "../xdr/ledger/ledger-close-meta.ts";
import type { Folded } from "./folded.ts";
import type { FootprintKey } from "./footprint-keys.ts";
import type { OwnChanges, OwnTransaction } from "./own-changes.ts";
import type { Before } from "./stream/ledger-changes.ts";

export interface Evidence {
  readonly transaction: OwnTransaction;
  /** The operation's own result; null when none ran. */
  readonly operationResult: ResultCode | null;
  readonly footprint: readonly FootprintKey[];
  /** Keys that the transaction lists in `archivedSorobanEntries` (protocol 23+). */
  readonly markedArchived: ReadonlySet<string>;
  /** The entry that the chain's own diagnostics name as archived; null where they name none. */
  readonly archivedKeyXdr: string | null;
  readonly own: OwnChanges;
  readonly ledger: LedgerEvidence;
  /** Gap-free ledgers up to the transaction; null when no source has its ledger. */
  readonly folded: Folded | null;
  readonly later: LaterChanges;
  readonly nodes: NodeStates;
  /** By key of entries that a node's ledger shows changed since. */
  readonly traced: ReadonlyMap<string, Traced>;
}

/** What is known of the transaction's ledger itself. */
export interface LedgerEvidence {
  /** In which its transactions ran. */
  readonly protocolVersion: number;
  /** The ledger just before; null when no source has it. */
  readonly previous: LedgerCloseMetaView | null;
  readonly own: LedgerCloseMetaView | null;
}

/** What ledgers show of keys when they first change them. */
export interface LaterChanges {
  find(keyXdr: string): { readonly before: Before; readonly ledger: number } | undefined;
  /** Every change up to and with this ledger was seen. */
  readonly readTo: number;
}

/** What a node has now. */
export interface NodeState {
  readonly latestLedger: number;
  /** Null: the node does not have it. */
  readonly entry: CurrentLedgerEntry | null;
  /** Name of the node. */
  readonly origin: string;
}

export interface NodeStates {
  /** Null when no node was asked for it, or none could be. */
  find(keyXdr: string): NodeState | null;
  /** Why nothing is known of a key that was not found. */
  readonly reason: string;
}

/** An entry followed back from the ledger that last modified it. */
export type Traced =
  | { readonly kind: "entry"; readonly entryXdr: string; readonly provenance: Provenance }
  /** The trail ends where an archived entry came back. */
  | { readonly kind: "restored"; readonly ledger: number; readonly entryXdr: string }
  /** `ledger` is where the trail ends. */
  | { readonly kind: "lost"; readonly ledger: number; readonly reason: string };

/** The key's first change in the transaction's ledger or a later one, where it was seen. */
export function laterChange({ later, transaction, folded }: Evidence, keyXdr: string) {
  const found = later.find(keyXdr);
  // In its own ledger an earlier transaction may have made it: only the fold shows that.
  const first = transaction.ledgerSequence + (folded === null ? 1 : 0);
  return found !== undefined && found.ledger >= first ? found : null;
}

/** The node has not seen the transaction's ledger. */
export function isBehind({ transaction }: Evidence, { latestLedger }: NodeState): boolean {
  return latestLedger < transaction.ledgerSequence;
}

/** The node has not seen it, and every ledger in between was folded. */
export function isBridged({ folded }: Evidence, { latestLedger }: NodeState): boolean {
  return folded !== null && folded.firstLedger !== 0 && folded.firstLedger <= latestLedger + 1;
}

/** Every change from the transaction's ledger to the node's was seen. */
export function sawEveryLaterChange(evidence: Evidence, node: NodeState): boolean {
  return !isBehind(evidence, node) && evidence.later.readTo >= node.latestLedger;
}

/** `ledgers 5 to 8`, `ledger 5`. */
export function ledgersText(first: number, last: number): string {
  return first === last ? `ledger ${first}` : `ledgers ${first} to ${last}`;
}
