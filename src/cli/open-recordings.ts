// The launch configuration of a debug session, over the flags of svc dap → a recorded transaction.

import type { LaunchSettings } from "../dap/launch-settings.ts";
import { configOf } from "../sources/network-settings.ts";
import type { Recording } from "../time-travel/recording.ts";
import { NETWORK } from "./arguments/common-settings.ts";
import { readWasmFile } from "./arguments/read-input.ts";
import { parseTransactionHash } from "./arguments/transaction-hash.ts";
import { type Given, readArguments } from "./command.ts";
import { openSignedCapsule } from "./open-signed-capsule.ts";
import { runSignal, type Shell, surroundingsOf } from "./shell.ts";

export function openRecordings(shell: Shell, given: Given) {
  return async (
    launch: LaunchSettings,
    { signal, progress }: { readonly signal: AbortSignal; readonly progress: (t: string) => void },
  ): Promise<Recording> => {
    const config = configOf(readArguments(shell, NETWORK, { ...given, ...launch }));
    const { openEngines } = await import("../debugger/setup/open-engines.ts");
    const { openTools } = await import("../tools/tools.ts");
    const { hash = "", capsule, wasm: builds = [], ledgerFile: ledgerFiles = [] } = launch;
    const surroundings = surroundingsOf(shell);
    const tools = openTools(openEngines(config, { surroundings, ledgerFiles, progress }));
    const run = { signal: AbortSignal.any([signal, runSignal(shell, config)]), progress };
    const wasm = await Promise.all(builds.map((path) => readWasmFile(shell, path, "wasm")));
    // Standard input is the editor's.
    const file = capsule === "-" ? "./-" : capsule;
    const subject =
      file === undefined
        ? { hash: parseTransactionHash(hash) }
        : { captured: () => openSignedCapsule(shell, file, null, null) };
    return tools.record(subject, wasm, run);
  };
}
