// Compares every ledger change of the operation by key: the value after it, the value before it and
// the kind of change, including TTL entries.

import type { Execution, LedgerChange } from "../model/execution.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Comparison } from "../model/verdict.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { operationChanges } from "../xdr/outcome/operation-changes.ts";
import { ENTRY_TYPE, liveUntilOf, ttlKeyOf } from "../xdr/reader/keys.ts";
import { comparePlain, compareTexts, notCompared } from "./compare.ts";

export function compareLedgerChanges(
  chain: ChainFacts,
  snapshot: Snapshot,
  execution: Execution,
): Comparison[] {
  if (chain.meta === null) {
    return [notCompared("ledger-change", "No source had the meta, which has the changes.")];
  }
  const onChain = operationChanges(chain.meta);
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
    comparisons.push(comparePlain("ledger-change", null, String(onChain.size), count, detail));
  }
  if (comparisons.length === 0) {
    comparisons.push(
      comparePlain("ledger-change", null, "0", "0", "Neither run changed the ledger."),
    );
  }
  return comparisons;
}

function compareChange(
  keyXdr: string,
  chain: LedgerChange | undefined,
  replay: LedgerChange | undefined,
): Comparison {
  const subject = "ledger-change";
  if (chain === undefined || replay === undefined) {
    const detail =
      chain === undefined ? "Only the replay changed it." : "Only the chain changed it.";
    const change = chain ?? replay;
    const compare = change?.afterXdr == null ? comparePlain : compareTexts;
    const value = change?.afterXdr ?? change?.kind ?? null;
    return chain === undefined
      ? compare(subject, keyXdr, null, value, detail)
      : compare(subject, keyXdr, value, null, detail);
  }
  if (chain.afterXdr !== replay.afterXdr) {
    const detail = "The values after the operation differ.";
    return compareTexts(subject, keyXdr, chain.afterXdr, replay.afterXdr, detail);
  }
  // Without the TTL entry, svc-sim knows the TTL but not its last-modified ledger.
  const beforeKnown = replay.beforeXdr !== null || !isTtlKey(keyXdr);
  if (beforeKnown && chain.beforeXdr !== replay.beforeXdr) {
    const detail = "The values before the operation differ.";
    return compareTexts(subject, keyXdr, chain.beforeXdr, replay.beforeXdr, detail);
  }
  if (chain.beforeXdr === null && (chain.kind === "updated" || chain.kind === "removed")) {
    const detail = "The meta does not have the state before the change.";
    return { ...comparePlain(subject, keyXdr, null, replay.kind, detail), result: "different" };
  }
  if (chain.kind !== replay.kind) {
    const detail = "The kinds of change differ.";
    return comparePlain(subject, keyXdr, chain.kind, replay.kind, detail);
  }
  return compareTexts(subject, keyXdr, chain.afterXdr, replay.afterXdr);
}

/**
 * Compares the TTL with the snapshot, because svc-sim gets only the expiration ledger, not the TTL
 * entry.
 */
function compareTtlBefore(keyXdr: string, change: LedgerChange, snapshot: Snapshot): Comparison[] {
  const entry = snapshot.entries.find(
    (entry) => entry.liveUntilLedger !== null && ttlKeyOf(entry.keyXdr) === keyXdr,
  );
  if (entry === undefined || change.beforeXdr === null) return [];
  const onChain = String(liveUntilOf(change.beforeXdr));
  const detail = "The TTL before the operation.";
  const replayed = String(entry.liveUntilLedger);
  return [comparePlain("ledger-change", keyXdr, onChain, replayed, detail)];
}

/** The type is in the key's first four bytes. */
export function isTtlKey(keyXdr: string): boolean {
  return Uint8Array.fromBase64(keyXdr.slice(0, 8))[3] === ENTRY_TYPE.ttl;
}
