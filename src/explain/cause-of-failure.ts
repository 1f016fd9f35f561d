// The cause of a failure on the chain. What a replay did is said of the chain only where it
// reproduced the chain.

import type { Execution } from "../model/execution.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Verdict } from "../model/verdict.ts";
import { contractLookup } from "../xdr/contract/contract-specs.ts";
import type { OpenedRecord } from "../xdr/envelope/envelope.ts";
import { readTransactionResult } from "../xdr/outcome/result.ts";
import { absentByNode } from "./causes/absent-entries.ts";
import { findCause } from "./causes/cause.ts";
import { type CauseFacts, diagnosticsOf, type TracedTree } from "./causes/failure.ts";

/**
 * `snapshot`: null when nothing ran. Null for a success. Where the chain recorded no
 * diagnostics, and an input is assumed or a node's word alone, what the replay shows beyond the
 * chain's record is likely, and no more.
 */
export function causeOfFailure(
  { record, envelope, snapshot }: OpenedRecord & { readonly snapshot: Snapshot | null },
  execution: Execution | null,
  verdict: Verdict | null,
  { tracedTree = null }: TracedTree = {},
): CauseFacts | null {
  const result = readTransactionResult(record.resultXdr);
  if (result.success) return null;
  const entries = snapshot?.entries.flatMap(({ entryXdr }) => entryXdr ?? []) ?? [];
  const known = {
    envelope,
    snapshot: snapshot && certainOf(snapshot, verdict),
    absentByNode: absentByNode(record, snapshot),
    execution,
    lookup: contractLookup(entries),
    tracedTree,
  };
  const caveats = verdict?.caveats ?? [];
  const isReproduced =
    verdict === null ||
    verdict.kind === "exact" ||
    (verdict.kind === "equivalent" && !caveats.some(({ kind }) => kind === "diagnostics"));
  const ofRecordAlone = () =>
    findCause(record, result, { ...known, execution: null, tracedTree: null });
  if (!isReproduced) return hasOtherError(verdict) ? likely(ofRecordAlone()) : ofRecordAlone();
  const found = findCause(record, result, known);
  if (execution === null || diagnosticsOf(record, null).length > 0) return found;
  const assumes = caveats.some(({ kind }) => kind === "assumed");
  if (!assumes && (verdict?.unconfirmed.entries ?? 0) === 0) return found;
  return ofRecordAlone().cause.summary === found.cause.summary ? found : likely(found);
}

function likely(found: CauseFacts): CauseFacts {
  return { ...found, cause: { ...found.cause, confidence: "likely" } };
}

/** The node's diagnostic events name another error than the replay, which missed no entry. */
function hasOtherError(verdict: Verdict | null): boolean {
  const { comparisons = [], caveats = [] } = verdict ?? {};
  return (
    caveats.every(({ keyXdr }) => keyXdr === null) &&
    comparisons.some(
      ({ subject, result }) => subject === "diagnostic-error" && result === "different",
    )
  );
}

/** Without the entries whose state is assumed, or unknown to the verdict: no claim rests on one. */
function certainOf(snapshot: Snapshot, verdict: Verdict | null): Snapshot {
  const unknown = new Set(verdict?.caveats.map(({ keyXdr }) => keyXdr));
  const entries = snapshot.entries.filter(
    ({ keyXdr, provenance, ttlProvenance }) =>
      provenance.kind !== "assumed" && ttlProvenance?.kind !== "assumed" && !unknown.has(keyXdr),
  );
  return { ...snapshot, entries };
}
