// The fees of a transaction, in the order in which they add up: charged is made up of what follows
// it, and so is the declared resource fee of what is above and below it.

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
  ["nonRefundableStroops", "not refundable"],
  ["refundableConsumedStroops", "rent and events"],
  ["rentStroops", "of which rent"],
  ["refundNotDeductedStroops", "refund not deducted"],
  ["resourceFeeStroops", "resource fee declared"],
  ["refundStroops", "refunded"],
];

/** Those that are known; the resource fee as a whole only where the chain tells no parts of it. */
export function feeRows({ fees, replayOnly }: Pick<Explanation, "fees" | "replayOnly">): FeeRow[] {
  const isWhole = replayOnly.includes("fees.nonRefundableStroops");
  return NAMES.flatMap(([field, name]) => {
    if (field === "resourceFeeChargedStroops" && !isWhole) return [];
    const stroops = fees[field];
    if (stroops === null) return [];
    const isReplayed = replayOnly.includes(`fees.${field}`);
    return [{ name: isReplayed ? `${name} (in the replay)` : name, stroops }];
  });
}
