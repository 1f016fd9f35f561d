// Times to live that only a later ledger gives can still be proven not to matter. While an entry
// lives its time to live only grows, so at the transaction it lay between the transaction's own
// ledger and the later value. An extension happens below a threshold and costs more the lower it
// starts, and rent for growth costs more the later it ends: each effect is monotone. A replay with
// every such time at its lowest that ends like the one with today's therefore ends like any
// between.

import type { Execution } from "../../model/execution.ts";
import type { Snapshot, SnapshotEntry } from "../../model/snapshot.ts";
import type { Verdict } from "../../model/verdict.ts";
import { withTtls } from "../../simulator/requests.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";

/** Are times to live that only a later ledger gives all that keeps the verdict from being exact? */
export function dependsOnTtls(verdict: Verdict, snapshot: Snapshot): boolean {
  const bounded = new Set(snapshot.entries.filter(isBounded).map(({ keyXdr }) => keyXdr));
  return (
    verdict.kind === "equivalent" &&
    verdict.caveats.every(({ kind, keyXdr }) => kind === "assumed" && bounded.has(keyXdr ?? ""))
  );
}

/** The request with each of them at its lowest: the transaction's own ledger. */
export function withLowestTtls(
  request: ReplayRequest,
  snapshot: Snapshot,
  ledgerSequence: number,
): ReplayRequest {
  const bounded = snapshot.entries.filter(isBounded).map(({ keyXdr }) => keyXdr);
  return withTtls(request, bounded, ledgerSequence);
}

/** Equal in everything that is compared with the chain. */
export function endedAlike(one: Execution, other: Execution): boolean {
  return comparable(one) === comparable(other);
}

/** The snapshot once that has been shown. */
export function withProvenTtls(snapshot: Snapshot): Snapshot {
  return { ...snapshot, entries: snapshot.entries.map(proven) };
}

/** Given by a node for the very entry: an upper bound. */
function isBounded({ provisional, ttlProvenance }: SnapshotEntry): boolean {
  return provisional === "ttl-unchanged" && ttlProvenance?.kind === "rpc-unchanged";
}

function proven(entry: SnapshotEntry): SnapshotEntry {
  if (!isBounded(entry)) return entry;
  const { provisional: _, ...rest } = entry;
  const detail =
    "a later ledger's; the replay ends alike with the lowest value that it can have had, so it does not matter";
  return { ...rest, ttlProvenance: { kind: "rpc-unchanged", detail } };
}

function comparable(execution: Execution): string {
  const { outcome, operationResultXdr, resultXdr, returnValueXdr, eventsXdr } = execution;
  const { changes, diagnosticsXdr, hostError, fees, metrics } = execution;
  const written = changes.map(({ kind, keyXdr, afterXdr }) => [kind, keyXdr, afterXdr]);
  const result = [outcome, operationResultXdr, resultXdr, returnValueXdr, eventsXdr];
  return JSON.stringify([result, written, diagnosticsXdr, hostError, fees, metrics]);
}
