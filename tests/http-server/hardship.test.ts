// Hard conditions of a real daemon: killed workers, too many requests, and clients that are slow,
// silent, gone or hostile. No client gets a wrong answer, and nothing leaks.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fakeSimulator } from "../simulator/fake-simulator.ts";
import { openDaemon, scrape, type TestDaemon } from "../support/daemon.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { until } from "../support/until.ts";

const WALKS = join(import.meta.dir, "..", "fixtures", "protocol");

interface Walk {
  readonly request: object;
  readonly response: Readonly<Record<string, unknown>>;
}

const walks: readonly Walk[] = readdirSync(WALKS).map((name) =>
  JSON.parse(readFileSync(join(WALKS, name), "utf8")),
);

let loopback: Loopback;
beforeAll(() => {
  loopback = openLoopback();
});
afterAll(() => loopback[Symbol.asyncDispose]());

/** The spaces make each request different. */
async function simulate(daemon: TestDaemon, index: number): Promise<[number, unknown]> {
  const walk = walks[index % walks.length] as Walk;
  const body = JSON.stringify(walk.request) + " ".repeat(index);
  const answer = await daemon.post("/v1/simulate", body);
  const document = (await answer.json()) as Record<string, unknown>;
  return [answer.status, comparable(document)];
}

const comparable = ({ host_nanoseconds: _, id: __, ...rest }: Record<string, unknown>) => rest;

/** The svc-sim processes of this process. */
function workers(): number[] {
  return readdirSync("/proc/self/task")
    .flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" "))
    .filter((pid) => pid !== "")
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("\0serve");
      } catch {
        return false;
      }
    });
}

const openFiles = () => readdirSync("/proc/self/fd").length;

test("no answer is lost when workers are killed with 200 requests in flight", async () => {
  // Other tests of this process may have simulators of their own.
  const others = new Set(workers());
  await using daemon = await openDaemon(loopback, { daemon: { workers: 2, queue: 500 } });
  let answered = 0;
  const killed = new Set<number>();
  const outcomes = Array.from({ length: 200 }, async (_, index) => {
    const outcome = await simulate(daemon, index);
    answered += 1;
    if (answered % 30 === 0)
      for (const pid of workers().filter((each) => !others.has(each))) {
        process.kill(pid, "SIGKILL");
        killed.add(pid);
      }
    return outcome;
  });
  for (const [index, [status, document]] of (await Promise.all(outcomes)).entries()) {
    const expected = comparable((walks[index % walks.length] as Walk).response);
    // Twice in flight when a worker died: the request may be the one that kills them.
    const suspect = status === 502 && { error: { code: "SIMULATOR_DIED" } };
    expect(document).toMatchObject(suspect || expected);
  }
  expect(killed.size).toBeGreaterThan(4);
  await until(async () => (await scrape(daemon)).get("svc_workers_lost_total") === killed.size);
  const samples = await scrape(daemon);
  expect(samples.get("svc_simulations_in_flight")).toBe(0);
  expect(samples.get("svc_queue_depth")).toBe(0);
});

test("what is more than there is room for is refused at once, and the rest is done", async () => {
  using fake = fakeSimulator(
    'if (process.argv[2] === "--version") out(JSON.stringify({ version: "0", hosts: [] })); ' +
      'else for await (const r of lines()) { while (!(await Bun.file(import.meta.dir + "/go").exists())) ' +
      "await Bun.sleep(5); say(r.id); }",
  );
  const options = { simulatorPath: fake.path, daemon: { workers: 1, queue: 6 } };
  await using daemon = await openDaemon(loopback, options);
  // A worker gets four requests; six may wait.
  const capacity = 4 + 6;
  const refused: (string | null)[] = [];
  const done: number[] = [];
  const all = Array.from({ length: 10 * capacity }, async (_, index) => {
    const body = `{"envelope_xdr":"AAAA","ledger_entries":{}}${" ".repeat(index)}`;
    const answer = await daemon.post("/v1/simulate", body);
    await answer.text();
    if (answer.status === 503) refused.push(answer.headers.get("retry-after"));
    else done.push(answer.status);
  });
  await until(() => refused.length === 9 * capacity);
  expect(done).toEqual([]);
  expect(new Set(refused)).toEqual(new Set(["1"]));
  expect((await daemon.get("/health")).status).toBe(200);
  expect((await daemon.get("/ready")).status).toBe(503);
  writeFileSync(join(fake.directory, "go"), "");
  await Promise.all(all);
  expect(done).toEqual(Array(capacity).fill(200));
});

