// Prints every recorded failure as people, machines and agents read it: `bun tests/print-reports.ts
// DIRECTORY` writes one file for each audience. Two runs, before and after a change of words or of
// the data below them, are compared with `diff -r`.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt, RECORDING_BINARY, SIMULATOR_BINARY } from "../scripts/ensure-built.ts";
import { debugTransaction } from "../src/debugger/walk/debug-transaction.ts";
import { agentReport } from "../src/mcp/agent-report.ts";
import { openAnswerStore } from "../src/mcp/answer-store.ts";
import { answerFix, firstAnswer } from "../src/mcp/first-answer.ts";
import { debugReport } from "../src/report/json.ts";
import { FINDINGS_RENDERERS } from "../src/report/renderers.ts";
import { openPool, openRecordingPool } from "../src/simulator/pool.ts";
import { findingsOf, found } from "./report/findings-of.ts";
import { openLoopback } from "./support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "./support/loopback-walk.ts";

const [directory = "/tmp/svc-reports"] = process.argv.slice(2);
mkdirSync(directory, { recursive: true });
const texts: string[] = [];
const documents: unknown[] = [];
const answers: unknown[] = [];
await using loopback = openLoopback();
const { network } = loopback;
ensureBuilt();
await using simulator = openPool({ path: SIMULATOR_BINARY, size: 1 });
await using recorder = openRecordingPool({ path: RECORDING_BINARY, size: 1 });
for (const transaction of network.transactions) {
  const before = network.file(transaction).preEntries?.result?.latestLedger;
  const walk = openWalk(loopback, { rpc: [`entries-at=${before ?? transaction.ledger}`] });
  const dependencies = { ...walk, simulator, recorder, progress: () => {} };
  const options = { signal: NEVER_ABORTED, locate: { wasm: null } };
  const investigation = await debugTransaction(dependencies, transaction.hash, options);
  if (investigation.explanation.success) continue;
  const style = { color: false, verbose: false, messages: false };
  const text = FINDINGS_RENDERERS.text(findingsOf([found(investigation)], true), style);
  texts.push(`==== ${transaction.name}\n${text}`);
  const report = debugReport(investigation);
  const { outcome, fix, verdict } = report;
  documents.push({ name: transaction.name, outcome, fix, verdict: verdict?.kind });
  const store = openAnswerStore();
  answers.push({ name: transaction.name, debug: firstAnswer(store, agentReport(investigation)) });
  answers.push({ name: transaction.name, fix: answerFix(store, agentReport(investigation)) });
}
/** The ids of answers are random. */
const json = (value: unknown) =>
  JSON.stringify(value, (name, each) => (name === "id" ? undefined : each), 1);
writeFileSync(join(directory, "text.txt"), texts.join("\n"));
writeFileSync(join(directory, "document.json"), json(documents));
writeFileSync(join(directory, "agents.json"), json(answers));
