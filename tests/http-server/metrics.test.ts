// The four families for Prometheus: names, labels, buckets, the appearance of series, and correct
// counts.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { nodeLabel } from "../../src/base/http/node-address.ts";
import { fakeSimulator } from "../simulator/fake-simulator.ts";
import { openDaemon, scrape, type TestDaemon } from "../support/daemon.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";

const FAMILIES = [
  ["remote_node_last_response_timestamp_seconds", "gauge"],
  ["remote_node_response_total", "counter"],
  ["remote_node_response_duration_seconds", "histogram"],
  ["simulation_execution_total", "counter"],
] as const;

let loopback: Loopback;
let hash: string;
beforeAll(() => {
  loopback = openLoopback();
  // It reads no ledgers in a row: no call is on its way when it ends.
  hash = loopback.network.named("inc persistent counter #1").hash;
});
afterAll(() => loopback[Symbol.asyncDispose]());

const origin = () => new URL(loopback.url("rpc")).origin;
/** A series of both nodes, Horizon and RPC, together; undefined where neither has it. */
function remote(samples: ReadonlyMap<string, number>, name: string, more = "") {
  const found = [...samples].filter(
    ([key]) =>
      key.startsWith(`${name}{node_address="${origin()}/`) &&
      key.endsWith(`network="custom"${more}}`),
  );
  return found.length === 0 ? undefined : found.reduce((sum, [, value]) => sum + value, 0);
}

async function debug(daemon: TestDaemon): Promise<number> {
  const answer = await daemon.post("/v1/debug", { hash });
  await answer.text();
  return answer.status;
}

test("before anything was observed there is HELP and TYPE, and no series", async () => {
  await using daemon = await openDaemon(loopback);
  const answer = await daemon.get("/metrics");
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const lines = (await answer.text()).split("\n");
  for (const [name, type] of FAMILIES) {
    expect(lines).toContain(`# TYPE ${name} ${type}`);
    expect(lines.filter((line) => line.startsWith(`# HELP ${name} `))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith(name))).toEqual([]);
  }
  const families = lines.filter((line) => line.startsWith("# TYPE ")).map((l) => l.split(" ")[2]);
  const own = families.filter((name) => !FAMILIES.some(([fixed]) => fixed === name));
  expect(own.filter((name) => !name?.startsWith("svc_"))).toEqual([]);
});

test("each call to a node is counted once, and the run", async () => {
  await using daemon = await openDaemon(loopback);
  const before = loopback.requests.length;
  expect(await debug(daemon)).toBe(200);
  const calls = loopback.requests.length - before;
  const samples = await scrape(daemon);
  expect(remote(samples, "remote_node_response_total", ',status="success"')).toBe(calls);
  expect(remote(samples, "remote_node_response_duration_seconds_count")).toBe(calls);
  expect(samples.get('simulation_execution_total{status="success"}')).toBe(1);
  expect(samples.has('simulation_execution_total{status="error"}')).toBe(false);
  const last = remote(samples, "remote_node_last_response_timestamp_seconds") ?? 0;
  // In seconds, not milliseconds, since 1970.
  expect([last > 1e9, last < 1e10]).toEqual([true, true]);
  const buckets = [...samples.keys()]
    .filter((key) => key.startsWith("remote_node_response_duration_seconds_bucket"))
    .map((key) => /le="([^"]+)"/.exec(key)?.[1]);
  expect([...new Set(buckets)].join(" ")).toBe(
    "0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 +Inf",
  );
});

test("a node that fails is counted by attempts, and has no last response", async () => {
  const broken = { horizon: "status-503", rpc: "status-503", timeout: "700ms" };
  await using daemon = await openDaemon(loopback, broken);
  expect(await debug(daemon)).toBeGreaterThanOrEqual(500);
  const samples = await scrape(daemon);
  const errors = remote(samples, "remote_node_response_total", ',status="error"') ?? 0;
  expect(errors).toBeGreaterThanOrEqual(2);
  expect(remote(samples, "remote_node_response_duration_seconds_count")).toBe(errors);
  expect(remote(samples, "remote_node_last_response_timestamp_seconds")).toBeUndefined();
  expect(remote(samples, "remote_node_response_total", ',status="success"')).toBeUndefined();
});

test("a web page with status 200 is not an answer", async () => {
  await using daemon = await openDaemon(loopback, { horizon: "html", rpc: "html" });
  expect(await debug(daemon)).toBe(502);
  const samples = await scrape(daemon);
  expect(remote(samples, "remote_node_response_total", ',status="success"')).toBeUndefined();
  expect(remote(samples, "remote_node_response_total", ',status="error"')).toBeGreaterThan(0);
});

