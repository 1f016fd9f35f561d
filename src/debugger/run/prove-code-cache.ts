// Contract code that a transaction restored was in its ledger's module cache if it had expired in
// place, and was not if it came from the archive. Where no source shows which, the metering that
// the chain reported does: the two differ by the cost of parsing the code.

import type { SnapshotEntry } from "../../model/snapshot.ts";
import { withEntryFields } from "../../simulator/requests.ts";
import type { Judged, ProofContext } from "./proof-context.ts";

/** Null where nothing but metering differs and such code is not why. */
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
