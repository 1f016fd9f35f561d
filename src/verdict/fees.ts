// Compares the fee charged and the refund, to the stroop, and the events that show them. The fee
// charged is the fee taken in the fee phase less the refund that was paid (stellar-core,
// MutableTransactionResult).

import type { ChainRecord } from "../model/chain-record.ts";
import type { Execution } from "../model/execution.ts";
import type { Comparison } from "../model/verdict.ts";
import { feeSourceKeyOf } from "../xdr/envelope/envelope-facts.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { feeEventsXdr } from "../xdr/outcome/fee-events.ts";
import { readTransactionResult } from "../xdr/outcome/result.ts";
import { compareTexts, notCompared } from "./compare.ts";

const NOT_THIS_FEE = "The meta's fee event is not about the fee that was charged.";

export function compareFees(
  chain: ChainFacts,
  record: ChainRecord,
  execution: Execution,
): Comparison[] {
  const refund = compareRefund(chain, execution);
  return [
    compareFeeCharged(chain, execution),
    ...compareResourceFee(chain, execution),
    refund,
    ...compareFeeEvents(chain, record, execution, refund),
  ];
}

function compareFeeCharged(chain: ChainFacts, execution: Execution): Comparison {
  const charged = chain.result.feeChargedStroops;
  const replayed = replayedFeeCharged(chain, execution);
  if (replayed !== null) return compareTexts("fee-charged", null, charged, replayed);
  const detail = "No source had the fee phase, so the fee before the refund is unknown.";
  return notCompared("fee-charged", detail, { chain: charged });
}

function replayedFeeCharged(chain: ChainFacts, execution: Execution): string | null {
  // The replay's own result follows each protocol's rule for the fee that a fee-bump shows.
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
    return [notCompared("resource-fee", detail)];
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
    return notCompared("refund", detail, { replay });
  }
  const comparison = compareTexts("refund", null, chain.refundStroops, replay);
  if (comparison.result === "equal" || !refundWasDue(chain, execution)) return comparison;
  const detail =
    "The refund was due but not paid: the fee source was merged, or its balance had no room.";
  return { ...comparison, result: "equal", detail };
}

/** Nodes write these events only if they are configured to. */
function compareFeeEvents(
  chain: ChainFacts,
  { networkPassphrase, envelopeXdr }: ChainRecord,
  execution: Execution,
  refund: Comparison,
): Comparison[] {
  const onChain = chain.meta?.transactionEventsXdr ?? [];
  if (onChain.length === 0) return [];
  const { feeChargedStroops } = chain.result;
  const charged = replayedFeeCharged(chain, execution) ?? feeChargedStroops;
  const isEqual = refund.result === "equal";
  const refunded = BigInt((isEqual && chain.refundStroops) || execution.fees.refundStroops);
  const replayed = feeEventsXdr({
    networkPassphrase,
    protocolVersion: chain.protocolVersion,
    feeSourceKey: feeSourceKeyOf(envelopeXdr),
    taken: BigInt(charged) + refunded,
    refunded,
  });
  const isCharged = charged === feeChargedStroops;
  return Array.from({ length: Math.max(onChain.length, replayed.length) }, (_, i) => {
    const [event, of] = [onChain[i] ?? null, replayed[i] ?? null];
    const detail = event === of || !isCharged ? null : NOT_THIS_FEE;
    return compareTexts("fee-events", String(i), event, of, detail);
  });
}

/**
 * True if the chain refunded nothing, and no fact of the chain contradicts the refund that the
 * replay computed. That refund follows from changes and events, which are compared, and from
 * settings.
 */
function refundWasDue(chain: ChainFacts, execution: Execution): boolean {
  const { result, meta, refundStroops, feeTakenStroops } = chain;
  if (refundStroops !== "0" || result.feeChargedStroops !== feeTakenStroops) return false;
  const used = execution.fees.refundableConsumedStroops;
  return (meta?.sorobanFees?.refundableStroops ?? used) === used;
}
