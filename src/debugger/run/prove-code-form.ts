// Finds the form of the entry around contract code from a file. The hash proves the code itself.
// The entry has cost inputs if the code was uploaded in protocol 21 or later. The metering of the
// chain shows which form the entry had.

import type { SnapshotEntry } from "../../model/snapshot.ts";
import { withEntry } from "../../simulator/requests.ts";
import { withoutCostInputs } from "../../xdr/ledger/patch-entry.ts";
import type { Judged, ProofContext } from "./proof-context.ts";

/** Null if the older form does not reproduce the chain better. */
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
