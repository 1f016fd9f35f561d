// The fees of a transaction, in the order in which they add up: the fee charged is the sum of the
// rows after it, and the declared resource fee is the sum of the resource rows around it.

import type { Explanation, FeeFacts } from "../model/explanation.ts";

export interface FeeRow {
  readonly name: string;
  readonly stroops: string;
}

const NAMES: readonly (readonly [keyof FeeFacts, string])[] = [
  ["bidStroops", "bid"],
  ["chargedStroops", "charged"],
  ["inclusionFeeStroops", "inclusion fee"],
  ["resourceFeeChargedStroops", "resource fee charged"],
  ["nonRefundableStroops", "non-refundable"],
  ["refundableConsumedStroops", "rent and events"],
  ["rentStroops", "  rent"],
  ["refundNotDeductedStroops", "refund not deducted"],
  ["resourceFeeStroops", "resource fee declared"],
  ["refundStroops", "refunded"],
];

/** The known fees. The resource fee charged is a row only if the chain does not have its parts. */
export function feeRows({ fees, replayOnly }: Pick<Explanation, "fees" | "replayOnly">): FeeRow[] {
  const hasNoParts = replayOnly.includes("fees.nonRefundableStroops");
  return NAMES.flatMap(([field, name]) => {
    if (field === "resourceFeeChargedStroops" && !hasNoParts) return [];
    const stroops = fees[field];
    if (stroops === null) return [];
    const isReplayed = replayOnly.includes(`fees.${field}`);
    return [{ name: isReplayed ? `${name} (in the replay)` : name, stroops }];
  });
}
