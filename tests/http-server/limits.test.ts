// Clients that want too much: what one may declare, what a run may use, and that the others are
// answered meanwhile. Clients are told apart by a header.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fakeSimulator } from "../simulator/fake-simulator.ts";
import { openDaemon, scrape, type TestDaemon } from "../support/daemon.ts";
import { type Greed, greedyRequest } from "../support/greedy-contract.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { until } from "../support/until.ts";

/** What networks allow one transaction. */
const INSTRUCTIONS = 400_000_000;
const MEMORY_BYTES = 40 * 1024 * 1024;
const SMALL: Greed = { wants: "instructions", instructions: 1_000_000 };
const SPINS: Greed = { wants: "instructions", instructions: INSTRUCTIONS };

let loopback: Loopback;
beforeAll(() => {
  loopback = openLoopback();
});
afterAll(() => loopback[Symbol.asyncDispose]());

let sent = 0;
/** The spaces make each request different: equal ones would share a run. */
async function simulate(daemon: TestDaemon, greed: Greed, client = "one") {
  const body = JSON.stringify(greedyRequest(greed)) + " ".repeat(sent++);
  const answer = await daemon.post("/v1/simulate", body, { "x-client": client });
  const { error } = (await answer.json()) as { error?: { code: string; message: string } };
  return { status: answer.status, code: error?.code, message: error?.message ?? "" };
}

describe("a client that declares", () => {
  test("more than networks allow is refused", async () => {
    await using daemon = await openDaemon(loopback);
    const most = { ...SMALL, memoryBytes: MEMORY_BYTES };
    expect(await simulate(daemon, most)).toMatchObject({ status: 200 });
    for (const [greed, named] of [
      [{ ...SMALL, instructions: INSTRUCTIONS + 1 }, "instructions is 400000001"],
      [{ ...SMALL, memoryBytes: MEMORY_BYTES + 1 }, "txMemoryLimit is 41943041"],
      [{ ...SMALL, memoryBytes: 0xffff_ffff }, "txMemoryLimit is 4294967295"],
    ] as const) {
      const refused = await simulate(daemon, greed);
      expect(refused).toMatchObject({ status: 400, code: "LIMIT_TOO_HIGH" });
      expect(refused.message).toContain(named);
    }
    // Where nothing costs anything, no limit is ever reached.
    for (const greed of [SMALL, { ...SMALL, wants: "memory" }] as const) {
      const free = await simulate(daemon, { ...greed, free: true });
      expect(free).toMatchObject({ status: 400, code: "LIMIT_TOO_HIGH" });
      expect(free.message).toBe(
        "ledger.settings: the cpu cost of cost type 0 is 0 + 0 n; networks have 4 + 0 n, and this " +
          "daemon allows no less than half of that.",
      );
    }
    expect((await scrape(daemon)).has('simulation_execution_total{status="error"}')).toBe(false);
  });

  test("more than that is taken by a daemon for trusted clients", async () => {
    const settings = { maxInstructions: 4_000_000_000, maxTransactionMemory: 80 };
    await using daemon = await openDaemon(loopback, { daemon: settings });
    const more = { ...SMALL, instructions: 400_000_001, memoryBytes: 2 * MEMORY_BYTES };
    expect(await simulate(daemon, more)).toMatchObject({ status: 200 });
    const tooMuch = { ...SMALL, memoryBytes: 2 * MEMORY_BYTES + 1 };
    expect((await simulate(daemon, tooMuch)).code).toBe("LIMIT_TOO_HIGH");
  });
});

describe("a run that uses more than it declares", () => {
  test("memory: it ends with an error of its own, and the worker is replaced", async () => {
    const settings = { workers: 1, workerMemory: 256, maxTransactionMemory: 4096 };
    await using daemon = await openDaemon(loopback, { daemon: settings });
    const memoryBytes = 4_000_000_000;
    const grows: Greed = { wants: "memory", instructions: INSTRUCTIONS, memoryBytes };
    expect(await simulate(daemon, grows)).toMatchObject({
      status: 422,
      code: "SIMULATOR_OUT_OF_MEMORY",
    });
    expect(await simulate(daemon, SMALL)).toMatchObject({ status: 200 });
    expect((await scrape(daemon)).get("svc_workers_lost_total")).toBeGreaterThan(0);
  });

  test("CPU time: it is stopped", async () => {
    await using daemon = await openDaemon(loopback, {
      daemon: { workers: 1, simulationTime: "100ms", maxInstructions: 4_000_000_000 },
    });
    const spins = { ...SPINS, instructions: 4_000_000_000 };
    expect(await simulate(daemon, spins)).toMatchObject({ status: 504, code: "SIMULATOR_TIMEOUT" });
    expect(await simulate(daemon, SMALL)).toMatchObject({ status: 200 });
  });
});

describe("while one client has slow requests", () => {
  test("another is answered, and the daemon is ready", async () => {
    // Each of the runs takes the whole second, on a fast machine too.
    const instructions = 4_000_000_000;
    const daemonOptions = { maxInstructions: instructions, simulationTime: "1s" };
    const settings = { workers: 1, clientHeader: "X-Client", ...daemonOptions };
    await using daemon = await openDaemon(loopback, { daemon: settings });
    let ended = 0;
    // Equal requests would share one run, and end together.
    const greedy = Array.from({ length: 3 }, async (_, at) => {
      await simulate(daemon, { ...SPINS, instructions: instructions - at }, "greedy");
      ended += 1;
    });
    await until(async () => ((await scrape(daemon)).get("svc_simulations_in_flight") ?? 0) > 0);
    expect(await simulate(daemon, SMALL, "small")).toMatchObject({ status: 200 });
    expect((await daemon.get("/ready")).status).toBe(200);
    expect(ended).toBeLessThan(2);
    await Promise.all(greedy);
  });
});

