// Finds the state of ledger entries that a transaction did not name, just before it. The snapshot
// may remember an entry. Otherwise the rules of the snapshot decide its state, if there is a source
// to ask. Without a source, the state is unknown.

import type { FixContext } from "../../fix/fix-context.ts";
import type { SnapshotDependencies } from "../../snapshot/gather/take-snapshot.ts";
import type { Replayable } from "./run-variant.ts";

interface FindOptions {
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/** Throws the errors of sources that are not failures of a node. */
export function entriesFinder(
  dependencies: Partial<SnapshotDependencies>,
  captured: Replayable,
  options: FindOptions,
): FixContext["findEntries"] {
  const remembered = captured.snapshot.beyondFootprint ?? [];
  return async (keysXdr) => {
    const known = remembered.filter(({ keyXdr }) => keysXdr.includes(keyXdr));
    const sought = keysXdr.filter((key) => !known.some(({ keyXdr }) => keyXdr === key));
    if (sought.length === 0) return { entries: known, unknown: [] };
    const answer = await askSources(dependencies, captured, sought, options);
    return { ...answer, entries: [...known, ...answer.entries] };
  };
}

async function askSources(
  { sources = [], ledgers, startEngine }: Partial<SnapshotDependencies>,
  captured: Replayable,
  keysXdr: readonly string[],
  options: FindOptions,
): ReturnType<FixContext["findEntries"]> {
  if (ledgers === undefined || startEngine === undefined || sources.length === 0) {
    const reason = "the capsule does not contain it, and no node was queried";
    return { entries: [], unknown: keysXdr.map((keyXdr) => ({ keyXdr, reason })) };
  }
  const { takeEntries } = await import("../../snapshot/gather/take-snapshot.ts");
  return takeEntries({ sources, ledgers, startEngine }, captured, keysXdr, options);
}
