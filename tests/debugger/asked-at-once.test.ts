// A walk waits for as many answers as follow one another. The nodes here answer nothing until all
// that does not need another answer has been asked: a walk that asks for one thing after the other
// never ends.

import { afterAll, expect, spyOn, test } from "bun:test";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { systemClock } from "../../src/base/clock.ts";
import { SvcError } from "../../src/base/errors/errors.ts";
import { openHttp } from "../../src/base/http/http.ts";
import type { StepRunner } from "../../src/base/step.ts";
import { captureTransaction } from "../../src/debugger/walk/capture-transaction.ts";
import { debugTransaction } from "../../src/debugger/walk/debug-transaction.ts";
import { READING_LIMITS } from "../../src/snapshot/gather/take-snapshot.ts";
import { openSources } from "../../src/sources/open-source.ts";
import { verifyRange } from "../../src/verify/verify-ledgers.ts";
import { failureOf } from "../support/failure.ts";
import { openLongChain } from "../support/long-chain.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";
import { openTestSimulator } from "../support/simulator.ts";
import { TestClock } from "../support/test-clock.ts";

const loopback = openLoopback();
const simulator = openTestSimulator();
afterAll(() => loopback[Symbol.asyncDispose]());
const { hash, ledger } = loopback.network.named("entry over the size limit");

/** Nodes that answer the requests of a wave when all of them have come. */
function openWaves(waves: readonly (readonly string[])[]) {
  const left = waves.map((wave) => [...wave].sort());
  const gates = waves.map(() => Promise.withResolvers<void>());
  const come: string[][] = waves.map(() => []);
  const rest: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const body = await request.text();
      const name = nameOf(pathname, body);
      const at = left.findIndex((wave, index) => come[index]?.length !== wave.length);
      if (at === -1) rest.push(name);
      else {
        come[at]?.push(name);
        if (come[at]?.length === left[at]?.length) gates[at]?.resolve();
        await gates[at]?.promise;
      }
      const there = new URL(pathname, loopback.url("rpc"));
      return fetch(there, { method: request.method, ...(body === "" ? {} : { body }) });
    },
  });
  return {
    url: (api: string, switches: string) => `http://127.0.0.1:${server.port}/${switches}/${api}`,
    seen: () => [...come.map((wave) => wave.sort()), rest],
    expected: [...left, []],
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function nameOf(path: string, body: string): string {
  if (body === "") return path.replace(/^\/[^/]*/, "").replace(hash, "HASH");
  const { method, params } = JSON.parse(body);
  if (method === "getLedgers") return `${method} ${params.startLedger}`;
  // Entries, and settings: a node answers for one ledger each time.
  return method === "getLedgerEntries" ? `${method} ${params.keys.length > 5}` : method;
}

const OPTIONS = { signal: NEVER_ABORTED };

function walkTo(nodes: ReturnType<typeof openWaves>, switches: string) {
  const horizonUrls = [nodes.url("horizon", switches)];
  const rpcUrls = [nodes.url("rpc", switches)];
  return { ...openWalk(loopback, { more: { horizonUrls, rpcUrls } }), progress: () => {} };
}

const FIRST = ["/horizon/transactions/HASH", "/horizon/"];
const SECOND = [
  "getNetwork",
  `/horizon/ledgers/${ledger}`,
  `getLedgers ${ledger}`,
  `getLedgers ${ledger - 1}`,
  "getLedgerEntries false",
  "getLedgerEntries true",
];

for (const [switches, waves] of [
  ["plain", [FIRST, SECOND]],
  ["no-meta", [FIRST, [...SECOND, "getTransaction"]]],
] as const)
  test(`record and snapshot take two answers after one another (${switches})`, async () => {
    await using nodes = openWaves(waves);
    const captured = await captureTransaction(walkTo(nodes, switches), hash, OPTIONS);
    expect(captured.snapshot?.unknown).toEqual([]);
    expect(nodes.seen()).toEqual(nodes.expected);
  });

test("a failure's conflicts take one more, and nothing is asked for twice", async () => {
  await using nodes = openWaves([FIRST, SECOND]);
  await debugTransaction({ ...walkTo(nodes, "plain"), simulator }, hash, OPTIONS);
  const rest = nodes.seen().at(-1) ?? [];
  expect(rest.map((name) => name.split(" ")[0])).toEqual(["getLedgers"]);
  expect(nodes.seen()).toEqual([...nodes.expected.slice(0, -1), rest]);
});

test("the time for reading ledgers begins with the snapshot", async () => {
  const changed = loopback.network.named("inc persistent counter #1").hash;
  const begin = systemClock.monotonicMilliseconds();
  let passed = 0;
  const clock = spyOn(systemClock, "monotonicMilliseconds").mockImplementation(
    () => begin + passed,
  );
  // The node took long for the record.
  const step: StepRunner = async (_name, action) => {
    const ended = await action();
    passed += READING_LIMITS.milliseconds + 1;
    return ended;
  };
  try {
    const walk = { ...openWalk(loopback), progress: () => {}, step };
    const { snapshot } = await captureTransaction(walk, changed, OPTIONS);
    expect(snapshot?.unknown).toEqual([]);
  } finally {
    clock.mockRestore();
  }
});

test("nobody waits twice for a node that does not answer for entries", async () => {
  const walk = openWalk(loopback);
  let asked = 0;
  const silent = async () => {
    asked += 1;
    throw new SvcError("NETWORK_TIMEOUT", { message: "too late", remedy: "-" });
  };
  const sources = walk.sources.map((source) => ({ ...source, fetchLedgerEntries: silent }));
  const captured = captureTransaction({ ...walk, sources, progress: () => {} }, hash, OPTIONS);
  expect((await failureOf(captured)).code).toBe("NETWORK_TIMEOUT");
  // Two nodes, each for entries and settings.
  expect(asked).toBe(2 * sources.length);
});

test("a verification asks for the entries of later ledgers before it has those of the first", async () => {
  await using chain = openLongChain({ successes: 2, failures: 1, varied: true });
  const range = { first: chain.first + 1, last: chain.first + 20 };
  chain.tip = range.last;
  // The first ledger alone has two questions: its entries, and the network settings.
  const three = Promise.withResolvers<void>();
  let asked = 0;
  await using held = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const body = await request.text();
      if (body.includes("getLedgerEntries")) {
        asked += 1;
        if (asked === 3) three.resolve();
        await three.promise;
      }
      return fetch(chain.url, { method: "POST", body });
    },
  });
  const clock = new TestClock({ grantedUpTo: 2000 });
  const http = openHttp({ clock, timeoutMilliseconds: 60_000, userAgent: "svc/test" });
  const networkPassphrase = chain.passphrase;
  const rpcUrls = [held.url.href];
  const settings = { network: "custom", networkPassphrase, horizonUrls: [], rpcUrls } as const;
  const { sources } = openSources(
    { http, clock },
    { ...settings, origins: { horizonUrl: { kind: "flag", setting: "horizonUrl" } } as never },
  );
  const program = { path: SIMULATOR_BINARY };
  const found = await verifyRange(
    {
      ...{ program, networkPassphrase, sources, jobs: 1 },
      ...{ keepNotExact: 200, rehearseProtocol: null, progress: () => {} },
    },
    range,
    OPTIONS,
  );
  expect(found.verdicts).toMatchObject({ exact: found.transactions, diverged: 0 });
});
