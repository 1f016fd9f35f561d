// Restores archived entries of the footprint. From protocol 23 the transaction restores them itself
// if they are read-write in its footprint and listed in archivedSorobanEntries. Before that, a
// transaction with a RestoreFootprint operation must come first.

import type { Execution } from "../model/execution.ts";
import { endedWith } from "../model/result-code.ts";
import type { SnapshotEntry } from "../model/snapshot.ts";
import { knownIn } from "../model/state/entry-state.ts";
import { withFootprint, withSequenceNumber } from "../xdr/envelope/patch-envelope.ts";
import { restoreEnvelope } from "../xdr/envelope/restore-envelope.ts";
import { isSorobanKey, isTemporaryKey, liveUntilOf, ttlKeyOf } from "../xdr/reader/keys.ts";
import { withMaximumResources } from "./declared-resources.ts";
import { declaredBy, type FixContext, type FixStep, stateInAttempt } from "./fix-context.ts";
import { makeReadWrite } from "./footprint.ts";
import type { Variant } from "./variant.ts";

const SELF_RESTORING_PROTOCOL = 23;

export async function restoreArchived(
  context: FixContext,
  attempt: Variant,
  execution: Execution,
): Promise<FixStep | null> {
  const { outcome } = execution;
  if (outcome.kind !== "failed" || !endedWith(outcome, "entryArchived")) return null;
  const keys = archivedKeys(context, attempt);
  if (keys.length === 0) return null;
  const restoresItself = context.ledger.protocolVersion >= SELF_RESTORING_PROTOCOL;
  return restoresItself ? marked(attempt, keys) : restoreFirst(context, attempt, keys);
}

/** Archived keys of the footprint that are not yet restored. */
function archivedKeys(context: FixContext, attempt: Variant): string[] {
  const { footprint, archivedEntryIndexes } = declaredBy(attempt);
  const restored = new Set(archivedEntryIndexes.map((index) => footprint.readWrite[index]));
  const state = stateInAttempt(context, attempt);
  return [...footprint.readOnly, ...footprint.readWrite].filter((key) => {
    if (restored.has(key) || !isSorobanKey(key) || isTemporaryKey(key)) return false;
    const entry = knownIn(state, key);
    if (entry === null) return false;
    const { archived, liveUntilLedger } = entry;
    return archived || (liveUntilLedger !== null && liveUntilLedger < context.ledger.sequence);
  });
}

function marked(attempt: Variant, keysXdr: readonly string[]): FixStep {
  const writing = makeReadWrite(attempt, keysXdr);
  const { footprint, archivedEntryIndexes } = declaredBy(writing);
  const indexes = keysXdr.map((key) => footprint.readWrite.indexOf(key));
  const all = [...archivedEntryIndexes, ...indexes].sort((left, right) => left - right);
  const patched = { ...footprint, archivedEntryIndexes: all };
  const envelope = withFootprint(writing.envelope, patched);
  return { kind: "changed", attempt: { ...writing, envelope } };
}

async function restoreFirst(
  context: FixContext,
  attempt: Variant,
  keysXdr: readonly string[],
): Promise<FixStep> {
  const keys = [...attempt.restoredFirst, ...keysXdr];
  const restoring = restoringAttempt(context, keys);
  const execution = await context.run(restoring);
  if (execution.outcome.kind !== "success") {
    const { summary } = context.causeOf(restoring, execution).cause;
    const reason = `A transaction that restores the archived entries would fail: ${summary}`;
    return { kind: "blocked", attempt, reason };
  }
  const entries = new Map(attempt.entries);
  const state = stateInAttempt(context, attempt);
  for (const key of keys) {
    const entry = knownIn(state, key);
    if (entry !== null) entries.set(key, afterRestoring(entry, execution));
  }
  const envelope = withSequenceNumber(attempt.envelope, restoring.envelope.terms.sequence + 1n);
  return { kind: "changed", attempt: { envelope, entries, restoredFirst: keys } };
}

/** An attempt that restores entries of the state on which the failed transaction ran. */
export function restoringAttempt(
  { failed, limits }: FixContext,
  keysXdr: readonly string[],
): Variant {
  const restore = restoreEnvelope(failed.envelope, keysXdr);
  const next = withSequenceNumber(restore, failed.envelope.terms.sequence + 1n);
  return { envelope: withMaximumResources(next, limits), entries: new Map(), restoredFirst: [] };
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
