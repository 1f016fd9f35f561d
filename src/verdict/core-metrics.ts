// stellar-core's own measurements of the invocation, if the node reported them: instructions,
// memory, entries and bytes read and written, events. Times are never reproducible and are left
// out.

import type { Execution } from "../model/execution.ts";
import type { Comparison } from "../model/verdict.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { compareTexts, notCompared } from "./compare.ts";

const TIMES = /_nsecs$/;

export function compareCoreMetrics(chain: ChainFacts, execution: Execution): Comparison[] {
  if (execution.operation !== "invoke_host_function") return [];
  if (chain.metrics.size === 0) {
    return [notCompared("core-metric", null, "The node reported no core_metrics.")];
  }
  const comparisons: Comparison[] = [];
  for (const [name, onChain] of chain.metrics) {
    if (TIMES.test(name)) continue;
    comparisons.push(compareTexts("core-metric", name, onChain, execution.metrics[name] ?? null));
  }
  return comparisons;
}
