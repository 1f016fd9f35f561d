// The fee charged and the refund, to the stroop.
// fee charged = taken in the fee phase − refund paid (stellar-core, MutableTransactionResult).

import type { Execution } from "../model/execution.ts";
import type { Comparison } from "../model/verdict.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { readTransactionResult } from "../xdr/outcome/result.ts";
import { compareTexts, notCompared } from "./compare.ts";

export function compareFees(chain: ChainFacts, execution: Execution): Comparison[] {
  return [
    compareFeeCharged(chain, execution),
    ...compareResourceFee(chain, execution),
    compareRefund(chain, execution),
  ];
}

function compareFeeCharged(chain: ChainFacts, execution: Execution): Comparison {
  const charged = chain.result.feeChargedStroops;
  const replayed = replayedFeeCharged(chain, execution);
  if (replayed !== null) return compareTexts("fee-charged", null, charged, replayed);
  const detail = "No source had the fee phase, so the fee before the refund is unknown.";
  return notCompared("fee-charged", null, detail, { chain: charged });
}

function replayedFeeCharged(chain: ChainFacts, execution: Execution): string | null {
  // The replay's own result follows each protocol's rule for what a fee-bump shows.
  if (execution.resultXdr !== null) {
    return readTransactionResult(execution.resultXdr).feeChargedStroops;
  }
  if (chain.feeTakenStroops === null) return null;
  return (BigInt(chain.feeTakenStroops) - BigInt(execution.fees.refundStroops)).toString();
}

function compareResourceFee(chain: ChainFacts, execution: Execution): Comparison[] {
  const onChain = chain.meta?.sorobanFees ?? null;
  const { fees } = execution;
  if (onChain === null) {
    const detail = "The meta does not have the parts of the resource fee.";
    return [notCompared("resource-fee", null, detail)];
  }
  const part = (item: string, ofChain: string, ofReplay: string) =>
    compareTexts("resource-fee", item, ofChain, ofReplay);
  return [
    part("non-refundable", onChain.nonRefundableStroops, fees.nonRefundableStroops),
    part("refundable", onChain.refundableStroops, fees.refundableConsumedStroops),
    part("rent", onChain.rentStroops, fees.rentStroops),
  ];
}

function compareRefund(chain: ChainFacts, execution: Execution): Comparison {
  const replay = execution.fees.refundStroops;
  if (chain.refundStroops === null) {
    const detail = "No source had the refund phase. The refund is part of the fee charged.";
    return notCompared("refund", null, detail, { replay });
  }
  const comparison = compareTexts("refund", null, chain.refundStroops, replay);
  if (comparison.result === "equal" || !refundWasDue(chain, execution)) return comparison;
  const detail =
    "The refund was due but not paid: the fee source was merged, or its balance had no room.";
  return { ...comparison, result: "equal", detail };
}

/**
 * The chain refunded nothing, and no fact of the chain contradicts the refund that the replay
 * computed. That refund follows from changes and events, which are compared, and from settings.
 */
function refundWasDue(chain: ChainFacts, execution: Execution): boolean {
  const { result, meta, refundStroops, feeTakenStroops } = chain;
  if (refundStroops !== "0" || result.feeChargedStroops !== feeTakenStroops) return false;
  const used = execution.fees.refundableConsumedStroops;
  return (meta?.sorobanFees?.refundableStroops ?? used) === used;
}
