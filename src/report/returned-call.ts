// A transaction can fail after its call returned: its call tree alone looks like a success.

import type { Explanation } from "../model/explanation.ts";

/** By result code: what failed afterwards. */
const CHECKS: Readonly<Record<string, string>> = {
  invokeHostFunctionResourceLimitExceeded: "resources",
  invokeHostFunctionInsufficientRefundableFee: "refundable fee",
};

/** Null where the tree shows the failure itself, or is that of a replay that went otherwise. */
export function failedAfterReturn(explanation: Explanation): string | null {
  const { success, calls, replayOnly, transaction } = explanation;
  const check = CHECKS[transaction.operationCodes[0] ?? ""];
  if (success || check === undefined || replayOnly.includes("calls")) return null;
  if (calls === null || calls.failed) return null;
  return `The call returned; the check of its ${check} failed afterwards.`;
}
