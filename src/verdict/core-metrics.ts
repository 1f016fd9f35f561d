// Compares stellar-core's own measurements of the invocation, if the node reported them:
// instructions, memory, entries and bytes read and written, events. Times are never reproducible
// and are left out.

import { base64Length } from "../base/bytes.ts";
import type { Execution } from "../model/execution.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Caveat, Comparison } from "../model/verdict.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { compareTexts, notCompared } from "./compare.ts";

type CoreMetrics = Execution["metrics"];

const TIMES = /_nsecs$/;
const BEFORE_23 = "Counted as stellar-core before 23 counts.";
const BEFORE_22 = "Counted as stellar-core before 22 counts.";

export function compareCoreMetrics(
  chain: ChainFacts,
  snapshot: Snapshot,
  execution: Execution,
): Comparison[] {
  if (execution.operation !== "invoke_host_function") return [];
  if (chain.metrics.size === 0) {
    return [notCompared("core-metric", "The node reported no core_metrics.")];
  }
  const compared = (metrics: CoreMetrics, detail: string | null = null) =>
    [...chain.metrics]
      .filter(([name]) => !TIMES.test(name))
      .map(([name, onChain]) =>
        compareTexts("core-metric", name, onChain, metrics[name] ?? null, detail),
      );
  const comparisons = compared(execution.metrics);
  if (chain.protocolVersion >= 23 || comparisons.every(isEqual)) return comparisons;
  const before23 = countedBefore23(snapshot, execution);
  const { cpuInsnBefore22 } = execution;
  return [
    compared(before23, BEFORE_23),
    ...(cpuInsnBefore22 === undefined
      ? []
      : [compared({ ...before23, cpu_insn: cpuInsnBefore22 }, BEFORE_22)]),
  ].reduce((best, each) => (equals(each) > equals(best) ? each : best), comparisons);
}

const KEYS = ["read_entry", "read_key_byte"];
const SIZES = ["read_data_byte", "read_code_byte"];

/** If the same keys were read, a different number of bytes means that an entry had another size. */
export function otherSizes(comparisons: readonly Comparison[]): Comparison[] {
  const metrics = comparisons.filter(({ subject }) => subject === "core-metric");
  const areSameKeys = KEYS.every(
    (key) => metrics.find(({ item }) => item === key)?.result === "equal",
  );
  if (!areSameKeys) return [];
  return metrics.filter(({ item, result }) => result === "different" && SIZES.includes(item ?? ""));
}

export function sizeCaveat({ item, chain, replay }: Comparison): Caveat {
  const detail =
    `An entry that the chain read had another size than the replay's, by the node's diagnostic ` +
    `events: ${item} is ${chain} there, and ${replay} in the replay.`;
  return { kind: "assumed", keyXdr: null, detail };
}

const isEqual = ({ result }: Comparison) => result === "equal";
const equals = (comparisons: readonly Comparison[]) => comparisons.filter(isEqual).length;

/**
 * Under protocol 20, releases before 22 also counted other instructions (src/svc-sim/README.md).
 * Before release 23, `read_entry` counted each key once, and `emit_event_byte` was taken before the
 * return value was added. If a later release wrote a meta again, its rules apply: both occur, and
 * one transaction follows one of them (stellar-core v22.0.0 and v23.0.0,
 * InvokeHostFunctionOpFrame.cpp).
 */
function countedBefore23(snapshot: Snapshot, { metrics, returnValueXdr }: Execution): CoreMetrics {
  const returned = base64Length(returnValueXdr ?? "");
  return {
    ...metrics,
    read_entry: String(snapshot.entries.length),
    emit_event_byte: String(Number(metrics.emit_event_byte) - returned),
  };
}
