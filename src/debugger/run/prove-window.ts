// Proves the state-size window. It decides the fee for rent, and before protocol 23 the fee for
// written bytes, and nothing else. If every part of the fee is the one that the chain took,
// everything that the window decides is proven.

import { endedWith } from "../../model/result-code.ts";
import type { SnapshotSetting } from "../../model/snapshot.ts";
import { FEE_SUBJECTS } from "../../model/verdict.ts";
import { WINDOW } from "../../snapshot/decide-settings.ts";
import { ttlKeyOf } from "../../xdr/reader/keys.ts";
import type { Judged, ProofContext } from "./proof-context.ts";

/** Fee charged, refund, and three parts of the resource fee. */
const FEES = 5;
const DETAIL =
  "the fees of the replay are those that the chain took, and the window decides nothing else";

/** Null if the window is not assumed, or if a fee differs or was not compared. */
export async function proveWindow(
  { judge }: Pick<ProofContext, "judge">,
  judged: Judged,
): Promise<Judged | null> {
  const { snapshot, execution, verdict } = judged;
  const equal = verdict.comparisons.filter(
    ({ subject, result }) =>
      FEE_SUBJECTS.has(subject) && subject !== "transaction-result" && result === "equal",
  );
  if (!snapshot.settings.some(isOpen) || equal.length < FEES || mayHideWindow(judged)) return null;
  const provenance = { kind: "replay-proof" as const, detail: DETAIL };
  const settings = snapshot.settings.map((each) => (isOpen(each) ? { ...each, provenance } : each));
  const proven = { ...snapshot, settings };
  return { ...judged, snapshot: proven, verdict: judge(proven, execution) };
}

function isOpen({ name, provenance }: SnapshotSetting): boolean {
  return name === WINDOW && provenance.kind === "assumed";
}

/**
 * Says whether equal fees do not prove the window: because no fee was taken in the end, or because
 * an uncertain TTL decides the fees too.
 */
function mayHideWindow({ execution: { outcome, changes }, snapshot }: Judged): boolean {
  if (outcome.kind === "failed" && endedWith(outcome, "insufficientRefundableFee")) return true;
  const changed = new Set(changes.map(({ keyXdr }) => keyXdr));
  return snapshot.entries
    .filter((entry) => entry.provisional !== undefined || entry.ttlProvenance?.kind === "assumed")
    .some(({ keyXdr }) => changed.has(keyXdr) || changed.has(ttlKeyOf(keyXdr)));
}
