// release/prometheus in Prometheus itself: valid, with the thresholds of the specification, and
// with unit tests that notice a changed threshold. The rules of the cluster are the same rules.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PROMETHEUS_RULE, renderPrometheusRule } from "../../scripts/prometheus-rule.ts";
import { needs } from "../support/needs.ts";
import { findTool, runTool, type ToolRun } from "../support/tools.ts";

interface Alert {
  readonly alert: string;
  expr: string;
  for: string;
  readonly labels: { readonly severity: string };
}

const RELEASE = resolve(import.meta.dir, "../../release");
const PROMETHEUS = join(RELEASE, "prometheus");
const ALERTMANAGER = join(PROMETHEUS, "alertmanager.yml");
const AMTOOL = findTool("amtool") ?? "";
const PROMTOOL = findTool("promtool") ?? "";
const ALERTS = readFileSync(join(PROMETHEUS, "alerts.yml"), "utf8");
const UNIT_TESTS = readFileSync(join(PROMETHEUS, "alerts.test.yml"), "utf8");
const SCRATCH = mkdtempSync(join(tmpdir(), "svc-alerts-"));
const GROUPS = (Bun.YAML.parse(ALERTS) as { groups: { interval: string; rules: Alert[] }[] })
  .groups;
const NEVER_ANSWERED = /^ *or[\s\S]*?(?=\n\))/m;
const UNLESS_ANSWERED = /^ *unless[\s\S]*?(?=\n\))/m;
/** The last condition of a rule, which keeps it quiet about an idle daemon. */
const RECENT = /\nand\n(?![\s\S]*\nand\n)[\s\S]*/;
/** The routes that do work. */
const WORK = 'route=~"/v1/.+|/rpc|/mcp|/transactions|/simulations|/what-ifs|/replayable-pages"';
const GROUPING = /sum by \([^)]*\)/g;

// promtool evaluates hours of rules; half a second alone, and ten times that on a busy machine.
setDefaultTimeout(60_000);

afterAll(() => rmSync(SCRATCH, { recursive: true }));

test("a scrape every 15 s, an evaluation every 30 s", () => {
  const text = readFileSync(join(PROMETHEUS, "prometheus.yml"), "utf8");
  const { global } = Bun.YAML.parse(text) as { global: unknown };
  expect(global).toEqual({ scrape_interval: "15s", evaluation_interval: "30s" });
  expect(GROUPS.map(({ interval }) => interval)).toEqual(["30s"]);
});

test("the alerts, their severities and durations", () => {
  const alerts = GROUPS.flatMap(({ rules }) => rules);
  expect(alerts.map((rule) => [rule.alert, rule.for ?? "0m", rule.labels.severity])).toEqual([
    ["RemoteNodeStale", "1m", "warning"],
    ["RemoteNodeDown", "2m", "critical"],
    ["RemoteNodeReplaced", "2m", "warning"],
    ["RemoteNodeHighErrorRate", "5m", "warning"],
    ["RemoteNodeHighLatency", "5m", "warning"],
    ["RemoteNodeResting", "5m", "warning"],
    ["SimulationHighErrorRate", "5m", "warning"],
    ["DaemonWorkersLost", "0m", "warning"],
    ["DaemonHighErrorRate", "5m", "warning"],
    ["DaemonOverloaded", "5m", "warning"],
    ["SimulatorUnavailable", "1m", "critical"],
    ["DaemonNotReady", "2m", "warning"],
    ["DaemonRestarting", "0m", "critical"],
    ["DaemonReplicasDown", "2m", "critical"],
    ["DaemonMemoryNearLimit", "5m", "warning"],
    ["DaemonDescriptorsNearLimit", "2m", "warning"],
    ["DaemonThreadBusy", "5m", "warning"],
    ["ForkStateUnsaved", "1m", "critical"],
    ["DaemonAbsent", "2m", "critical"],
    ["ProofContradicted", "0m", "critical"],
    ["FollowLagging", "5m", "warning"],
    ["FollowProtocolUnknown", "0m", "critical"],
    ["FollowDiverged", "0m", "critical"],
    ["FollowStateMismatch", "0m", "critical"],
    ["AlertSinkFailing", "1m", "warning"],
  ]);
});

test("the cluster's PrometheusRule is generated from the same group", async () => {
  const text = readFileSync(PROMETHEUS_RULE, "utf8");
  expect(text).toBe(await renderPrometheusRule());
  const { spec } = Bun.YAML.parse(text) as { spec: { groups: unknown } };
  expect(spec.groups).toEqual(GROUPS);
});

interface Inhibition {
  readonly source_matchers: readonly string[];
  readonly target_matchers: readonly string[];
}

