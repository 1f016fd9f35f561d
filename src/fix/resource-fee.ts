// The resource fee: the charge for the declared resources, plus the cost of rent and events. The
// inclusion bids of the fee-bump and of the inner transaction do not change.

import type { Execution } from "../model/execution.ts";
import { readEnvelope } from "../xdr/envelope/envelope.ts";
import { withFee, withInnerFee, withResources } from "../xdr/envelope/patch-envelope.ts";
import { readSendingFacts } from "../xdr/envelope/sending-facts.ts";

/** The fee field of a transaction is 32 bits wide; that of a fee-bump is wider. */
const UINT32_MAXIMUM = 0xffff_ffffn;

/** Enough to pay for what a successful run used. */
export function leastResourceFee({ fees }: Execution): bigint {
  return BigInt(fees.nonRefundableStroops) + BigInt(fees.refundableConsumedStroops);
}

/**
 * `failedXdr`: has the earlier bid and resource fee. Null when the fee does not fit in the fee
 * field.
 */
export function withResourceFee(
  envelopeXdr: string,
  failedXdr: string,
  resourceFee: bigint,
): string | null {
  const patched = withResources(envelopeXdr, { resourceFeeStroops: String(resourceFee) });
  const before = readFees(failedXdr);
  const more = resourceFee - before.resourceFee;
  const { innerFeeStroops } = readSendingFacts(envelopeXdr);
  if (innerFeeStroops === null) {
    const fee = before.bid + more;
    return fee > UINT32_MAXIMUM ? null : withFee(patched, String(fee));
  }
  const inner = BigInt(innerFeeStroops) + more;
  const bumped = withFee(patched, String(before.bid + more));
  // From protocol 23 the inner fee need not cover the resource fee, so it can stay if it is too
  // big.
  return inner > UINT32_MAXIMUM || inner < 0n ? bumped : withInnerFee(bumped, String(inner));
}

export function readFees(envelopeXdr: string): { bid: bigint; resourceFee: bigint } {
  // The passphrase only affects the hashes, which are not used here.
  const { feeBidStroops, soroban } = readEnvelope(envelopeXdr, "");
  return { bid: BigInt(feeBidStroops), resourceFee: BigInt(soroban?.resourceFeeStroops ?? "0") };
}
