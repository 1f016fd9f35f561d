// Archived entries of the footprint. From protocol 23 the transaction restores them itself when its
// footprint names them read-write and lists them in archivedSorobanEntries; before, a transaction
// with a RestoreFootprint operation has to come first.

import type { Execution } from "../model/execution.ts";
import type { SnapshotEntry } from "../model/snapshot.ts";
import { isSorobanKey, isTemporaryKey, liveUntilOf, ttlKeyOf } from "../xdr/keys.ts";
import { withFootprint, withSequenceNumber } from "../xdr/patch-envelope.ts";
import { restoreEnvelope } from "../xdr/restore-envelope.ts";
import { readSendingFacts } from "../xdr/sending-facts.ts";
import { opened } from "./declared-resources.ts";
import { readWriteToo } from "./footprint.ts";
import { declaredBy, entryOf, type Step, type Trial, type Workbench } from "./workbench.ts";

const SELF_RESTORING_PROTOCOL = 23;

export async function restoreArchived(
  workbench: Workbench,
  trial: Trial,
  execution: Execution,
): Promise<Step | null> {
  const { outcome } = execution;
  if (outcome.kind !== "failed" || !outcome.code.endsWith("ENTRY_ARCHIVED")) return null;
  const keys = archivedKeys(workbench, trial);
  if (keys.length === 0) return null;
  const restoresItself = workbench.ledger.protocolVersion >= SELF_RESTORING_PROTOCOL;
  return restoresItself ? marked(trial, keys) : restoreFirst(workbench, trial, keys);
}

/** Those of the footprint that nothing restores yet. */
function archivedKeys(workbench: Workbench, trial: Trial): string[] {
  const { footprint, archivedEntryIndexes } = declaredBy(trial);
  const restored = new Set(archivedEntryIndexes.map((index) => footprint.readWrite[index]));
  return [...footprint.readOnly, ...footprint.readWrite].filter((key) => {
    if (restored.has(key) || !isSorobanKey(key) || isTemporaryKey(key)) return false;
    const entry = entryOf(workbench, trial, key);
    if (entry === null) return false;
    const { archived, liveUntilLedger } = entry;
    return archived || (liveUntilLedger !== null && liveUntilLedger < workbench.ledger.sequence);
  });
}

function marked(trial: Trial, keysXdr: readonly string[]): Step {
  const writing = readWriteToo(trial, keysXdr);
  const { footprint, archivedEntryIndexes } = declaredBy(writing);
  const indexes = keysXdr.map((key) => footprint.readWrite.indexOf(key));
  const all = [...archivedEntryIndexes, ...indexes].sort((one, other) => one - other);
  const patched = { ...footprint, archivedEntryIndexes: all };
  const envelopeXdr = withFootprint(writing.envelopeXdr, patched);
  return { kind: "changed", trial: { ...writing, envelopeXdr } };
}

async function restoreFirst(
  workbench: Workbench,
  trial: Trial,
  keysXdr: readonly string[],
): Promise<Step> {
  const keys = [...trial.restoredFirst, ...keysXdr];
  const restoring = restoringTrial(workbench, keys);
  const execution = await workbench.run(restoring);
  if (execution.outcome.kind !== "success") {
    const { summary } = workbench.causeOf(restoring, execution).cause;
    const reason = `A transaction that restores it would fail: ${summary}`;
    return { kind: "blocked", trial, reason };
  }
  const entries = new Map(trial.entries);
  for (const key of keys) {
    const entry = entryOf(workbench, trial, key);
    if (entry !== null) entries.set(key, afterRestoring(entry, execution));
  }
  const { sequenceNumber } = readSendingFacts(restoring.envelopeXdr);
  const next = String(BigInt(sequenceNumber) + 1n);
  const envelopeXdr = withSequenceNumber(trial.envelopeXdr, next);
  return { kind: "changed", trial: { envelopeXdr, entries, restoredFirst: keys } };
}

/** On the state that the failed transaction had. */
export function restoringTrial({ failed, limits }: Workbench, keysXdr: readonly string[]): Trial {
  const { sequenceNumber } = readSendingFacts(failed.envelopeXdr);
  const restore = restoreEnvelope(failed.envelopeXdr, keysXdr);
  const envelopeXdr = withSequenceNumber(restore, String(BigInt(sequenceNumber) + 1n));
  return { envelopeXdr: opened(envelopeXdr, limits), entries: new Map(), restoredFirst: [] };
}

function afterRestoring(entry: SnapshotEntry, { changes }: Execution): SnapshotEntry {
  const ttlKey = ttlKeyOf(entry.keyXdr);
  const ttl = changes.find(({ keyXdr }) => keyXdr === ttlKey)?.afterXdr ?? null;
  const restored = changes.find(({ keyXdr }) => keyXdr === entry.keyXdr)?.afterXdr ?? null;
  return {
    ...entry,
    entryXdr: restored ?? entry.entryXdr,
    liveUntilLedger: ttl === null ? entry.liveUntilLedger : liveUntilOf(ttl),
    archived: false,
  };
}
