// Is the answer on the first screen? Debugs every failed transaction of the recorded network through
// loopback nodes, and measures its report at 80 columns: lines until the cause, lines in all, whether
// it has advice, and the first sentence.
//
//   bun tests/answers.ts
//   bun tests/answers.ts --why
//
// --why: what it costs to find and to prove which value decided, for the failures of stellar-core's
// test ledgers too where they are there. Ends with 1 when an aim is missed.

import { RECORDING_BINARY, SIMULATOR_BINARY } from "../scripts/ensure-built.ts";
import { replay } from "../src/debugger/run/replay.ts";
import { RunSet } from "../src/debugger/run/run-set.ts";
import { debugTransaction } from "../src/debugger/walk/debug-transaction.ts";
import { findWhy } from "../src/debugger/walk/further-runs.ts";
import { soleFinding, soleFindings } from "../src/model/finding.ts";
import type { Investigation } from "../src/model/investigation.ts";
import { isRunOfChain } from "../src/model/verdict.ts";
import { causeOf } from "../src/report/document/counts.ts";
import { renderFindingsText } from "../src/report/text/render-text.ts";
import { openPool, openRecordingPool } from "../src/simulator/pool.ts";
import { replayRequest } from "../src/simulator/requests.ts";
import { corpusPath, hasCorpus } from "./support/corpus.ts";
import { foldedStream } from "./support/folded-stream.ts";
import { openLoopback } from "./support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "./support/loopback-walk.ts";
import { opened } from "./support/opened.ts";
import { captureRecorded } from "./support/recorded-walks.ts";

export interface Answer {
  readonly name: string;
  /** Up to the first line of the cause; null when there is none. */
  readonly linesUntilCause: number | null;
  readonly lines: number;
  readonly hasAdvice: boolean;
  readonly firstSentence: string;
}

/** `share`: of all answers, in percent. */
export const AIMS = [
  { what: "cause within 6 lines", share: 100, holds: (each: Answer) => within(6, each) },
  { what: "advice", share: 100, holds: ({ hasAdvice }: Answer) => hasAdvice },
  { what: "at most 24 lines", share: 90, holds: ({ lines }: Answer) => lines <= 24 },
  { what: "at most 40 lines", share: 100, holds: ({ lines }: Answer) => lines <= 40 },
] as const;

const COLUMNS = 80;

function within(most: number, { linesUntilCause }: Answer): boolean {
  return linesUntilCause !== null && linesUntilCause <= most;
}

/** Of every failed transaction, in the order in which they were sent. */
export async function measureAnswers(): Promise<Answer[]> {
  await using loopback = openLoopback();
  await using simulator = openPool({ path: SIMULATOR_BINARY, size: 2 });
  await using recorder = openRecordingPool({ path: RECORDING_BINARY, size: 2 });
  const answers: Answer[] = [];
  for (const transaction of loopback.network.transactions) {
    const { name, hash, ledger } = transaction;
    const before = loopback.network.file(transaction).preEntries?.result?.latestLedger ?? ledger;
    const walk = openWalk(loopback, { rpc: [`entries-at=${before}`] });
    const dependencies = { ...walk, simulator, recorder, progress: () => {} };
    const options = { signal: NEVER_ABORTED, locate: { wasm: null } };
    const found = await debugTransaction(dependencies, hash, options);
    if (!found.explanation.success) answers.push(answerOf(name, found));
  }
  return answers;
}

function answerOf(name: string, investigation: Investigation): Answer {
  const { fix, remedy, next } = investigation;
  const text = renderFindingsText(soleFindings(investigation), { color: false, columns: COLUMNS });
  const lines = text.trimEnd().split("\n");
  const heading = lines.findIndex((line) => line.startsWith("Cause"));
  return {
    name,
    linesUntilCause: heading === -1 ? null : heading + 2,
    lines: lines.length,
    hasAdvice: remedy !== null || next.length > 0 || fix?.envelopeXdr != null,
    firstSentence: causeOf(soleFinding(investigation)) ?? "none",
  };
}

export function shareOf(answers: readonly Answer[], holds: (answer: Answer) => boolean): number {
  return (100 * answers.filter(holds).length) / answers.length;
}

interface Took {
  readonly name: string;
  readonly milliseconds: number;
  readonly said: "proven" | "found" | "nothing";
}

/** What an answer waits for, in milliseconds, and for how many of all failures, in percent. */
const WHY_AIM = { milliseconds: 300, share: 90 };
const WHY_RUNS = 3;

