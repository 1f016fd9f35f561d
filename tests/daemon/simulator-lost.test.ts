// A svc-sim that is killed, removed or replaced while the daemon runs: a debug run goes on with
// another process, and where none can be started, the daemon is not ready and says why.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RECORDING_BINARY, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { fakeSimulator } from "../simulator/fake-simulator.ts";
import { openDaemon, scrape, type TestDaemon } from "../support/daemon.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";

let loopback: Loopback;
let directory: string;
let path: string;
beforeAll(() => {
  loopback = openLoopback();
  directory = mkdtempSync(join(tmpdir(), "svc-lost-"));
  path = join(directory, "svc-sim");
  copyFileSync(SIMULATOR_BINARY, path);
  copyFileSync(RECORDING_BINARY, join(directory, "svc-sim-recording"));
});
afterAll(async () => {
  await loopback[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const hashes = () => loopback.network.transactions.flatMap((t) => (t.soroban ? [t.hash] : []));

/** A real svc-sim whose first process for this way of running ends as `how` says. */
function dyingOnce(way: "engine" | "serve", how: string) {
  const first = `mkdir "$0.begun" 2> /dev/null`;
  const shell = `case "$1" in ${way}*) if ${first}; then ${how}; fi;; esac; exec "${SIMULATOR_BINARY}" "$@"`;
  return fakeSimulator("", { engine: false, shell });
}

test.each([
  ["engine", "kill -9 $$"],
  ["engine", "read -r line; kill -9 $$"],
  ["engine", "read -r line; echo nonsense"],
  ["engine", "exit 101"],
  ["serve", "read -r line; kill -9 $$"],
] as const)(
  "svc-sim %s that ends once by `%s` costs no debug run, and is counted",
  async (way, how) => {
    using fake = dyingOnce(way, how);
    await using daemon = await openDaemon(loopback, { simulatorPath: fake.path });
    const debug = async () => {
      const answer = await daemon.post("/v1/debug", { hash: hashes()[0] });
      const { verdict } = (await answer.json()) as { verdict?: object };
      return [answer.status, verdict];
    };
    const first = await debug();
    const samples = await scrape(daemon);
    expect(samples.get("svc_workers_lost_total")).toBe(1);
    expect(samples.get('simulation_execution_total{status="success"}')).toBe(1);
    expect(samples.has('simulation_execution_total{status="error"}')).toBe(false);
    const health = (await (await daemon.get("/health")).json()) as { simulator: { lost: number } };
    expect(health.simulator.lost).toBe(1);
    // As where nothing dies.
    expect(first).toEqual([200, expect.anything()]);
    expect(await debug()).toEqual(first);
  },
);

/** The answers of everything that runs svc-sim, as clients get them. */
async function answersOf(daemon: TestDaemon, hash: string | undefined): Promise<string[]> {
  const call = { jsonrpc: "2.0", id: 1 };
  const tool = { name: "debug_transaction", arguments: { hash } };
  const accept = { accept: "application/json, text/event-stream" };
  const answers = await Promise.all([
    daemon.post("/v1/debug", { hash }),
    daemon.post("/v1/debug", { hash }, { accept: "text/event-stream" }),
    daemon.post("/transactions", { hash }),
    daemon.post("/rpc", { ...call, method: "debugTransaction", params: { hash } }),
    daemon.post("/mcp", { ...call, method: "tools/call", params: tool }, accept),
    daemon.get("/ready"),
  ]);
  return Promise.all(answers.map((answer) => answer.text()));
}

const USAGE = '#!/bin/sh\necho "usage: $0 FILE"\necho "$0: bad" >&2\n';
const OTHER = '#!/bin/sh\necho \'{"version":"9.9.9","hosts":[]}\'\n';

test.each([
  ["removed", null, "SIMULATOR_DIED", "ENOENT"],
  ["not executable", "0", "SIMULATOR_DIED", "EACCES"],
  ["another program", USAGE, "SIMULATOR_INVALID_JSON", "usage: "],
  ["of another release", OTHER, "SIMULATOR_REPLACED", "svc-sim 9.9.9 at"],
] as const)("svc-sim that is %s under a running daemon", async (_, content, code, said) => {
  await using daemon = await openDaemon(loopback, { simulatorPath: path });
  const [first, second] = hashes();
  expect((await daemon.post("/v1/debug", { hash: first })).status).toBe(200);
  expect((await daemon.get("/ready")).status).toBe(200);
  const away = `${path}.away`;
  renameSync(path, away);
  try {
    if (content !== null) {
      writeFileSync(path, content);
      chmodSync(path, content === "0" ? 0o644 : 0o755);
    }
    const ready = await daemon.get("/ready");
    expect(ready.status).toBe(503);
    const { error } = (await ready.json()) as { error: { code: string; message: string } };
    expect([error.code, error.message]).toEqual(["NOT_READY", expect.stringContaining(code)]);
    for (const answer of await answersOf(daemon, second)) expect(answer).not.toContain(directory);
    // The operator reads the path, and what is wrong.
    expect(JSON.stringify(daemon.log)).toContain(said);
    expect(JSON.stringify(daemon.log)).toContain(path);
    const samples = await scrape(daemon);
    expect(samples.get("svc_ready")).toBe(0);
    expect(samples.get(`svc_not_ready{code="${code}"}`)).toBe(1);
  } finally {
    rmSync(path, { force: true });
    renameSync(away, path);
  }
  expect((await daemon.get("/ready")).status).toBe(200);
  expect((await daemon.post("/v1/debug", { hash: second })).status).toBe(200);
  expect((await scrape(daemon)).get("svc_ready")).toBe(1);
});
