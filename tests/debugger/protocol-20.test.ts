// Metas of protocol 20 as nodes of 2024 wrote them: real ledgers of that protocol, whose metrics are
// replaced by those that a release of stellar-core before 22 would have reported.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt, SIMULATOR_BINARY, SVC_BINARY } from "../../scripts/ensure-built.ts";
import type { ChainRecord } from "../../src/model/chain-record.ts";
import type { Execution } from "../../src/model/execution.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import type { Verification } from "../../src/model/verification.ts";
import { openPool } from "../../src/simulator/pool.ts";
import { replayRequest } from "../../src/simulator/requests.ts";
import { readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import { judge } from "../../src/verdict/judge.ts";
import { verifyLedgerFiles } from "../../src/verify/verify-ledgers.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { foldedStream } from "../support/folded-stream.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { needs } from "../support/needs.ts";
import { opened } from "../support/opened.ts";

const BUILD_MILLISECONDS = 900_000;
const STREAM = ["core-streams", "InvokeHostFunctionTests", "318b008d239ea9d8.xdr.zst"] as const;
/**
 * `cpu_insn` of the stream's protocol-20 transactions in soroban-env-host 20.3.0 itself, run outside
 * svc with the binary search of Rust 1.81, which nodes of that time were built with.
 */
const METERED_BY_20_3_0 = [
  1_004_469, 444_033, 1_295_497, 1_136_314, 1_424_835, 1_105_780, 451_566, 1_059_152, 447_936,
  6_514_221, 6_317_245,
];
const directory = mkdtempSync(join(tmpdir(), "svc-protocol-20-"));
afterAll(() => rmSync(directory, { recursive: true }));
beforeAll(ensureBuilt, BUILD_MILLISECONDS);

const corpus = needs("../shared/corpus", hasCorpus(...STREAM));

corpus.describe("protocol 20 as nodes of 2024 recorded it", () => {
  test("is exact, and the comparisons say which release counted", async () => {
    const file = await asBefore22(METERED_BY_20_3_0);
    expect((await verify(file)).verdicts).toMatchObject({ exact: 12, equivalent: 0 });
    // In four nothing was looked up twice: entries that did not exist, and an invocation that failed.
    expect(await releasesOf(file)).toEqual({ "before 22": 7, "before 23": 4 });
  });

  test("is not exact where another number was metered", async () => {
    const file = await asBefore22(METERED_BY_20_3_0.map((count) => count + 1));
    const { verdicts, byCause } = await verify(file);
    expect(verdicts).toMatchObject({ exact: 1, equivalent: 11, diverged: 0 });
    expect(byCause).toEqual({ "metering differs: cpu_insn": 11 });
  });
});

function verify(file: string): Promise<Verification> {
  return verifyLedgerFiles(
    {
      program: { path: SIMULATOR_BINARY },
      networkPassphrase: null,
      jobs: 1,
      keepNotExact: 50,
      workerCommand: [SVC_BINARY, "verify-worker"],
      rehearseProtocol: null,
      progress: () => {},
    },
    [file],
    { signal: NEVER_ABORTED },
  );
}

/** The stream with the metrics of such a node; the counts of before release 23 are among them. */
async function asBefore22(instructions: readonly number[]): Promise<string> {
  const counts = await countsBefore23();
  const frames: Buffer[] = [];
  let next = 0;
  for await (const { ledgerCloseMeta } of readLedgerFile(corpusPath(...STREAM), {
    signal: NEVER_ABORTED,
  })) {
    const ledger = Buffer.from(ledgerCloseMeta);
    if (metricAt(ledger, "cpu_insn") !== null && next < counts.length) {
      const cpu_insn = instructions[next] as number;
      setMetrics(ledger, { ...counts[next], cpu_insn });
      next += 1;
    }
    const mark = Buffer.alloc(4);
    mark.writeUInt32BE(0x80000000 + ledger.length);
    frames.push(mark, ledger);
  }
  expect(next).toBe(instructions.length);
  const file = join(directory, `${instructions[0]}.xdr`);
  writeFileSync(file, Buffer.concat(frames));
  return file;
}

interface Replayed {
  readonly folded: { readonly record: ChainRecord; readonly snapshot: Snapshot };
  readonly execution: Execution;
}

async function* replayed(file: string): AsyncGenerator<Replayed> {
  await using pool = openPool({ path: SIMULATOR_BINARY, size: 1 });
  for await (const { record, snapshot } of foldedStream(file)) {
    if (record.ledger.protocolVersion !== 20 || snapshot === null) continue;
    const request = replayRequest(record, snapshot, {
      trace: false,
      diagnostics: true,
      feeTakenStroops: null,
    });
    const execution = await pool.replay(request, { signal: NEVER_ABORTED });
    yield { folded: { record, snapshot }, execution };
  }
}

async function countsBefore23(): Promise<Record<string, number>[]> {
  const counts = [];
  for await (const { folded, execution } of replayed(corpusPath(...STREAM))) {
    const returned = Buffer.from(execution.returnValueXdr ?? "", "base64").length;
    counts.push({
      read_entry: folded.snapshot.entries.length,
      emit_event_byte: Number(execution.metrics.emit_event_byte) - returned,
    });
  }
  return counts;
}

/** How many transactions were counted by which releases, as their comparisons say. */
async function releasesOf(file: string): Promise<Record<string, number>> {
  const releases: Record<string, number> = {};
  for await (const { folded, execution } of replayed(file)) {
    const { comparisons } = judge(opened(folded), folded.snapshot, execution);
    const details = comparisons.filter(({ subject }) => subject === "core-metric");
    const release = details[0]?.detail?.match(/before \d+/)?.[0] ?? "today";
    releases[release] = (releases[release] ?? 0) + 1;
  }
  return releases;
}

/** Where the metric's value is: behind its name, a symbol, and the tag of a u64. */
function metricAt(ledger: Buffer, name: string): number | null {
  const symbol = Buffer.alloc(4 + Math.ceil(name.length / 4) * 4 + 4);
  symbol.writeUInt32BE(name.length);
  symbol.write(name, 4);
  symbol.writeUInt32BE(5, symbol.length - 4);
  const at = ledger.indexOf(symbol);
  return at < 0 ? null : at + symbol.length;
}

function setMetrics(ledger: Buffer, metrics: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(metrics)) {
    const at = metricAt(ledger, name);
    if (at === null) throw new Error(`no metric ${name}`);
    ledger.writeBigUInt64BE(BigInt(value), at);
  }
}
