// The work of `svc mcp`: each call does what the command with the same purpose does.

import { availableParallelism } from "node:os";
import { SvcError } from "../base/errors/errors.ts";
import { explainText } from "../debugger/answer/explain-text.ts";
import { findSimulator } from "../debugger/setup/find-simulator.ts";
import { openCapture, openSimulation } from "../debugger/setup/open-dependencies.ts";
import { openRecorder, openSimulator } from "../debugger/setup/open-engines.ts";
import { reportSimulation } from "../debugger/simulate/report-simulation.ts";
import { captureTransaction } from "../debugger/walk/capture-transaction.ts";
import { debugTransaction } from "../debugger/walk/debug-transaction.ts";
import { openCapsule } from "../debugger/walk/open-capsule.ts";
import { replayCaptured } from "../debugger/walk/replay-captured.ts";
import type { AgentServices, Run, Subject } from "../mcp/agent-services.ts";
import type { AllowedDirectory } from "../mcp/allowed-directory.ts";
import type { Labels } from "../model/labels.ts";
import type { Overrides } from "../model/overrides.ts";
import { type DebugReport, renderJson } from "../report/json.ts";
import { renderSimulationJson } from "../report/simulation-json.ts";
import { encodeCapsule } from "../sources/files/capsule.ts";
import type { Config } from "../sources/network-settings.ts";
import { verifyRange } from "../verify/verify-range.ts";
import { type Shell, surroundingsOf } from "./shell.ts";

export interface AgentSettings {
  readonly config: Config;
  readonly labels: Labels;
  /** Null: agents name no files. */
  readonly allowed: AllowedDirectory | null;
}

/** An agent with more calls at once waits for nobody, and slows everything down. */
const AT_ONCE = 8;

export function openAgentServices(shell: Shell, settings: AgentSettings): AgentServices {
  const { config, labels, allowed } = settings;
  const surroundings = surroundingsOf(shell);
  const simulated = { surroundings, strictValidation: false };
  const capture = ({ progress }: Run) => openCapture(config, { ledgerFiles: [], progress });

  async function debug(subject: Subject, overrides: Overrides | null, run: Run) {
    await using simulator = openSimulator(config, simulated);
    const { signal, progress } = run;
    const engines = { simulator, recorder: openRecorder(config, surroundings), progress };
    const options = { signal, locate: { wasm: null }, overrides, labels };
    if ("hash" in subject)
      return await debugTransaction({ ...capture(run), ...engines }, subject.hash, options);
    const captured = openCapsule(await directory(allowed).read(subject.capsule, run), null);
    return await replayCaptured(engines, captured, options);
  }
  const limited = openLimit(AT_ONCE);
  const report = (subject: Subject, overrides: Overrides | null, run: Run) =>
    limited(async (): Promise<DebugReport> => {
      return JSON.parse(renderJson(await debug(subject, overrides, run)));
    });

  return {
    overHttp: false,
    debug: (subject, run) => report(subject, null, run),
    whatIf: report,
    simulate: (request, run) =>
      limited(async () => {
        const dependencies = openSimulation(config, surroundings);
        const options = { ...run, name: "The envelope" };
        const report = await reportSimulation(dependencies, request, options);
        return JSON.parse(renderSimulationJson(report));
      }),
    networkCode: async (code) => {
      const explained = explainText(code, "The code");
      return explained.kind === "code" ? explained.code : null;
    },
    verify: (range, run) =>
      limited(() => {
        const simulatorPath = findSimulator(config, surroundings);
        const settings = { ...capture(run), simulatorPath, jobs: availableParallelism() };
        return verifyRange(settings, range, run);
      }),
    capture:
      allowed &&
      ((hash, name, run) =>
        limited(async () => {
          const file = name ?? `${hash}.capsule.json`;
          allowed.check(file);
          const { record, snapshot } = await captureTransaction(capture(run), hash, run);
          const text = encodeCapsule(record, snapshot);
          return {
            file: await allowed.create(file, text),
            hash: record.hash,
            ledger: record.ledger.sequence,
            entries: snapshot?.entries.length ?? null,
            unknownEntries: snapshot?.unknown.length ?? 0,
          };
        })),
  };
}

/** Throws FILE_NOT_ALLOWED. */
function directory(allowed: AllowedDirectory | null): AllowedDirectory {
  if (allowed !== null) return allowed;
  throw new SvcError("FILE_NOT_ALLOWED", {
    message: "No directory is allowed for files.",
    remedy: "Use the hash, or start `svc mcp` with `--allow-directory`.",
  });
}

function openLimit(most: number) {
  let running = 0;
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running >= most)
      throw new SvcError("OVERLOADED", {
        message: `svc already works on ${running} calls, the maximum.`,
        remedy: "Wait for the answers to earlier calls.",
      });
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
    }
  };
}
