// The work of the daemon: the report of the command line, svc-sim's response, progress, and
// JSON-RPC. Equal requests at the same time share one run.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { svc } from "../cli/run-svc.ts";
import { openDaemon, scrape, type TestDaemon } from "../support/daemon.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";

const WALKS = join(import.meta.dir, "..", "fixtures", "protocol");

let loopback: Loopback;
let daemon: TestDaemon;
let hash: string;
beforeAll(async () => {
  loopback = openLoopback();
  daemon = await openDaemon(loopback);
  hash = loopback.network.transactions.find(({ status }) => status === "FAILED")?.hash ?? "";
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await loopback[Symbol.asyncDispose]();
});

/** Two runs differ only in this. */
const withoutTimes = (text: string) => text.replace(/"hostNanoseconds": \d+/, "");

describe("POST /v1/debug", () => {
  test("answers the very document of svc debug --json", async () => {
    const answer = await daemon.post("/v1/debug", { hash: hash.toUpperCase() });
    expect(answer.headers.get("content-type")).toBe("application/json");
    const nodes = ["--horizon-url", loopback.url("horizon"), "--rpc-url", loopback.url("rpc")];
    const network = ["--network-passphrase", loopback.network.passphrase];
    const words = ["debug", hash, "--json", "--sim-path", SIMULATOR_BINARY, ...nodes, ...network];
    const { stdout } = await svc(words);
    expect(withoutTimes(await answer.text())).toBe(withoutTimes(stdout));
  });

  test("sends its progress to clients that accept events", async () => {
    const events = { accept: "text/event-stream" };
    const answer = await daemon.post("/v1/debug", { hash }, events);
    expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const told = parseEvents(await answer.text());
    expect(new Set(told.slice(0, -1).map(({ name }) => name))).toEqual(new Set(["progress"]));
    expect(told[0]?.data).toEqual({ text: `fetching transaction ${hash}` });
    expect(told.at(-1)).toMatchObject({ name: "report", data: { format: 1, hash } });
  });

  test("ends the events with the error, when that is the answer", async () => {
    const events = { accept: "text/html, text/event-stream;q=0.9" };
    const answer = await daemon.post("/v1/debug", { hash: "ab".repeat(32) }, events);
    expect(answer.status).toBe(200);
    const told = parseEvents(await answer.text());
    expect(told.at(-1)).toMatchObject({
      name: "error",
      data: { error: { code: "TRANSACTION_NOT_FOUND" } },
    });
  });

  test("walks once for those who ask at the same time", async () => {
    await using fresh = await openDaemon(loopback);
    const before = loopback.requests.length;
    await (await fresh.post("/v1/debug", { hash })).text();
    const calls = loopback.requests.length - before;
    const runs = async () =>
      (await scrape(fresh)).get('simulation_execution_total{status="success"}');
    const once = (await runs()) ?? 0;
    expect(once).toBeGreaterThan(0);
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => (await fresh.post("/v1/debug", { hash })).text()),
    );
    expect(new Set(answers).size).toBe(1);
    expect(loopback.requests.length - before).toBeLessThanOrEqual(2 * calls);
    expect(await runs()).toBe(2 * once);
  });
});

