// Contract code from a file is known by its hash. Its entry has cost inputs if it was uploaded from
// protocol 21 on: which form the chain's had shows in what the chain metered.

import type { SnapshotEntry } from "../../model/snapshot.ts";
import { withEntry } from "../../simulator/requests.ts";
import { withoutCostInputs } from "../../xdr/ledger/patch-entry.ts";
import type { Judged, ProofContext } from "./proof-context.ts";

/** Null where the older form reproduces the chain no better. */
export async function proveCodeForm(
  { run, judge }: ProofContext,
  { request, snapshot }: Judged,
): Promise<Judged | null> {
  const open = snapshot.entries.filter(({ maybeWithoutCosts }) => maybeWithoutCosts === true);
  if (open.length === 0) return null;
  let changedRequest = request;
  for (const { keyXdr, entryXdr, liveUntilLedger } of open)
    changedRequest = withEntry(changedRequest, keyXdr, withoutCostInputs(entryXdr ?? ""), {
      liveUntilLedger,
    });
  const execution = await run(changedRequest);
  const older = { ...snapshot, entries: snapshot.entries.map(inOlderForm) };
  const verdict = judge(older, execution);
  return verdict.kind === "exact"
    ? { request: changedRequest, execution, snapshot: older, verdict }
    : null;
}

function inOlderForm(entry: SnapshotEntry): SnapshotEntry {
  if (entry.maybeWithoutCosts !== true) return entry;
  return { ...entry, entryXdr: withoutCostInputs(entry.entryXdr ?? "") };
}
