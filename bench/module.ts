// svc-sim as WebAssembly against the program: the CPU time of the same requests, measured in turn,
// because other programs use the machine too. The start of a process and the compilation of the module
// are left out.
//
//   bun bench/module.ts [--rounds N]        after bun scripts/build-binaries.ts --module

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { MODULE, SIMULATOR_BINARY } from "../scripts/ensure-built.ts";
import { ModuleInstance } from "../src/simulator/module/instance.ts";
import { RECORDED } from "./recorded-requests.ts";

const { values: flags } = parseArgs({ options: { rounds: { type: "string", default: "7" } } });
/** The number of times that a round sends each request. */
const REPEATS = 5;

const lines = RECORDED.map(({ body }) => body);
const encoder = new TextEncoder();
const compileBegun = process.cpuUsage();
const module = new WebAssembly.Module(readFileSync(MODULE));
const compileMilliseconds = millisecondsSince(compileBegun);
const instance = ModuleInstance.start(module);

moduleRound();
const ratios: number[] = [];
for (let round = 0; round < Number(flags.rounds); round += 1) {
  const program = (await programRound(2 * REPEATS)) - (await programRound(REPEATS));
  const begun = process.cpuUsage();
  moduleRound();
  ratios.push(millisecondsSince(begun) / program);
}
ratios.sort((left, right) => left - right);
const shown = [ratios[0], ratios[ratios.length >> 1], ratios.at(-1)].map((each) =>
  each?.toFixed(2),
);
process.stdout.write(
  `${lines.length} requests, ${ratios.length} rounds: the module takes ${shown[1]} × the CPU time of the ` +
    `program (${shown[0]} to ${shown[2]}); compiled in ${compileMilliseconds.toFixed(0)} ms of CPU time; ` +
    `memory ${(instance.memoryBytes / 2 ** 20).toFixed(1)} MiB after all\n`,
);

function moduleRound(): void {
  for (let repeat = 0; repeat < REPEATS; repeat += 1)
    for (const line of lines) instance.call("svc_serve", encoder.encode(line));
}

/** Milliseconds of CPU time of a process that answers all requests so often. */
async function programRound(repeats: number): Promise<number> {
  const child = Bun.spawn([SIMULATOR_BINARY, "serve"], {
    stdin: new Blob([`${lines.join("\n")}\n`.repeat(repeats)]),
    stdout: "pipe",
  });
  const answers = (await new Response(child.stdout).text()).trim().split("\n").length;
  await child.exited;
  if (answers !== repeats * lines.length) throw new Error(`the program gave ${answers} answers`);
  return Number(child.resourceUsage()?.cpuTime.total ?? 0n) / 1000;
}

function millisecondsSince(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}
