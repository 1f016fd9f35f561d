// The first change of a key in a ledger shows what the key was before it.

import { type KeyedChange, keyChanges, readKeyedChanges } from "../../xdr/ledger/keyed-change.ts";
import type { LedgerCloseMetaView } from "../../xdr/ledger/ledger-close-meta.ts";
import { sliceTransactionMeta } from "../../xdr/outcome/meta.ts";
import { XdrCursor } from "../../xdr/reader/cursor.ts";
import { xdrSource } from "../../xdr/reader/shape.ts";

/** What a key was just before its first change. */
export type Before =
  /** `entryXdr` is null for TTL keys. */
  | {
      readonly kind: "entry";
      readonly entryXdr: string | null;
      readonly liveUntilLedger: number | null;
    }
  | { readonly kind: "absent" }
  /** It came back from the archive, or was expired. */
  | { readonly kind: "archived"; readonly entryXdr: string | null }
  | { readonly kind: "evicted" }
  /** A change without the state before it. */
  | { readonly kind: "unclear" };

/** By key, for those of `wanted` that the ledger changes or evicts. In stellar-core's order. */
export function firstChangesIn(
  view: LedgerCloseMetaView,
  wanted: ReadonlySet<string>,
): Map<string, Before> {
  const found = new Map<string, Before>();
  for (const changes of changesOf(view)) {
    for (const change of changes) {
      if (!wanted.has(change.keyXdr) || found.has(change.keyXdr)) continue;
      found.set(change.keyXdr, beforeOf(change));
    }
    if (found.size === wanted.size) return found;
  }
  for (const key of view.evictedKeys) {
    const keyXdr = key.toBase64();
    if (wanted.has(keyXdr) && !found.has(keyXdr)) found.set(keyXdr, { kind: "evicted" });
  }
  return found;
}

function* changesOf(view: LedgerCloseMetaView): Generator<readonly KeyedChange[]> {
  for (const { feeChanges } of view.transactions) yield readKeyedChanges(feeChanges);
  for (const transaction of view.transactions) {
    const meta = sliceTransactionMeta(new XdrCursor(xdrSource(transaction.meta)));
    yield keyChanges(meta.changesBefore);
    for (const changes of meta.operationChanges) yield keyChanges(changes);
    yield keyChanges(meta.changesAfter);
  }
  for (const { refundChanges } of view.transactions) {
    if (refundChanges !== null) yield readKeyedChanges(refundChanges);
  }
  for (const { changes } of view.upgrades) yield readKeyedChanges(changes);
}

function beforeOf({ kind, entryXdr, liveUntilLedger }: KeyedChange): Before {
  if (kind === "state") return { kind: "entry", entryXdr, liveUntilLedger };
  if (kind === "created") return { kind: "absent" };
  if (kind === "restored") return { kind: "archived", entryXdr };
  return { kind: "unclear" };
}
