// Compares two runs of one transaction, each with its explanation. Values are compared as bytes and
// shown as text.

import type { CallNode, Execution, LedgerChange } from "../model/execution.ts";
import type { Explanation, FeeFacts, NamedCall } from "../model/explanation.ts";
import { resultCodeConstant } from "../model/result-code.ts";
import type {
  AlignedCall,
  AlignedChange,
  AlignedEvent,
  Alignment,
  Amount,
  CallAlone,
  RunDifference,
  VariantFees,
} from "../model/what-if.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import { readContractEvent } from "../xdr/outcome/diagnostics.ts";
import { sameData } from "../xdr/reader/keys.ts";
import { showValue } from "../xdr/values/value.ts";
import { align } from "./align.ts";
import { completeCallTree } from "./naming/complete-call-tree.ts";

export interface ExplainedRun {
  readonly envelope: Envelope;
  readonly execution: Execution;
  /** The explanation has exactly the calls, changes and events of this execution. */
  readonly explanation: Pick<Explanation, "calls" | "changes" | "events" | "resources"> & {
    readonly fees: FeeFacts | VariantFees;
  };
}

/** The outcome of a successful run. Any other outcome is the code of the failure. */
export const SUCCESS = "success";

export function differenceOf(before: ExplainedRun, after: ExplainedRun): RunDifference {
  const value = ({ execution: { returnValueXdr } }: ExplainedRun) =>
    returnValueXdr === null ? null : showValue(returnValueXdr);
  return {
    outcome: { before: outcomeOf(before.execution), after: outcomeOf(after.execution) },
    returnValue: { before: value(before), after: value(after) },
    calls: alignRoots(callOf(before), callOf(after)),
    changes: alignChanges(before, after),
    events: alignEvents(before, after),
    resources: resourcesOf(before, after),
    fees: feesOf(before, after),
  };
}

function outcomeOf({ outcome }: Execution): string {
  if (outcome.kind === "failed") return resultCodeConstant(outcome);
  return outcome.kind === "success" ? SUCCESS : "internal error";
}

/** A call with its metering and its names. */
interface Call {
  readonly node: CallNode;
  readonly named: NamedCall;
}

function callOf({ envelope, execution, explanation }: ExplainedRun): Call | null {
  const node = completeCallTree(execution, envelope.hostFunction);
  const { calls: named } = explanation;
  return node === null || named === null ? null : { node, named };
}

function alignRoots(before: Call | null, after: Call | null): AlignedCall | null {
  return before === null && after === null ? null : alignCall(before, after);
}

function alignCall(before: Call | null, after: Call | null): AlignedCall {
  const differs = before === null || after === null ? [] : differencesOf(before.node, after.node);
  const pairs = align(callsBelow(before), callsBelow(after), likenessOfCalls);
  return {
    alignment: alignmentOf(before, after, differs.length === 0),
    differs,
    before: alone(before),
    after: alone(after),
    calls: pairs.map((pair) => alignCall(pair.before, pair.after)),
  };
}

/** The named calls are cut at a maximum depth, so they may be fewer. */
function callsBelow(call: Call | null): Call[] {
  if (call === null) return [];
  return call.named.calls.flatMap((named, i) => {
    const node = call.node.calls[i];
    return node === undefined ? [] : [{ named, node }];
  });
}

function likenessOfCalls({ node: left }: Call, { node: right }: Call): number {
  const isSame =
    left.kind === right.kind &&
    left.contract === right.contract &&
    left.function === right.function;
  if (!isSame) return 0;
  return differencesOf(left, right).includes("arguments") ? 1 : 2;
}

function differencesOf(left: CallNode, right: CallNode): AlignedCall["differs"] {
  const differs: AlignedCall["differs"][number][] = [];
  if (left.argumentsXdr.join() !== right.argumentsXdr.join()) differs.push("arguments");
  if (left.failed !== right.failed) differs.push("outcome");
  else if (left.resultXdr !== right.resultXdr) differs.push("result");
  return differs;
}