test.each([
  ["wrong-envelope", 1, 0],
  // The transaction itself is right.
  ["wrong-header", 1, 1],
  // Two nodes contradict each other: nothing shows which of them lied.
  ["wrong-result", 0, 2],
])("a node that lied is an error of the node: %s", async (lie, errors, least) => {
  const failed = loopback.network.transactions.find(({ status }) => status === "FAILED")?.hash;
  await using daemon = await openDaemon(loopback, { horizon: lie, rpc: "no-ledgers" });
  const answer = await daemon.post("/v1/debug", { hash: failed });
  expect(await answer.json()).toMatchObject({ error: { code: "NODE_LIED" } });
  const samples = await scrape(daemon);
  const count = (status: string) =>
    remote(samples, "remote_node_response_total", `,status="${status}"`) ?? 0;
  expect(count("error")).toBe(errors);
  expect(count("success")).toBeGreaterThanOrEqual(least);
});

test("a simulation that could not be carried out is an error", async () => {
  using fake = fakeSimulator(
    'if (process.argv[2] === "--version") out(JSON.stringify({ version: "0", hosts: [] })); ' +
      "else process.exit(3);",
  );
  await using daemon = await openDaemon(loopback, { simulatorPath: fake.path });
  expect(await debug(daemon)).toBe(502);
  const samples = await scrape(daemon);
  expect(samples.get('simulation_execution_total{status="error"}')).toBe(1);
  expect(samples.has('simulation_execution_total{status="success"}')).toBe(false);
});

/** Far less than what hangs sleeps. */
const HUNG_MILLISECONDS = 50_000;

/** A real svc-sim but for one way of running it. */
function broken(way: "engine" | "serve", how: string) {
  const body = `case "$1" in ${way}*) ${how};; esac; exec "${SIMULATOR_BINARY}" "$@"`;
  return fakeSimulator("", { engine: false, shell: body });
}

test.each([
  ["engine", "exit 101", "SIMULATOR_DIED"],
  ["engine", "exec sleep 60", "SIMULATOR_TIMEOUT"],
  // The process that is killed leaves one that holds its pipes.
  ["engine", "sleep 60 & sleep 60", "SIMULATOR_TIMEOUT"],
  ["engine", "exec echo nonsense", "SIMULATOR_INVALID_JSON"],
  ["serve", "exit 101", "SIMULATOR_DIED"],
  ["serve", "exec sleep 60", "SIMULATOR_TIMEOUT"],
  ["serve", "sleep 60 & sleep 60", "SIMULATOR_TIMEOUT"],
] as const)(
  "svc-sim %s that runs `%s` is an error of each run: %s",
  async (way, how, code) => {
    using fake = broken(way, how);
    const timeout = code === "SIMULATOR_TIMEOUT" ? "3s" : "1m";
    const options = { simulatorPath: fake.path, timeout };
    await using daemon = await openDaemon(loopback, options);
    const answers = await Promise.all([1, 2].map(() => daemon.post("/v1/debug", { hash })));
    for (const answer of answers) expect(await answer.json()).toMatchObject({ error: { code } });
    const samples = await scrape(daemon);
    expect(samples.get('simulation_execution_total{status="error"}')).toBeGreaterThanOrEqual(1);
    expect(samples.has('simulation_execution_total{status="success"}')).toBe(false);
  },
  HUNG_MILLISECONDS,
);

test("two nodes behind one host have a series each, without a secret of their paths", async () => {
  const key = (name: string) => loopback.url("rpc", `KEY-${name}`);
  const urls = { horizon: loopback.url("horizon"), rpc: [key("one"), key("two")].join(",") };
  await using daemon = await openDaemon({ ...loopback, url: (api) => urls[api] });
  const call = { jsonrpc: "2.0", id: 1, method: "getLatestLedger" };
  expect(await (await daemon.post("/rpc", call)).json()).toMatchObject({ id: 1 });
  expect(await debug(daemon)).toBe(200);
  const samples = await scrape(daemon);
  const labels = [...samples.keys()].flatMap(
    (name) => /^svc_node_resting\{node_address="([^"]+)"/.exec(name)?.[1] ?? [],
  );
  const expected = [urls.horizon, key("one"), key("two")].map(nodeLabel);
  expect(new Set(expected).size).toBe(3);
  expect(labels.toSorted()).toEqual(expected.toSorted());
  expect([...samples.keys()].join()).not.toContain("KEY");
});

test("a node's secrets are in no label and not in the log", async () => {
  const secret = new URL(loopback.url("horizon"));
  secret.username = "user";
  secret.password = "hunter2";
  secret.searchParams.set("api_key", "sesame");
  const hidden = { ...loopback, url: () => secret.href, network: loopback.network };
  await using daemon = await openDaemon(hidden);
  await debug(daemon);
  const text = await (await daemon.get("/metrics")).text();
  const health = await (await daemon.get("/health")).text();
  expect(text).toContain(`node_address="${origin()}/…#`);
  for (const said of [text, health, JSON.stringify(daemon.log)])
    expect(said).not.toMatch(/hunter2|sesame|user|plain/);
});
