// Compares the return value of the host function in the meta. Only a successful invocation has one.
// Meta V3 has a default for everything else.

import type { Execution } from "../model/execution.ts";
import type { Comparison } from "../model/verdict.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { compareTexts, notCompared } from "./compare.ts";
import { isSuccessHashEqual } from "./events.ts";

const META_REWRITTEN =
  "The meta's return value differs, but the success hash, which covers it, is equal: the meta was " +
  "rewritten.";

export function compareReturnValue(chain: ChainFacts, execution: Execution): Comparison[] {
  const { meta, result } = chain;
  if (execution.operation !== "invoke_host_function" || !result.success) return [];
  if (meta === null) {
    const detail = "No source had the meta. The success hash covers the return value.";
    return [notCompared("return-value", detail, { replay: execution.returnValueXdr })];
  }
  const { returnValueXdr } = execution;
  const comparison = compareTexts("return-value", null, meta.returnValueXdr, returnValueXdr);
  if (comparison.result === "equal" || !isSuccessHashEqual(chain, execution)) return [comparison];
  return [{ ...comparison, detail: META_REWRITTEN }];
}
