// Compares the operation's result and, for a successful invocation, its success hash: the ledger's
// hash over return value and events. Every chain record has the result.

import type { ChainRecord } from "../model/chain-record.ts";
import type { Execution, ExecutionOutcome } from "../model/execution.ts";
import type { Comparison } from "../model/verdict.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { compareTexts, notCompared } from "./compare.ts";

export function compareOperationResult(chain: ChainFacts, execution: Execution): Comparison[] {
  const { result } = chain;
  // After an internal error there are no operation results, so the transaction's code is compared.
  const [resultXdr] = result.operationResultsXdr;
  const onChain = resultXdr ?? result.innerCode ?? result.code;
  const isInternalError = execution.outcome.kind === "internal_error";
  const replayed = isInternalError ? "txInternalError" : execution.operationResultXdr;
  const plain = [
    ...(resultXdr === undefined ? (["chain"] as const) : []),
    ...(isInternalError ? (["replay"] as const) : []),
  ];
  const compared = compareTexts("operation-result", null, onChain, replayed);
  const comparisons: Comparison[] = [plain.length === 0 ? compared : { ...compared, plain }];
  if (result.successHash !== null || execution.successHash !== null) {
    comparisons.push(compareTexts("success-hash", null, result.successHash, execution.successHash));
  }
  return comparisons;
}

/** Compares the complete TransactionResult. For a fee-bump it includes the inner one. */
export function compareTransactionResult(
  chain: ChainFacts,
  record: ChainRecord,
  execution: Execution,
): Comparison[] {
  if (execution.resultXdr !== null) {
    return [compareTexts("transaction-result", null, chain.resultXdr, execution.resultXdr)];
  }
  const detail =
    "The fee before the refund is unknown, so the replay has no complete result. " +
    "Its parts are compared.";
  const { code, innerCode, innerHash } = chain.result;
  const feeBump = record.innerHash !== null;
  const expected = codeOf(execution.outcome);
  const parts = [compareTexts("transaction-result", "code", innerCode ?? code, expected)];
  if (feeBump || innerHash !== null) {
    const outer = expected === "txSuccess" ? "txFeeBumpInnerSuccess" : "txFeeBumpInnerFailed";
    parts.push(
      compareTexts("transaction-result", "fee-bump code", code, outer),
      compareTexts("transaction-result", "inner hash", innerHash, record.innerHash),
    );
  }
  return [notCompared("transaction-result", detail, { chain: chain.resultXdr }), ...parts];
}

function codeOf({ kind }: ExecutionOutcome): string {
  if (kind === "success") return "txSuccess";
  return kind === "failed" ? "txFailed" : "txInternalError";
}
