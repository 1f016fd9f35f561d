// --timeout bounds all of a run, also the waits for a svc-sim that never answers, however it is
// run. That is always a failure of svc-sim, and never one of a node.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { fakeSimulator } from "../simulator/fake-simulator.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { svc } from "./run-svc.ts";

const EXAMPLE = resolve(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");
/** After this time a run has hung: more than it may take, and far less than svc-sim sleeps. */
const LONGEST_MILLISECONDS = 45_000;
/** Time limits in seconds. A busy machine may need the first before svc-sim is asked. */
const LIMITS = [2, 8, 24];
const TEST_MILLISECONDS = 180_000;

let loopback: Loopback;
let directory: string;
beforeAll(() => {
  loopback = openLoopback();
  directory = mkdtempSync(join(tmpdir(), "svc-time-limit-"));
});
afterAll(async () => {
  await loopback[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const nodes = () => [
  ...["--network-passphrase", loopback.network.passphrase],
  ...["--horizon-url", loopback.url("horizon"), "--rpc-url", loopback.url("rpc")],
];
const failed = () =>
  loopback.network.transactions.find(({ status }) => status === "FAILED")?.hash ?? "";

function ledgerFile(): string {
  const { ledger } = loopback.network.named("SAC transfer alice -> bob");
  const path = join(directory, `${ledger}.xdr`);
  writeFileSync(path, loopback.network.ledgerBytes(ledger) as Buffer);
  return path;
}

/** An invocation, and the ledger that its node is at. */
function simulated() {
  const found = loopback.network.transactions.find(({ n }) => n === 67);
  if (found === undefined) throw new Error("no transaction 67");
  const { rpcGetTransaction } = loopback.network.file(found);
  return { envelopeXdr: String(rpcGetTransaction.result.envelopeXdr), tip: 241 };
}

const RUNS: Readonly<Record<string, () => readonly string[]>> = {
  "a replay of a capsule": () => ["debug", "--from", EXAMPLE],
  "state from nodes": () => ["debug", failed(), ...nodes()],
  "a ledger file": () => [
    ...["verify", ledgerFile(), "--jobs", "1"],
    ...["--network-passphrase", loopback.network.passphrase],
  ],
  "a simulation": () => {
    const { envelopeXdr, tip } = simulated();
    const network = ["--network-passphrase", loopback.network.passphrase];
    return ["simulate", envelopeXdr, "--rpc-url", loopback.url("rpc", `tip=${tip}`), ...network];
  },
  "a capture": () => ["capture", failed(), "--output", directory, ...nodes()],
};

test.each(
  Object.entries(RUNS).flatMap(([name, words]) =>
    ["exec sleep 60", "sleep 60 & sleep 60"].map((how) => [name, how, words] as const),
  ),
)(
  "%s, svc-sim runs `%s`: SIMULATOR_TIMEOUT",
  async (_, how, words) => {
    const version = `case "$1" in --version) exec "${SIMULATOR_BINARY}" "$@";; esac`;
    using fake = fakeSimulator("", { engine: false, shell: `${version}; ${how}` });
    copyFileSync(fake.path, join(fake.directory, "svc-sim-recording"));
    expect(await outOfTime([...words(), "--sim-path", fake.path])).toBe("");
  },
  TEST_MILLISECONDS,
);

test(
  "svc-sim that folds ledgers and hangs in each replay: SIMULATOR_TIMEOUT",
  async () => {
    using fake = fakeSimulator("", { shell: "exec sleep 60" });
    await outOfTime(["debug", failed(), ...nodes(), "--sim-path", fake.path]);
  },
  TEST_MILLISECONDS,
);

/**
 * Runs svc until its time is up while svc-sim is waited for, and returns what it printed. Where the
 * time was up before that, it gets more; if a node is to blame every time, svc is wrong.
 */
async function outOfTime(words: readonly string[]): Promise<string> {
  for (const limit of LIMITS) {
    const { exitCode, stdout, stderr } = await svc([...words, "--timeout", `${limit}s`], {
      limitMilliseconds: LONGEST_MILLISECONDS,
    });
    const isEarly = stderr.includes("[NETWORK_TIMEOUT]") && limit !== LIMITS.at(-1);
    if (isEarly) continue;
    expect([exitCode, stderr]).toEqual([5, expect.stringContaining("[SIMULATOR_TIMEOUT]")]);
    return stdout;
  }
  throw new Error("there is no time limit");
}
