// Proves that an entry was absent which a node does not have, but which may have existed when the
// transaction ran. A host pays for each entry that it reads (rs-soroban-env, e2e_invoke.rs,
// build_storage_map_from_xdr_ledger_entries), so even the smallest possible entry would change the
// metering. If the metering stays the same with that entry, nothing that was compared depends on
// it.

import type { Execution } from "../../model/execution.ts";
import type { Snapshot, SnapshotEntry } from "../../model/snapshot.ts";
import type { Verdict } from "../../model/verdict.ts";
import { withEntry } from "../../simulator/requests.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";
import { ASSUMED_TTL_LEDGERS } from "../../snapshot/decide-ttl.ts";
import { smallestEntry } from "../../xdr/ledger/patch-entry.ts";
import { isSorobanKey } from "../../xdr/reader/keys.ts";
import { endedAlike, type Judged, type ProofContext } from "./proof-context.ts";

/**
 * Null if an entry may have been there, or if something else keeps the verdict from being exact.
 */
export async function proveAbsence(
  { ledger, run, judge }: ProofContext,
  { request, execution, snapshot, verdict }: Judged,
): Promise<Judged | null> {
  const absent = assumedAbsent(snapshot);
  if (absent.length === 0 || !isOtherwiseEqual(verdict)) return null;
  const proofs = new Map<string, string>();
  for (const { keyXdr } of absent) {
    const withIt = withSmallestEntry(request, keyXdr, ledger);
    const proof = withIt === null ? null : proofBy(execution, await run(withIt));
    if (proof !== null) proofs.set(keyXdr, proof);
  }
  if (proofs.size === 0) return null;
  const proven = withProofs(snapshot, proofs);
  return { request, execution, snapshot: proven, verdict: judge(proven, execution) };
}

/** The request with the smallest possible entry for the key; null if the key can have no entry. */
function withSmallestEntry(
  request: ReplayRequest,
  keyXdr: string,
  ledger: number,
): ReplayRequest | null {
  const entryXdr = smallestEntry(keyXdr, ledger - 1);
  if (entryXdr === null) return null;
  const liveUntilLedger = isSorobanKey(keyXdr) ? ledger + ASSUMED_TTL_LEDGERS : null;
  return withEntry(request, keyXdr, entryXdr, { liveUntilLedger });
}

function assumedAbsent({ entries }: Snapshot): readonly SnapshotEntry[] {
  return entries.filter(
    ({ entryXdr, provenance }) => entryXdr === null && provenance.kind === "assumed",
  );
}

/**
 * Says whether everything that the chain recorded is equal, including the cost of the invocation.
 */
function isOtherwiseEqual({ kind, caveats, comparisons }: Verdict): boolean {
  const equal = (name: string) =>
    comparisons.some(
      ({ subject, item, result }) =>
        subject === "core-metric" && item === name && result === "equal",
    );
  const assumed = caveats.every((caveat) => caveat.kind === "assumed");
  return kind === "equivalent" && assumed && equal("cpu_insn") && equal("mem_byte");
}

/** `other` is the run with the entry. Null if that run proves nothing. */
function proofBy(execution: Execution, other: Execution): string | null {
  if (endedAlike(execution, other)) {
    return "the entry was absent or decided nothing: with the smallest such entry, the replay is the same";
  }
  const costs = (name: string) => execution.metrics[name] !== other.metrics[name];
  if (!costs("cpu_insn") && !costs("mem_byte")) return null;
  return "the entry was absent: with the smallest such entry, the metering is not what the chain reported";
}

function withProofs(snapshot: Snapshot, proofs: ReadonlyMap<string, string>): Snapshot {
  const entries = snapshot.entries.map((entry) => {
    const detail = proofs.get(entry.keyXdr);
    return detail === undefined
      ? entry
      : { ...entry, provenance: { kind: "replay-proof", detail } as const };
  });
  return { ...snapshot, entries };
}
