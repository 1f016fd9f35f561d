// svc-sim as WebAssembly against the program: the CPU time of the same requests, measured in turn,
// because other programs use the machine too. The start of a process, the compilation of the module
// and the first rounds, in which engines compile what runs often, are left out.
//
//   bun bench/module.ts [--rounds N] [--runtime PATH …]   after bun scripts/build-binaries.ts --module
//
// A runtime is Bun (default), or a Node that reads TypeScript (from 22.18).

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { MODULE, SIMULATOR_BINARY } from "../scripts/ensure-built.ts";
import { RECORDED } from "./recorded-requests.ts";

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    runtime: { type: "string", multiple: true, default: [process.execPath] },
  },
});
/** The number of times that a round sends each request. */
const REPEATS = 20;
const FIRST_ROUNDS = 2;

const lines = RECORDED.map(({ body }) => body);
const directory = mkdtempSync(join(tmpdir(), "svc-bench-"));
const requests = join(directory, "requests.json");
writeFileSync(requests, JSON.stringify(Array.from({ length: REPEATS }, () => lines).flat()));
try {
  for (const runtime of flags.runtime) await measure(runtime);
} finally {
  rmSync(directory, { recursive: true });
}

async function measure(runtime: string): Promise<void> {
  const script = join(import.meta.dir, "module-rounds.ts");
  const child = Bun.spawn([runtime, script, MODULE, requests], {
    stdin: "pipe",
    stdout: "pipe",
    // Node warns that it reads TypeScript only experimentally.
    stderr: "ignore",
  });
  const printed = numbersOf(child.stdout);
  const next = async () => (await printed.next()).value ?? Number.NaN;
  const moduleRound = async () => {
    child.stdin.write("\n");
    await child.stdin.flush();
    return next();
  };
  const compileMilliseconds = await next();
  for (let round = 0; round < FIRST_ROUNDS; round += 1) await moduleRound();
  const ratios: number[] = [];
  for (let round = 0; round < Number(flags.rounds); round += 1) {
    const program = (await programRound(2 * REPEATS)) - (await programRound(REPEATS));
    ratios.push((await moduleRound()) / program);
  }
  child.stdin.end();
  await child.exited;
  ratios.sort((left, right) => left - right);
  const [least, median, most] = [ratios[0], ratios[ratios.length >> 1], ratios.at(-1)].map((each) =>
    each?.toFixed(2),
  );
  process.stdout.write(
    `${runtime}: ${lines.length} requests, ${ratios.length} rounds: the module takes ${median} × the CPU time ` +
      `of the program (${least} to ${most}); compiled in ${compileMilliseconds.toFixed(0)} ms of CPU time\n`,
  );
}

/** The number on each line. */
async function* numbersOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<number> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const all = `${rest}${text}`.split("\n");
    rest = all.pop() ?? "";
    for (const line of all) yield Number(line);
  }
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
