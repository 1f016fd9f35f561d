// The launch configuration of a debug session, over the flags of svc dap → a recorded transaction.

import type { Recording } from "../time-travel/recording.ts";
import { loadConfig, type ParsedFlags } from "./arguments/common-flags.ts";
import { parseTransactionHash } from "./arguments/transaction-hash.ts";
import { readWasmFile } from "./arguments/user-file.ts";
import { openSignedCapsule } from "./open-signed-capsule.ts";
import { type Shell, surroundingsOf } from "./shell.ts";

/** The settings of a launch; the same as the flags of svc debug. */
export interface LaunchSettings {
  readonly hash?: string | undefined;
  readonly capsule?: string | undefined;
  readonly network?: string | undefined;
  readonly networkPassphrase?: string | undefined;
  readonly horizonUrl?: string | undefined;
  readonly rpcUrl?: string | undefined;
  readonly ledgerLakeUrl?: string | undefined;
  readonly ledgerFile?: readonly string[] | undefined;
  readonly timeout?: string | undefined;
  readonly simPath?: string | undefined;
  readonly wasm?: readonly string[] | undefined;
}

export function openRecordings(shell: Shell, flags: ParsedFlags) {
  return async (
    launch: LaunchSettings,
    { signal, progress }: { readonly signal: AbortSignal; readonly progress: (t: string) => void },
  ): Promise<Recording> => {
    const config = loadConfig(shell, withLaunch(flags, launch));
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
    const wasm = await Promise.all(
      (launch.wasm ?? []).map((path) => readWasmFile(shell, path, "wasm")),
    );
    const ledgerFiles = launch.ledgerFile ?? [];
    const captured =
      launch.capsule !== undefined
        ? await openSignedCapsule(shell, flags, fileNamed(launch.capsule), null)
        : await captureTransaction(
            openCapture(config, { ledgerFiles, progress }),
            parseTransactionHash(launch.hash ?? ""),
            options,
          );
    return await recordTransaction({ simulator, recorder }, captured, {
      ...options,
      wasm,
      simulatorPath: findSimulator(config, surroundings),
    });
  };
}

/** Standard input is the editor's. */
function fileNamed(path: string): string {
  return path === "-" ? "./-" : path;
}

function withLaunch(flags: ParsedFlags, launch: LaunchSettings): ParsedFlags {
  const given = {
    network: launch.network,
    "network-passphrase": launch.networkPassphrase,
    "horizon-url": launch.horizonUrl,
    "rpc-url": launch.rpcUrl,
    "ledger-lake-url": launch.ledgerLakeUrl,
    timeout: launch.timeout,
    "sim-path": launch.simPath,
  };
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...flags, ...Object.fromEntries(set) };
}