function alone(call: Call | null): CallAlone | null {
  if (call === null) return null;
  const { calls: _, steps: __, ...rest } = call.named;
  return rest;
}

function alignmentOf(before: unknown, after: unknown, isSame: boolean): Alignment {
  if (before === null) return "new";
  if (after === null) return "gone";
  return isSame ? "same" : "different";
}

/** Aligned by ledger key: the first run's changes in order, then the new ones. */
function alignChanges(before: ExplainedRun, after: ExplainedRun): AlignedChange[] {
  const keysOf = ({ execution }: ExplainedRun) => execution.changes.map(({ keyXdr }) => keyXdr);
  return [...new Set([...keysOf(before), ...keysOf(after)])].map((keyXdr): AlignedChange => {
    const changePair = [before, after].map(({ execution, explanation }) => {
      const position = execution.changes.findIndex((change) => change.keyXdr === keyXdr);
      const change = execution.changes[position];
      const named = explanation.changes[position];
      return change === undefined || named === undefined ? null : { change, named };
    });
    const [left = null, right = null] = changePair;
    const isSame = left !== null && right !== null && isSameChange(left.change, right.change);
    return {
      alignment: alignmentOf(left, right, isSame),
      before: left?.named ?? null,
      after: right?.named ?? null,
    };
  });
}

function isSameChange(left: LedgerChange, right: LedgerChange): boolean {
  return (
    left.kind === right.kind &&
    sameData(left.beforeXdr, right.beforeXdr) &&
    sameData(left.afterXdr, right.afterXdr)
  );
}

function alignEvents(before: ExplainedRun, after: ExplainedRun): AlignedEvent[] {
  const eventsOf = ({ execution, explanation }: ExplainedRun) =>
    explanation.events.flatMap((named, i) => {
      const xdr = execution.eventsXdr[i];
      return xdr === undefined ? [] : [{ named, xdr, topic: firstTopicOf(xdr) }];
    });
  return align(eventsOf(before), eventsOf(after), (left, right) =>
    left.xdr === right.xdr ? 2 : left.topic === right.topic ? 1 : 0,
  ).map(
    (pair): AlignedEvent => ({
      alignment: alignmentOf(pair.before, pair.after, pair.before?.xdr === pair.after?.xdr),
      before: pair.before?.named ?? null,
      after: pair.after?.named ?? null,
    }),
  );
}

/** The emitting contract and the first topic. */
function firstTopicOf(eventXdr: string): string {
  const { kind, contract, topicsXdr } = readContractEvent(eventXdr);
  return [kind, contract, topicsXdr[0]].join();
}

function resourcesOf(before: ExplainedRun, after: ExplainedRun): Amount[] {
  const [left, right] = [before.explanation.resources, after.explanation.resources];
  return left.map(({ name, unit, used }) => {
    const same = right.find((row) => row.name === name && row.unit === unit);
    return { name, unit, before: used, after: same?.used ?? null };
  });
}

const FEES = {
  bidStroops: "bid",
  chargedStroops: "charged",
  inclusionFeeStroops: "inclusion fee",
  nonRefundableStroops: "non-refundable",
  refundableConsumedStroops: "rent and events",
  rentStroops: "rent",
  refundNotDeductedStroops: "refund not deducted",
  resourceFeeStroops: "resource fee declared",
  refundStroops: "refunded",
} as const satisfies Record<Exclude<keyof FeeFacts, "resourceFeeChargedStroops">, string>;

function feesOf(before: ExplainedRun, after: ExplainedRun): Amount[] {
  return (Object.keys(FEES) as (keyof typeof FEES)[]).map((name) => ({
    name: FEES[name],
    unit: "stroops",
    before: before.explanation.fees[name],
    after: after.explanation.fees[name],
  }));
}
