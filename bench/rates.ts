// The rates that docs/internals/scale.md and the estimate of `svc verify plan` rest on, as CPU time:
//
//   bun bench/rates.ts
//
// folding whole ledgers of mainnet, with what their transactions declare; svc-sim's instructions a second; and `svc verify` over 1, 64, 640 and 1,280 ledgers with ten
// transactions each, which shows what a process costs before it has anything to do. Linux only.

import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { ensureBuilt, SIMULATOR_BINARY, SVC_BINARY } from "../scripts/ensure-built.ts";
import { NETWORKS } from "../src/model/networks.ts";
import { openLedgerEngine } from "../src/simulator/open-processes.ts";
import { openPool } from "../src/simulator/pool.ts";
import { replayRequest } from "../src/simulator/requests.ts";
import { LedgersFold } from "../src/snapshot/stream/ledgers-fold.ts";
import { readLedgerFile } from "../src/sources/files/ledger-file.ts";
import { readSorobanFacts } from "../src/xdr/envelope/envelope-facts.ts";
import { readLedgerCloseMeta } from "../src/xdr/ledger/ledger-close-meta.ts";
import { corpusPath } from "../tests/support/corpus.ts";
import { openLongChain } from "../tests/support/long-chain.ts";
import { captureRecorded } from "../tests/support/recorded-walks.ts";

const FILES = [
  "pubnet-FCD285FF--53312000.xdr.zstd",
  "pubnet-57500008.xdr.gz",
  "pubnet-63719136.xdr.gz",
];
const FOLDS = 60;
const REPLAYS = 20;
const TICKS_PER_SECOND = 100;
const { signal } = new AbortController();
const print = (text: string) => process.stdout.write(`${text}\n`);

await ensureBuilt();
for (const file of FILES) {
  for await (const each of readLedgerFile(corpusPath("mainnet-ledgers", file), { signal })) {
    await foldLedger(each.sequence, each.ledgerCloseMeta);
  }
}
await replayRecorded();
await verifyRanges();

async function foldLedger(sequence: number, bytes: Uint8Array): Promise<void> {
  const { passphrase: networkPassphrase } = NETWORKS.mainnet;
  const { transactions } = readLedgerCloseMeta(bytes, networkPassphrase);
  const declared = transactions.flatMap(
    ({ placed }) => readSorobanFacts(placed.envelope)?.instructions ?? [],
  );
  const view = readLedgerCloseMeta(bytes, networkPassphrase);
  const own = process.cpuUsage();
  const before = childTicks();
  {
    await using engine = openLedgerEngine({ path: SIMULATOR_BINARY }, 1);
    for (let i = 0; i < FOLDS; i += 1) {
      await new LedgersFold(engine, { networkPassphrase }).foldOnly({
        ledgerCloseMeta: bytes,
        view,
      });
    }
  }
  const { user, system } = process.cpuUsage(own);
  const ticks = childTicks() - before;
  const milliseconds = ((user + system) / 1000 + (1000 * ticks) / TICKS_PER_SECOND) / FOLDS;
  const mean = declared.reduce((sum, each) => sum + each, 0) / Math.max(1, declared.length) / 1e6;
  print(
    `ledger ${sequence}: ${transactions.length} transactions, ${declared.length} of Soroban with ` +
      `${mean.toFixed(1)} million instructions declared on average; ${bytes.length} bytes, ` +
      `${packed(bytes)} compressed; folded in ${milliseconds.toFixed(1)} ms`,
  );
}

function packed(bytes: Uint8Array): number {
  return Bun.zstdCompressSync(new Uint8Array(bytes)).length;
}

/** svc-sim's time is that of a child that has ended. */
async function replayRecorded(): Promise<void> {
  const walks = (await captureRecorded()).flatMap(({ record, snapshot }) =>
    snapshot === null ? [] : [{ record, snapshot }],
  );
  const before = childTicks();
  let instructions = 0;
  let replays = 0;
  {
    await using pool = openPool({ path: SIMULATOR_BINARY, size: 1, window: 16 });
    const options = { trace: false, diagnostics: true, feeTakenStroops: null };
    for (let round = 0; round < REPLAYS; round += 1) {
      const executions = walks.map(({ record, snapshot }) =>
        pool.replay(replayRequest(record, snapshot, options), { signal }),
      );
      for (const { metrics } of await Promise.all(executions)) {
        instructions += Number(metrics.cpu_insn ?? 0);
        replays += 1;
      }
    }
  }
  const seconds = (childTicks() - before) / TICKS_PER_SECOND;
  print(
    `svc-sim: ${replays} replays of ${walks.length} transactions, ` +
      `${(instructions / replays / 1e6).toFixed(1)} million instructions on average: ` +
      `${Math.round(replays / seconds)} replays and ${Math.round(instructions / seconds / 1e6)} million ` +
      "instructions a second of CPU time",
  );
}

/** User and system time of children that have ended. */
function childTicks(): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[13]) + Number(fields[14]);
}

async function verifyRanges(): Promise<void> {
  await using chain = openLongChain({ successes: 9, failures: 1, varied: true });
  const first = chain.first + 1;
  chain.tip = chain.first + 1281;
  for (const ledgers of [1, 64, 640, 1280]) {
    const nodes = ["--rpc-url", chain.url, "--network-passphrase", chain.passphrase];
    const words = ["verify", `${first}-${first + ledgers - 1}`, "--jobs", "1", "--quiet", ...nodes];
    const child = Bun.spawn([SVC_BINARY, ...words], {
      cwd: tmpdir(),
      stdio: ["ignore", "ignore", "ignore"],
    });
    await child.exited;
    const seconds = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6;
    print(`svc verify of ${ledgers} ledgers: ${seconds.toFixed(2)} s`);
  }
}