test("the runs of many debugs keep no other client out, and no refusal is in a hurry", async () => {
  using fake = fakeSimulator(
    'if (process.argv[2] === "--version") out(JSON.stringify({ version: "0", hosts: [] })); ' +
      'else for await (const r of lines()) { while (!(await Bun.file(import.meta.dir + "/go").exists())) ' +
      "await Bun.sleep(5); say(r.id); }",
  );
  const settings = { workers: 1, queue: 2, clientHeader: "X-Client" };
  await using daemon = await openDaemon(loopback, {
    simulatorPath: fake.path,
    daemon: settings,
  });
  const hashes = loopback.network.transactions.filter(({ soroban }) => soroban).slice(0, 12);
  const as = (client: string) => ({ "x-client": client });
  const debugs = hashes.map(({ hash }) => daemon.post("/v1/debug", { hash }, as("debugs")));
  // Their runs wait for the one worker: more of them than simulations may wait.
  await until(async () => ((await scrape(daemon)).get("svc_queue_depth") ?? 0) > 2);
  const body = (index: number) => `{"envelope_xdr":"AAAA","ledger_entries":{}}${" ".repeat(index)}`;
  let refused = 0;
  const many = Array.from({ length: 20 }, async (_, index) => {
    const { status } = await daemon.post("/v1/simulate", body(index), as("many"));
    if (status === 503) refused += 1;
  });
  // A simulation that a call asks for has the same room.
  const call = { jsonrpc: "2.0", id: 1, method: "simulateTransaction", params: ENVELOPE };
  const calls = Array.from({ length: 3 }, () => daemon.post("/rpc", [call, call], as("many")));
  const third = daemon.post("/v1/simulate", body(100), as("third"));
  // The newest of six gives way to the third client.
  await until(() => refused === 20 - 6 + 1);
  for (const each of calls) {
    const text = await (await each).text();
    expect(text.match(/"OVERLOADED"/g)).toHaveLength(2);
  }
  writeFileSync(join(fake.directory, "go"), "");
  expect((await third).status).toBe(200);
  for (const each of await Promise.all(debugs)) expect(each.status).not.toBe(503);
  await Promise.all(many);
  // Refused calls of a batch are counted with the refused requests, and have no lines of their own.
  await until(() =>
    daemon.log.some(({ message, route }) => message === "refused" && route === "/rpc"),
  );
  expect(daemon.log.filter(({ code }) => code === "OVERLOADED")).toEqual([]);
});

const ENVELOPE = {
  transaction: walks[0]?.request && (walks[0].request as { envelope_xdr: string }).envelope_xdr,
};

test("clients that are silent, cut off or talk nonsense leave nothing behind", async () => {
  await using daemon = await openDaemon(loopback);
  const head = "POST /v1/simulate HTTP/1.1\r\nhost: svc\r\ncontent-type: application/json\r\n";
  const manners = [
    "",
    "POST /v1/simu",
    head,
    `${head}content-length: 1000000\r\n\r\n{"envelope_xdr":`,
    `${head}transfer-encoding: chunked\r\n\r\n5\r\n{"env\r\n`,
    `${head}transfer-encoding: chunked\r\n\r\nzz\r\n`,
    `${head}content-length: 99999999999\r\n\r\n`,
    `${head}content-length: 5\r\ncontent-length: 6\r\n\r\n{}`,
    "\u0016\u0003\u0001\u0002nonsense\r\n\r\n",
    `GET / HTTP/1.1\r\nhost: svc\r\nx: ${"y".repeat(100_000)}\r\n\r\n`,
  ];
  const round = () => Promise.all(manners.map((manner) => sendAndLeave(daemon, manner)));
  await round();
  const before = openFiles();
  for (let rounds = 0; rounds < 10; rounds += 1) await round();
  // fetch keeps two files open for each of ten connections; a leak would be 100.
  await until(() => openFiles() <= before + 20);
  await until(async () => (await scrape(daemon)).get("svc_requests_in_flight") === 1);
  expect((await simulate(daemon, 0))[0]).toBe(200);
  expect(daemon.log.filter(({ code }) => code === "INTERNAL")).toEqual([]);
});

/** Resolves when the bytes are sent and the connection is closed. */
async function sendAndLeave(daemon: TestDaemon, text: string): Promise<void> {
  const closed = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(new URL(daemon.url).port),
    socket: { data() {}, close: () => closed.resolve(), error: () => closed.resolve() },
  });
  socket.write(text);
  socket.flush();
  // The daemon sees each before it is gone.
  await (await daemon.get("/health")).text();
  socket.terminate();
  await closed.promise;
}
