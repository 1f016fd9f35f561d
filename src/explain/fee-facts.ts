// The fee bid, the fee charged, and the parts of the charge.
// fee charged = inclusion fee + declared resource fee − refund (stellar-core, TransactionFrame::
// processFeeSeqNum and refundSorobanFee). The refund is the refundable part that rent and events
// did not consume.

import type { FeeFacts } from "../model/explanation.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import type { ReportedFacts } from "./reported-facts.ts";

export function feeFacts(
  { feeBidStroops, soroban }: Envelope,
  { result, feeTakenStroops }: ChainFacts,
  { fees, replayOnly }: ReportedFacts,
): FeeFacts {
  const chargedStroops = result.feeChargedStroops;
  const whole = { bidStroops: feeBidStroops, chargedStroops };
  if (soroban === null) return { ...whole, ...NO_PARTS };
  const { resourceFeeStroops } = soroban;
  const inclusionFeeStroops = inclusionFee(feeTakenStroops, resourceFeeStroops);
  const { nonRefundableStroops, refundableConsumedStroops } = fees;
  const isFact = !replayOnly.includes("fees.nonRefundableStroops");
  const parts = [inclusionFeeStroops, nonRefundableStroops, refundableConsumedStroops];
  const left = remainderOf(chargedStroops, parts);
  return {
    ...whole,
    inclusionFeeStroops,
    resourceFeeChargedStroops: remainderOf(chargedStroops, [inclusionFeeStroops]),
    resourceFeeStroops,
    ...fees,
    refundNotDeductedStroops: isFact && left !== "0" ? left : null,
  };
}

const NO_PARTS = {
  inclusionFeeStroops: null,
  resourceFeeChargedStroops: null,
  resourceFeeStroops: null,
  nonRefundableStroops: null,
  refundableConsumedStroops: null,
  rentStroops: null,
  refundStroops: null,
  refundNotDeductedStroops: null,
} as const;

/** Null if a part is unknown, or if the balance of the fee source was too low for the full fee. */
function inclusionFee(takenStroops: string | null, resourceFeeStroops: string): string | null {
  if (takenStroops === null) return null;
  const inclusionStroops = BigInt(takenStroops) - BigInt(resourceFeeStroops);
  return inclusionStroops < 0n ? null : inclusionStroops.toString();
}

/** Null if a part is unknown, or if the parts add up to more than the whole. */
function remainderOf(whole: string, parts: readonly (string | null)[]): string | null {
  let left = BigInt(whole);
  for (const part of parts) {
    if (part === null) return null;
    left -= BigInt(part);
  }
  return left < 0n ? null : left.toString();
}