/** Each the slowest of some runs, the first one included, one failure after the other. */
async function measureWhy(): Promise<Took[]> {
  await using simulator = openPool({ path: SIMULATOR_BINARY, size: 2 });
  await using recorder = openRecordingPool({ path: RECORDING_BINARY, size: 2 });
  const engines = { simulator, recorder };
  const all: Took[] = [];
  for await (const { name, record, snapshot } of recordedFailures()) {
    const options = { signal: NEVER_ABORTED, caveats: [] };
    const read = opened({ record });
    const request = replayRequest(record, snapshot, {
      trace: true,
      diagnostics: true,
      feeTakenStroops: read.chain.feeTakenStroops,
      refundIsPaid: read.chain.refundIsPaid,
    });
    const ran = await replay(engines, read, snapshot, request, options);
    if (ran.execution.outcome.kind === "success" || !isRunOfChain(ran.verdict)) continue;
    const replayed = { ...ran, ...opened({ record, snapshot: ran.snapshot }) };
    const times: number[] = [];
    let found: Awaited<ReturnType<typeof findWhy>> = null;
    for (let run = 0; run < WHY_RUNS; run += 1) {
      const began = performance.now();
      found = await findWhy(engines, new RunSet(engines, ran.request), replayed, options);
      times.push(performance.now() - began);
    }
    const said = found === null ? "nothing" : found.proof === null ? "found" : "proven";
    all.push({ name, milliseconds: Math.max(...times), said });
  }
  return all;
}

async function* recordedFailures() {
  for (const { name, record, snapshot } of await captureRecorded())
    if (snapshot !== null) yield { name, record, snapshot };
  if (!hasCorpus("core-streams")) return;
  const index = await Bun.file(corpusPath("core-streams", "index.jsonl")).text();
  const rows = index.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  const failed = rows.filter(({ result }) => !/success/i.test(`${result}`));
  const files = new Set(
    failed.map(({ dir, file }) => corpusPath("core-streams", dir, `${file}.zst`)),
  );
  const hashes = new Set(failed.map(({ hash }) => hash));
  for (const file of files)
    for await (const { record, snapshot } of foldedStream(file))
      if (snapshot !== null && hashes.has(record.hash))
        yield { name: record.hash.slice(0, 10), record, snapshot };
}

/** The least value that so many percent are not above. */
function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? Number.NaN;
}

async function printWhy(): Promise<boolean> {
  const all = (await measureWhy()).toSorted((a, b) => b.milliseconds - a.milliseconds);
  const times = all.map(({ milliseconds }) => milliseconds);
  const share = (100 * times.filter((each) => each <= WHY_AIM.milliseconds).length) / all.length;
  const of = (percent: number) => percentile(times, percent).toFixed(1);
  const counted = (which: Took["said"]) => all.filter(({ said }) => said === which).length;
  const lines = [
    "milliseconds",
    ...all.map(
      (each) => `${each.milliseconds.toFixed(1).padStart(8)}  ${each.said.padEnd(7)}  ${each.name}`,
    ),
    `${all.length} failures: ${counted("proven")} proven, ${counted("found")} found only`,
    `median ${of(50)} ms, nine of ten ${of(90)} ms, slowest ${of(100)} ms`,
    `within ${WHY_AIM.milliseconds} ms: ${share.toFixed(1)} % (aim: ${WHY_AIM.share} %)`,
  ];
  await Bun.write(Bun.stdout, `${lines.join("\n")}\n`);
  return share >= WHY_AIM.share;
}

if (import.meta.main && process.argv.includes("--why")) {
  process.exitCode = (await printWhy()) ? 0 : 1;
} else if (import.meta.main) {
  const answers = await measureAnswers();
  const rows = answers.map(({ linesUntilCause, lines, hasAdvice, firstSentence, name }) => {
    const counts = [linesUntilCause ?? "-", lines].map((count) => String(count).padStart(5));
    return `${counts.join("  ")}  ${hasAdvice ? "advice" : "none  "}  ${name}: ${firstSentence}`;
  });
  const shares = AIMS.map(({ what, share, holds }) => {
    const found = shareOf(answers, holds);
    return { line: `${what}: ${found.toFixed(1)} % (aim: ${share} %)`, isMissed: found < share };
  });
  const lines = [
    "cause  lines  advice  first sentence",
    ...rows,
    ...shares.map(({ line }) => line),
  ];
  await Bun.write(Bun.stdout, `${lines.join("\n")}\n`);
  process.exitCode = shares.some(({ isMissed }) => isMissed) ? 1 : 0;
}
