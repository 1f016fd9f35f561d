// Compares the cost of a replay at each border, from the contract host alone to the complete
// command, in one run. The ratios within one run are meaningful; do not compare the times of two
// runs. Of `svc verify` the CPU time of all processes counts, so that other load of the machine
// changes little.
//
//   bun bench/walk.ts

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as xdr from "@stellar/stellar-sdk/xdr";
import { ensureBuilt, SIMULATOR_BINARY, SVC_BINARY } from "../scripts/ensure-built.ts";
import { EMPTY_REQUEST, replayRequest } from "../src/simulator/requests.ts";
import { FIRST_CLOSED_LEDGER } from "../src/snapshot/stream/ledgers-fold.ts";
import { readLedgerFile } from "../src/sources/files/ledger-file.ts";
import { ledgerFactsOf } from "../src/xdr/ledger/ledger-close-meta.ts";
import { readChain } from "../src/xdr/outcome/chain-facts.ts";
import { CORE_TEST_BINARY, ensureCoreTestBuilt } from "../tests/support/core-streams.ts";
import { foldedStream } from "../tests/support/folded-stream.ts";
import { initialSettings } from "../tests/support/initial-settings.ts";
import { FAILURES, openLongChain, SUCCESSES } from "../tests/support/long-chain.ts";
import { framed } from "../tests/support/made-archive.ts";
import { captureRecorded, replayableOf } from "../tests/support/recorded-walks.ts";
import { line } from "./aims.ts";
import { asSent, inProcess } from "./in-process.ts";
import { buildLeastDebug } from "./least-debug.ts";
import { median, serveRoundTrip } from "./round-trip.ts";

const ROOT = resolve(import.meta.dir, "..");
const FIXTURES = join(ROOT, "tests", "fixtures", "protocol");
const SUCCEEDED = join(ROOT, "bench", "increment.capsule.json");
const FAILED = join(ROOT, "examples", "overflow-in-callee.capsule.json");
const STREAMS = join(ROOT, "..", "shared", "corpus", "core-streams");
const FIRST_SOROBAN_PROTOCOL = 20;
const RUNS = 21;
const SERVE_ROUNDS = 300;
/** Fewer are at times half as fast. */
const HOST_ROUNDS = 50;
const ONE_CORE = ["taskset", "--cpu-list", "0"];
/** `svc verify` gets the streams so many times, because its start must not count. */
const REPEATS = 4;
/** Of the long stream, with ten transactions each: one of ten fails. */
const LEDGERS = 1_280;
const LONG_RUNS = 5;

ensureBuilt();
await measure();

async function measure(): Promise<void> {
  const requests = fixtureRequests();
  const { host, request } = inProcess(asSent(requests), SERVE_ROUNDS);
  const serve = serveRoundTrip(asSent(requests), null);
  const serveOnOne = serveRoundTrip(asSent(requests), ONE_CORE);
  const simStart = medianOf(RUNS, () => wall([SIMULATOR_BINARY, "--version"]));
  const oneShot = medianOf(RUNS, () => wall([SIMULATOR_BINARY], requests[0]));
  const svcStart = medianOf(RUNS, () => wall([SVC_BINARY, "--help"]));
  const debug = (capsule: string) =>
    medianOf(RUNS, () => wall([SVC_BINARY, "debug", "--from", capsule, "--json"]));
  const noWork = serveRoundTrip([JSON.stringify(EMPTY_REQUEST)], null);

  line("contract host alone, median request", host, "ms");
  const own = { value: (request - host) / host, of: "host", atMost: 0.6 };
  line("svc-sim's own reading and writing", request - host, "ms", own);
  const ofHost = (value: number) => ({ value: value / host, of: "host", atMost: 2.5 });
  line("svc-sim serve, round trip", serve, "ms", ofHost(serve));
  line("svc-sim serve, round trip on one core", serveOnOne, "ms", ofHost(serveOnOne));
  line("svc-sim serve, a request with nothing to run", noWork, "ms", {
    value: noWork / host,
    of: "host",
  });
  line("svc-sim --version", simStart, "ms");
  line("svc-sim, one request", oneShot, "ms");
  line("svc --help", svcStart, "ms");
  for (const [what, capsule] of [
    ["a success", SUCCEEDED],
    ["a failure with its fix", FAILED],
  ] as const) {
    using bound = await buildLeastDebug(capsule);
    const least = medianOf(RUNS, () => wall(bound.command));
    line(`a program that only runs svc-sim, ${what}`, least, "ms");
    const time = debug(capsule);
    const value = time / least;
    line(`svc debug --from, ${what}`, time, "ms", { value, of: "that program", atMost: 2.5 });
  }
  await verifyOneLedger();
  await verifyLongStream();
  await verifyShortStreams();
}

