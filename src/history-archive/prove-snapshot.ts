// Proves the state that a transaction ran on: each entry and network setting is looked up in a
// history archive, as it was just before. State that validators have signed replaces state that
// only a node reported, unknown state, and state that metas show otherwise.

import { isAssumed, isSigned, isWord, type Provenance } from "../model/provenance.ts";
import {
  type Snapshot,
  type SnapshotEntry,
  type SnapshotSetting,
  snapshotState,
  type UnknownInput,
} from "../model/snapshot.ts";
import { isKnown } from "../model/state/entry-state.ts";
import { hasEnoughSignatures, type StateFact } from "../model/state/proven-state.ts";
import type { OpenedRecord } from "../xdr/envelope/opened-record.ts";
import { isSettingKey, settingKeyNamed, settingName } from "../xdr/reader/keys.ts";
import type { EntryBefore, OpenedArchive } from "./opened-archive.ts";

type SignedFact<Value> = Exclude<StateFact<Value>, { readonly kind: "unknown" }>;

/**
 * Throws ARCHIVE_BEHIND if the archive does not reach the transaction, and the errors of the
 * archive.
 */
export async function proveSnapshot(
  snapshot: Snapshot,
  { record, envelope }: OpenedRecord,
  archive: OpenedArchive,
): Promise<Snapshot> {
  const { sequence } = record.ledger;
  const isSigned = await archive.checkRecord(record);
  const before = (keyXdr: string) => archive.before(keyXdr, sequence, record.hash);
  const state = snapshotState(snapshot);
  const unknown: UnknownInput[] = [];
  const entries: SnapshotEntry[] = [];
  const { readOnly = [], readWrite = [] } = envelope.soroban?.footprint ?? {};
  for (const keyXdr of [...readOnly, ...readWrite]) {
    const entryState = state.get(keyXdr);
    const entry = isKnown(entryState) ? entryState : null;
    const proven = provenEntry(entry, keyXdr, await before(keyXdr));
    if (proven !== null) entries.push(proven);
    else if (!isKnown(entryState)) unknown.push({ keyXdr, reason: entryState.reason });
  }
  const footprint = new Set([...readOnly, ...readWrite]);
  const settings: SnapshotSetting[] = [];
  for (const each of snapshot.unknown.filter(({ keyXdr }) => !footprint.has(keyXdr))) {
    const { keyXdr } = each;
    const entry = isSettingKey(keyXdr) ? proofOf((await before(keyXdr)).entry) : null;
    if (entry?.kind !== "known") unknown.push(each);
    else
      settings.push({
        name: settingName(keyXdr),
        entryXdr: entry.value.entryXdr,
        provenance: from(entry),
      });
  }
  for (const setting of snapshot.settings) {
    const keyXdr = settingKeyNamed(setting.name);
    const entry = keyXdr === null ? null : proofOf((await before(keyXdr)).entry);
    if (entry?.kind !== "known") settings.push(setting);
    else settings.push({ ...setting, entryXdr: entry.value.entryXdr, provenance: from(entry) });
  }
  const proof = isSigned ? await archive.excerpt() : null;
  return { ...snapshot, entries, settings, unknown, ...(proof && { proof }) };
}

/** True if the whole state is known, and no entry depends on a node or a capsule. */
export function isConfirmed({ entries, settings, unknown }: Snapshot): boolean {
  // A setting that only a meta shows is mostly the state-size window. Replays rarely show more of
  // it.
  const isReported = ({ provenance }: SnapshotSetting) =>
    isWord(provenance) || isAssumed(provenance);
  return unknown.length === 0 && !entries.some(isOpen) && !settings.some(isReported);
}

/**
 * Takes the entries and settings without a proof from `replayed`, in its order, which is that of
 * the footprint. A meta is only a node's answer, because no signature covers it.
 */
export function withReplayed(snapshot: Snapshot, replayed: Snapshot): Snapshot {
  const entries = new Map(
    snapshot.entries.flatMap((entry) => (isOpen(entry) ? [] : [[entry.keyXdr, entry]])),
  );
  const names = new Set(snapshot.settings.map(({ name }) => name));
  const settings = new Map(replayed.settings.map((setting) => [setting.name, setting]));
  return {
    ...snapshot,
    entries: replayed.entries.map((entry) => entries.get(entry.keyXdr) ?? entry),
    settings: [
      ...snapshot.settings.map((each) => (isUnsigned(each) && settings.get(each.name)) || each),
      ...replayed.settings.filter(({ name }) => !names.has(name)),
    ],
    unknown: [],
  };
}

function isUnsigned({ provenance }: { readonly provenance: Provenance }): boolean {
  return !isSigned(provenance);
}

function isOpen({ ttlProvenance, ...entry }: SnapshotEntry): boolean {
  return isUnsigned(entry) || (ttlProvenance !== null && !isSigned(ttlProvenance));
}

/** Returns `entry` as the archive has it, or unchanged if the archive does not show it. */
function provenEntry(
  entry: SnapshotEntry | null,
  keyXdr: string,
  before: EntryBefore,
): SnapshotEntry | null {
  const shown = proofOf(before.entry);
  const ttl = before.liveUntil === null ? null : proofOf(before.liveUntil);
  const base = { keyXdr, codeCached: null, ...entry };
  if (shown === null) return entry;
  if (shown.kind === "absent")
    return {
      ...base,
      entryXdr: null,
      liveUntilLedger: null,
      archived: false,
      provenance: from(shown),
      ttlProvenance: null,
    };
  const { entryXdr, archived } = shown.value;
  const isKnownTtl = archived || before.liveUntil === null || ttl?.kind === "known";
  // An entry cannot be run without its TTL.
  if (!isKnownTtl && entry === null) return null;
  const { provisional: _, ...rest } = base;
  const liveUntilLedger = ttl?.kind === "known" && !archived ? ttl.value : null;
  const value = { entryXdr, archived, provenance: from(shown) };
  return isKnownTtl
    ? { ...rest, ...value, liveUntilLedger, ttlProvenance: ttl && from(ttl) }
    : { ...(entry as SnapshotEntry), ...value };
}

/** Returns null if the fact is not signed. */
function proofOf<Value>(fact: StateFact<Value>): SignedFact<Value> | null {
  return fact.kind !== "unknown" && hasEnoughSignatures(fact.proof.signatures) ? fact : null;
}

function from({ proof }: SignedFact<unknown>): Provenance {
  const { signers = [], trustedLedger } = proof.signatures ?? {};
  const why =
    trustedLedger === undefined
      ? `which ${signers.length} validators signed`
      : `before ledger ${trustedLedger}, whose hash is trusted`;
  return { kind: "history-archive", detail: `in the state of ledger ${proof.checkpoint}, ${why}` };
}
