// Proves that TTLs which only a later ledger shows do not matter. While an entry lives, its TTL
// only grows, so at the transaction it was between the transaction's own ledger and the later
// value. An extension happens below a threshold and costs more the lower it starts, and rent for
// growth costs more the later it ends, so each effect is monotone. If a replay with the lowest
// possible TTLs ends like the one with the later values, a replay with any values in between does
// so too.

import { statedKind } from "../../model/provenance.ts";
import type { Snapshot, SnapshotEntry } from "../../model/snapshot.ts";
import { type Comparison, FEE_SUBJECTS, type Verdict } from "../../model/verdict.ts";
import { withEntryFields } from "../../simulator/requests.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";
import { endedAlike, type Judged, type ProofContext } from "./proof-context.ts";

/** Null if they may matter, or if something else keeps the verdict from being exact. */
export async function proveTtls(context: ProofContext, judged: Judged): Promise<Judged | null> {
  const { verdict, snapshot } = judged;
  const bounded = snapshot.entries.filter(isBounded);
  const keys = new Set(bounded.map(({ keyXdr }) => keyXdr));
  const dependsOnThem = verdict.caveats.every(
    ({ kind, keyXdr }) => kind === "assumed" && keys.has(keyXdr ?? ""),
  );
  if (bounded.length === 0 || !dependsOnThem) return null;
  if (verdict.kind === "equivalent") return proveBothEnds(context, judged, bounded);
  return verdict.kind === "inconclusive" ? proveByRent(context, judged, bounded) : null;
}

async function proveBothEnds(
  { ledger, run, judge }: ProofContext,
  { request, execution, snapshot }: Judged,
  bounded: readonly SnapshotEntry[],
): Promise<Judged | null> {
  const lowest = await run(withTtl(request, bounded, ledger));
  if (!endedAlike(execution, lowest)) return null;
  const detail =
    "from a later ledger; the replay ends the same with the lowest value that it can have had, so the difference does not matter";
  const proven = withTtls(snapshot, bounded, (entry) => ({ ...entry, detail }));
  return { request, execution, snapshot: proven, verdict: judge(proven, execution) };
}

const MAXIMUM_RUNS = 32;

/**
 * If only the rent differs, this finds the TTL of the one entry that grew, by the rent that the
 * chain took.
 */
async function proveByRent(
  { ledger, run, judge }: ProofContext,
  { request, snapshot, verdict }: Judged,
  bounded: readonly SnapshotEntry[],
): Promise<Judged | null> {
  const [caveat, ...others] = verdict.caveats;
  const entry = bounded.find(({ keyXdr }) => keyXdr === caveat?.keyXdr);
  const onChain = rentOf(verdict)?.chain;
  if (entry === undefined || others.length > 0 || !onChain || !onlyFees(verdict)) return null;
  let [low, high] = [ledger, entry.liveUntilLedger ?? ledger];
  for (let count = 0; low <= high && count < MAXIMUM_RUNS; count += 1) {
    const liveUntilLedger = Math.floor((low + high) / 2);
    const changedRequest = withTtl(request, [entry], liveUntilLedger);
    const execution = await run(changedRequest);
    const detail = `until ledger ${liveUntilLedger}, by the rent that the chain took`;
    const proven = withTtls(snapshot, [entry], () => ({ liveUntilLedger, detail }));
    const judged = judge(proven, execution);
    if (judged.kind === "exact") {
      return { request: changedRequest, execution, snapshot: proven, verdict: judged };
    }
    const isLess = execution.outcome.kind !== "success" || isBelow(execution.fees, onChain);
    if (isLess) low = liveUntilLedger + 1;
    else high = liveUntilLedger - 1;
  }
  return null;
}

function withTtl(
  request: ReplayRequest,
  entries: readonly SnapshotEntry[],
  liveUntilLedger: number,
): ReplayRequest {
  const keys = entries.map(({ keyXdr }) => keyXdr);
  return withEntryFields(request, keys, { liveUntilLedger });
}

function isBelow({ rentStroops }: { readonly rentStroops: string }, onChain: string): boolean {
  return BigInt(rentStroops) < BigInt(onChain);
}

function rentOf({ comparisons }: Verdict): Comparison | undefined {
  return comparisons.find(({ subject, item }) => subject === "resource-fee" && item === "rent");
}

function onlyFees({ comparisons }: Verdict): boolean {
  return comparisons.every(
    ({ subject, result }) => result !== "different" || FEE_SUBJECTS.has(subject),
  );
}

/** Says whether a node reported the TTL of the entry itself, so that it is an upper bound. */
export function isBounded({ provisional, ttlProvenance }: SnapshotEntry): boolean {
  if (provisional !== "ttl-unchanged" || ttlProvenance === null) return false;
  return statedKind(ttlProvenance) === "rpc-unchanged";
}

function withTtls(
  snapshot: Snapshot,
  bounded: readonly SnapshotEntry[],
  ttlOf: (entry: SnapshotEntry) => { liveUntilLedger: number | null; detail: string },
): Snapshot {
  const keys = new Set(bounded.map(({ keyXdr }) => keyXdr));
  const entries = snapshot.entries.map((entry) => {
    if (!keys.has(entry.keyXdr)) return entry;
    const { provisional: _, ...rest } = entry;
    const { liveUntilLedger, detail } = ttlOf(entry);
    return { ...rest, liveUntilLedger, ttlProvenance: { kind: "replay-proof", detail } as const };
  });
  return { ...snapshot, entries };
}
