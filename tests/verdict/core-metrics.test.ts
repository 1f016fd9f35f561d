// Metrics as two generations of stellar-core count them: a transaction's follow one or the other.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { compareCoreMetrics } from "../../src/verdict/core-metrics.ts";
import { readChain } from "../../src/xdr/outcome/chain-facts.ts";
import { protocolWalks, type Walk } from "./protocol-walk.ts";

/** As release 23 counts what ran under an earlier protocol: Soroban entries twice. */
function countedTwice(each: Walk): Walk {
  const metrics = { ...each.execution.metrics, read_entry: `${2 * each.snapshot.entries.length}` };
  return { ...each, execution: { ...each.execution, metrics } };
}

const WALKS = protocolWalks()
  .filter(({ execution }) => "read_entry" in execution.metrics)
  .map(countedTwice);
const walk = fc.constantFrom(...WALKS);
const size = ({ execution }: Walk) => Buffer.from(execution.returnValueXdr ?? "", "base64").length;

/** The counts of releases before 23. */
const counted = (each: Walk) => ({
  ...each.execution.metrics,
  read_entry: String(each.snapshot.entries.length),
  emit_event_byte: String(Number(each.execution.metrics.emit_event_byte) - size(each)),
});

function differing(each: Walk, metrics: Readonly<Record<string, string>>, protocolVersion: number) {
  const onChain = new Map([...Object.entries(metrics), ["invoke_time_nsecs", "1"]]);
  const chain = { ...readChain(each.record), protocolVersion, metrics: onChain };
  const comparisons = compareCoreMetrics(chain, each.snapshot, each.execution);
  expect(comparisons.map(({ item }) => item).sort()).toEqual(Object.keys(metrics).sort());
  const details = new Set(comparisons.map(({ detail }) => detail));
  expect(details.size).toBe(1);
  return {
    named: comparisons.flatMap(({ item, result }) => (result === "different" ? [item] : [])),
    isBefore22: [...details][0]?.includes("before 22") === true,
    isBefore23: [...details][0]?.includes("before 23") === true,
  };
}

const BY_TODAYS = { named: [], isBefore22: false, isBefore23: false };

test("up to protocol 22 either release's counts are equal, and the comparison says which", () => {
  fc.assert(
    fc.property(walk, fc.constantFrom(20, 21, 22), (each, protocol) => {
      const { metrics } = each.execution;
      expect(differing(each, metrics, protocol)).toEqual(BY_TODAYS);
      const before = counted(each);
      const isBefore23 = !Bun.deepEquals(before, metrics);
      expect(differing(each, before, protocol)).toEqual({ ...BY_TODAYS, isBefore23 });
    }),
  );
});

test("from protocol 23 only the counts of release 23 are equal", () => {
  for (const each of WALKS) {
    const { named } = differing(each, counted(each), 23);
    const { metrics } = each.execution;
    const other = Object.entries(counted(each)).filter(([name, value]) => metrics[name] !== value);
    expect(named.sort()).toEqual(other.map(([name]) => name).sort());
  }
});

test("one transaction's metrics never follow both", () => {
  const mixed = WALKS.filter((each) => {
    const { metrics } = each.execution;
    const before = counted(each);
    if (each.snapshot.entries.length === 0 || size(each) === 0) return false;
    const both = { ...metrics, read_entry: before.read_entry };
    expect(differing(each, both, 22).named).toHaveLength(1);
    return true;
  });
  expect(mixed.length).toBeGreaterThan(3);
});

test("releases before 22 counted more instructions, and the rest as those before 23", () => {
  for (const each of WALKS) {
    const cpu_insn = String(Number(each.execution.metrics.cpu_insn) + 157);
    const run = { ...each, execution: { ...each.execution, cpuInsnBefore22: cpu_insn } };
    const before22 = differing(run, { ...counted(each), cpu_insn }, 20);
    expect(before22).toEqual({ ...BY_TODAYS, isBefore22: true });
    expect(differing(run, each.execution.metrics, 20)).toEqual(BY_TODAYS);
    expect(differing(run, { ...counted(each), cpu_insn }, 23).named).toContain("cpu_insn");
    expect(differing(each, { ...counted(each), cpu_insn }, 20).named).toEqual(["cpu_insn"]);
  }
});

test("another value differs under either", () => {
  fc.assert(
    fc.property(walk, fc.boolean(), (each, isBefore) => {
      const metrics = isBefore ? counted(each) : each.execution.metrics;
      expect(differing(each, { ...metrics, cpu_insn: "1" }, 21).named).toEqual(["cpu_insn"]);
    }),
  );
});
