// The return value of the host function in the meta. Only a successful invocation has one; meta V3
// has a default for everything else.

import type { Execution } from "../model/execution.ts";
import type { Comparison } from "../model/verdict.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { compareTexts, notCompared } from "./compare.ts";

export function compareReturnValue(chain: ChainFacts, execution: Execution): Comparison[] {
  const { meta, result } = chain;
  if (execution.operation !== "invoke_host_function" || !result.success) return [];
  if (meta === null) {
    const detail = "No source had the meta. The success hash covers the return value.";
    return [notCompared("return-value", null, detail, { replay: execution.returnValueXdr })];
  }
  return [compareTexts("return-value", null, meta.returnValueXdr, execution.returnValueXdr)];
}
