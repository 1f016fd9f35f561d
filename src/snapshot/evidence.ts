// Everything that is known about the state just before one transaction, before it is weighed.
// Nodes, ledger files and folded streams give the same kinds of evidence. decide-entry.ts,
// decide-ttl.ts and decide-settings.ts weigh it without knowing its source.

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
  /** The operation's own result; null if no operation ran. */
  readonly operationResult: ResultCode | null;
  readonly footprint: readonly FootprintKey[];
  /** Keys that the transaction lists in `archivedSorobanEntries` (protocol 23 and later). */
  readonly markedArchived: ReadonlySet<string>;
  /** The entry that the chain's own diagnostics name as archived; null if they name none. */
  readonly archivedKeyXdr: string | null;
  readonly own: OwnChanges;
  readonly ledger: LedgerEvidence;
  /** Gap-free ledgers up to the transaction; null if no source has its ledger. */
  readonly folded: Folded | null;
  readonly later: LaterChanges;
  readonly nodes: NodeStates;
  /** The entries that a node's ledger shows changed since, by key. */
  readonly traced: ReadonlyMap<string, Traced>;
}

/** The facts of the transaction's ledger. */
export interface LedgerEvidence {
  /** The protocol in which its transactions ran. */
  readonly protocolVersion: number;
  /** The ledger just before; null if no source has it. */
  readonly previous: LedgerCloseMetaView | null;
  readonly own: LedgerCloseMetaView | null;
}

/** The values that ledgers show of keys when they first change them. */
export interface LaterChanges {
  find(keyXdr: string): { readonly before: Before; readonly ledger: number } | undefined;
  /** Every change up to and including this ledger was seen. */
  readonly readTo: number;
}

/** The state of an entry at a node now. */
export interface NodeState {
  readonly latestLedger: number;
  /** Null if the node does not have it. */
  readonly entry: CurrentLedgerEntry | null;
  /** The name of the node. */
  readonly origin: string;
}

export interface NodeStates {
  /** Null if no node was asked for it, or none could be. */
  find(keyXdr: string): NodeState | null;
  /** The reason why nothing is known of a key that was not found. */
  readonly reason: string;
}

/** An entry that was followed back from the ledger that last modified it. */
export type Traced =
  | { readonly kind: "entry"; readonly entryXdr: string; readonly provenance: Provenance }
  /** The search ends where an archived entry was restored. */
  | { readonly kind: "restored"; readonly ledger: number; readonly entryXdr: string }
  /** The search ends at `ledger`. */
  | { readonly kind: "lost"; readonly ledger: number; readonly reason: string };

/** The key's first change in the transaction's ledger or a later one, if it was seen. */
export function laterChange({ later, transaction, folded }: Evidence, keyXdr: string) {
  const change = later.find(keyXdr);
  // An earlier transaction of the same ledger may have made the change. Only the fold shows that.
  const first = transaction.ledgerSequence + (folded === null ? 1 : 0);
  return change !== undefined && change.ledger >= first ? change : null;
}

/** True if the node has not seen the transaction's ledger. */
export function isBehind({ transaction }: Evidence, { latestLedger }: NodeState): boolean {
  return latestLedger < transaction.ledgerSequence;
}

/** True if the node has not seen it, and every ledger between was folded. */
export function isBridged({ folded }: Evidence, { latestLedger }: NodeState): boolean {
  return folded !== null && folded.firstLedger !== 0 && folded.firstLedger <= latestLedger + 1;
}

/** True if every change from the transaction's ledger to the node's was seen. */
export function sawEveryLaterChange(evidence: Evidence, node: NodeState): boolean {
  return !isBehind(evidence, node) && evidence.later.readTo >= node.latestLedger;
}

/** The text of a range: `ledgers 5 to 8`, or `ledger 5`. */
export function ledgersText(first: number, last: number): string {
  return first === last ? `ledger ${first}` : `ledgers ${first} to ${last}`;
}
