// A real Prometheus scrapes a daemon and finds the four families; promtool accepts the metrics.
// Skipped where they are not installed.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDaemon, type TestDaemon } from "../support/daemon.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { needs } from "../support/needs.ts";
import { findTool } from "../support/tools.ts";
import { until } from "../support/until.ts";

const PROMETHEUS = findTool("prometheus") ?? "";
const PROMTOOL = findTool("promtool") ?? "";
const MINUTE = 60_000;

let loopback: Loopback;
let daemon: TestDaemon;
let directory: string;
beforeAll(async () => {
  loopback = openLoopback();
  daemon = await openDaemon(loopback);
  directory = mkdtempSync(join(tmpdir(), "svc-prometheus-"));
  const hash = loopback.network.transactions.find(({ soroban }) => soroban)?.hash ?? "";
  await (await daemon.post("/v1/debug", { hash })).text();
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await loopback[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const promtool = needs("promtool (prometheus)", PROMTOOL !== "");

promtool.test("promtool finds nothing to correct", async () => {
  const metrics = await (await daemon.get("/metrics")).arrayBuffer();
  const run = Bun.spawnSync([PROMTOOL, "check", "metrics"], { stdin: new Uint8Array(metrics) });
  expect([run.exitCode, `${run.stdout}${run.stderr}`]).toEqual([0, ""]);
});

const prometheus = needs("prometheus", PROMETHEUS !== "");

prometheus.describe("Prometheus", () => {
  test(
    "scrapes the four families",
    async () => {
      const free = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
      const { port } = free;
      free.stop(true);
      const config = join(directory, "prometheus.yml");
      writeFileSync(
        config,
        `global: { scrape_interval: 200ms }
scrape_configs:
  - job_name: svc
    static_configs: [{ targets: ["${new URL(daemon.url).host}"] }]
`,
      );
      const run = Bun.spawn(
        [
          PROMETHEUS,
          `--config.file=${config}`,
          `--storage.tsdb.path=${join(directory, "data")}`,
          `--web.listen-address=127.0.0.1:${port}`,
        ],
        { stdout: "ignore", stderr: "ignore" },
      );
      try {
        const query = async (text: string): Promise<readonly Sample[]> => {
          const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(text)}`;
          const answer = await fetch(url).catch(() => null);
          if (!answer?.ok) return [];
          return ((await answer.json()) as { data: { result: Sample[] } }).data.result;
        };
        await until(async () => (await query('up{job="svc"} == 1')).length === 1);
        const address = expect.stringContaining(new URL(loopback.url("rpc")).origin);
        const node = { node_address: address, network: "custom" };
        const expected: readonly (readonly [string, object])[] = [
          ["remote_node_last_response_timestamp_seconds", node],
          ["remote_node_response_total", { ...node, status: "success" }],
          ['remote_node_response_duration_seconds_bucket{le="+Inf"}', node],
          ["simulation_execution_total", { status: "success" }],
        ];
        for (const [name, labels] of expected) {
          await until(async () => (await query(name)).length > 0);
          for (const { metric } of await query(name)) expect(metric).toMatchObject(labels);
        }
      } finally {
        run.kill();
        await run.exited;
      }
    },
    MINUTE,
  );
});

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
}
