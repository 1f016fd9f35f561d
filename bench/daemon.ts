// Compares replays through the daemon with the contract host in one process, on the same requests
// and in one run: replays per second and core, latency at half and at full load, memory after many
// requests, and /metrics under load. The rate uses the CPU time of the daemon and its workers, so
// that it does not depend on this load generator or on other load of the machine.
//
//   bun bench/daemon.ts [--requests N]

import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { ensureBuilt } from "../scripts/ensure-built.ts";
import { line } from "./aims.ts";
import { inProcess } from "./in-process.ts";
import { openConnection } from "./keep-alive-connection.ts";
import { startPassThrough } from "./pass-through.ts";
import { cpuSecondsWithChildren, recordedBodies, startDaemon } from "./running-daemon.ts";

const ROUNDS = 30;
const CORES = availableParallelism();
const WARM_UP = 4_000;

const { values } = parseArgs({
  args: Bun.argv.slice(2),
  options: { requests: { type: "string", default: "20000" } },
});
const total = Number(values.requests);

ensureBuilt();
const requests = recordedBodies();
const bytes = requests.reduce((sum, request) => sum + request.length, 0) / requests.length;
const alone = inProcess(requests, ROUNDS);
const hostRate = requests.length / (alone.hostTotal / 1000);
line("request", bytes / 1024, "KiB");
line("contract host alone, one core", hostRate, "replays/s");

await using daemon = await startDaemon();
await measure(daemon.port);

async function measure(port: number): Promise<void> {
  await closedLoop(port, WARM_UP);
  const before = { cpu: daemon.cpuSeconds(), memory: daemon.residentMebibytes() };
  const full = await closedLoop(port, total);
  const rate = total / (daemon.cpuSeconds() - before.cpu);
  const memory = daemon.residentMebibytes();
  const scrapes = scrapeUnderLoad(port);
  await closedLoop(port, WARM_UP);
  const scraped = await scrapes.stop();
  const least = await passThrough();
  const ofLeast = { value: rate / least, of: "that server's", atLeast: 0.75 };
  line("daemon and workers, one core", rate, "replays/s", ofLeast);
  line(`full load, ${CORES} at once`, full.perSecond, "replays/s");
  line("  half of them within", full.p50, "ms");
  line("  99 % within", full.p99, "ms");
  const half = await openLoop(port, full.perSecond / 2, Math.min(total, 5_000));
  line("half load", half.perSecond, "replays/s");
  line("  half of them within", half.p50, "ms");
  const tail = { value: half.p99 / half.p50, of: "half of them", atMost: 10 };
  line("  99 % within", half.p99, "ms", tail);
  line("  of the slowest 1 %, the daemon computes", half.slowest.computes, "ms");
  line("  of the slowest 1 %, it waits for a core", half.slowest.waitsForCore, "ms");
  line("/metrics under full load, 99 % within", scraped.p99, "ms");
  line(`memory after ${WARM_UP} requests`, before.memory, "MiB");
  line(`memory after ${WARM_UP + total} requests`, memory, "MiB");
}

/** The rate of a server that only passes bytes on: no server on this runtime is faster. */
async function passThrough(): Promise<number> {
  using server = await startPassThrough(CORES);
  await closedLoop(server.port, WARM_UP);
  const before = cpuSecondsWithChildren(server.pid);
  await closedLoop(server.port, total);
  const rate = total / (cpuSecondsWithChildren(server.pid) - before);
  const ofHost = { value: rate / hostRate, of: "the host's" };
  line("a server that only passes bytes, one core", rate, "replays/s", ofHost);
  return rate;
}

