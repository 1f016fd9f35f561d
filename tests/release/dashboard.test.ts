// The Grafana dashboard: every query is valid PromQL, and uses metrics of the daemon.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { needs } from "../support/needs.ts";
import { findTool, runTool } from "../support/tools.ts";

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly targets?: readonly { readonly expr: string }[];
}

const ROOT = resolve(import.meta.dir, "../..");
const FILE = join(ROOT, "release", "grafana", "svc-dashboard.json");
const PROMTOOL = findTool("promtool") ?? "";
const SCRATCH = mkdtempSync(join(tmpdir(), "svc-dashboard-"));
const { panels } = JSON.parse(readFileSync(FILE, "utf8")) as { panels: readonly Panel[] };
const QUERIES = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

afterAll(() => rmSync(SCRATCH, { recursive: true }));

test("every metric that a query names is one that the daemon gives", () => {
  const sources = [
    "http-server/metrics.ts",
    "http-server/process-metrics.ts",
    "follow/follow-metrics.ts",
  ].map((name) => readFileSync(join(ROOT, "src", name), "utf8"));
  const given = new Set(
    [...sources.join("\n").matchAll(/"((?:svc|remote|simulation)_[a-z_]+)"/g)].map(
      ([, name]) => name,
    ),
  );
  const asked = QUERIES.flatMap((query) => query.match(/\b(svc|remote|simulation)_[a-z_]+/g) ?? []);
  const families = asked.map((name) => name.replace(/_(bucket|count|sum)$/, ""));
  expect([...new Set(families)].filter((name) => !given.has(name))).toEqual([]);
  expect(families.length).toBeGreaterThan(10);
});

test("panels have their own ids and do not overlap", () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});

const promtool = needs("promtool (prometheus)", PROMTOOL !== "");

promtool.test("every query is PromQL", () => {
  const rules = QUERIES.map((query, index) => ({
    record: `panel:query${index}`,
    expr: query.replaceAll("$__rate_interval", "1m"),
  }));
  const path = join(SCRATCH, "queries.yml");
  writeFileSync(path, JSON.stringify({ groups: [{ name: "panels", rules }] }));
  expect(runTool([PROMTOOL, "check", "rules", path])).toMatchObject({ exitCode: 0 });
});
