// How fast `svc watch` verifies, and how much memory it takes, over a long chain of recorded
// transactions from a node on loopback: nine of ten succeed, one fails and is explained.
//
//   bun bench/follow.ts [--transactions N] [--per-ledger N] [--memory MIB] [--seconds N]
//                       [--varied] [--state]
//
//   --varied      copies of 48 recorded transactions, not of two
//   --state       with a state directory
//   --seconds N   a ledger every N seconds, as a network closes them; without it all at once
//
// Prints the rate, and the resident memory of svc and svc-sim at each tenth of the way. Linux only.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureBuilt, SVC_BINARY } from "../scripts/ensure-built.ts";
import { openLongChain } from "../tests/support/long-chain.ts";

const { values } = parseArgs({
  args: Bun.argv.slice(2),
  options: {
    transactions: { type: "string", default: "20000" },
    "per-ledger": { type: "string", default: "500" },
    memory: { type: "string", default: "256" },
    seconds: { type: "string" },
    varied: { type: "boolean", default: false },
    state: { type: "boolean", default: false },
  },
});
const perLedger = Number(values["per-ledger"]);
const ledgers = Math.ceil(Number(values.transactions) / perLedger);
const failures = Math.floor(perLedger / 10);
const TENTHS = 10;

await ensureBuilt();
const { varied } = values;
await using chain = openLongChain({ successes: perLedger - failures, failures, varied });
const state = mkdtempSync(join(tmpdir(), "svc-follow-"));
chain.tip = values.seconds === undefined ? chain.first + ledgers : chain.first + 1;
const run = Bun.spawn(
  [
    ...[SVC_BINARY, "watch", "--json", "--verbose", "--memory", values.memory],
    ...["--rpc-url", chain.url, "--network-passphrase", chain.passphrase],
    ...["--from-ledger", String(chain.first + 1)],
    ...["--until-ledger", String(chain.first + ledgers)],
    ...(values.state ? ["--state", state] : []),
  ],
  { cwd: tmpdir(), stdout: "pipe", stderr: "pipe" },
);
const begin = performance.now();
const release =
  values.seconds === undefined
    ? null
    : setInterval(() => {
        chain.tip = Math.min(chain.first + ledgers, chain.tip + 1);
      }, Number(values.seconds) * 1000);
const out = new Response(run.stdout).text();
let verified = 0;
let first: number | null = null;
let most = 0;
const print = (text: string) => process.stdout.write(`${text}\n`);
for await (const chunk of run.stderr.pipeThrough(new TextDecoderStream())) {
  const found = [...chunk.matchAll(/ledger (\d+) verified(?:, (\d+) behind)?/g)];
  for (const [, ledger, behind = "0"] of found) {
    first ??= performance.now();
    verified = Number(ledger) - chain.first;
    if (values.seconds !== undefined) most = Math.max(most, Number(behind));
    if (verified % Math.ceil(ledgers / TENTHS) === 0) print(memoryLine());
  }
}
if (release !== null) clearInterval(release);
const seconds = (performance.now() - (first ?? begin)) / 1000;
const { totals } = JSON.parse((await out).trimEnd().split("\n").at(-1) ?? "{}");
const rate = Math.round(((ledgers - 1) * perLedger) / seconds);
print(
  `${JSON.stringify(totals.verdicts)} in ${seconds.toFixed(1)} s: ${rate} transactions a second`,
);
await run.exited;
const cpuSeconds = Number(run.resourceUsage()?.cpuTime.total ?? 0) / 1e6;
const perCpuSecond = Math.round((ledgers * perLedger) / cpuSeconds);
print(
  `${cpuSeconds.toFixed(1)} s of CPU time with svc-sim: ${perCpuSecond} transactions a second of it`,
);
if (values.state) print(`state: ${Math.round(sizeOf(state) / 1024)} KiB`);
rmSync(state, { recursive: true });
if (values.seconds !== undefined) print(`at most ${most} ledgers behind`);

function memoryLine(): string {
  const mebibytes = (pid: number) => Math.round(residentKibibytes(pid) / 1024);
  const simulators = childrenOf(run.pid).map((pid) => `${mebibytes(pid)} MiB`);
  const count = verified * perLedger;
  return `${count} transactions: svc ${mebibytes(run.pid)} MiB, svc-sim ${simulators.join(", ")}`;
}

function residentKibibytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function sizeOf(directory: string): number {
  const names = readdirSync(directory);
  return names.reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
}

function childrenOf(parent: number): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent
        ? [Number(name)]
        : [];
    } catch {
      return [];
    }
  });
}
