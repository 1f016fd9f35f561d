// The walk as svc debug's flags describe it, opened once for all transactions that are asked for.

import { resolve } from "node:path";
import type { Config } from "../base/config.ts";
import type { Investigation } from "../model/investigation.ts";
import { ledgerFiles, type ParsedFlags, textFlag } from "./common-flags.ts";
import { wantsProfile } from "./save-profile.ts";
import { runSignal, type Shell, surroundingsOf } from "./shell.ts";

export interface Investigator extends AsyncDisposable {
  /** `hash`: null for whatever the capsule holds. Each has all of --timeout for itself. */
  investigate(hash: string | null, progress: (text: string) => void): Promise<Investigation>;
}

/** Throws SIMULATOR_NOT_FOUND, and CONFIG_INVALID when there is nobody to ask. */
export async function openInvestigator(
  shell: Shell,
  config: Config,
  args: ParsedFlags,
): Promise<Investigator> {
  const { openCapture, openSimulator } = await import("../debugger/open-walk.ts");
  const { debugTransaction, replayCaptured } = await import("../debugger/debug-transaction.ts");
  const simulator = openSimulator(config, {
    surroundings: surroundingsOf(shell),
    strictValidation: args["strict-validation"] === true,
  });
  const profile = wantsProfile(args);
  const close = () => simulator[Symbol.asyncDispose]();
  const from = textFlag(args, "from");
  if (from !== undefined) {
    const { openCapsule } = await import("../debugger/open-capsule.ts");
    return {
      async investigate(hash, progress) {
        const signal = runSignal(shell, config);
        const captured = await openCapsule(resolve(shell.facts.workingDirectory, from), hash);
        return replayCaptured({ simulator, progress }, captured, { signal, profile });
      },
      [Symbol.asyncDispose]: close,
    };
  }
  const capture = openCapture(config, {
    ledgerFiles: ledgerFiles(args),
    progress: shell.log.progress,
  });
  return {
    investigate: (hash, progress) =>
      debugTransaction({ ...capture, progress, simulator }, hash ?? "", {
        signal: runSignal(shell, config),
        profile,
      }),
    [Symbol.asyncDispose]: close,
  };
}
