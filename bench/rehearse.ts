// Compares `svc rehearse` with `svc verify` on the same ledgers, in turn: calls that are replayed and
// run again a second of the CPU time of all processes, and the most memory of svc. A rehearsal runs
// each call twice, so half of verify's rate would be no loss.
//
//   bun bench/rehearse.ts [LEDGERS]

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt, SVC_BINARY } from "../scripts/ensure-built.ts";
import { openLongChain } from "../tests/support/long-chain.ts";
import { KITCHEN, recordedCode } from "../tests/support/recorded-code.ts";
import { line } from "./aims.ts";
import { median } from "./round-trip.ts";

/** Each has ten calls, of which one fails. */
const LEDGERS = Number(process.argv[2] ?? 200);
const ROUNDS = 3;
const NOT_MUCH_MORE = 1.2;

ensureBuilt();
await measure();

async function measure(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "svc-bench-"));
  const file = join(directory, "kitchen.wasm");
  await Bun.write(file, recordedCode("kitchen"));
  await using chain = openLongChain({ successes: 9, failures: 1 });
  const first = chain.first + 1;
  chain.tip = chain.first + LEDGERS * 5 + 1;
  const nodes = ["--rpc-url", chain.url, "--network-passphrase", chain.passphrase];
  const rest = ["--jobs", "1", "--quiet", "--json", ...nodes];
  const rangeOf = (ledgers: number) => `${first}-${first + ledgers - 1}`;
  const rehearse = (ledgers: number) =>
    run(directory, ["rehearse", `${KITCHEN}=${file}`, rangeOf(ledgers), ...rest]);
  const [verified, rehearsed, ratios]: [number[], number[], number[]] = [[], [], []];
  let peak = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const verify = await run(directory, ["verify", rangeOf(LEDGERS), ...rest]);
    const trial = await rehearse(LEDGERS);
    const [verifyRate, rate] = [verify, trial].map(({ seconds }) => (10 * LEDGERS) / seconds);
    verified.push(verifyRate ?? 0);
    rehearsed.push(rate ?? 0);
    ratios.push((2 * (rate ?? 0)) / (verifyRate ?? 1));
    peak = Math.max(peak, trial.mebibytes);
  }
  line("svc verify", median(verified), "transactions/s");
  const ofVerify = { value: median(ratios), of: "verify's runs a second", atLeast: 0.5 };
  line("svc rehearse, two runs each", median(rehearsed), "calls/s", ofVerify);
  line(`  most memory, ${10 * LEDGERS} calls`, peak, "MiB");
  const { mebibytes } = await rehearse(LEDGERS * 5);
  const ofFewer = { value: mebibytes / peak, of: "that", atMost: NOT_MUCH_MORE };
  line(`  most memory, ${50 * LEDGERS} calls`, mebibytes, "MiB", ofFewer);
  rmSync(directory, { recursive: true });
}

interface Measured {
  /** CPU time of svc and of every process that it waited for. */
  readonly seconds: number;
  /** The most memory of svc alone. */
  readonly mebibytes: number;
}

async function run(directory: string, words: readonly string[]): Promise<Measured> {
  const child = Bun.spawn([SVC_BINARY, ...words], { cwd: directory, stderr: "inherit" });
  let peak = 0;
  let runs = true;
  void child.exited.finally(() => {
    runs = false;
  });
  const answer = new Response(child.stdout).text();
  while (runs) {
    const status = await Bun.file(`/proc/${child.pid}/status`)
      .text()
      .catch(() => "");
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    await Bun.sleep(20);
  }
  await answer;
  const { cpuTime } = child.resourceUsage() ?? {};
  return { seconds: Number(cpuTime?.total ?? Number.NaN) / 1e6, mebibytes: peak };
}