interface Load {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Milliseconds of the daemon's main thread. */
interface MainThread {
  readonly computes: number;
  /** It could run, and every core had other work: of the daemon, of this program, of the machine. */
  readonly waitsForCore: number;
}

interface Timed extends MainThread {
  readonly milliseconds: number;
}

/** One connection per core, each with one request after the other. */
async function closedLoop(port: number, count: number): Promise<Load> {
  const times: number[] = [];
  const begin = performance.now();
  let next = 0;
  const client = async () => {
    await using connection = await openConnection(port);
    while (next < count) {
      const index = next++;
      const start = performance.now();
      await simulate(connection, index);
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: CORES }, client));
  return loadOf(times, performance.now() - begin);
}

/** At a constant rate, independent of the answers; the wait for a free connection counts. */
async function openLoop(
  port: number,
  perSecond: number,
  count: number,
): Promise<Load & { readonly slowest: MainThread }> {
  const connections = await Promise.all(
    Array.from({ length: 8 * CORES }, () => openConnection(port)),
  );
  const idle = [...connections];
  const waiting: { readonly index: number; readonly due: number }[] = [];
  const times: number[] = [];
  const answers: Timed[] = [];
  const begin = performance.now();
  const done = Promise.withResolvers<void>();
  const pump = () => {
    const connection = idle[0];
    const due = waiting[0];
    if (connection === undefined || due === undefined) return;
    idle.shift();
    waiting.shift();
    const before = mainThread();
    simulate(connection, due.index).then(() => {
      const { computes, waitsForCore } = mainThread();
      const milliseconds = performance.now() - due.due;
      times.push(milliseconds);
      answers.push({
        milliseconds,
        computes: computes - before.computes,
        waitsForCore: waitsForCore - before.waitsForCore,
      });
      idle.push(connection);
      if (times.length === count) done.resolve();
      pump();
    }, done.reject);
  };
  for (let index = 0; index < count; index += 1) {
    const due = begin + (index * 1000) / perSecond;
    const wait = due - performance.now();
    if (wait > 0) await Bun.sleep(wait);
    waiting.push({ index, due });
    pump();
  }
  await done.promise;
  const elapsed = performance.now() - begin;
  for (const connection of connections) await connection[Symbol.asyncDispose]();
  return { ...loadOf(times, elapsed), slowest: slowestOf(answers) };
}

/** The spaces make each request different: equal requests at the same time share one run. */
async function simulate(
  connection: Awaited<ReturnType<typeof openConnection>>,
  index: number,
): Promise<void> {
  const body = requests[index % requests.length] + " ".repeat(index % 1009);
  const { status, text } = await connection.send("POST", "/v1/simulate", body);
  if (status !== 200) throw new Error(`status ${status}: ${text}`);
}

function scrapeUnderLoad(port: number) {
  const times: number[] = [];
  let going = true;
  const run = (async () => {
    await using connection = await openConnection(port);
    while (going) {
      const start = performance.now();
      await connection.send("GET", "/metrics");
      times.push(performance.now() - start);
      await Bun.sleep(20);
    }
  })();
  return {
    async stop(): Promise<Load> {
      going = false;
      await run;
      return loadOf(times, 1);
    },
  };
}

function loadOf(times: number[], milliseconds: number): Load {
  const sorted = times.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { perSecond: (times.length * 1000) / milliseconds, p50: at(0.5), p99: at(0.99) };
}

function slowestOf(answers: Timed[]): MainThread {
  const sorted = answers.sort((a, b) => b.milliseconds - a.milliseconds);
  const slowest = sorted.slice(0, Math.ceil(sorted.length / 100));
  const mean = (of: (answer: Timed) => number) =>
    slowest.reduce((sum, answer) => sum + of(answer), 0) / slowest.length;
  return {
    computes: mean(({ computes }) => computes),
    waitsForCore: mean(({ waitsForCore }) => waitsForCore),
  };
}

/** Linux counts both in nanoseconds. */
function mainThread(): MainThread {
  const path = `/proc/${daemon.pid}/task/${daemon.pid}/schedstat`;
  const [computes = 0, waitsForCore = 0] = readFileSync(path, "utf8").split(" ").map(Number);
  return { computes: computes / 1e6, waitsForCore: waitsForCore / 1e6 };
}
