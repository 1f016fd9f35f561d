// What a client itself gets wrong is answered with a status below 500 and counts as no run and as
// no failure of a node: no client can make an alert fire. And no answer has the server's paths.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { fakeSimulator } from "../simulator/fake-simulator.ts";
import { openDaemon, scrape, type TestDaemon } from "../support/daemon.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { openNode, rpcError } from "../support/scripted-node.ts";

const WALKS = join(import.meta.dir, "..", "fixtures", "protocol");
const ERRORS = 'simulation_execution_total{status="error"}';

let loopback: Loopback;
beforeAll(() => {
  loopback = openLoopback();
});
afterAll(() => loopback[Symbol.asyncDispose]());

// biome-ignore lint/suspicious/noExplicitAny: a request as the fixture has it
type Written = any;

function recorded(): Written {
  const [name = ""] = readdirSync(WALKS).sort();
  return JSON.parse(readFileSync(join(WALKS, name), "utf8")).request;
}

async function answerTo(daemon: TestDaemon, path: string, body: unknown) {
  const answer = await daemon.post(path, body);
  const { error } = (await answer.json()) as { error?: { code: string; message: string } };
  return { status: answer.status, code: error?.code ?? "none", message: error?.message ?? "" };
}

describe("in a request to simulate", () => {
  const request = recorded();
  const [first = "", second = ""] = Object.keys(request.ledger_entries);
  const other = request.ledger_entries[second];
  const withEntries = (more: object) => ({
    ...request,
    ledger_entries: { ...request.ledger_entries, ...more },
  });
  const withFacts = (more: object) => ({ ...request, ledger: { ...request.ledger, ...more } });

  test.each([
    ["an entry that is no XDR", withEntries({ [first]: "AAAA" }), "ledger_entries"],
    ["an entry in an object", withEntries({ [first]: { entry_xdr: "AAAA" } }), "ledger_entries"],
    ["an entry of another key", withEntries({ [first]: other }), "ledger_entries"],
    ["a key that is no XDR", withEntries({ AAAA: other }), "ledger_entries"],
    ["an envelope that is no XDR", { ...request, envelope_xdr: "AAAA" }, "envelope_xdr"],
    ["an envelope alone", { envelope_xdr: "AAAA" }, "envelope_xdr"],
    ["a meta that is no XDR", { ...request, result_meta_xdr: "AAAA" }, "result_meta_xdr"],
    ["a setting that is no XDR", withFacts({ settings: ["AAAA"] }), "ledger.settings"],
    ["a protocol that is too new", withFacts({ protocol_version: 99 }), "ledger.protocol_version"],
    ["a protocol that is too old", withFacts({ protocol_version: 19 }), "ledger.protocol_version"],
  ])("%s is refused", async (_, body, field) => {
    await using daemon = await openDaemon(loopback);
    const { status, code, message } = await answerTo(daemon, "/v1/simulate", body);
    expect([status, code]).toEqual([400, "REQUEST_INVALID"]);
    expect(message).toStartWith(`The request is not valid: ${field}: `);
    expect((await scrape(daemon)).has(ERRORS)).toBe(false);
  });

  test("a deadline that is too early is named, and one of the daemon's own is not the client's", async () => {
    using fake = fakeSimulator(
      'if (process.argv[2] === "--version") out(JSON.stringify({ version: "0", hosts: [] })); ' +
        'else for await (const r of lines()) { fail(r.id, { code: "DEADLINE", message: "late" }); process.exit(1); }',
    );
    await using daemon = await openDaemon(loopback, { simulatorPath: fake.path });
    const early = { ...request, options: { deadline_milliseconds: 5 } };
    expect(await answerTo(daemon, "/v1/simulate", early)).toMatchObject({
      ...{ status: 422, code: "DEADLINE_TOO_EARLY" },
      message: "The run did not end within 5 ms, the deadline of the request.",
    });
    expect((await scrape(daemon)).has(ERRORS)).toBe(false);
    for (const options of [undefined, { deadline_milliseconds: 1_000_000 }]) {
      const own = await answerTo(daemon, "/v1/simulate", { ...request, options });
      expect(own).toMatchObject({ status: 504, code: "SIMULATOR_TIMEOUT" });
    }
    expect((await scrape(daemon)).get(ERRORS)).toBe(2);
  });

  test("an envelope for simulateTransaction and for the page is refused", async () => {
    await using daemon = await openDaemon(loopback);
    for (const transaction of ["AAAA", request.envelope_xdr.slice(0, 40), "!!"]) {
      const call = {
        jsonrpc: "2.0",
        id: 1,
        method: "simulateTransaction",
        params: { transaction },
      };
      await answerTo(daemon, "/rpc", call);
      const page = await daemon.post("/simulations", { transaction });
      expect(page.status).toBeLessThan(500);
    }
    const samples = await scrape(daemon);
    expect(samples.has(ERRORS)).toBe(false);
    const calls = [...samples.keys()].filter((key) => key.startsWith("svc_rpc_calls_total"));
    expect(calls.filter((key) => key.includes('outcome="error"'))).toEqual([]);
  });
});

