// The state-size window decides the fee for rent, before protocol 23 the fee for written bytes, and
// nothing else. Where every part of the fee is the one that the chain took, so is what it decides.

import type { Snapshot, SnapshotSetting } from "../../model/snapshot.ts";
import type { Comparison } from "../../model/verdict.ts";
import { WINDOW } from "../../snapshot/decide-settings.ts";
import { ttlKeyOf } from "../../xdr/reader/keys.ts";
import type { Judged, ProofContext } from "./proof-context.ts";

const FEES: ReadonlySet<Comparison["subject"]> = new Set(["fee-charged", "resource-fee", "refund"]);
/** Fee charged, refund, and three parts of the resource fee. */
const FEE_COUNT = 5;
const DETAIL = "the fees of the replay are those that the chain took, and it decides nothing else";

/** Null where it is not open, or a fee differs or was not compared. */
export async function proveWindow(
  { judge }: Pick<ProofContext, "judge">,
  judged: Judged,
): Promise<Judged | null> {
  const { snapshot, execution, verdict } = judged;
  const fees = verdict.comparisons.filter(({ subject }) => FEES.has(subject));
  const areEqual = fees.length === FEE_COUNT && fees.every(({ result }) => result === "equal");
  if (!snapshot.settings.some(isOpen) || !areEqual || mayHideIt(judged)) return null;
  const settings = snapshot.settings.map((setting) =>
    isOpen(setting)
      ? { ...setting, provenance: { kind: "meta" as const, detail: DETAIL } }
      : setting,
  );
  const proven: Snapshot = { ...snapshot, settings };
  return { ...judged, snapshot: proven, verdict: judge(proven, execution) };
}

function isOpen({ name, provenance }: SnapshotSetting): boolean {
  return name === WINDOW && provenance.kind === "assumed";
}

/** The fees were not taken after all, or a TTL that is open as well decides them too. */
function mayHideIt({ execution, snapshot }: Judged): boolean {
  const { outcome, changes } = execution;
  if (outcome.kind === "failed" && outcome.code.endsWith("INSUFFICIENT_REFUNDABLE_FEE"))
    return true;
  const changed = new Set(changes.map(({ keyXdr }) => keyXdr));
  return snapshot.entries.some(
    ({ keyXdr, provisional, ttlProvenance }) =>
      (provisional !== undefined || ttlProvenance?.kind === "assumed") &&
      (changed.has(keyXdr) || changed.has(ttlKeyOf(keyXdr))),
  );
}
