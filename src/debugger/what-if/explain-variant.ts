// A variant's Execution → the same explanation as for a replay, but only from this run.

import { explain, type FoundWhy } from "../../explain/explain.ts";
import type { Execution } from "../../model/execution.ts";
import type { Explanation } from "../../model/explanation.ts";
import type { VariantFees } from "../../model/what-if.ts";
import { openRecord } from "../../xdr/envelope/opened-record.ts";
import { resultOfOperation } from "../../xdr/outcome/result.ts";
import type { Replayable } from "../run/run-variant.ts";

export type VariantExplanation = Omit<Explanation, "fees"> & { readonly fees: VariantFees };

/**
 * The first argument is what the variant ran on, from `applyVariant`. `why` is the value that
 * decided its failure.
 */
export function explainVariant(
  ran: Replayable,
  execution: Execution,
  why: FoundWhy | null = null,
): VariantExplanation {
  const { resultXdr, operationResultXdr, outcome } = execution;
  const success = outcome.kind === "success";
  const result = resultXdr ?? resultOfOperation(operationResultXdr, success);
  const own = openRecord({ ...ran.record, resultXdr: result }, ran.envelope);
  const explained = explain({ ...own, snapshot: ran.snapshot }, execution, null, { why });
  const { fees } = explained;
  // The network refuses a transaction that does not pay for its resources, and neither charges nor
  // refunds it.
  const isRefused = BigInt(fees.refundStroops ?? 0) < 0n;
  const chargedStroops = resultXdr === null || isRefused ? null : fees.chargedStroops;
  const refundStroops = isRefused ? null : fees.refundStroops;
  return { ...explained, fees: { ...fees, chargedStroops, refundStroops } };
}