describe("POST /v1/simulate", () => {
  for (const name of readdirSync(WALKS))
    test(`answers what svc-sim answers: ${name}`, async () => {
      const walk = JSON.parse(readFileSync(join(WALKS, name), "utf8"));
      const answer = await daemon.post("/v1/simulate", walk.request);
      expect(answer.status).toBe(200);
      const { host_nanoseconds: _, ...response } = (await answer.json()) as Record<string, unknown>;
      const { host_nanoseconds: __, id: ___, ...expected } = walk.response;
      expect(response).toEqual(expected);
    });

  test("entries that are not given are absent, and assumptions are listed", async () => {
    const walk = JSON.parse(readFileSync(join(WALKS, "sac-transfer.json"), "utf8"));
    const { envelope_xdr } = walk.request;
    const answer = await daemon.post("/v1/simulate", { envelope_xdr, ledger_entries: {} });
    const { assumed, transaction_hash } = (await answer.json()) as Record<string, unknown>;
    expect(transaction_hash).toBe(walk.response.transaction_hash);
    expect((assumed as { what: string }[]).map(({ what }) => what)).toContain("protocol_version");
  });

  test("what the client calls a request is in its answer", async () => {
    const walk = JSON.parse(readFileSync(join(WALKS, "sac-transfer.json"), "utf8"));
    for (const id of [7, "mine", null, { a: [1] }]) {
      const answer = await daemon.post("/v1/simulate", { ...walk.request, id });
      const response = (await answer.json()) as Record<string, unknown>;
      expect(response).toMatchObject({ id, transaction_hash: walk.response.transaction_hash });
    }
  });

  test("an envelope alone runs on the latest ledger", async () => {
    const transaction = loopback.network.transactions.find(
      ({ name }) => name === "same ledger: inc main #3",
    );
    if (transaction === undefined) throw new Error("it was not recorded");
    const { simulation, rpcGetTransaction } = loopback.network.file(transaction);
    const tip = `tip=${simulation?.latestLedger}`;
    await using there = await openDaemon(loopback, { rpc: tip });
    const envelope_xdr = String(rpcGetTransaction.result.envelopeXdr);
    const answer = await there.post("/v1/simulate", { envelope_xdr });
    const response = (await answer.json()) as {
      readonly outcome: unknown;
      readonly transaction_hash: string;
      readonly assumed: readonly { readonly what: string }[];
    };
    expect(response.outcome).toEqual({ kind: "success" });
    expect(response.transaction_hash).toBe(transaction.hash);
    // Facts that only a closed ledger has.
    const unknown = ["base_prng_seed", "application_order"];
    expect(response.assumed.map(({ what }) => what)).toEqual(unknown);
  });

  test("refuses fields that only svc-sim may set, and text that is not XDR", async () => {
    const walk = JSON.parse(readFileSync(join(WALKS, "sac-transfer.json"), "utf8"));
    const [key] = Object.keys(walk.request.ledger_entries);
    const refused = [
      [],
      {},
      { envelope_xdr: "AAAA" },
      { ...walk.request, define: { 1: "AAAA" } },
      { ...walk.request, ledger_entries: { [key ?? ""]: "#1" } },
      { ...walk.request, options: { deadline_milliseconds: -1 } },
      { ...walk.request, options: { deadline_milliseconds: 0 } },
    ];
    for (const request of refused) {
      const answer = await daemon.post("/v1/simulate", request);
      expect([answer.status, await answer.json()]).toMatchObject([
        400,
        { error: { code: "REQUEST_INVALID" } },
      ]);
    }
  });
});

describe("POST /rpc", () => {
  const call = async (body: unknown) => {
    const answer = await daemon.post("/rpc", body);
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? null : JSON.parse(text) };
  };
  const request = (method: string, params?: unknown, id: unknown = 1) => ({
    jsonrpc: "2.0",
    id,
    method,
    ...(params === undefined ? {} : { params }),
  });

  test("debugTransaction answers the report", async () => {
    const { status, body } = await call(request("debugTransaction", { hash }, "a"));
    expect([status, body]).toMatchObject([200, { jsonrpc: "2.0", id: "a", result: { hash } }]);
  });

  test("what the network knows is asked of its node", async () => {
    const { body } = await call([request("getNetwork"), request("getLatestLedger", {}, 2)]);
    expect(body).toMatchObject([
      { id: 1, result: { passphrase: loopback.network.passphrase } },
      { id: 2, result: { sequence: loopback.network.latestLedger } },
    ]);
  });

  test("a failure of a method is an error in the answer, with svc's own inside", async () => {
    const { status, body } = await call([
      request("debugTransaction", { hash: "1" }),
      request("debugTransaction", { hash: "ab".repeat(32) }, 2),
      request("sendTransactions", {}, 3),
      request("constructor", {}, 4),
      7,
    ]);
    expect(status).toBe(200);
    expect(body).toMatchObject([
      { id: 1, error: { code: -32602, data: { code: "HASH_INVALID" } } },
      { id: 2, error: { code: -32000, data: { code: "TRANSACTION_NOT_FOUND" } } },
      { id: 3, error: { code: -32601 } },
      { id: 4, error: { code: -32601 } },
      { id: null, error: { code: -32600 } },
    ]);
  });

  test("a body that is not a request is refused, and a notification has no answer", async () => {
    expect(await call("{")).toMatchObject({ status: 400, body: { error: { code: -32700 } } });
    for (const body of [[], {}, "1", { ...request("getHealth"), more: 1 }, Array(21).fill({})])
      expect(await call(body)).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
    const notification = { jsonrpc: "2.0", method: "getHealth" };
    expect(await call(notification)).toEqual({ status: 204, body: null });
    expect(await call([notification])).toEqual({ status: 204, body: null });
  });
});

function parseEvents(text: string): { readonly name: string; readonly data: unknown }[] {
  const blocks = text.split("\n\n").filter((block) => block.startsWith("event: "));
  return blocks.map((block) => {
    const [first = "", ...lines] = block.split("\n");
    const data = lines.map((line) => line.replace(/^data: /, "")).join("\n");
    return { name: first.slice("event: ".length), data: JSON.parse(data) };
  });
}
