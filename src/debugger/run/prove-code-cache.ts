// Finds whether contract code that a transaction restored was in the module cache of its ledger.
// The cache has code whose TTL had ended in the live state, and no code that came from the archive.
// If no source shows which it was, the metering that the chain reported does: the two cases differ
// by the cost of parsing the code.

import type { SnapshotEntry } from "../../model/snapshot.ts";
import { withEntryFields } from "../../simulator/requests.ts";
import type { Judged, ProofContext } from "./proof-context.ts";

/** Null unless only the metering differs, and such code explains the difference. */
export async function proveCodeCache(
  { run, judge }: ProofContext,
  { request, snapshot, verdict }: Judged,
): Promise<Judged | null> {
  const open = snapshot.entries.filter(({ maybeCached }) => maybeCached === true);
  const keys = open.map(({ keyXdr }) => keyXdr);
  const onlyMetering = verdict.caveats.every(({ kind }) => kind === "metering");
  if (open.length === 0 || verdict.kind !== "equivalent" || !onlyMetering) return null;
  const changedRequest = withEntryFields(request, keys, { codeCached: true });
  const execution = await run(changedRequest);
  const cached = { ...snapshot, entries: snapshot.entries.map(inCache) };
  const judged = judge(cached, execution);
  if (judged.kind !== "exact") return null;
  return { request: changedRequest, execution, snapshot: cached, verdict: judged };
}

function inCache(entry: SnapshotEntry): SnapshotEntry {
  if (entry.maybeCached !== true) return entry;
  const { maybeCached: _, ...rest } = entry;
  return { ...rest, codeCached: true };
}
