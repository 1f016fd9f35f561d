// The launch configuration of a debug session, over the flags of svc dap → a recorded transaction.

import type { LaunchSettings } from "../dap/launch-settings.ts";
import { configOf } from "../sources/network-settings.ts";
import type { Recording } from "../time-travel/recording.ts";
import { NETWORK } from "./arguments/common-settings.ts";
import { readWasmFile } from "./arguments/read-input.ts";
import { parseTransactionHash } from "./arguments/transaction-hash.ts";
import { type Given, readArguments } from "./command.ts";
import { openSignedCapsule } from "./open-signed-capsule.ts";
import { type Shell, surroundingsOf } from "./shell.ts";

export function openRecordings(shell: Shell, given: Given) {
  return async (
    launch: LaunchSettings,
    { signal, progress }: { readonly signal: AbortSignal; readonly progress: (t: string) => void },
  ): Promise<Recording> => {
    const config = configOf(readArguments(shell, NETWORK, { ...given, ...launch }));
    const { openCapture } = await import("../debugger/setup/open-dependencies.ts");
    const { openRecorder, openSimulator } = await import("../debugger/setup/open-engines.ts");
    const { captureTransaction } = await import("../debugger/walk/capture-transaction.ts");
    const { findSimulator } = await import("../debugger/setup/find-simulator.ts");
    const { recordTransaction } = await import("../debugger/travel/record-transaction.ts");
    const surroundings = surroundingsOf(shell);
    await using simulator = openSimulator(config, { surroundings, strictValidation: false });
    const recorder = openRecorder(config, surroundings);
    const limit = AbortSignal.timeout(config.timeoutMilliseconds);
    const options = { signal: AbortSignal.any([signal, shell.signal, limit]) };
    const { hash = "", capsule, wasm: builds = [], ledgerFile: ledgerFiles = [] } = launch;
    const wasm = await Promise.all(builds.map((path) => readWasmFile(shell, path, "wasm")));
    const captured =
      capsule !== undefined
        ? // Standard input is the editor's.
          await openSignedCapsule(shell, capsule === "-" ? "./-" : capsule, null, null)
        : await captureTransaction(
            openCapture(config, { ledgerFiles, progress }),
            parseTransactionHash(hash),
            options,
          );
    return await recordTransaction({ simulator, recorder }, captured, {
      ...options,
      wasm,
      simulatorPath: findSimulator(config, surroundings),
    });
  };
}