describe("of a node, an attempt is", () => {
  // The rule: docs/daemon.md, "Metrics".
  test.each([
    ["success", "its answer", 200, { result: { sequence: 7 } }],
    ["success", "a wrong request", 200, { error: { code: -32600, message: "no" } }],
    ["success", "an unknown method", 200, { error: { code: -32601, message: "no" } }],
    ["success", "wrong parameters", 200, { error: { code: -32602, message: "no" } }],
    ["error", "its own trouble", 200, { error: { code: -32603, message: "no" } }],
    ["error", "a request it cannot parse", 200, { error: { code: -32700, message: "no" } }],
    ["error", "an error of the server", 200, { error: { code: -32000, message: "no" } }],
    ["error", "an error of the server", 200, { error: { code: -32099, message: "no" } }],
    ["success", "wrong parameters, with 400", 400, { error: { code: -32602, message: "no" } }],
    ["error", "its own trouble, with 400", 400, { error: { code: -32603, message: "no" } }],
    ["error", "400 of a gateway", 400, "no"],
    ["error", "404 of a gateway", 404, "no"],
    ["success", "a request that is too large", 413, "no"],
    ["error", "401", 401, "no"],
    ["error", "429", 429, { error: { code: -32602, message: "no" } }],
    ["error", "500", 500, { error: { code: -32602, message: "no" } }],
    ["error", "a page", 200, "<html>"],
    ["error", "something else", 200, { result: { sequence: "7" } }],
  ] as const)("%s: %s", async (status, _, httpStatus, body) => {
    await using node = openNode(() => {
      const text = typeof body === "string" ? body : { jsonrpc: "2.0", id: 1, ...body };
      const init = { status: httpStatus, headers: { "retry-after": "1000" } };
      return typeof text === "string" ? new Response(text, init) : Response.json(text, init);
    });
    await using daemon = await openDaemon(loopback, { rpcUrl: node.url });
    const call = { jsonrpc: "2.0", id: 1, method: "getLatestLedger" };
    await (await daemon.post("/rpc", call)).text();
    const samples = await scrape(daemon);
    const counted = ["success", "error"].filter((each) =>
      samples.has(
        `remote_node_response_total{node_address="${node.url}",network="custom",status="${each}"}`,
      ),
    );
    expect(counted).toEqual([status]);
    const last = `remote_node_last_response_timestamp_seconds{node_address="${node.url}",network="custom"}`;
    expect(samples.has(last)).toBe(status === "success");
  });

  test("a success if a client asked for too much, and the call is the client's to change", async () => {
    const large = new Uint8Array(65 * 1024 * 1024).fill(0x20);
    await using node = openNode(() => new Response(large));
    await using daemon = await openDaemon(loopback, { rpcUrl: node.url });
    const call = { jsonrpc: "2.0", id: 1, method: "getLedgers", params: { startLedger: 2 } };
    const { message } = await answerTo(daemon, "/rpc", call);
    expect(message).toBe("The answer of getLedgers has more than 67108864 bytes.");
    const samples = await scrape(daemon);
    const series = `remote_node_response_total{node_address="${node.url}",network="custom",status=`;
    expect([samples.get(`${series}"success"}`), samples.has(`${series}"error"}`)]).toEqual([
      1,
      false,
    ]);
    expect(samples.get('svc_rpc_calls_total{method="getLedgers",outcome="invalid"}')).toBe(1);
  });

  test("an error if a node refuses what svc itself asks for in its own words", async () => {
    await using node = openNode(() => rpcError(-32603, "e".repeat(100_000)));
    await using daemon = await openDaemon(loopback, { rpcUrl: node.url });
    const call = { jsonrpc: "2.0", id: 1, method: "getHealth" };
    const { message } = await answerTo(daemon, "/rpc", call);
    expect(message.length).toBeLessThan(500);
  });
});