test("the inhibition rules name alerts that there are", () => {
  const { inhibit_rules } = Bun.YAML.parse(readFileSync(ALERTMANAGER, "utf8")) as {
    inhibit_rules: readonly Inhibition[];
  };
  const names = GROUPS.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  const named = inhibit_rules
    .flatMap((rule) => [...rule.source_matchers, ...rule.target_matchers])
    .flatMap((matcher) => /^alertname=~?"(.+)"$/.exec(matcher)?.[1]?.split("|") ?? []);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !names.includes(name) && !name.includes("."))).toEqual([]);
});

const amtool = needs("amtool (prometheus-alertmanager)", AMTOOL !== "");

amtool.test("Alertmanager accepts the configuration with the inhibition rules", () => {
  expect(runTool([AMTOOL, "check-config", ALERTMANAGER])).toMatchObject({
    exitCode: 0,
    text: expect.stringContaining("inhibit rules"),
  });
});

test("the runbook has a section for each alert", () => {
  const runbook = readFileSync(join(RELEASE, "RUNBOOK.md"), "utf8");
  for (const { alert } of GROUPS.flatMap(({ rules }) => rules))
    expect(runbook).toContain(`\n### ${alert}\n`);
});

const promtool = needs("promtool (prometheus)", PROMTOOL !== "");

