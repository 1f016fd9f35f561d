// Finds the cause of a failure on the chain. What a replay did is stated about the chain only if
// the replay reproduced the chain.

import type { Execution } from "../model/execution.ts";
import { isAssumed } from "../model/provenance.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { hasOtherDiagnostics, isRunOfChain, isStateSure, type Verdict } from "../model/verdict.ts";
import { lookupIn } from "../xdr/contract/lookup-in.ts";
import type { OpenedRecord } from "../xdr/envelope/opened-record.ts";
import { withResultAlone } from "../xdr/outcome/chain-facts.ts";
import { readErrorReports } from "../xdr/outcome/error-reports.ts";
import { ENTRY_TYPE, typeOfKey } from "../xdr/reader/keys.ts";
import { absentByNode } from "./causes/absent-entries.ts";
import { findCause } from "./causes/cause.ts";
import { diagnosticsOf, type TracedTree } from "./causes/failure.ts";
import { type CauseFinding, isSameCause } from "./words/found-cause.ts";
import type { CauseEvidence } from "./words/found-evidence.ts";

/**
 * The cause; null for a success. `snapshot` is null if nothing ran. If the chain recorded no
 * diagnostics, and an input is assumed or only a node's claim, then everything that the replay
 * shows beyond the chain's record is only likely. So is everything that the node's diagnostics show
 * and no replay does.
 */
export function causeOfFailure(
  { record, envelope, chain, snapshot }: OpenedRecord & { readonly snapshot: Snapshot | null },
  execution: Execution | null,
  verdict: Verdict | null,
  { tracedTree = null }: TracedTree = {},
): CauseFinding | null {
  if (chain.result.success) return null;
  const read = { record, chain };
  const caveats = verdict?.caveats ?? [];
  const uncertain = new Set(caveats.map(({ keyXdr }) => keyXdr));
  const known = {
    envelope,
    snapshot: snapshot && certainOf(snapshot, uncertain),
    absentByNode: absentByNode(chain, snapshot),
    execution,
    lookup: lookupIn(snapshot?.entries ?? []),
    tracedTree,
  };
  const maybeThere = (snapshot?.entries ?? [])
    .filter(({ keyXdr, entryXdr }) => entryXdr === null && uncertain.has(keyXdr))
    .map(({ keyXdr }) => keyXdr);
  const find = (facts: typeof known): CauseFinding => {
    const certainCause = findCause(read, facts);
    if (maybeThere.length === 0 || facts.absentByNode.length > 0) return certainCause;
    // An entry that the verdict says may have existed is not reported as absent.
    const unsure = findCause(read, { ...facts, absentByNode: maybeThere });
    return isSameCause(unsure, certainCause) ? certainCause : unsure;
  };
  const ofRecordAlone = () => find({ ...known, execution: null, tracedTree: null });
  const isReported = diagnosticsOf(chain, null).length > 0;
  if (verdict === null ? execution === null : !isRunOfChain(verdict)) {
    const reportedCause = ofRecordAlone();
    if (!isReported) return reportedCause;
    const unreported = { record, chain: withResultAlone(chain) };
    const byHash = findCause(unreported, { ...known, execution: null, tracedTree: null });
    const against = verdict === null ? null : otherEndOf(verdict, snapshot, execution);
    if (against === null && isSameCause(byHash, reportedCause)) return reportedCause;
    return {
      ...likely(reportedCause),
      evidence: [against ?? { kind: "by-node-alone" }, ...reportedCause.evidence],
    };
  }
  const cause = find(known);
  if (execution === null || isReported) return cause;
  if (isStateSure(verdict)) return cause;
  return isSameCause(ofRecordAlone(), cause) ? cause : likely(cause);
}

function likely(finding: CauseFinding): CauseFinding {
  return { ...finding, confidence: "likely", restsOnLikelyState: true };
}

/**
 * The end of the replay, if it contradicts the node's diagnostic events. Null if it does not: it
 * had the same end, or lacked an input of the chain.
 */
function otherEndOf(
  verdict: Verdict,
  snapshot: Snapshot | null,
  execution: Execution | null,
): CauseEvidence | null {
  const { comparisons, caveats } = verdict;
  const replayed = execution?.diagnosticsXdr ?? [];
  if (!hasOtherDiagnostics(verdict) || replayed.length === 0) return null;
  const lacks =
    (snapshot?.unknown ?? []).some(({ keyXdr }) => !isOfType(keyXdr, "configSetting")) ||
    caveats.some(({ kind, keyXdr }) => kind === "unknown" && isOfType(keyXdr, "contractCode"));
  const hasOtherResult = comparisons.some(
    ({ subject, result }) => subject === "operation-result" && result === "different",
  );
  if (lacks || (hasOtherResult && caveats.some(({ keyXdr }) => keyXdr !== null))) return null;
  const error = readErrorReports(replayed).at(-1)?.error ?? null;
  return { kind: "replayed-otherwise", error };
}

function isOfType(keyXdr: string | null, type: keyof typeof ENTRY_TYPE): boolean {
  return keyXdr !== null && typeOfKey(keyXdr) === ENTRY_TYPE[type];
}

/**
 * The snapshot without the entries whose state is assumed or unknown to the verdict, because no
 * claim may depend on them.
 */
function certainOf(snapshot: Snapshot, unknown: ReadonlySet<string | null>): Snapshot {
  const entries = snapshot.entries.filter(
    ({ keyXdr, provenance, ttlProvenance }) =>
      !isAssumed(provenance) &&
      (ttlProvenance === null || !isAssumed(ttlProvenance)) &&
      !unknown.has(keyXdr),
  );
  return { ...snapshot, entries };
}
