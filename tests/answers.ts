// Is the answer on the first screen? Debugs every failed transaction of the recorded network through
// loopback nodes, and measures its report at 80 columns: lines until the cause, lines in all, whether
// it has advice, and the first sentence.
//
//   bun tests/answers.ts
//
// Ends with 1 when an aim is missed.

import { RECORDING_BINARY, SIMULATOR_BINARY } from "../scripts/ensure-built.ts";
import { debugTransaction } from "../src/debugger/walk/debug-transaction.ts";
import type { Finding } from "../src/model/finding.ts";
import type { Investigation } from "../src/model/investigation.ts";
import { causeOf } from "../src/report/document/counts.ts";
import { renderFindingsText } from "../src/report/text/render-text.ts";
import { openPool, openRecordingPool } from "../src/simulator/pool.ts";
import { openLoopback } from "./support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "./support/loopback-walk.ts";

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
  const { record, fix, remedy, next } = investigation;
  const finding: Finding = {
    kind: "investigated",
    subject: record.hash,
    exitCode: 0,
    elapsedMilliseconds: 0,
    investigation,
    failedExpectations: null,
  };
  const findings = { single: true, list: [finding], exitCode: 0, beganUnixMilliseconds: 0 };
  const text = renderFindingsText(findings, { color: false, columns: COLUMNS });
  const lines = text.trimEnd().split("\n");
  const heading = lines.findIndex((line) => line.startsWith("Cause"));
  return {
    name,
    linesUntilCause: heading === -1 ? null : heading + 2,
    lines: lines.length,
    hasAdvice: remedy !== null || next.length > 0 || fix?.envelopeXdr != null,
    firstSentence: causeOf(finding) ?? "none",
  };
}

export function shareOf(answers: readonly Answer[], holds: (answer: Answer) => boolean): number {
  return (100 * answers.filter(holds).length) / answers.length;
}

if (import.meta.main) {
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
