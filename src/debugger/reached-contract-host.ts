// Did the transaction's operation come as far as the contract host? Refusals before it (a bad
// signature, a bad sequence number, a malformed footprint) leave no operation result of its own, or
// one that stellar-core's validity checks gave (OperationFrame::checkValid).

import type { ResultFacts } from "../xdr/result.ts";

export function reachedContractHost(result: ResultFacts): boolean {
  const code = result.innerCode ?? result.code;
  // The host's internal errors end the transaction without an operation result.
  if (code === "txInternalError") return true;
  const [operation] = result.operationCodes;
  return operation !== undefined && !operation.startsWith("op") && !operation.endsWith("Malformed");
}
