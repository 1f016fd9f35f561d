// A connection that ends before its answer: the client has left, or another request came on it too
// early. The work ends, the log says so once, and no alert of the operators fires.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openDaemon, scrape, type TestDaemon } from "../support/daemon.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { openNode } from "../support/scripted-node.ts";
import { until } from "../support/until.ts";

let loopback: Loopback;
beforeAll(() => {
  loopback = openLoopback();
});
afterAll(() => loopback[Symbol.asyncDispose]());

/** A daemon whose node answers when it is released. */
async function openWaiting() {
  const released = Promise.withResolvers<void>();
  const node = openNode(async () => {
    await released.promise;
    return { status: "healthy" };
  });
  const urls = { rpcUrl: node.url, horizonUrl: node.url };
  const daemon = await openDaemon(loopback, urls);
  return {
    daemon,
    node,
    async [Symbol.asyncDispose]() {
      released.resolve();
      await daemon[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
    },
  };
}

/** What the log says of requests that failed. */
function failuresOf({ log }: TestDaemon) {
  return log.filter(({ code }) => code !== undefined).map(({ route, code }) => [route, code]);
}

async function expectNobodyIsPaged(daemon: TestDaemon) {
  const samples = [...(await scrape(daemon)).keys()];
  expect(samples.filter((each) => /fault="(daemon|node)"/.test(each))).toEqual([]);
  expect(samples.filter((each) => /svc_rpc_calls_total.*outcome="error"/.test(each))).toEqual([]);
  expect(samples.filter((each) => /remote_node_response_total.*"error"/.test(each))).toEqual([]);
}

const call = (id = 1) => ({ jsonrpc: "2.0", id, method: "getHealth" });
const hash = "ab".repeat(32);
const arguments_ = { name: "debug_transaction", arguments: { hash } };
const accept = (accept: string) => ({ accept });

describe("a client that leaves", () => {
  test.each([
    ["a call", "/rpc", call(), {}],
    ["a batch", "/rpc", [call(1), call(2)], {}],
    ["a notification", "/rpc", { jsonrpc: "2.0", method: "getHealth" }, {}],
    ["a debug run", "/v1/debug", { hash }, {}],
    ["a debug run with progress", "/v1/debug", { hash }, accept("text/event-stream")],
    [
      "a debug run of JSON-RPC",
      "/rpc",
      { ...call(), method: "debugTransaction", params: { hash } },
      {},
    ],
    [
      "a tool",
      "/mcp",
      { ...call(), method: "tools/call", params: arguments_ },
      accept("application/json, text/event-stream"),
    ],
  ])("before the answer to %s makes no error of svc", async (_, path, body, headers) => {
    await using waiting = await openWaiting();
    const { daemon, node } = waiting;
    const leaving = new AbortController();
    const answer = fetch(`${daemon.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal: leaving.signal,
    }).then((response) => response.text());
    await until(() => node.asked.length > 0);
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await until(() => failuresOf(daemon).length > 0);
    expect(failuresOf(daemon)).toEqual([[path, "INTERRUPTED"]]);
    await expectNobodyIsPaged(daemon);
  });
});

/** All that a server sends until it closes the connection. */
async function answersTo(port: number, packets: readonly (() => Promise<string>)[]) {
  const { promise, resolve } = Promise.withResolvers<string>();
  let received = "";
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data(_, bytes) {
        received += bytes.toString();
      },
      close: () => resolve(received),
    },
  });
  for (const packet of packets) {
    socket.write(await packet());
    socket.flush();
  }
  return promise;
}

function written(body: string, isChunked: boolean): string {
  const length = isChunked ? "transfer-encoding: chunked" : `content-length: ${body.length}`;
  const framed = isChunked ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body;
  return (
    "POST /rpc HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n" +
    `${length}\r\n\r\n${framed}`
  );
}

describe("a request that comes before the answer to the one before", () => {
  const first = [
    ["in chunks", true],
    ["with a length", false],
  ] as const;

  test.each(first)("closes the connection: Bun's own server, a body %s", async (_, isChunked) => {
    const begun: string[] = [];
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        begun.push(await request.text());
        await new Promise(setImmediate);
        return new Response("an answer");
      },
    });
    const both = written("1", isChunked) + written("2", false);
    expect(await answersTo(server.port ?? 0, [async () => both])).toBe("");
    expect(begun).toEqual(["1"]);
    await server.stop(true);
  });

  test.each(first)("is not run, and the daemon goes on: a body %s", async (_, isChunked) => {
    const texts = [
      written(JSON.stringify(call(1)), isChunked),
      written(JSON.stringify(call(2)), false),
    ];
    for (const isOnePacket of [true, false]) {
      await using waiting = await openWaiting();
      const { daemon, node } = waiting;
      const asked = () => until(() => node.asked.length > 0);
      const packets = isOnePacket
        ? [async () => texts.join("")]
        : [async () => texts[0] ?? "", async () => asked().then(() => texts[1] ?? "")];
      expect(await answersTo(Number(new URL(daemon.url).port), packets)).toBe("");
      await until(() => failuresOf(daemon).length > 0);
      expect(failuresOf(daemon)).toEqual([["/rpc", "INTERRUPTED"]]);
      await expectNobodyIsPaged(daemon);
      expect((await daemon.get("/health")).status).toBe(200);
      expect(daemon.log.filter(({ route }) => route === "/rpc")).toHaveLength(1);
    }
  });
});
