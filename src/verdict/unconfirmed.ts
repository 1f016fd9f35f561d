// Finds the inputs of a replay that only a node or a capsule shows, because no ledger that was read
// has them.

import type { ChainRecord } from "../model/chain-record.ts";
import { isWord } from "../model/provenance.ts";
import type { Snapshot, SnapshotEntry, SnapshotSetting } from "../model/snapshot.ts";
import type { Unconfirmed } from "../model/verdict.ts";
import { ENTRY_TYPE, typeOfKey } from "../xdr/reader/keys.ts";

export function unconfirmedOf(
  { claimed }: Pick<ChainRecord, "claimed">,
  { entries, settings }: Snapshot,
): Unconfirmed {
  return {
    record: claimed?.parts ?? [],
    entries: entries.filter(isReported).length,
    settings: settings.filter(isReportedSetting).length,
  };
}

export function isUnconfirmed({ entries, settings }: Snapshot): boolean {
  return settings.some(isReportedSetting) || entries.some(isReported);
}

/**
 * Contract code is not among them, because its hash confirms it. A capsule claims a TTL as it
 * claims an entry.
 */
export function isReported(entry: SnapshotEntry): boolean {
  const { keyXdr, entryXdr, provenance, ttlProvenance } = entry;
  if (!isWord(provenance) && ttlProvenance?.kind !== "claimed") return false;
  return entryXdr === null || typeOfKey(keyXdr) !== ENTRY_TYPE.contractCode;
}

export function isReportedSetting({ provenance }: SnapshotSetting): boolean {
  return isWord(provenance);
}
