// From the write of a request to `svc-sim serve` to the read of its answer, as a program of its own, so
// that it can be held on one core: where svc-sim has another, each way wakes that core first.

import { SIMULATOR_BINARY } from "../scripts/ensure-built.ts";
import { DEFINITION } from "./in-process.ts";

const ROUNDS = 300;

/** Milliseconds: the median of the requests' medians. `holding`: what holds a program on cores. */
export function serveRoundTrip(
  requests: readonly string[],
  holding: readonly string[] | null,
): number {
  const { stdout } = Bun.spawnSync([...(holding ?? []), process.execPath, import.meta.path], {
    stdin: Buffer.from(JSON.stringify(requests)),
    stderr: "inherit",
  });
  return Number(stdout.toString());
}

if (import.meta.main) console.log(await measure(await Bun.stdin.json()));

async function measure(requests: readonly string[]): Promise<number> {
  const worker = Bun.spawn([SIMULATOR_BINARY, "serve"], { stdin: "pipe", stdout: "pipe" });
  const answers = lines(worker.stdout);
  const ask = async (request: Uint8Array) => {
    worker.stdin.write(request);
    await worker.stdin.flush();
    await answers.next();
  };
  const measured: { readonly request: Uint8Array; readonly times: number[] }[] = [];
  for (const text of requests) {
    // This program's own work is not what is measured.
    const request = Buffer.from(`${text}\n`);
    if (text.startsWith(DEFINITION)) await ask(request);
    else measured.push({ request, times: [] });
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const { request, times } of measured) {
      const start = performance.now();
      await ask(request);
      times.push(performance.now() - start);
    }
  }
  worker.kill();
  return median(measured.map(({ times }) => median(times)));
}

async function* lines(stream: ReadableStream<Uint8Array>): AsyncGenerator<void> {
  for await (const chunk of stream) {
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, end + 1)) yield;
  }
}

export function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
