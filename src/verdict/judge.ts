// Judges an Execution against its ChainRecord and Snapshot. It is a pure function.
// Invariants: a verdict is `exact` only if every possible comparison is equal and nothing was
// assumed. With unknown inputs it is always `inconclusive`. It is never `diverged` if an assumed
// input could explain the difference.

import { SvcError } from "../base/errors/errors.ts";
import type { ChainRecord } from "../model/chain-record.ts";
import type { Execution } from "../model/execution.ts";
import { resultCodeName } from "../model/result-code.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Caveat, Comparison, Verdict, VerdictKind } from "../model/verdict.ts";
import type { ReadRecord } from "../xdr/envelope/opened-record.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { endOf, reachedHost } from "../xdr/outcome/result.ts";
import { comparisonCaveats, inputCaveats } from "./caveats.ts";
import { compareCoreMetrics, otherSizes, sizeCaveat } from "./core-metrics.ts";
import { compareDiagnostics } from "./diagnostics.ts";
import { compareEvents, isSuccessHashEqual } from "./events.ts";
import { compareFees } from "./fees.ts";
import { compareLedgerChanges } from "./ledger-changes.ts";
import { likelyCause } from "./likely-cause.ts";
import { absenceCaveats, missedEntries } from "./missed-entries.ts";
import { compareOperationResult, compareTransactionResult } from "./operation-result.ts";
import { compareReturnValue } from "./return-value.ts";
import { unconfirmedOf } from "./unconfirmed.ts";

/** Throws XDR_INVALID if the chain record cannot be decoded. */
export function judge(
  { record, chain }: ReadRecord,
  snapshot: Snapshot,
  execution: Execution,
): Verdict {
  if (execution.transactionHash !== record.hash) throw anotherTransaction(record, execution);
  if (!reachedHost(chain.result)) return neverRan(record, chain);

  const comparisons = [
    ...compareOperationResult(chain, execution),
    ...compareReturnValue(chain, execution),
    ...compareEvents(chain, execution),
    ...compareLedgerChanges(chain, snapshot, execution),
    ...compareFees(chain, record, execution),
    ...compareTransactionResult(chain, record, execution),
    ...compareDiagnostics(chain, execution),
    ...compareCoreMetrics(chain, snapshot, execution),
  ];
  const differences = comparisons.filter((comparison) => comparison.result === "different");
  const soft = differences.filter((difference) => isSoft(difference, chain, execution));
  const decisive = differences.filter((difference) => !soft.includes(difference));
  const missed = missedEntries(snapshot, execution, decisive, record.ledger.sequence);
  const sizes = otherSizes(comparisons);
  const absent =
    missed.length > 0 ? missed : absenceCaveats(snapshot, chain, comparisons, decisive);
  const stated = new Set(absent.map(({ keyXdr }) => keyXdr));
  const caveatsOfInputs = [
    ...absent,
    ...inputCaveats(record, chain, snapshot, execution, { comparisons, stated }),
    ...sizes.map(sizeCaveat),
  ];
  const ofInputs = caveatsOfInputs.length > 0 ? caveatsOfInputs : otherDiagnostics(decisive);
  const caveats = [
    ...ofInputs,
    ...comparisonCaveats(
      chain,
      soft.filter((each) => !sizes.includes(each)),
    ),
  ];
  const kind = decide(ofInputs, caveats, decisive);
  const unconfirmed = unconfirmedOf(record, snapshot);
  const besides = {
    isServed: unconfirmed.entries + unconfirmed.settings > 0,
    isChargedEqual: comparisons.some(
      ({ subject, result }) => subject === "fee-charged" && result === "equal",
    ),
  };
  return {
    kind,
    comparisons,
    caveats,
    unconfirmed,
    firstDifference: kind === "diverged" ? (decisive[0] ?? null) : null,
    likelyCause: kind === "diverged" ? likelyCause(chain, execution, decisive, besides) : null,
  };
}

/**
 * Only the node vouches for diagnostic events. If nothing of the ledger differs, another error in
 * them is neither a finding against the chain, nor one of the replay against the node.
 */
function otherDiagnostics(decisive: readonly Comparison[]): Caveat[] {
  if (decisive.length === 0 || decisive.some(({ subject }) => subject !== "diagnostic-error"))
    return [];
  const detail =
    "The node's diagnostic events end with another error than the replay, or with other values of " +
    "it. They are not part of the ledger, where everything is equal.";
  return [{ kind: "unknown", keyXdr: null, detail }];
}

function decide(
  ofInputs: readonly Caveat[],
  caveats: readonly Caveat[],
  decisive: readonly Comparison[],
): VerdictKind {
  if (ofInputs.some((caveat) => caveat.kind === "unknown")) return "inconclusive";
  if (decisive.length > 0) return ofInputs.length > 0 ? "inconclusive" : "diverged";
  return caveats.length > 0 ? "equivalent" : "exact";
}

/**
 * Subjects without consensus. If the fee was charged as in the replay, a different fee event is the
 * meta's own.
 */
const OUTSIDE = new Set<Comparison["subject"]>(["core-metric", "diagnostic-events", "fee-events"]);

/** True for a difference outside the result, the changes and the events. */
function isSoft({ subject }: Comparison, chain: ChainFacts, execution: Execution): boolean {
  if (OUTSIDE.has(subject)) return true;
  const isCovered = subject === "events" || subject === "return-value";
  return isCovered && isSuccessHashEqual(chain, execution);
}

/**
 * The network refused the transaction before the contract host ran, so there is nothing to replay.
 */
function neverRan(record: ChainRecord, { result }: ChainFacts): Verdict {
  const code = resultCodeName(endOf(result));
  const detail = `The transaction was refused (${code}) before its operation ran.`;
  return {
    kind: "inconclusive",
    comparisons: [],
    unconfirmed: { record: record.claimed?.parts ?? [], entries: 0, settings: 0 },
    caveats: [{ kind: "not-compared", keyXdr: null, detail }],
    firstDifference: null,
    likelyCause: null,
  };
}

function anotherTransaction(record: ChainRecord, execution: Execution): SvcError {
  return new SvcError("INTERNAL", {
    message: `The verdict is about ${record.hash}, but ${execution.transactionHash} was run.`,
    remedy: "Report this with the command that led to it.",
  });
}
