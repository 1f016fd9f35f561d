// The operation's result and, for a successful invocation, its success hash: the hash over return
// value and events that the ledger committed to. Always there: the result is in every recording.

import type { Execution } from "../model/execution.ts";
import type { Comparison } from "../model/verdict.ts";
import type { ChainFacts } from "./chain-facts.ts";
import { compareTexts, notCompared } from "./compare.ts";

export function compareOperationResult(chain: ChainFacts, execution: Execution): Comparison[] {
  const { result } = chain;
  // An internal error takes the operation results with it: then the transaction's code is compared.
  const onChain = result.operationResultsXdr[0] ?? result.innerCode ?? result.code;
  const replayed =
    execution.outcome.kind === "internal_error" ? "txInternalError" : execution.operationResultXdr;
  const comparisons = [compareTexts("operation-result", null, onChain, replayed)];
  if (result.successHash !== null || execution.successHash !== null) {
    comparisons.push(compareTexts("success-hash", null, result.successHash, execution.successHash));
  }
  return comparisons;
}

/** The whole TransactionResult, of a fee-bump with the inner one in it. */
export function compareTransactionResult(chain: ChainFacts, execution: Execution): Comparison[] {
  if (execution.resultXdr !== null) {
    return [compareTexts("transaction-result", null, chain.resultXdr, execution.resultXdr)];
  }
  const detail =
    "The fee taken before the refund is not known, so the replay has no whole result; " +
    "its parts are compared.";
  return [notCompared("transaction-result", null, detail, { chain: chain.resultXdr })];
}
