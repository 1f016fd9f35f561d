// Finds contradictions in a capsule: damage that has a valid checksum, and parts of several
// capsules.

import { SvcError } from "../../base/errors/errors.ts";
import { type Snapshot, snapshotState } from "../../model/snapshot.ts";
import { knownIn } from "../../model/state/entry-state.ts";
import type { OpenedRecord } from "../../xdr/envelope/opened-record.ts";
import { firstOfEachKey } from "../../xdr/ledger/keyed-change.ts";
import { readDiagnosticEvent } from "../../xdr/outcome/diagnostics.ts";
import { readEntryChanges, type TransactionMetaFacts } from "../../xdr/outcome/meta.ts";
import { reachedHost } from "../../xdr/outcome/result.ts";
import { hasItsHash } from "../../xdr/reader/code-hash.ts";
import {
  isSettingKey,
  keyOfEntry,
  lastModifiedOf,
  settingName,
  typeOfKey,
} from "../../xdr/reader/keys.ts";
import { contradictionIn } from "../check-transaction.ts";

/** The contradiction as a clause; null if everything can be decoded and belongs together. */
export function capsuleFlaw(opened: OpenedRecord, snapshot: Snapshot | null): string | null {
  const { record, chain } = opened;
  const { feeChangesXdr, refundChangesXdr, diagnosticEventsXdr } = record;
  const parts: readonly (readonly [name: string, read: () => unknown])[] = [
    ["result", () => chain.result],
    ["meta", () => chain.meta],
    ["fee changes", () => readEntryChanges(feeChangesXdr)],
    ["refund changes", () => readEntryChanges(refundChangesXdr)],
    ["diagnostic events", () => diagnosticEventsXdr.map(readDiagnosticEvent)],
    ["keys", () => keysOf(snapshot).map(typeOfKey)],
    ["settings", () => snapshot?.settings.map(({ entryXdr }) => settingName(entryXdr))],
    ["fees", () => [chain.metrics, chain.refundStroops]],
  ];
  for (const [name, read] of parts) {
    const why = whyUndecodable(read);
    if (why !== null) return `its ${name} cannot be decoded (${why})`;
  }
  for (const each of entriesOf(snapshot)) {
    const flaw = entryFlaw(each);
    if (flaw !== null) return flaw;
    if (each.entryXdr !== null && !hasItsHash(each.entryXdr))
      return "it has contract code whose hash is not the hash in its key";
  }
  return contradictionOf(opened, snapshot);
}

function contradictionOf({ record, envelope, chain }: OpenedRecord, snapshot: Snapshot | null) {
  const { result, meta } = chain;
  const parts = { ...record, ledgerSequence: record.ledger.sequence, envelope, result, meta };
  const contradiction = contradictionIn(parts);
  if (contradiction !== null) return contradiction.why;
  const ran = envelope.soroban !== null && reachedHost(result);
  if (!ran || snapshot === null) {
    if (ran === (snapshot !== null)) return null;
    return ran
      ? "its transaction ran, and it has no snapshot"
      : "it has a snapshot, and nothing ran";
  }
  const { readOnly, readWrite } = envelope.soroban.footprint;
  const footprint = new Set([...readOnly, ...readWrite]);
  // The footprint does not contain the settings, nor the ledger's header, which has an empty key.
  const held = [...snapshot.entries, ...snapshot.unknown]
    .map(({ keyXdr }) => keyXdr)
    .filter((keyXdr) => keyXdr !== "" && !isSettingKey(keyXdr));
  if (footprint.symmetricDifference(new Set(held)).size > 0) {
    return "its snapshot is not of the keys that its envelope declares";
  }
  return impossibleState(snapshot, record.ledger.sequence) ?? (meta && otherState(meta, snapshot));
}

function impossibleState(snapshot: Snapshot, ledger: number): string | null {
  const { entries, settings, beyondFootprint = [] } = snapshot;
  const other = settings.find(({ name, entryXdr }) => settingName(entryXdr) !== name);
  if (other !== undefined)
    return `its setting ${settingName(other.entryXdr)} has the name of another one`;
  const held = [...entries, ...beyondFootprint, ...settings];
  const keys = held.map((each) => ("keyXdr" in each ? each.keyXdr : each.name));
  const twice = keys.find((key, i) => keys.indexOf(key) !== i);
  if (twice !== undefined) return `its snapshot has ${twice} twice`;
  const later = held.find(
    ({ entryXdr, provenance: { kind } }) =>
      kind !== "assumed" && entryXdr !== null && lastModifiedOf(entryXdr) > ledger,
  );
  return later && later.entryXdr !== null
    ? `its snapshot has an entry of ledger ${lastModifiedOf(later.entryXdr)}, and is of ledger ${ledger}`
    : null;
}

/** Each entry must have the value before the first change of the meta. */
function otherState({ operationChanges }: TransactionMetaFacts, snapshot: Snapshot) {
  const state = snapshotState(snapshot);
  for (const [keyXdr, { kind, entryXdr }] of firstOfEachKey(operationChanges.flat())) {
    const held = knownIn(state, keyXdr);
    if (held === null || (kind !== "state" && kind !== "created")) continue;
    if (held.entryXdr === (kind === "state" ? entryXdr : null)) continue;
    return `its snapshot has another value of ${keyXdr} than its meta shows before the change`;
  }
  return null;
}

function entriesOf(snapshot: Snapshot | null) {
  return [...(snapshot?.entries ?? []), ...(snapshot?.beyondFootprint ?? [])];
}

/** The ledger's header is listed as unknown under an empty key. */
function keysOf(snapshot: Snapshot | null): string[] {
  const unknown = (snapshot?.unknown ?? []).filter(({ keyXdr }) => keyXdr !== "");
  return [...entriesOf(snapshot), ...unknown].map(({ keyXdr }) => keyXdr);
}

/** The problem as a clause; null if the entry can be decoded and has that key. */
export function entryFlaw(entry: {
  readonly keyXdr: string;
  readonly entryXdr: string | null;
}): string | null {
  const { keyXdr, entryXdr } = entry;
  const unread = whyUndecodable(() => typeOfKey(keyXdr));
  if (unread !== null) return `its key ${keyXdr.slice(0, 60)} cannot be decoded (${unread})`;
  if (entryXdr === null) return null;
  const why = whyUndecodable(() => keyOfEntry(entryXdr));
  if (why !== null) return `its entry of the key ${keyXdr} cannot be decoded (${why})`;
  return keyOfEntry(entryXdr) === keyXdr ? null : `its entry of the key ${keyXdr} has another key`;
}

/** The reason why it cannot be decoded; null if it can be. */
export function whyUndecodable(read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (error) {
    if (error instanceof SvcError) return error.clause ?? error.message;
    throw error;
  }
}