describe("a daemon whose simulator hangs", () => {
  test("says so, and not that a node is late", async () => {
    using fake = fakeSimulator(
      'if (process.argv[2] === "--version") out(JSON.stringify({ version: "0", hosts: [] })); ' +
        "else await new Promise(() => setInterval(() => {}, 1e9));",
    );
    // With the shortest time limit, too.
    const options = { simulatorPath: fake.path, timeout: "1s", daemon: { workers: 1 } };
    await using daemon = await openDaemon(loopback, options);
    const [hung, ready] = await Promise.all([simulate(daemon, SMALL), daemon.get("/ready")]);
    expect(hung).toMatchObject({ status: 504, code: "SIMULATOR_TIMEOUT" });
    expect([ready.status, await ready.json()]).toMatchObject([
      503,
      { error: { code: "NOT_READY" } },
    ]);
    // Not that of readiness, which is no work.
    await until(async () => (await scrape(daemon)).get("svc_workers_lost_total") === 1);
    expect((await scrape(daemon)).get('simulation_execution_total{status="error"}')).toBe(1);
  });
});

test("with a short time limit, what waits behind a worker that hangs says so too", async () => {
  using fake = fakeSimulator(
    'if (process.argv[2] === "--version") out(JSON.stringify({ version: "0", hosts: [] })); ' +
      "else await new Promise(() => setInterval(() => {}, 1e9));",
  );
  const hash = loopback.network.transactions.find(({ soroban }) => soroban)?.hash ?? "";
  // A busy machine may need the shortest of these before the debug run asks svc-sim. If a node is to
  // blame every time, the daemon is wrong.
  for (const timeout of ["4s", "16s"]) {
    const options = { simulatorPath: fake.path, timeout, daemon: { workers: 1 } };
    await using daemon = await openDaemon(loopback, options);
    const behind = Array.from({ length: 12 }, () => simulate(daemon, SMALL));
    const debugged = daemon.post("/v1/debug", { hash });
    for (const answer of behind)
      expect(await answer).toMatchObject({ status: 504, code: "SIMULATOR_TIMEOUT" });
    const { error } = (await (await debugged).json()) as { error: { code: string } };
    if (error.code === "NETWORK_TIMEOUT" && timeout === "4s") continue;
    expect(error.code).toBe("SIMULATOR_TIMEOUT");
    return;
  }
});

test("what does not come in is refused before its body is read", async () => {
  using fake = fakeSimulator(
    'if (process.argv[2] === "--version") out(JSON.stringify({ version: "0", hosts: [] })); ' +
      'else for await (const r of lines()) { while (!(await Bun.file(import.meta.dir + "/go").exists())) ' +
      "await Bun.sleep(5); say(r.id); }",
  );
  const settings = { workers: 1, queue: 0, bodyMemory: 16 };
  await using daemon = await openDaemon(loopback, { simulatorPath: fake.path, daemon: settings });
  const body = (index: number) => `{"envelope_xdr":"AAAA","ledger_entries":{}}${" ".repeat(index)}`;
  const inside = Array.from({ length: 4 }, (_, index) => daemon.post("/v1/simulate", body(index)));
  await until(async () => (await scrape(daemon)).get("svc_requests_in_flight") === 5);
  // It announces a body and never sends it.
  expect(await answerTo(daemon, head("/v1/simulate", 1_000_000))).toMatch(
    /^HTTP\/1\.1 503 [\s\S]*retry-after: 1[\s\S]*"OVERLOADED"/i,
  );
  // There is room for requests of another kind, but not for their bodies together.
  const most = 16 * 1024 * 1024;
  const call = head("/rpc", most / 4 - 250);
  const waits = await Promise.all(Array.from({ length: 4 }, () => connect(daemon, call)));
  await until(
    async () => ((await scrape(daemon)).get("svc_request_body_bytes") ?? 0) > most - 1_001,
  );
  expect(await answerTo(daemon, head("/v1/debug", 2_000))).toContain('"OVERLOADED"');
  for (const socket of waits) socket.terminate();
  await until(async () => ((await scrape(daemon)).get("svc_request_body_bytes") ?? 0) < 1_000);
  writeFileSync(join(fake.directory, "go"), "");
  for (const answer of inside) expect((await answer).status).toBe(200);
  expect(daemon.log.filter(({ message }) => message === "refused").length).toBeLessThan(3);
});

const head = (path: string, bytes: number) =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n` +
  `content-length: ${bytes}\r\n\r\n{`;

async function answerTo(daemon: TestDaemon, text: string): Promise<string> {
  let answer = "";
  const socket = await connect(daemon, text, (part) => {
    answer += part;
  });
  await until(() => answer.includes("\r\n\r\n") && answer.endsWith("}"));
  socket.terminate();
  return answer;
}

async function connect(daemon: TestDaemon, text: string, take: (part: string) => void = () => {}) {
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(new URL(daemon.url).port),
    socket: { data: (_, bytes) => take(bytes.toString()) },
  });
  socket.write(text);
  socket.flush();
  return socket;
}
