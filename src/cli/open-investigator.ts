// The walk with the settings of svc debug's flags, opened once for all transactions.

import type { Config } from "../base/settings/config.ts";
import type { Labels } from "../base/settings/labels.ts";
import { plainStep } from "../base/step.ts";
import type { Investigation } from "../model/investigation.ts";
import type { Overrides } from "../model/overrides.ts";
import type { Tracing } from "../report/otlp/open-tracing.ts";
import { readCode } from "./arguments/code-files.ts";
import { ledgerFiles, type ParsedFlags, textFlag } from "./arguments/common-flags.ts";
import { readWasmFile } from "./arguments/user-file.ts";
import { openSignedCapsule } from "./open-signed-capsule.ts";
import { wantsProfile } from "./present/save-profile.ts";
import type { Timing } from "./run-timing.ts";
import { runSignal, type Shell, surroundingsOf, withTimeLimit } from "./shell.ts";

export interface Investigator extends AsyncDisposable {
  /** `hash`: null for the transaction of the capsule. Each transaction has the full --timeout. */
  investigate(hash: string | null, progress: (text: string) => void): Promise<Investigation>;
}

export interface InvestigationOptions {
  readonly tracing: Tracing | null;
  readonly timing: Timing;
  /** The changes of a what-if run. */
  readonly overrides: Overrides | null;
  /** The user's names for addresses. */
  readonly labels: Labels;
  /** The profile and the calls to the host, whatever the flags. */
  readonly recordsAll: boolean;
}

/** Throws SIMULATOR_NOT_FOUND, and CONFIG_INVALID without nodes. */
export async function openInvestigator(
  shell: Shell,
  config: Config,
  args: ParsedFlags,
  { tracing, timing, overrides, labels, recordsAll }: InvestigationOptions,
): Promise<Investigator> {
  const { openRecorder, openSimulator } = await import("../debugger/setup/open-engines.ts");
  const simulator = openSimulator(config, {
    surroundings: surroundingsOf(shell),
    strictValidation: args["strict-validation"] === true,
  });
  const recorder = openRecorder(config, surroundingsOf(shell));
  const file = textFlag(args, "wasm");
  const wasm =
    file === undefined ? null : await readWasmFile(withTimeLimit(shell, config), file, "--wasm");
  const directory = textFlag(args, "code");
  const wanted = {
    code: directory === undefined ? [] : await readCode(withTimeLimit(shell, config), directory),
    profile: recordsAll || wantsProfile(args),
    hostCalls: recordsAll || shell.verbosity >= 2,
    locate: { wasm },
    overrides,
    labels,
  };
  const stepOf = (subject: string | null) => timing.stepOf(subject, tracing?.step ?? plainStep);
  const traced = (subject: string, action: () => Promise<Investigation>) =>
    tracing === null ? action() : tracing.transaction(subject, action);
  const close = () => simulator[Symbol.asyncDispose]();
  const from = textFlag(args, "from");
  if (from !== undefined) {
    const { replayCaptured } = await import("../debugger/walk/replay-captured.ts");
    return {
      investigate: (hash, progress) =>
        traced(hash ?? from, async () => {
          const signal = runSignal(shell, config);
          const captured = await timing.phase("capsule", () =>
            openSignedCapsule({ ...shell, signal }, args, from, hash),
          );
          const options = { signal, ...wanted };
          const engines = { simulator, recorder, progress, step: stepOf(null) };
          return replayCaptured(engines, captured, options);
        }),
      [Symbol.asyncDispose]: close,
    };
  }
  const { openCapture } = await import("../debugger/setup/open-dependencies.ts");
  const { debugTransaction } = await import("../debugger/walk/debug-transaction.ts");
  const capture = openCapture(config, {
    ledgerFiles: ledgerFiles(args),
    progress: shell.log.progress,
    ...(tracing && { observe: tracing.observe }),
  });
  return {
    investigate: (hash, progress) =>
      traced(hash ?? "", () => {
        const engines = { simulator, recorder, progress, step: stepOf(hash) };
        const options = { signal: runSignal(shell, config), ...wanted };
        return debugTransaction({ ...capture, ...engines }, hash ?? "", options);
      }),
    [Symbol.asyncDispose]: close,
  };
}
