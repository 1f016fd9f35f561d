// Every ledger change of the operation, by key: the value after it, the value before it and the
// kind of change, time-to-live entries included.
// Meta holds STATE before UPDATED or REMOVED; from protocol 23 RESTORED, alone or before UPDATED or
// REMOVED, stands for an archived entry's way back (stellar-core, processOpLedgerEntryChanges).

import type { Execution, LedgerChange } from "../model/execution.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Comparison } from "../model/verdict.ts";
import { ENTRY_TYPE, liveUntilOf, ttlKeyOf } from "../xdr/keys.ts";
import type { EntryChange } from "../xdr/meta.ts";
import type { ChainFacts } from "./chain-facts.ts";
import { compareTexts, notCompared } from "./compare.ts";

export function compareLedgerChanges(
  chain: ChainFacts,
  snapshot: Snapshot,
  execution: Execution,
): Comparison[] {
  if (chain.meta === null) {
    return [notCompared("ledger-change", null, "No source had the meta, which holds the changes.")];
  }
  const onChain = changesByKey(chain.meta.operationChanges.flat());
  const replayed = new Map(execution.changes.map((change) => [change.keyXdr, change]));
  const comparisons: Comparison[] = [];
  for (const [keyXdr, change] of onChain) {
    const comparison = compareChange(keyXdr, change, replayed.get(keyXdr));
    comparisons.push(comparison);
    if (comparison.result === "equal" && change.kind === "updated" && isTtlKey(keyXdr)) {
      comparisons.push(...compareTtlBefore(keyXdr, change, snapshot));
    }
  }
  for (const [keyXdr, change] of replayed) {
    if (!onChain.has(keyXdr)) comparisons.push(compareChange(keyXdr, undefined, change));
  }
  if (replayed.size !== execution.changes.length) {
    const detail = "The replay reports a key twice.";
    const count = String(execution.changes.length);
    comparisons.push(compareTexts("ledger-change", null, String(onChain.size), count, detail));
  }
  if (comparisons.length === 0) {
    comparisons.push(compareTexts("ledger-change", null, "0", "0", "Neither changed the ledger."));
  }
  return comparisons;
}

/** One key's way through the operation, as the meta tells it. */
interface ChainChange {
  readonly kind: EntryChange["kind"];
  /** STATE, or RESTORED when another change follows; null: it did not exist. */
  readonly beforeXdr: string | null;
  readonly afterXdr: string | null;
}

function changesByKey(changes: readonly EntryChange[]): Map<string, ChainChange> {
  const byKey = new Map<string, ChainChange>();
  const first = new Map<string, EntryChange>();
  for (const change of changes) {
    const { kind, keyXdr, entryXdr } = change;
    const start = first.get(keyXdr);
    if (start === undefined) first.set(keyXdr, change);
    // A STATE alone says that nothing happened to the key.
    if (start === undefined && kind === "state") continue;
    const told = start?.kind === "state" || start?.kind === "restored";
    byKey.set(keyXdr, { kind, beforeXdr: told ? start.entryXdr : null, afterXdr: entryXdr });
  }
  return byKey;
}

function compareChange(
  keyXdr: string,
  chain: ChainChange | undefined,
  replay: LedgerChange | undefined,
): Comparison {
  const subject = "ledger-change";
  if (chain === undefined || replay === undefined) {
    return {
      subject,
      item: keyXdr,
      result: "different",
      chain: chain?.afterXdr ?? chain?.kind ?? null,
      replay: replay?.afterXdr ?? replay?.kind ?? null,
      detail: chain === undefined ? "Only the replay changes it." : "Only the chain changed it.",
    };
  }
  if (chain.afterXdr !== replay.afterXdr) {
    const detail = "The values after the operation differ.";
    return compareTexts(subject, keyXdr, chain.afterXdr, replay.afterXdr, detail);
  }
  // svc-sim knows a time to live, but not when it was last modified, unless it was given the entry.
  const beforeKnown = replay.beforeXdr !== null || !isTtlKey(keyXdr);
  if (beforeKnown && chain.beforeXdr !== replay.beforeXdr) {
    const detail = "The values before the operation differ.";
    return compareTexts(subject, keyXdr, chain.beforeXdr, replay.beforeXdr, detail);
  }
  if (chain.beforeXdr === null && (chain.kind === "updated" || chain.kind === "removed")) {
    const detail = "The meta does not hold the state before the change.";
    return { ...compareTexts(subject, keyXdr, null, replay.kind, detail), result: "different" };
  }
  if (chain.kind !== replay.kind) {
    const detail = "The kinds of change differ.";
    return compareTexts(subject, keyXdr, chain.kind, replay.kind, detail);
  }
  return compareTexts(subject, keyXdr, chain.afterXdr, replay.afterXdr);
}

/** Against the snapshot: svc-sim is told when an entry expires, not the whole TTL entry. */
function compareTtlBefore(keyXdr: string, change: ChainChange, snapshot: Snapshot): Comparison[] {
  const given = snapshot.entries.find(
    (entry) => entry.liveUntilLedger !== null && ttlKeyOf(entry.keyXdr) === keyXdr,
  );
  if (given === undefined || change.beforeXdr === null) return [];
  const onChain = String(liveUntilOf(change.beforeXdr));
  const detail = "The time to live before the operation.";
  const replayed = String(given.liveUntilLedger);
  return [compareTexts("ledger-change", keyXdr, onChain, replayed, detail)];
}

/** By the key's first four bytes, its type. */
export function isTtlKey(keyXdr: string): boolean {
  return Uint8Array.fromBase64(keyXdr.slice(0, 8))[3] === ENTRY_TYPE.ttl;
}
