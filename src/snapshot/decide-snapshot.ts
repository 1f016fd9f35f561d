// Makes a Snapshot from evidence: the ledger state just before the transaction, with the provenance
// of each part. Invariant: a part that no meta or last-modified ledger proves is `assumed` or in
// `unknown`; nothing is silent.

import type { Snapshot, SnapshotEntry, UnknownInput } from "../model/snapshot.ts";
import { isKnown } from "../model/state/entry-state.ts";
import { hasItsHash } from "../xdr/reader/code-hash.ts";
import { ENTRY_TYPE } from "../xdr/reader/keys.ts";
import { decideEntry } from "./decide-entry.ts";
import { type DecidedSettings, decideSettings } from "./decide-settings.ts";
import { decideTtl } from "./decide-ttl.ts";
import type { Evidence } from "./evidence.ts";
import type { FootprintKey } from "./footprint-keys.ts";
import type { KnownEntry } from "./known-entry.ts";

export interface DecidedEntries {
  readonly entries: readonly SnapshotEntry[];
  readonly unknown: readonly UnknownInput[];
}

/**
 * Makes the snapshot. `decided` has the settings if they were decided before, because they are the
 * same in a whole ledger.
 */
export function decideSnapshot(
  evidence: Evidence,
  decided: DecidedSettings = decideSettings(evidence),
): Snapshot {
  const { entries, unknown } = decideEntries(evidence);
  const { settings, rentFeePer1KbStroops } = decided;
  return { entries, settings, rentFeePer1KbStroops, unknown: [...unknown, ...decided.unknown] };
}

/** The entries of the footprint, in its order. */
export function decideEntries(evidence: Evidence): DecidedEntries {
  const entries: SnapshotEntry[] = [];
  const unknown: UnknownInput[] = [];
  for (const key of evidence.footprint) {
    const decided = decideEntry(evidence, key);
    if (!isKnown(decided)) unknown.push({ keyXdr: key.keyXdr, reason: decided.reason });
    else if (decided.entryXdr !== null && !hasItsHash(decided.entryXdr)) unknown.push(forged(key));
    else entries.push(toSnapshotEntry(evidence, key, decided));
  }
  return { entries, unknown };
}

function toSnapshotEntry(evidence: Evidence, key: FootprintKey, entry: KnownEntry): SnapshotEntry {
  const ttl = decideTtl(evidence, key, entry);
  const archived = entry.archived || (ttl !== null && "archived" in ttl);
  const live = ttl !== null && !("archived" in ttl) ? ttl : null;
  const restoredEarlier =
    entry.entryXdr === null && evidence.folded?.restoredInThisLedger(key.keyXdr) === true;
  return {
    keyXdr: key.keyXdr,
    entryXdr: entry.entryXdr,
    liveUntilLedger: live?.liveUntilLedger ?? null,
    archived,
    codeCached: codeCached(evidence, key, entry.entryXdr !== null && !archived),
    provenance: entry.provenance,
    ttlProvenance: ttl?.provenance ?? null,
    ...(maybeCached(evidence, key, entry, archived) ? { maybeCached: true as const } : {}),
    ...(live?.provisional === true ? { provisional: "ttl-unchanged" as const } : {}),
    ...(restoredEarlier ? { restoredEarlier: true as const } : {}),
  };
}

/** Archived code is in the cache if it has only expired, and most sources do not report that. */
function maybeCached(
  { folded }: Evidence,
  { keyXdr, type }: FootprintKey,
  { cacheUnknown }: KnownEntry,
  archived: boolean,
): boolean {
  if (type !== ENTRY_TYPE.contractCode) return false;
  const open = archived && (folded === null || folded.archived(keyXdr) === null);
  return open || cacheUnknown === true || folded?.isRevivedCode(keyXdr) === true;
}

/** The reason for code that does not have its hash. svc accepts it from no node, file or ledger. */
function forged({ keyXdr }: FootprintKey): UnknownInput {
  return { keyXdr, reason: "the code that a source has for it does not have the hash in its key" };
}

const CODE_CACHE_SINCE = 23;

/**
 * Says whether code is in the ledger's module cache, which has the code that was live when the
 * previous ledger closed (protocol 23 and later). Null if svc-sim decides by the entry's
 * last-modified ledger.
 */
function codeCached(
  { folded, ledger }: Evidence,
  key: FootprintKey,
  live: boolean,
): boolean | null {
  if (key.type !== ENTRY_TYPE.contractCode || ledger.protocolVersion < CODE_CACHE_SINCE)
    return null;
  if (!live || folded?.isNewCode(key.keyXdr)) return false;
  return folded?.complete ? true : null;
}