/** Milliseconds of the host for the mean transaction of a varied chain, where one of ten fails. */
async function meanHostOfChain(): Promise<number> {
  const walks = await captureRecorded();
  const meanHost = (names: readonly string[]) => {
    const requests = names.map((name) => {
      const { record, snapshot } = replayableOf(walks, name);
      const { feeTakenStroops } = readChain(record);
      return JSON.stringify(
        replayRequest(record, snapshot, { trace: false, diagnostics: true, feeTakenStroops }),
      );
    });
    return inProcess(requests, HOST_ROUNDS).hostTotal / names.length;
  };
  return 0.9 * meanHost(SUCCESSES) + 0.1 * meanHost(FAILURES);
}

/** `svc verify` of a ledger with 200 transactions, as mainnet has them, from a node on loopback. */
async function verifyOneLedger(): Promise<void> {
  const host = 200 * (await meanHostOfChain());
  await using chain = openLongChain({ successes: 180, failures: 20, varied: true });
  const ledger = String(chain.first + 1);
  chain.tip = chain.first + 2;
  for (let made = chain.first; made <= chain.tip; made += 1) chain.bytes(made);
  const nodes = ["--rpc-url", chain.url, "--network-passphrase", chain.passphrase];
  const verify = [SVC_BINARY, "verify", ledger, "--quiet", "--json", ...nodes];
  const start = medianOf(RUNS, () => wall([SVC_BINARY, "--help"]));
  const times: number[] = [];
  // Asynchronous: the node that answers is this program.
  for (let run = 0; run < RUNS; run += 1) {
    const began = performance.now();
    const child = Bun.spawn(verify, { cwd: tmpdir(), stdout: "ignore", stderr: "ignore" });
    await child.exited;
    times.push(performance.now() - began);
  }
  const time = median(times) - start;
  line("contract host alone, 200 transactions", host, "ms");
  const ofHost = { value: time / host, of: "host", atMost: 2 };
  line("svc verify, one ledger of 200, after its start", time, "ms", ofHost);
}

/** The host alone and the complete `svc verify` on the same transactions, in turn. */
async function verifyLongStream(): Promise<void> {
  await using chain = openLongChain({ successes: 9, failures: 1, varied: true });
  const first = chain.first + 1;
  const last = chain.first + LEDGERS;
  chain.tip = last + 1;
  const nodes = ["--rpc-url", chain.url, "--network-passphrase", chain.passphrase];
  const words = ["verify", `${first}-${last}`, "--jobs", "1", "--quiet", "--json", ...nodes];
  const [hostRates, rates, peaks]: [number[], number[], number[]] = [[], [], []];
  for (let run = 0; run < LONG_RUNS; run += 1) {
    hostRates.push(1000 / (await meanHostOfChain()));
    const child = Bun.spawn([SVC_BINARY, ...words], { cwd: tmpdir(), stderr: "ignore" });
    const peak = peakMebibytes(child);
    const { transactions } = JSON.parse(await new Response(child.stdout).text());
    await child.exited;
    rates.push(transactions / cpuSeconds(child.resourceUsage()));
    peaks.push(await peak);
  }
  const [hostRate, rate, memory] = [median(hostRates), median(rates), median(peaks)];
  line("contract host alone, a long stream's", hostRate, "transactions/s");
  const ofHost = { value: rate / hostRate, of: "host's rate a core", atLeast: 0.55 };
  line("svc verify, one long stream, all CPU time", rate, "transactions/s", ofHost);
  line(`  most memory, ${LEDGERS} ledgers`, memory, "MiB", {
    value: memory / 150,
    of: "150 MiB",
    atMost: 1,
  });
}

/** The memory of svc alone, on Linux: `maxRSS` counts the program that started svc, too. */
async function peakMebibytes({ pid, exited }: Bun.Subprocess): Promise<number> {
  let peak = 0;
  let runs = true;
  exited.finally(() => {
    runs = false;
  });
  while (runs) {
    const status = await Bun.file(`/proc/${pid}/status`)
      .text()
      .catch(() => "");
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    await Bun.sleep(50);
  }
  return peak;
}

/** The same for many short streams, where much is the beginning of a stream. */
async function verifyShortStreams(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "svc-bench-"));
  const files = await streams(directory);
  if (files.length === 0) {
    process.stdout.write("svc verify: not measured, because there are no ledger streams\n");
    return;
  }
  ensureCoreTestBuilt();
  const requests = await streamRequests(files);
  const { hostTotal } = inProcess(requests, HOST_ROUNDS);
  const hostRate = requests.length / (hostTotal / 1000);
  line(`contract host alone, ${requests.length} requests`, hostRate, "transactions/s");
  const [one, two] = [1, 2].map((jobs) => runVerify(files, jobs)) as [Verified, Verified];
  for (const [jobs, { rate, exact }] of [one, two].entries()) {
    const ofHost = { value: rate / hostRate, of: "host's rate a core", atLeast: 0.3 };
    line(`svc verify, short streams, ${jobs + 1} job(s)`, rate, "transactions/s", ofHost);
    process.stdout.write(`    exact: ${(100 * exact).toFixed(0)} %\n`);
  }
  const value = one.elapsed / two.elapsed;
  line("svc verify, 2 jobs", two.elapsed, "s", { value, of: "as fast as 1 job", atLeast: 1.8 });
  const { elapsed } = runVerify(files, 1, ONE_CORE);
  const ofOneCore = { value: elapsed / two.elapsed, of: "as fast as 1 job on one core" };
  line("svc verify, 2 jobs on all cores", two.elapsed, "s", ofOneCore);
  rmSync(directory, { recursive: true });
}

