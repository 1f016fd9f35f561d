// A dead node costs a run two requests, whatever the dozen questions of the run are, and a node that
// is there is asked as without this.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { openEngines } from "../../src/debugger/setup/open-engines.ts";
import { openTools } from "../../src/tools/tools.ts";
import { failureOf } from "../support/failure.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { resolveConfig } from "../support/settings.ts";

let loopback: Loopback;
let hash: string;
beforeAll(() => {
  ensureBuilt();
  loopback = openLoopback();
  hash = loopback.network.transactions.find(({ n }) => n === 43)?.hash ?? "";
}, 900_000);
afterAll(() => loopback[Symbol.asyncDispose]());

type Answer = (method: string, count: number, body: string) => Response | Promise<Response>;

/** An RPC node that answers so; `asked`: the methods. */
function openRpc(answer: Answer) {
  const asked: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = await request.text();
      const { method } = JSON.parse(body) as { readonly method: string };
      asked.push(method);
      return answer(method, asked.length, body);
    },
  });
  const close = async () => void (await server.stop(true));
  return { asked, url: server.url.href, [Symbol.asyncDispose]: close };
}

const honest: Answer = (_, __, body) => fetch(loopback.url("rpc"), { method: "POST", body });
const status = (code: number, headers: Record<string, string> = {}) =>
  new Response("no", { status: code, headers });

/** `svc debug`, but for the command line. */
function debug(rpcUrl: string, horizonUrl = loopback.url("horizon")) {
  const { passphrase: networkPassphrase } = loopback.network;
  const config = resolveConfig({
    flags: { networkPassphrase, horizonUrl, rpcUrl, simPath: SIMULATOR_BINARY },
    environment: {},
    file: null,
  });
  const surroundings = { executablePath: "/nowhere/svc", searchPath: undefined };
  const tools = openTools(openEngines(config, { surroundings, proof: null }));
  return async () => {
    const run = { signal: NEVER_ABORTED, progress: () => {} };
    return (await tools.debug({ hash }, {}, run)).verdict?.kind;
  };
}

describe("a dead RPC node beside a healthy Horizon", () => {
  test.each([
    ["500", () => status(500)],
    ["503", () => status(503)],
    ["429", () => status(429)],
    ["401", () => status(401)],
  ])("%s: two requests at most, in each run", async (_, answer: Answer) => {
    await using rpc = openRpc(answer);
    const run = debug(rpc.url);
    for (const most of [2, 4]) {
      expect((await failureOf(run())).code).toStartWith("NETWORK_");
      expect(rpc.asked.length).toBeLessThanOrEqual(most);
    }
  });

  test.each([
    ["a web page", () => new Response("<html></html>")],
    ["an answer of another form", () => Response.json({ jsonrpc: "2.0", id: 1, result: 5 })],
  ])("%s: nothing is asked after the first failures", async (_, answer: Answer) => {
    await using rpc = openRpc(answer);
    expect((await failureOf(debug(rpc.url)())).code).toStartWith("NETWORK_");
    expect(rpc.asked.length).toBeLessThanOrEqual(6);
  });

  test("one behind it that is healthy answers", async () => {
    await using dead = openRpc(() => status(500));
    await using rpc = openRpc(honest);
    expect(await debug(`${dead.url},${rpc.url}`)()).toBe("exact");
    expect(dead.asked).toEqual(["getNetwork", "getNetwork"]);
  });
});

test("a dead Horizon beside a healthy RPC node is asked two questions, twice each", async () => {
  const asked: string[] = [];
  await using horizon = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      asked.push(new URL(request.url).pathname);
      return status(500);
    },
  });
  await using rpc = openRpc(honest);
  expect(await debug(rpc.url, horizon.url.href)()).toBe("exact");
  expect(asked.toSorted()).toEqual(["/", "/", `/transactions/${hash}`, `/transactions/${hash}`]);
});

test("a node that has trouble for a moment answers in the same run", async () => {
  await using rpc = openRpc((...given) =>
    given[1] === 1 ? status(429, { "retry-after": "1" }) : honest(...given),
  );
  expect(await debug(rpc.url)()).toBe("exact");
});

test("a node that fails at one kind of question still answers the others", async () => {
  await using rpc = openRpc((...given) =>
    given[0] === "getLedgers" ? status(503) : honest(...given),
  );
  await debug(rpc.url)();
  expect(rpc.asked).toContain("getLedgerEntries");
  // Three questions need ledgers: four attempts at each, and none at those that follow.
  const ofLedgers = rpc.asked.filter((method) => method === "getLedgers");
  expect(ofLedgers.length).toBeLessThanOrEqual(12);
});

test("a node that is back is asked in the next run", async () => {
  let isBack = false;
  await using rpc = openRpc((...given) => (isBack ? honest(...given) : status(500)));
  const run = debug(rpc.url);
  expect((await failureOf(run())).code).toBe("NETWORK_BAD_STATUS");
  isBack = true;
  expect(await run()).toBe("exact");
});

test("a healthy node gets no request more than the questions, but which network it is of", async () => {
  await using rpc = openRpc(honest);
  const run = debug(rpc.url);
  expect(await run()).toBe("exact");
  expect(rpc.asked.filter((method) => method === "getNetwork")).toHaveLength(1);
  const first = rpc.asked.length;
  expect(await run()).toBe("exact");
  expect(rpc.asked.filter((method) => method === "getNetwork")).toHaveLength(1);
  expect(rpc.asked.length).toBeLessThan(2 * first);
});
