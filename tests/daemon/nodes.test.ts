// Nodes that fail under a daemon: a node that is back answers at once, a silent one costs no answer,
// and metrics and the log say when a node rests.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { nodeLabel } from "../../src/base/http/node-address.ts";
import { openDaemon, scrape } from "../support/daemon.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { openNode } from "../support/scripted-node.ts";
import { until } from "../support/until.ts";

let loopback: Loopback;
let hash: string;
beforeAll(() => {
  loopback = openLoopback();
  hash = loopback.network.transactions.find(({ soroban }) => soroban)?.hash ?? "";
});
afterAll(() => loopback[Symbol.asyncDispose]());

/** The recorded network, with these nodes before its own. */
const behind = (...urls: string[]): Loopback => ({
  ...loopback,
  url: (api) => [...urls, loopback.url(api)].join(","),
});
const only = (url: string): Loopback => ({ ...loopback, url: () => url });
const sample = (name: string, node: string) =>
  `${name}{node_address="${nodeLabel(node)}",network="custom"}`;

test("the only node is asked by each request, and answers as soon as it is back", async () => {
  const first = openLoopback();
  const port = Number(new URL(first.url("rpc")).port);
  const { network } = first;
  const urls = { horizon: first.url("horizon"), rpc: first.url("rpc") };
  await first[Symbol.asyncDispose]();
  await using daemon = await openDaemon({ ...loopback, network, url: (api) => urls[api] });
  for (let count = 0; count < 3; count += 1)
    expect((await daemon.post("/v1/debug", { hash })).status).toBe(502);
  const node = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/…#[0-9a-f]{4}$/);
  expect((await scrape(daemon)).get(sample("svc_node_resting", urls.rpc))).toBe(0);
  await using back = openLoopback({ port });
  expect((await daemon.post("/v1/debug", { hash })).status).toBe(200);
  expect(back.requests.length).toBeGreaterThan(0);
  const log = () => daemon.log.filter(({ message }) => String(message).startsWith("node "));
  await until(() => log().at(-1)?.level === "info");
  expect(log()[0]).toMatchObject({ level: "warn", message: "node fails", node });
  expect(log()[0]).toMatchObject({ code: "NETWORK_UNREACHABLE" });
  expect(log().at(-1)).toMatchObject({ message: "node answers again", node });
  const samples = await scrape(daemon);
  expect(samples.has(sample("svc_node_rests_total", urls.rpc))).toBe(false);
  expect(samples.get(sample("svc_node_resting", urls.rpc))).toBe(0);
});

test("a node that refuses connections rests, while another answers", async () => {
  const refuses = "http://127.0.0.1:1";
  await using daemon = await openDaemon(behind(refuses));
  for (let count = 0; count < 3; count += 1)
    expect((await daemon.post("/v1/debug", { hash })).status).toBe(200);
  const samples = await scrape(daemon);
  expect(samples.get(sample("svc_node_rests_total", refuses))).toBeGreaterThan(0);
  expect(samples.has(sample("svc_node_rests_total", loopback.url("rpc")))).toBe(false);
});

test("a silent node before another costs a debug run little, and calls that are passed on nothing", async () => {
  await using silent = openNode(() => new Promise(() => {}));
  await using daemon = await openDaemon(behind(silent.url), { timeout: "8s" });
  expect((await daemon.post("/v1/debug", { hash })).status).toBe(200);
  // Each time, it is asked for its network too.
  expect(silent.asked.length).toBeLessThan(5);
  const before = silent.asked.length;
  const call = { jsonrpc: "2.0", id: 1, method: "getLatestLedger" };
  for (let count = 0; count < 3; count += 1)
    expect((await daemon.post("/rpc", call)).status).toBe(200);
  expect(silent.asked.length).toBe(before);
});

test.each([
  ["500", () => new Response("trouble", { status: 500 })],
  ["429", () => new Response("", { status: 429, headers: { "retry-after": "60" } })],
])(
  "a node that answers %s before another rests, and is not asked by each request",
  async (status, answer) => {
    await using first = openNode(answer);
    await using daemon = await openDaemon(behind(first.url));
    const debug = async () => expect((await daemon.post("/v1/debug", { hash })).status).toBe(200);
    const call = { jsonrpc: "2.0", id: 1, method: "getLatestLedger" };
    await debug();
    const before = first.asked.length;
    for (let count = 0; count < 5; count += 1) {
      await debug();
      expect((await daemon.post("/rpc", call)).status).toBe(200);
    }
    // After one second it may be tried again, unless it has asked for more time.
    expect(first.asked.length - before).toBeLessThan(status === "429" ? 1 : 8);
    const rested = daemon.log.filter(({ message }) => message === "node rests");
    expect(rested[0]).toMatchObject({ node: first.url });
    expect((await scrape(daemon)).get(sample("svc_node_rests_total", first.url))).toBeGreaterThan(
      0,
    );
  },
);

test("a failed call of /rpc is logged with its method and code, and counted", async () => {
  await using daemon = await openDaemon(only("http://127.0.0.1:1"));
  const call = (method: string, params: object, id = 1) => ({ jsonrpc: "2.0", id, method, params });
  const ids = { "x-request-id": "alone" };
  await daemon.post("/rpc", call("getHealth", {}), ids);
  await daemon.post("/rpc", call("debugTransaction", { hash: "1" }), { "x-request-id": "wrong" });
  await daemon.post("/rpc", [call("getHealth", {}), call("nothing", {}, 2)], {
    "x-request-id": "batch",
  });
  await daemon.post("/rpc", "{", { "x-request-id": "unread" });
  const lines = () => daemon.log.filter(({ route }) => route === "/rpc");
  await until(() => lines().length === 4);
  expect(lines()).toMatchObject([
    { requestId: "alone", status: 200, rpcMethod: "getHealth", code: "NETWORK_UNREACHABLE" },
    { requestId: "wrong", status: 200, rpcMethod: "debugTransaction", code: "HASH_INVALID" },
    // One line, whatever a batch has: the worst of its failures, and how many there are.
    { requestId: "batch", status: 200, code: "NETWORK_UNREACHABLE", failedCalls: 2 },
    { requestId: "unread", status: 400, code: "REQUEST_INVALID" },
  ]);
  expect(lines()[0]).toMatchObject({ level: "error", error: expect.stringContaining("refused") });
  const samples = await scrape(daemon);
  const calls = (method: string, outcome: string) =>
    samples.get(`svc_rpc_calls_total{method="${method}",outcome="${outcome}"}`);
  expect(calls("getHealth", "error")).toBe(2);
  expect(calls("debugTransaction", "invalid")).toBe(1);
  expect(calls("other", "invalid")).toBe(2);
});
