// A ledger's changes in stellar-core's order (LedgerManagerImpl.cpp, applyLedger: the fees of all
// transactions, each transaction, the refunds of all, upgrades, evictions), and the value of each
// key before its first change. An entry had this value since its last change in an earlier ledger.

import {
  firstOfEachKey,
  type KeyedChange,
  keyChanges,
  readKeyedChanges,
} from "../../xdr/ledger/keyed-change.ts";
import type { LedgerCloseMetaView } from "../../xdr/ledger/ledger-close-meta.ts";
import { sliceMetaChanges } from "../../xdr/outcome/meta.ts";

/** The state of a key just before its first change. */
export type Before =
  /** `entryXdr` is null for TTL keys. */
  | {
      readonly kind: "entry";
      readonly entryXdr: string | null;
      readonly liveUntilLedger: number | null;
    }
  | { readonly kind: "absent" }
  /** The entry was restored from the archive, or had expired. */
  | { readonly kind: "archived"; readonly entryXdr: string | null }
  | { readonly kind: "evicted" }
  /** The change lacks the state before it. */
  | { readonly kind: "unclear" };

const EVICTED: Before = { kind: "evicted" };

/** The state of each key before the ledger first changed it. */
export function* firstChangesIn(view: LedgerCloseMetaView): Generator<readonly [string, Before]> {
  const { sequence } = view.facts;
  for (const [keyXdr, change] of firstOfEachKey(withEvictions(view)))
    yield [keyXdr, change.kind === "evicted" ? EVICTED : beforeOf(change, sequence)];
}

/** The same for the ledger's upgrades alone: network settings change nowhere else. */
export function* firstUpgradesIn(view: LedgerCloseMetaView): Generator<readonly [string, Before]> {
  for (const [keyXdr, change] of firstOfEachKey(upgradeChangesOf(view)))
    yield [keyXdr, beforeOf(change, view.facts.sequence)];
}

interface Eviction {
  readonly kind: "evicted";
  readonly keyXdr: string;
}

/** The changes and evictions in the order in which they take effect. */
function* withEvictions(view: LedgerCloseMetaView): Generator<KeyedChange | Eviction> {
  for (const changes of changesInLedger(view)) yield* changes;
  for (const key of view.evictedKeys) yield { kind: "evicted", keyXdr: key.toBase64() };
}

/** The changes in the order in which they take effect, without evictions. */
export function* changesInLedger(view: LedgerCloseMetaView): Generator<readonly KeyedChange[]> {
  for (const { feeChanges } of view.transactions) yield readKeyedChanges(feeChanges);
  for (const transaction of view.transactions) {
    const meta = sliceMetaChanges(transaction.meta);
    yield keyChanges(meta.changesBefore);
    for (const changes of meta.operationChanges) yield keyChanges(changes);
    yield keyChanges(meta.changesAfter);
  }
  for (const { refundChanges } of view.transactions) {
    if (refundChanges !== null) yield readKeyedChanges(refundChanges);
  }
  yield [...upgradeChangesOf(view)];
}

function* upgradeChangesOf({ upgrades }: LedgerCloseMetaView): Generator<KeyedChange> {
  for (const { changes } of upgrades) yield* readKeyedChanges(changes);
}

function beforeOf({ kind, entryXdr, liveUntilLedger }: KeyedChange, ledger: number): Before {
  // A restoration that changes the TTL further shows the TTL from before (own-changes.ts).
  const hadEnded = kind === "restored" && liveUntilLedger !== null && liveUntilLedger < ledger;
  if (kind === "state" || hadEnded) return { kind: "entry", entryXdr, liveUntilLedger };
  if (kind === "created") return { kind: "absent" };
  if (kind === "restored") return { kind: "archived", entryXdr };
  return { kind: "unclear" };
}
