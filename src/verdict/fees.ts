// What was charged and what was given back, to the stroop.
// fee charged = taken in the fee phase − refund (stellar-core, MutableTransactionResult).

import type { Execution } from "../model/execution.ts";
import type { Comparison } from "../model/verdict.ts";
import type { ChainFacts } from "./chain-facts.ts";
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
  if (chain.feeTakenStroops === null) {
    const detail = "No source had the fee phase, so what was taken before the refund is not known.";
    return notCompared("fee-charged", null, detail, { chain: charged });
  }
  const replayed = BigInt(chain.feeTakenStroops) - BigInt(execution.fees.refundStroops);
  return compareTexts("fee-charged", null, charged, replayed.toString());
}

function compareResourceFee(chain: ChainFacts, execution: Execution): Comparison[] {
  const onChain = chain.meta?.sorobanFees ?? null;
  const { fees } = execution;
  if (onChain === null) {
    const detail = "The meta does not break the resource fee down.";
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
    const detail = "No source had the refund phase; the refund is a part of the fee charged.";
    return notCompared("refund", null, detail, { replay });
  }
  return compareTexts("refund", null, chain.refundStroops, replay);
}
