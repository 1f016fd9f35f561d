// Inputs of a replay that only a node's answer shows: no ledger that was read has them.

import type { Snapshot, SnapshotEntry, SnapshotSetting } from "../model/snapshot.ts";
import type { Unconfirmed } from "../model/verdict.ts";
import { ENTRY_TYPE, typeOfKey } from "../xdr/reader/keys.ts";

export function unconfirmedOf({ entries, settings }: Snapshot): Unconfirmed {
  return {
    entries: entries.filter(isReported).length,
    settings: settings.filter(isReportedSetting).length,
  };
}

export function isUnconfirmed({ entries, settings }: Snapshot): boolean {
  return settings.some(isReportedSetting) || entries.some(isReported);
}

/** Contract code is what its hash says. */
export function isReported({ keyXdr, entryXdr, provenance }: SnapshotEntry): boolean {
  if (provenance.kind !== "rpc-unchanged") return false;
  return entryXdr === null || typeOfKey(keyXdr) !== ENTRY_TYPE.contractCode;
}

export function isReportedSetting({ provenance }: SnapshotSetting): boolean {
  return provenance.kind === "rpc-unchanged";
}