describe("the server's paths", () => {
  const CALLS: readonly (readonly [string, unknown])[] = [
    ["/v1/simulate", recorded()],
    ["/rpc", { jsonrpc: "2.0", id: 1, method: "debugTransaction", params: {} }],
  ];
  const hash = () => loopback.network.named("inc persistent counter #1").hash;
  const version =
    'if (process.argv[2] === "--version") out(JSON.stringify({ version: "0", hosts: [] })); else ';

  test.each([
    ["dies", `{ console.error(import.meta.dir); process.exit(3); }`],
    ["talks nonsense", `for await (const r of lines()) out(import.meta.dir + "\\n");`],
    [
      "refuses",
      `for await (const r of lines()) fail(r.id, { code: "SIM_PANIC", message: "boom" });`,
    ],
    [
      "is too old",
      `for await (const r of lines()) fail(r.id, { code: "UNSUPPORTED_PROTOCOL", message: "no host" });`,
    ],
    ["hangs", `await new Promise(() => setInterval(() => {}, 1e9));`],
  ])(
    "are in no answer if svc-sim %s",
    async (_, body) => {
      using fake = fakeSimulator(version + body.replace("out(import.meta.dir", 'out("no json"'));
      const options = { simulatorPath: fake.path, timeout: "2s" };
      await using daemon = await openDaemon(loopback, options);
      const request = recorded();
      for (const [path, given] of [
        ...CALLS,
        [
          "/v1/simulate",
          { ...request, ledger: { ...request.ledger, protocol_version: undefined } },
        ],
        ["/v1/debug", { hash: hash() }],
        ["/what-ifs", { hash: hash(), overrides: {} }],
      ] as const) {
        const text = await (await daemon.post(path, given)).text();
        expect(text).not.toContain(fake.directory);
        expect(text).not.toContain("svc-fake-sim");
      }
      expect(await (await daemon.get("/ready")).text()).not.toContain(fake.directory);
    },
    60_000,
  );

  test("are in no answer if svc-sim is not there any more", async () => {
    const directory = mkdtempSync(join(tmpdir(), "svc-paths-"));
    mkdirSync(join(directory, "bin"));
    const simulatorPath = join(directory, "bin", "svc-sim");
    copyFileSync(SIMULATOR_BINARY, simulatorPath);
    await using daemon = await openDaemon(loopback, { simulatorPath });
    rmSync(directory, { recursive: true });
    for (const [path, given] of [...CALLS, ["/v1/debug", { hash: hash() }]] as const)
      expect(await (await daemon.post(path, given)).text()).not.toContain(directory);
    const ready = await daemon.get("/ready");
    expect([ready.status, await ready.text()]).toEqual([
      503,
      expect.not.stringContaining(directory),
    ]);
  });
});
