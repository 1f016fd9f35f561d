// Every way of running svc-sim reports its runs: those that end with a result as success, crashes
// and hangs as errors. A process that holds the pipes of one that ended delays no report.

import { expect, test } from "bun:test";
import { type ErrorCode, SvcError } from "../../src/base/errors/errors.ts";
import { ENVELOPE_ALONE } from "../../src/simulator/client-fault.ts";
import { openOneShot, openRecordingOneShot } from "../../src/simulator/one-shot.ts";
import { openLedgerEngine, openTravelSimulator } from "../../src/simulator/open-processes.ts";
import { openPool, openRecordingPool } from "../../src/simulator/pool.ts";
import type { SimulatorProgram } from "../../src/simulator/simulator-program.ts";
import { failureOf } from "../support/failure.ts";
import { fakeSimulator, sampleRequest } from "./fake-simulator.ts";

const { signal: never } = new AbortController();
/** For what hangs. What answers or ends may take longer to start than that. */
const PATIENCE_MILLISECONDS = 200;
/** Far less than what hangs sleeps. */
const HUNG_MILLISECONDS = 50_000;

/** How often each status was reported. */
function counter(path: string, patienceMilliseconds?: number) {
  const counts = { success: 0, error: 0 };
  const program: SimulatorProgram = {
    path,
    patienceMilliseconds,
    simulated: (status) => {
      counts[status] += 1;
    },
  };
  return { counts, program };
}

/** The request has the patience of the program as its deadline, for a pool knows no other. */
const requestTo = ({ patienceMilliseconds }: SimulatorProgram) =>
  sampleRequest("", patienceMilliseconds);
const request = sampleRequest();

/** One run in each way. */
const WAYS: Readonly<Record<string, (program: SimulatorProgram) => Promise<unknown>>> = {
  "a process for one request": async (program) => {
    await using simulator = openOneShot(program);
    return await simulator.replay(requestTo(program), { signal: never });
  },
  "a pool": async (program) => {
    await using pool = openPool({ ...program, size: 1 });
    return await pool.replay(requestTo(program), { signal: never });
  },
  "a pool that passes answers on": async (program) => {
    await using pool = openPool({ ...program, size: 1 });
    return await pool.respond(requestTo(program), { signal: never, written: ENVELOPE_ALONE });
  },
  "a recording": async (program) =>
    await openRecordingOneShot(program).record(requestTo(program) as never, { signal: never }),
  "a recording pool": async (program) => {
    await using pool = openRecordingPool({ ...program, size: 1 });
    return await pool.record(requestTo(program) as never, { signal: never });
  },
  "a transaction to step through": async (program) => {
    await using simulator = openTravelSimulator(program);
    return await simulator.trace(requestTo(program), [], { signal: never });
  },
  "the ledger engine": async (program) => {
    await using engine = openLedgerEngine(program, 1);
    return await engine.read(new Uint8Array(8));
  },
};

/** What svc-sim does with each request, and with what error that ends. */
const FAILURES: Readonly<Record<string, readonly [body: string, code: ErrorCode]>> = {
  "crashes at once": ["process.exit(3);", "SIMULATOR_DIED"],
  "crashes when asked": [
    "for await (const chunk of Bun.stdin.stream()) process.exit(101);",
    "SIMULATOR_DIED",
  ],
  "is killed": ['process.kill(process.pid, "SIGKILL");', "SIMULATOR_DIED"],
  "never answers": ["setInterval(() => {}, 1_000);", "SIMULATOR_TIMEOUT"],
  "answers nonsense": [
    'out("nonsense\\n"); setInterval(() => {}, 1_000);',
    "SIMULATOR_INVALID_JSON",
  ],
};

for (const [way, run] of Object.entries(WAYS))
  for (const [failure, [body, code]] of Object.entries(FAILURES))
    test(`${way}: one that ${failure} is one error`, async () => {
      using fake = fakeSimulator(body, { engine: false });
      const isLate = code === "SIMULATOR_TIMEOUT";
      const { counts, program } = counter(fake.path, isLate ? PATIENCE_MILLISECONDS : undefined);
      expect((await failureOf(run(program))).code).toBe(code);
      expect(counts).toEqual({ success: 0, error: 1 });
    });

test.each(Object.entries(WAYS))("%s: a program that is not there is one error", async (_, run) => {
  const { counts, program } = counter("/no/such/program");
  expect((await failureOf(run(program))).code).toBe("SIMULATOR_DIED");
  expect(counts).toEqual({ success: 0, error: 1 });
});

test.each(Object.entries(WAYS))(
  "%s: a child that holds the pipes of one that hangs delays nothing",
  async (_, run) => {
    // The shell is killed, and the program that it has started lives on.
    using fake = fakeSimulator("", { engine: false, shell: "sleep 60 & sleep 60" });
    const { counts, program } = counter(fake.path, PATIENCE_MILLISECONDS);
    expect((await failureOf(run(program))).code).toBe("SIMULATOR_TIMEOUT");
    expect(counts.error).toBe(1);
  },
  HUNG_MILLISECONDS,
);

