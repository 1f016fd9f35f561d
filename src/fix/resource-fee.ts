// The resource fee: what is charged for the resources declared, and what rent and events cost on
// top. What is bid for inclusion stays as it was, by a fee-bump and by the transaction in it.

import type { Execution } from "../model/execution.ts";
import { readEnvelope } from "../xdr/envelope/envelope.ts";
import { withFee, withInnerFee, withResources } from "../xdr/envelope/patch-envelope.ts";
import { readSendingFacts } from "../xdr/envelope/sending-facts.ts";

/** The fee field of a transaction that is in no fee-bump is 32 bits wide. */
const UINT32_MAXIMUM = 0xffff_ffffn;

/** With which it can pay what it used: of a run that succeeded. */
export function leastResourceFee({ fees }: Execution): bigint {
  return BigInt(fees.nonRefundableStroops) + BigInt(fees.refundableConsumedStroops);
}

/**
 * `failedXdr`: what was bid before, and for which resource fee. Null when the fee field cannot hold
 * it.
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
  // From protocol 23 the inner fee need not cover the resource fee: what does not fit may stay.
  return inner > UINT32_MAXIMUM || inner < 0n ? bumped : withInnerFee(bumped, String(inner));
}

export function readFees(envelopeXdr: string): { bid: bigint; resourceFee: bigint } {
  // Its hashes are of no interest here, and with them the network.
  const { feeBidStroops, soroban } = readEnvelope(envelopeXdr, "");
  return { bid: BigInt(feeBidStroops), resourceFee: BigInt(soroban?.resourceFeeStroops ?? "0") };
}
