// The resource fee is the charge for the declared resources, plus the cost of rent and events. The
// inclusion bids of the fee-bump and of the inner transaction do not change.

import type { Execution } from "../model/execution.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import { withFee, withInnerFee, withResources } from "../xdr/envelope/patch-envelope.ts";
import { declaredBy, type FixContext } from "./fix-context.ts";

/** The fee field of a transaction is 32 bits wide; that of a fee-bump is wider. */
const UINT32_MAXIMUM = 0xffff_ffffn;

/** The least fee that pays for the resources of a successful run. */
export function leastResourceFee({ fees }: Execution): bigint {
  return BigInt(fees.nonRefundableStroops) + BigInt(fees.refundableConsumedStroops);
}

/**
 * The envelope with a resource fee. `failed` has the earlier bid and resource fee. Null if the fee
 * does not fit in the fee field.
 */
export function withResourceFee(
  envelope: Envelope,
  failed: FixContext["failed"],
  resourceFee: bigint,
): Envelope | null {
  const patched = withResources(envelope, { resourceFeeStroops: String(resourceFee) });
  const more = resourceFee - BigInt(declaredBy(failed).resourceFeeStroops);
  const fee = BigInt(failed.envelope.feeBidStroops) + more;
  if (!envelope.isFeeBump) return fee > UINT32_MAXIMUM ? null : withFee(patched, fee);
  const inner = envelope.terms.feeStroops + more;
  const bumped = withFee(patched, fee);
  // From protocol 23 the inner fee need not cover the resource fee, so it can stay if the new one
  // is too large.
  return inner > UINT32_MAXIMUM || inner < 0n ? bumped : withInnerFee(bumped, inner);
}
