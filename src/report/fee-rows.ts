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
  ["nonRefundableStroops", "not refundable"],
  ["refundableConsumedStroops", "rent and events"],
  ["rentStroops", "of which rent"],
  ["refundNotDeductedStroops", "refund not deducted"],
  ["resourceFeeStroops", "resource fee declared"],
  ["refundStroops", "refunded"],
];

/** Those that are known. */
export function feeRows({ fees, onlyReplayed }: Explanation): FeeRow[] {
  return NAMES.flatMap(([field, name]) => {
    const stroops = fees[field];
    if (stroops === null) return [];
    const isReplayed = onlyReplayed.includes(`fees.${field}`);
    return [{ name: isReplayed ? `${name} (in the replay)` : name, stroops }];
  });
}
