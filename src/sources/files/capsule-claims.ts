// Marks the state in a capsule as claims of its author: a checksum and a signature show that it is
// unchanged, not that it is true. Two parts prove themselves. Contract code has the hash in its
// key, which the capsule's reader checks. An entry that the transaction changed is in the capsule's
// own meta as it was before.

import type { ChainRecord, RecordPart } from "../../model/chain-record.ts";
import { claimedByCapsule, type Provenance, withoutClaim } from "../../model/provenance.ts";
import type { Snapshot, SnapshotEntry, SnapshotSetting } from "../../model/snapshot.ts";
import { firstOfEachKey } from "../../xdr/ledger/keyed-change.ts";
import type { EntryChange, TransactionMetaFacts } from "../../xdr/outcome/meta.ts";
import { isSorobanKey, liveUntilOf, ttlKeyOf } from "../../xdr/reader/keys.ts";

/** The parts of the record that a capsule contains. */
export function asClaim(record: ChainRecord): ChainRecord {
  const { ledgerHeaderXdr, resultMetaXdr, feeChangesXdr, refundChangesXdr } = record;
  const parts: readonly RecordPart[] = [
    "result",
    ...(ledgerHeaderXdr === undefined ? [] : (["ledger-header"] as const)),
    ...(resultMetaXdr === null ? [] : (["meta"] as const)),
    ...(feeChangesXdr === null && refundChangesXdr === null ? [] : (["fee-changes"] as const)),
  ];
  return { ...record, claimed: { by: "capsule", parts } };
}

/**
 * The snapshot as claims. `meta` is the capsule's own. The proof is not part of it, because it is
 * checked separately.
 */
export function asClaims(
  { proof: _, ...snapshot }: Snapshot,
  meta: Pick<TransactionMetaFacts, "operationChanges"> | null,
): Snapshot {
  const first = new Map(firstOfEachKey(meta?.operationChanges.flat() ?? []));
  const claim = (entry: SnapshotEntry): SnapshotEntry => {
    const { keyXdr, provenance, ttlProvenance } = entry;
    const ttlChange = isSorobanKey(keyXdr) ? first.get(ttlKeyOf(keyXdr)) : undefined;
    return {
      ...entry,
      provenance: claimed(provenance, isShown(first.get(keyXdr), entry)),
      ttlProvenance: ttlProvenance && claimed(ttlProvenance, isTtlShown(ttlChange, entry)),
    };
  };
  return mapped(snapshot, claim, (setting) => ({
    ...setting,
    provenance: claimedByCapsule(setting.provenance),
  }));
}

/**
 * The snapshot as a capsule has it, with the provenance that was there before it was read as a
 * claim.
 */
export function withoutClaims(snapshot: Snapshot): Snapshot {
  return mapped(
    snapshot,
    (entry) => ({
      ...entry,
      provenance: withoutClaim(entry.provenance),
      ttlProvenance: entry.ttlProvenance && withoutClaim(entry.ttlProvenance),
    }),
    (setting) => ({ ...setting, provenance: withoutClaim(setting.provenance) }),
  );
}

function mapped(
  snapshot: Snapshot,
  ofEntry: (entry: SnapshotEntry) => SnapshotEntry,
  ofSetting: (setting: SnapshotSetting) => SnapshotSetting,
): Snapshot {
  const { entries, settings, beyondFootprint } = snapshot;
  return {
    ...snapshot,
    entries: entries.map(ofEntry),
    settings: settings.map(ofSetting),
    ...(beyondFootprint && { beyondFootprint: beyondFootprint.map(ofEntry) }),
  };
}

function claimed(provenance: Provenance, isOfMeta: boolean): Provenance {
  return provenance.kind === "meta" && isOfMeta ? OF_META : claimedByCapsule(provenance);
}

const OF_META: Provenance = { kind: "meta", detail: "in the transaction's own meta" };

function isShown(change: EntryChange | undefined, { entryXdr }: SnapshotEntry): boolean {
  if (change?.kind === "created") return entryXdr === null;
  return (
    (change?.kind === "state" || change?.kind === "restored") &&
    entryXdr !== null &&
    change.entryXdr === entryXdr
  );
}

function isTtlShown(change: EntryChange | undefined, entry: SnapshotEntry): boolean {
  if (change?.kind !== "state" || !change.entryXdr || entry.archived) return false;
  return liveUntilOf(change.entryXdr) === entry.liveUntilLedger;
}