interface Verified {
  /** Transactions a second of CPU time. */
  readonly rate: number;
  /** Seconds. */
  readonly elapsed: number;
  /** Share of the transactions. */
  readonly exact: number;
}

/**
 * The CPU time is that of svc and of every process that it waited for. A test build of stellar-core
 * wrote the streams, so the same hosts run them: what meters otherwise is judged one by one.
 */
function runVerify(
  files: readonly string[],
  jobs: number,
  launcher: readonly string[] = [],
): Verified {
  const inputs = Array.from({ length: REPEATS }, () => files).flat();
  const verify = [SVC_BINARY, "verify", "--json", "--jobs", String(jobs), ...inputs];
  const command = [...launcher, ...verify];
  const env = { ...process.env, SVC_SIM_PATH: CORE_TEST_BINARY };
  const { stdout, resourceUsage } = Bun.spawnSync(command, { env, stderr: "ignore" });
  const { transactions, verdicts, elapsedMilliseconds } = JSON.parse(stdout.toString());
  return {
    exact: verdicts.exact / transactions,
    rate: transactions / cpuSeconds(resourceUsage),
    elapsed: elapsedMilliseconds / 1000,
  };
}

function cpuSeconds(usage: Pick<Bun.ResourceUsage, "cpuTime"> | undefined): number {
  return Number(usage?.cpuTime.total ?? Number.NaN) / 1e6;
}

async function streamRequests(files: readonly string[]): Promise<string[]> {
  const requests: string[] = [];
  for (const file of files) {
    for await (const { record, snapshot } of foldedStream(file)) {
      if (snapshot === null) continue;
      const { feeTakenStroops } = readChain(record);
      const options = { trace: false, diagnostics: true, feeTakenStroops };
      requests.push(JSON.stringify(replayRequest(record, snapshot, options)));
    }
  }
  return requests;
}

/** As svc sends them: without the meta. */
function fixtureRequests(): string[] {
  return readdirSync(FIXTURES).map((name) => {
    const { request } = JSON.parse(readFileSync(join(FIXTURES, name), "utf8"));
    return JSON.stringify({ ...request, result_meta_xdr: "", options: { trace: false } });
  });
}

/** Copies of the streams in which the first ledger's meta shows the network's settings. */
async function streams(directory: string): Promise<string[]> {
  if (!existsSync(STREAMS)) return [];
  const found = readdirSync(STREAMS, { recursive: true, encoding: "utf8" });
  const names = found.filter((name) => name.endsWith(".xdr.zst"));
  const { signal } = new AbortController();
  const copies: string[] = [];
  for (const [at, name] of names.entries()) {
    const records: Uint8Array[] = [];
    for await (const { sequence, ledgerCloseMeta: meta } of readLedgerFile(join(STREAMS, name), {
      signal,
    }))
      records.push(sequence === FIRST_CLOSED_LEDGER ? withSettings(meta) : meta);
    const copy = join(directory, `${at}.xdr.zst`);
    await Bun.write(copy, Bun.zstdCompressSync(framed(records)));
    copies.push(copy);
  }
  return copies;
}

/** As if an upgrade had read every setting; no hash of a ledger covers the changes of upgrades. */
function withSettings(ledgerCloseMeta: Uint8Array): Uint8Array {
  const { protocolVersion } = ledgerFactsOf(ledgerCloseMeta);
  if (protocolVersion < FIRST_SOROBAN_PROTOCOL) return ledgerCloseMeta;
  const json = xdr.LedgerCloseMeta.fromXdr(ledgerCloseMeta).toJson() as Record<string, never>;
  const [body] = Object.values(json) as { upgrades_processing: unknown[] }[];
  if (body === undefined) throw new Error("a LedgerCloseMeta without a body");
  const entries = [...initialSettings(protocolVersion).values()];
  const changes = entries.map((entry) => ({
    state: xdr.LedgerEntry.fromXdr(entry, "base64").toJson(),
  }));
  body.upgrades_processing.unshift({ upgrade: { max_soroban_tx_set_size: 1 }, changes });
  return xdr.LedgerCloseMeta.fromJson(json).toXdr();
}

function wall(command: readonly string[], input?: string): number {
  const start = performance.now();
  Bun.spawnSync([...command], {
    stdin: input === undefined ? "ignore" : Buffer.from(input),
    stdout: "ignore",
    stderr: "ignore",
  });
  return performance.now() - start;
}

function medianOf(runs: number, once: () => number): number {
  return median(Array.from({ length: runs }, once));
}
