// What stepping costs, as ratios to one plain replay too: recording a transaction, the first stop, a
// step of each kind, and going back over the whole transaction.
//
//   bun bench/time-travel.ts [CAPSULE | INSTRUCTIONS]
//
// With a number: of a transaction that declares so many instructions and spends them in a loop that
// writes memory.

import { join, resolve } from "node:path";
import { ensureBuilt, SIMULATOR_BINARY } from "../scripts/ensure-built.ts";
import { openCapsule } from "../src/debugger/walk/open-capsule.ts";
import { openOneShot } from "../src/simulator/one-shot.ts";
import { openTravelSimulator } from "../src/simulator/open-processes.ts";
import { replayRequest } from "../src/simulator/requests.ts";
import type { ReplayRequest } from "../src/simulator/wire-schema.ts";
import { Session } from "../tests/dap/debug-client.ts";
import { greedyRequest } from "../tests/support/greedy-contract.ts";

const EXAMPLE = join(import.meta.dir, "../examples/overflow-in-callee.capsule.json");
const STEPS = 200;

ensureBuilt();
const { signal } = new AbortController();
const given = Bun.argv[2] ?? EXAMPLE;
const request = /^\d+$/.test(given)
  ? greedyRequest({ wants: "writes", instructions: Number(given) })
  : await requestOf(resolve(given));
const isLarge = /^\d{8,}$/.test(given);
const ROUNDS = isLarge ? 3 : 9;

const plain = await median(async () => {
  await openOneShot({ path: SIMULATOR_BINARY }).replay(request, { signal });
});
const opened = await median(async () => {
  await using simulator = openTravelSimulator({ path: SIMULATOR_BINARY });
  await simulator.trace(request, [], { signal });
});
line("one plain replay", plain, "ms");
line("recorded and run again", opened, "ms", opened / plain);
if (given.endsWith(".json")) {
  const stopped = await median(async () => {
    await using session = new Session();
    await session.launch({ capsule: resolve(given) });
    await session.begin();
  });
  line("svc dap, from its start to the first stop", stopped, "ms", stopped / plain);
}

await using simulator = openTravelSimulator({ path: SIMULATOR_BINARY });
const { trace } = await simulator.trace(request, [], { signal });
if (trace === null) throw new Error("the recorded run was another one");
line("moments", trace.moments, "");
line("instructions of wasm", trace.instructions, "");
line("record", trace.bytes / 1024 / 1024, "MiB");

const seek = (from: number, backwards: boolean, mode: string, instructions = false) =>
  simulator.travel("seek", { from, backwards, mode, instructions });
for (const backwards of [false, true])
  for (const [name, instructions] of [
    ["statement", false],
    ["instruction", true],
  ] as const) {
    const times: number[] = [];
    const last = trace.moments - 1;
    for (let step = 0; step < STEPS; step++) {
      const from = Math.floor((last * (step + 1)) / (STEPS + 1));
      times.push(await timed(() => seek(from, backwards, "into", instructions)));
    }
    times.sort((a, b) => a - b);
    const worst = times.at(-1) ?? 0;
    const direction = backwards ? "back" : "forward";
    line(`a ${name} ${direction} from anywhere, worst`, worst, "ms", worst / plain);
  }
const code = trace.frames.findLast((frame) => frame.code !== null)?.code;
if (code) {
  const { functions } = await simulator.travel("functions", { code });
  // The last instruction of a function is its end, which is never executed: all code is searched.
  const break_at = functions.slice(0, 1).map(({ end }) => ({ code, address: end }));
  const search = await median(async () => {
    const query = { from: trace.moments - 1, backwards: true, mode: "continue", break_at };
    await simulator.travel("seek", query);
  });
  line("back over the whole transaction", search, "ms", search / plain);
}

async function requestOf(path: string): Promise<ReplayRequest> {
  const text = await Bun.file(path).text();
  const { record: chain, snapshot } = openCapsule({ name: path, text }, null);
  if (snapshot === null) throw new Error("nothing of this transaction ran in the contract host");
  const options = { trace: false, diagnostics: true, feeTakenStroops: null } as const;
  return replayRequest(chain, snapshot, options);
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

async function median(run: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await timed(run));
  return times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
}

function line(name: string, value: number, unit: string, ratio?: number): void {
  const shown = Number.isInteger(value) ? String(value) : value.toFixed(2);
  const times = ratio === undefined ? "" : `  (${ratio.toFixed(2)} × a replay)`;
  process.stderr.write(`${name.padEnd(44)} ${shown} ${unit}${times}\n`);
}
