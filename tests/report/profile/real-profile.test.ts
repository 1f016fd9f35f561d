// Real transactions in the real svc-sim: the root of every format is the metered total, to the
// instruction and the byte, and the profile itself changes no metering.

import { beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { Profile } from "pprof-format";
import { ensureBuilt, SIMULATOR_BINARY } from "../../../scripts/ensure-built.ts";
import { openCapsule } from "../../../src/debugger/walk/open-capsule.ts";
import { replayCaptured } from "../../../src/debugger/walk/replay-captured.ts";
import type { Execution } from "../../../src/model/execution.ts";
import { PROFILE_FORMATS } from "../../../src/report/profile/formats.ts";
import { frameTree } from "../../../src/report/profile/frame-tree.ts";
import {
  profileOf,
  type TransactionProfile,
} from "../../../src/report/profile/transaction-profile.ts";
import { openPool } from "../../../src/simulator/pool.ts";
import { capsuleAt } from "../../support/capsule-at.ts";
import { investigate } from "../investigations.ts";

const BUILD_MILLISECONDS = 900_000;
const ROOT = join(import.meta.dir, "..", "..", "..");
const FIXTURES = join(ROOT, "tests", "fixtures", "protocol");
const CAPSULE = join(ROOT, "examples", "overflow-in-callee.capsule.json");
const WASM = "WasmInsnExec";
/** Transactions that run nothing in the contract host. */
const WITHOUT = ["entry-archived", "extend-footprint-ttl", "restore-footprint"];
const signal = new AbortController().signal;

beforeAll(ensureBuilt, BUILD_MILLISECONDS);

/** The roots of all formats: CPU and memory, null if a format does not have it. */
function rootsOf(profile: TransactionProfile): (number | null)[][] {
  const [root] = frameTree(profile);
  const folded = String(PROFILE_FORMATS.folded.render(profile)).trim().split("\n");
  const { profiles } = JSON.parse(String(PROFILE_FORMATS.speedscope.render(profile)));
  const bytes = PROFILE_FORMATS.pprof.render(profile) as Uint8Array;
  const { sample } = Profile.decode(gunzipSync(bytes));
  const html = String(PROFILE_FORMATS.html.render(profile));
  const data = JSON.parse(/id="profile">([^<]*)</.exec(html)?.[1] ?? "");
  return [
    [root?.cpuInstructions ?? null, root?.memoryBytes ?? null],
    [sum(folded.map((line) => Number(line.split(" ").at(-1)))), null],
    [profiles[0].endValue, profiles[1].endValue],
    [
      sum(sample.map(({ value }) => Number(value[0]))),
      sum(sample.map(({ value }) => Number(value[1]))),
    ],
    [data.rows[0][3], data.rows[0][4]],
  ];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function expectWhole(profile: TransactionProfile | null, { metrics }: Execution): void {
  expect(profile).not.toBeNull();
  if (profile === null) return;
  for (const [cpu, memory] of rootsOf(profile)) {
    expect(String(cpu)).toBe(metrics.cpu_insn ?? "");
    if (memory !== null) expect(String(memory)).toBe(metrics.mem_byte ?? "");
  }
}

test("a transaction of the chain: exact, and its root is what the chain metered", async () => {
  await using simulator = openPool({ path: SIMULATOR_BINARY, size: 1 });
  const captured = openCapsule(capsuleAt(CAPSULE), null);
  const engines = { simulator, progress: () => {} };
  const investigation = await replayCaptured(engines, captured, { signal, profile: true });
  const { execution, verdict } = investigation;
  expect(verdict?.kind).toBe("exact");
  if (execution === null) throw new Error("nothing ran");
  expectWhole(profileOf(investigation), execution);
  const metered = verdict?.comparisons.find(({ item }) => item === "cpu_insn");
  expect([metered?.result, metered?.replay]).toEqual(["equal", execution.metrics.cpu_insn ?? ""]);
  const contracts = execution.profile
    ?.flatMap(({ frames }) => frames)
    .filter(({ kind }) => kind === "contract");
  expect(new Set(contracts?.map(({ name }) => name.slice(57)))).toEqual(
    new Set(["add_with", "add"]),
  );
  // The callee's functions are below the function that called it.
  const within = execution.profile?.map(({ frames }) =>
    frames.slice(1).map(({ name, kind }) => `${kind} ${name.replace(/^C.{55}:/, "")}`),
  );
  expect(execution.functionProfile).toEqual({ available: true, reason: null });
  expect(within).toContainEqual([
    "contract add_with",
    "function add_with",
    "host call",
    "contract add",
    "function add",
    `cost ${WASM}`,
  ]);
});

test("each recorded exchange: the same metering, and every root is the total", async () => {
  await using simulator = openPool({ path: SIMULATOR_BINARY, size: 2 });
  const names = readdirSync(FIXTURES).map((file) => file.replace(/\.json$/, ""));
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) {
    const { request } = JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), "utf8"));
    const options = { ...request.options, profile: true };
    const execution = await simulator.replay({ ...request, options }, { signal });
    const recorded = investigate(name);
    expect(execution.metrics).toEqual(recorded.execution.metrics);
    const profile = profileOf({ ...recorded, execution });
    if (WITHOUT.includes(name)) expect([name, profile]).toEqual([name, null]);
    else {
      expectWhole(profile, execution);
      const withFunctions = { ...request.options, functions: {} };
      const functions = await simulator.replay({ ...request, options: withFunctions }, { signal });
      expectWhole(profileOf({ ...recorded, execution: functions }), execution);
    }
  }
});
