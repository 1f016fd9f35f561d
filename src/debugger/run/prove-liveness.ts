// Decides whether an entry was live or archived, if no source shows it: both cases are run. If only
// one of them reproduces everything that the chain recorded, the entry was in that state. If both
// do, the state does not matter.

import type { Snapshot, SnapshotEntry } from "../../model/snapshot.ts";
import { withEntry } from "../../simulator/requests.ts";
import { ASSUMED_TTL_LEDGERS } from "../../snapshot/decide-ttl.ts";
import type { Judged, ProofContext } from "./proof-context.ts";

/**
 * Null if there is no such entry, if there are several, or if neither case reproduces the chain.
 */
export async function proveLiveness(
  { ledger, run, judge }: ProofContext,
  { request, execution, snapshot }: Judged,
): Promise<Judged | null> {
  const isExtension = execution.operation === "extend_footprint_ttl";
  const open = snapshot.entries.filter((entry) => isOpen(entry, isExtension));
  const [entry] = open;
  if (entry === undefined || open.length > 1 || entry.entryXdr === null) return null;
  const archived = !entry.archived;
  const liveUntilLedger = archived ? null : ledger + ASSUMED_TTL_LEDGERS;
  const fields = { archived, liveUntilLedger };
  const changedRequest = withEntry(request, entry.keyXdr, entry.entryXdr, fields);
  const other = await run(changedRequest);
  const as = { ...entry, archived, liveUntilLedger };
  const candidates = [
    { request, execution, proven: (detail: string) => withProof(snapshot, entry, detail) },
    {
      request: changedRequest,
      execution: other,
      proven: (detail: string) => withProof(snapshot, as, detail),
    },
  ];
  const exact = candidates.filter(
    (each) => judge(each.proven(""), each.execution).kind === "exact",
  );
  const [onlyExact] = exact;
  if (onlyExact === undefined) return null;
  const detail =
    exact.length > 1
      ? "live or archived: the replay is the same either way"
      : `${onlyExact === candidates[0] ? stateOf(entry) : stateOf(as)}: otherwise the replay is not what the chain recorded`;
  const proven = onlyExact.proven(detail);
  const verdict = judge(proven, onlyExact.execution);
  return { request: onlyExact.request, execution: onlyExact.execution, snapshot: proven, verdict };
}

/**
 * Says whether it is unknown that the entry was live. An extension changes neither an archived
 * entry nor one that lives long enough, so a node's upper bound does not show which one it was.
 */
function isOpen({ entryXdr, ttlProvenance, provisional }: SnapshotEntry, isExtension: boolean) {
  if (entryXdr === null || ttlProvenance === null) return false;
  return ttlProvenance.kind === "assumed" || (isExtension && provisional === "ttl-unchanged");
}

function stateOf({ archived }: SnapshotEntry): string {
  return archived ? "archived" : "live";
}

function withProof(snapshot: Snapshot, entry: SnapshotEntry, detail: string): Snapshot {
  const { provisional: _, ...rest } = entry;
  const proven = { ...rest, ttlProvenance: { kind: "replay-proof" as const, detail } };
  const entries = snapshot.entries.map((each) => (each.keyXdr === entry.keyXdr ? proven : each));
  return { ...snapshot, entries };
}