promtool.describe("promtool", () => {
  test("accepts the configuration and the rules", () => {
    const check = runTool([PROMTOOL, "check", "config", "prometheus.yml"], PROMETHEUS);
    expect(check).toMatchObject({ exitCode: 0, text: expect.stringContaining("25 rules found") });
  });

  test("each alert fires when it should, and not otherwise", () => {
    expect(testRules(ALERTS)).toMatchObject({ exitCode: 0 });
  });

  // A check of the unit tests: a rule that is slightly wrong does not pass them.
  test.each([
    ["RemoteNodeStale", "expr", "> 60", ">= 60"],
    ["RemoteNodeStale", "for", "1m", "2m"],
    ["RemoteNodeStale", "expr", "offset 1m", "offset 2m"],
    ["RemoteNodeStale", "expr", "[1m]", "[3m]"],
    ["RemoteNodeStale", "expr", RECENT, ""],
    ["RemoteNodeStale", "expr", "max by", "min by"],
    ["RemoteNodeDown", "expr", "> 300", ">= 300"],
    ["RemoteNodeDown", "expr", "[3m]", "[6m]"],
    ["RemoteNodeDown", "expr", "[3m]", "[1m]"],
    ["RemoteNodeDown", "expr", "[3m] offset 3m", "[6m]"],
    ["RemoteNodeDown", "expr", RECENT, ""],
    ["RemoteNodeDown", "expr", NEVER_ANSWERED, ""],
    ["RemoteNodeDown", "expr", UNLESS_ANSWERED, ""],
    ["RemoteNodeHighErrorRate", "expr", "> 0.1", ">= 0.1"],
    // Errors divided by errors are 1, also for a replica that only fails.
    ["RemoteNodeHighErrorRate", "expr", GROUPING, "sum without (instance)"],
    ["RemoteNodeHighErrorRate", "expr", /node_address, /g, ""],
    ["RemoteNodeHighErrorRate", "expr", RECENT, ""],
    ["RemoteNodeHighErrorRate", "expr", "[2m]", "[4m]"],
    ["RemoteNodeHighLatency", "expr", "> 5", "> 2.5"],
    ["RemoteNodeHighLatency", "expr", "0.95", "0.9"],
    ["RemoteNodeResting", "expr", "> 0.5", "> 0.4"],
    ["RemoteNodeResting", "expr", "avg by", "max by"],
    ["RemoteNodeResting", "expr", RECENT, ""],
    ["RemoteNodeResting", "expr", /^avg by[\s\S]*?and\n/, ""],
    ["RemoteNodeResting", "for", "5m", "1m"],
    ["SimulationHighErrorRate", "expr", GROUPING, "sum without (instance)"],
    ["SimulationHighErrorRate", "expr", RECENT, ""],
    ["SimulationHighErrorRate", "expr", /namespace, /g, ""],
    ["DaemonWorkersLost", "expr", "> 5", "> 4"],
    ["DaemonWorkersLost", "expr", "> 5", "> 8"],
    ["DaemonWorkersLost", "expr", "[10m]", "[20m]"],
    ["DaemonHighErrorRate", "expr", "> 0.05", ">= 0.05"],
    ["DaemonHighErrorRate", "expr", "OVERLOADED|", ""],
    ["DaemonHighErrorRate", "expr", 'fault!="client", ', ""],
    ["DaemonHighErrorRate", "expr", `${WORK}, `, ""],
    ["DaemonHighErrorRate", "expr", `{${WORK}}`, ""],
    ["DaemonHighErrorRate", "expr", "|/mcp", ""],
    ["DaemonHighErrorRate", "expr", "|/transactions", ""],
    ["DaemonHighErrorRate", "expr", RECENT, ""],
    ["DaemonOverloaded", "expr", "> 0.05", ">= 0.05"],
    ["DaemonOverloaded", "expr", `{${WORK}}`, ""],
    ["DaemonOverloaded", "expr", /code=~"[^"]+"/, 'code=~".+"'],
    ["DaemonOverloaded", "expr", RECENT, ""],
    ["SimulatorUnavailable", "expr", "SIMULATOR_.+", "FORK_.+"],
    ["DaemonNotReady", "expr", "SIMULATOR_.+|", ""],
    ["DaemonNotReady", "for", "2m", "0m"],
    ["DaemonRestarting", "expr", "> 3", "> 2"],
    ["DaemonReplicasDown", "expr", "> 0.5 < 1", "> 0.4 < 1"],
    ["DaemonReplicasDown", "expr", /unless on[\s\S]*\n\)/, ")"],
    ["DaemonMemoryNearLimit", "expr", "> 0.9", ">= 0.9"],
    ["DaemonDescriptorsNearLimit", "expr", "> 0.9", ">= 0.9"],
    ["DaemonThreadBusy", "expr", "> 0.5", ">= 0.5"],
    ["ForkStateUnsaved", "expr", "== 0", "== 1"],
    ["RemoteNodeReplaced", "expr", "> 300", "> 30000"],
    ["DaemonAbsent", "expr", " == 1", ""],
    ["DaemonAbsent", "expr", '{job="svc"}', ""],
    ["DaemonAbsent", "for", "2m", "1m"],
    ["ProofContradicted", "expr", '{status="contradicted"}', ""],
    ["ProofContradicted", "expr", "contradicted", "error"],
    ["ProofContradicted", "expr", "[15m]", "[30m]"],
    ["ProofContradicted", "expr", "[15m]", "[1m]"],
    ["FollowLagging", "expr", "> 120", ">= 120"],
    ["FollowLagging", "expr", /\nor\n[\s\S]*/, ""],
    ["FollowLagging", "expr", '{outcome="verified"}', ""],
    ["FollowLagging", "for", "5m", "4m"],
    ["FollowProtocolUnknown", "expr", "> 0", "> 31"],
    ["FollowProtocolUnknown", "expr", "max by (namespace, job)", ""],
    ["FollowDiverged", "expr", '{verdict="diverged"}', ""],
    ["FollowDiverged", "expr", "[15m]", "[30m]"],
    ["FollowStateMismatch", "expr", "[15m]", "[1m]"],
    ["AlertSinkFailing", "expr", /\bunless\n[^\n]*\n/, ""],
    ["AlertSinkFailing", "expr", "refused|", ""],
    ["AlertSinkFailing", "expr", /\nor\n[\s\S]*/, ""],
    [
      "AlertSinkFailing",
      "expr",
      ', sink) (increase(svc_alerts_total{outcome="delivered"}',
      ') (increase(svc_alerts_total{outcome="delivered"}',
    ],
  ] as const)("notices %s with another %s: %p as %p", (alert, field, from, to) => {
    const groups = structuredClone(GROUPS);
    const rule = groups.flatMap(({ rules }) => rules).find((one) => one.alert === alert);
    if (rule === undefined) throw new Error(`no alert ${alert}`);
    const expression = rule.expr;
    const before = rule[field];
    rule[field] = before.replace(from, to);
    expect(rule[field]).not.toBe(before);
    // JSON is YAML.
    expect(testRules(JSON.stringify({ groups }), unitTestsOf(expression))).toMatchObject({
      exitCode: 1,
      text: expect.stringContaining("FAILED"),
    });
  });
});

interface UnitTests {
  readonly tests: readonly { readonly input_series: readonly { readonly series: string }[] }[];
}

/** Those with a series of the expression: all others end as before. In every one, `up` is 1. */
function unitTestsOf(expression: string): string {
  const { tests, ...rest } = Bun.YAML.parse(UNIT_TESTS) as UnitTests;
  const concerned = tests.filter(({ input_series }) =>
    input_series.some(({ series }) => {
      const [name = ""] = series.split("{");
      return series !== 'up{job="svc"}' && expression.includes(name);
    }),
  );
  return JSON.stringify({ ...rest, tests: concerned });
}

function testRules(rules: string, unitTests = UNIT_TESTS): ToolRun {
  writeFileSync(join(SCRATCH, "alerts.test.yml"), unitTests);
  writeFileSync(join(SCRATCH, "alerts.yml"), rules);
  expect(runTool([PROMTOOL, "check", "rules", "alerts.yml"], SCRATCH).exitCode).toBe(0);
  return runTool([PROMTOOL, "test", "rules", "alerts.test.yml"], SCRATCH);
}