test("a run is a success, and a simulation is one run however often it is asked for", async () => {
  using fake = fakeSimulator(`
    const host = response.host;
    let asked = 0;
    for await (const request of lines()) {
      asked += 1;
      if (request.simulation === undefined) { say(request.id ?? null); continue; }
      out(JSON.stringify({ id: request.id, format: 1, host, missing_keys: ["AAAA"], simulation: null }) + "\\n");
    }
  `);
  const { counts, program } = counter(fake.path);
  await using pool = openPool({ ...program, size: 1 });
  await pool.replay(request, { signal: never });
  expect(counts).toEqual({ success: 1, error: 0 });
  await openOneShot(program).replay(request, { signal: never });
  expect(counts).toEqual({ success: 2, error: 0 });
  await using recorder = openRecordingPool({ ...program, size: 1 });
  const missing = { ...request, simulation: {} } as never;
  expect((await recorder.record(missing, { signal: never })).kind).toBe("missing");
  expect(counts).toEqual({ success: 2, error: 0 });
});

test("a caller that leaves made no run", async () => {
  using fake = fakeSimulator("setInterval(() => {}, 1_000);");
  const { counts, program } = counter(fake.path);
  const leaving = new AbortController();
  const reason = new SvcError("INTERRUPTED", { message: "stopped", remedy: "Run it again." });
  await using pool = openPool({ ...program, size: 1 });
  const asked = pool.replay(request, { signal: leaving.signal });
  leaving.abort(reason);
  expect(await failureOf(asked)).toBe(reason);
  expect(counts).toEqual({ success: 0, error: 0 });
});

/** What the engine writes for a ledger whose transactions run. */
function foldedLedger(running: number): string {
  const facts = { first_ledger: 2, young_since: 2, generation: 0, complete: true };
  const counts = { soroban: running, refused: 0, classic: 0, running };
  const lists = { open: [], mismatches: [], rows: null };
  const ledger = { sequence: 5, protocol_version: 23, gap: false };
  return JSON.stringify({ folded: { ...ledger, facts, ...counts, ...lists } });
}

test("the ledger engine reports each transaction that it runs", async () => {
  const verdicts = { sequence: 5, equal: 2, unconfirmed: 0, differ: [] };
  const ran = { sequence: 5, order: 1, equal: false };
  using fake = fakeSimulator(
    `for await (const message of lines()) {
      if (message.fold) out('${foldedLedger(3)}\\n${JSON.stringify({ verdicts })}\\n');
      if (message.run) out('${JSON.stringify({ ran })}\\n');
    }`,
    { engine: false },
  );
  const { counts, program } = counter(fake.path);
  await using engine = openLedgerEngine(program, 1);
  const { verdicts: judged } = await engine.fold({ run: true, want: false });
  await judged;
  expect(counts).toEqual({ success: 3, error: 0 });
  expect(await engine.run(5, 1, [])).toBe(false);
  expect(counts).toEqual({ success: 4, error: 0 });
});

test("a transaction that crashes a host of the ledger engine, or takes too long in one, is an error", async () => {
  const verdicts = { sequence: 5, equal: 1, unconfirmed: 0, broken: 2, differ: [] };
  const ran = { sequence: 5, order: 1, equal: false, broken: true };
  using fake = fakeSimulator(
    `for await (const message of lines()) {
      if (message.fold) out('${foldedLedger(3)}\\n${JSON.stringify({ verdicts })}\\n');
      if (message.run) out('${JSON.stringify({ ran })}\\n');
    }`,
    { engine: false },
  );
  const { counts, program } = counter(fake.path);
  await using engine = openLedgerEngine(program, 1);
  await (await engine.fold({ run: true, want: false })).verdicts;
  expect(counts).toEqual({ success: 1, error: 2 });
  expect(await engine.run(5, 1, [])).toBe(false);
  expect(counts).toEqual({ success: 1, error: 3 });
});

test("where the ledger engine ends, each transaction that it was running is an error", async () => {
  using fake = fakeSimulator(
    `for await (const message of lines()) {
      if (message.fold) out('${foldedLedger(3)}\\n');
      if (message.run) process.exit(101);
    }`,
    { engine: false },
  );
  const { counts, program } = counter(fake.path);
  await using engine = openLedgerEngine(program, 1);
  const { verdicts } = await engine.fold({ run: true, want: false });
  const asked = engine.run(5, 1, []);
  expect((await failureOf(asked)).code).toBe("SIMULATOR_DIED");
  expect((await failureOf(verdicts ?? asked)).code).toBe("SIMULATOR_DIED");
  expect(counts).toEqual({ success: 0, error: 4 });
  // It is counted once, however often it is asked afterwards.
  await failureOf(engine.read(new Uint8Array(8)));
  expect(counts.error).toBe(4);
});

test("the ledger engine ends with the run whose time is up", async () => {
  using fake = fakeSimulator("setInterval(() => {}, 1_000);", { engine: false });
  const { counts, program } = counter(fake.path);
  const time = new AbortController();
  const patient = { ...program, patienceMilliseconds: 60_000 };
  await using engine = openLedgerEngine(patient, 1, [], time.signal);
  const asked = engine.read(new Uint8Array(8));
  time.abort(new DOMException("The time is up.", "TimeoutError"));
  const failure = await failureOf(asked);
  expect([failure.code, failure.remedy]).toEqual([
    "SIMULATOR_TIMEOUT",
    expect.stringContaining("--timeout"),
  ]);
  expect(counts).toEqual({ success: 0, error: 1 });
  expect((await failureOf(engine.read(new Uint8Array(8)))).code).toBe("SIMULATOR_TIMEOUT");
});
