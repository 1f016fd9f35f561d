// svc dap: a Debug Adapter Protocol server on stdin and stdout, or on a loopback port.

import { SvcError, usageError } from "../../base/errors/errors.ts";
import { phraseFor } from "../../base/phrase.ts";
import { integer, type Settings } from "../../base/settings/setting.ts";
import {
  type Command,
  type CommandLineValues,
  onFork,
  readArguments,
} from "../../command/command.ts";
import { COMMON, NETWORK, withoutFlags } from "../../command/common-settings.ts";
import type { DeployedContract, ForkOfCalls, Lent, WantedCall } from "../../command/lending.ts";
import { openSignedCapsule } from "../../command/open-signed-capsule.ts";
import { readTransaction } from "../../command/read-hashes.ts";
import { readInput, readWasmFile } from "../../command/read-input.ts";
import { proofOf, runSignal, type Shell, workOptions } from "../../command/shell.ts";
import { findBuilds, TARGET } from "../../debugger/travel/find-builds.ts";
import type { Builds } from "../../debugger/travel/record-transaction.ts";
import { ARCHIVE_SETTINGS } from "../../history-archive/archive-settings.ts";
import { configOf } from "../../sources/network-settings.ts";
import { onNetwork } from "../../sources/resolve-network.ts";
import type { Recording } from "../../time-travel/recording.ts";
import { editorOf } from "../editor-audience.ts";
import {
  forkOf,
  type LaunchedCall,
  type LaunchedFork,
  type LaunchSettings,
  networkToFork,
  unknownSettings,
} from "../launch-settings.ts";

const PORT = {
  port: {
    hint: "PORT",
    schema: integer(0, 65_535),
    otherwise: "stdin and stdout",
    help: "Serve any number of sessions on this loopback port; 0 is any free port.",
  },
} as const satisfies Settings;

const OF_SESSION = { ...withoutFlags(ARCHIVE_SETTINGS), ...NETWORK } as const satisfies Settings;

const NO_SEARCH = "none";

/**
 * The settings of the network are read at the beginning of a session, because the editor overrides
 * them.
 */
export const command: Command = {
  settings: { ...PORT, ...OF_SESSION, ...COMMON },
  async run(shell, values, lent) {
    const { port } = readArguments(shell, PORT, values);
    const { listenForEditors, serveStreams } = await import("../serve.ts");
    const open = openRecordings(shell, values, lent);
    if (port === null) {
      const write = (text: string) => shell.output.write(text);
      await serveStreams({ input: shell.facts.stdin(), write }, open, shell.signal);
      return 0;
    }
    const server = await listenForEditors(port, open, {
      signal: shell.signal,
      warn: (text) => shell.log.warn(text),
    });
    shell.log.info(`Debug Adapter Protocol on 127.0.0.1:${server.port}`);
    await new Promise<void>((resolve) => {
      shell.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await server.close();
    return 0;
  },
};

interface Opening {
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

function openRecordings(shell: Shell, values: CommandLineValues, lent: Lent) {
  const open = recordings(shell, values, lent);
  return (launch: LaunchSettings, opening: Opening) =>
    open(launch, opening).catch((error) => {
      throw forEditors(error, launch);
    });
}

function recordings(shell: Shell, values: CommandLineValues, lent: Lent) {
  return async (launch: LaunchSettings, { signal, progress }: Opening): Promise<Recording> => {
    for (const remark of unknownSettings(launch, Object.keys(NETWORK))) progress(remark);
    const pasted = launch.hash === undefined ? null : await readTransaction(launch.hash);
    const named = networkToFork(launch);
    const flags = { ...values, ...launch, ...(named !== null && { network: named }) };
    const args = await onFork(shell, readArguments(shell, OF_SESSION, flags));
    const config = configOf(onNetwork(args, pasted?.network ?? null));
    const { openWork } = await import("../../tools/open-work.ts");
    const { capsule, invoke, ledgerFile: ledgerFiles = [] } = launch;
    const proof = proofOf(shell, args);
    const work = openWork(config, { ...workOptions(shell), ledgerFiles, progress, proof });
    const { tools } = work;
    const run = { signal: AbortSignal.any([signal, runSignal(shell, config)]), progress };
    const deployed = await readDeployed(shell, launch);
    const builds = await openBuilds(shell, launch, deployed);
    // Standard input belongs to the editor.
    const file = capsule === "-" ? "./-" : capsule;
    if (invoke !== undefined) {
      if (lent.calls === undefined)
        throw usageError("This svc cannot make calls.", "Debug a hash or a capsule.");
      const { makeCalls } = await lent.calls();
      const made = await makeCalls(
        { config, work },
        {
          fork: await readFork(shell, forkOf(launch.fork)),
          deployed: deployed && { wasm: deployed, ...argumentsOf(launch) },
          calls: (Array.isArray(invoke) ? invoke : [invoke]).map(callOf),
          namesNetwork: launch.network !== undefined,
        },
        run,
      );
      return tools.record({ captured: () => made.captured }, builds, run);
    }
    const subject =
      file === undefined
        ? { hash: pasted?.hash ?? "" }
        : { captured: () => openSignedCapsule(shell, file, null, null) };
    return tools.record(subject, builds, run);
  };
}

/** The error in the words of an editor: the settings of a launch configuration instead of flags. */
function forEditors(error: unknown, launch: LaunchSettings): unknown {
  if (!(error instanceof SvcError)) return error;
  const { code, words, details, cause } = error;
  const editor = editorOf(launch);
  const message = phraseFor(words.message, editor);
  return new SvcError(code, { message, remedy: phraseFor(words.remedy, editor), details, cause });
}

/** The contract to deploy, after the check that debuggers can read it; null if there is none. */
async function readDeployed(shell: Shell, { deploy }: LaunchSettings): Promise<Uint8Array | null> {
  if (deploy === undefined) return null;
  return readWasmFile(shell, typeof deploy === "string" ? deploy : deploy.wasm, "deploy");
}

/** Arguments of the deployed contract's constructor. */
function argumentsOf({ deploy }: LaunchSettings): Pick<DeployedContract, "arguments"> {
  const value = typeof deploy === "object" ? deploy.arguments : undefined;
  return value === undefined ? {} : { arguments: { kind: "json", value } };
}

function callOf({ contract, function: name, arguments: value = [], account = 0 }: LaunchedCall) {
  const argumentValue = { kind: "json", value } as const;
  return { contract, function: name, arguments: argumentValue, account } satisfies WantedCall;
}

async function readFork(shell: Shell, fork: LaunchedFork): Promise<ForkOfCalls> {
  if (fork.kind === "network") return { ...fork, ledger: null, archive: null };
  if (fork.kind === "empty") return fork;
  const words = { label: "The file ", flag: "fork" };
  const { name, bytes } = await readInput(shell, fork.path, words);
  return { kind: "file", name, text: new TextDecoder().decode(bytes) };
}

/** Reads the builds of the configuration before any node is asked. */
async function openBuilds(
  shell: Shell,
  { wasm, builds = TARGET }: LaunchSettings,
  deployed: Uint8Array | null,
): Promise<Builds> {
  const { workingDirectory } = shell.facts;
  if (wasm === undefined && deployed === null && builds !== NO_SEARCH)
    return (codes) => findBuilds({ workingDirectory, directory: builds }, codes);
  const named = await Promise.all((wasm ?? []).map((path) => readWasmFile(shell, path, "wasm")));
  const namedCode = { wasm: [...named, ...(deployed === null ? [] : [deployed])], remarks: [] };
  return () => Promise.resolve(namedCode);
}
