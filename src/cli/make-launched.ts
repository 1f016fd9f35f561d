// The transaction that a launch configuration makes: the fork that it names, the contract to deploy
// there, and the calls.

import { withoutDebugSections } from "../base/files/wasm-file.ts";
import type { LaunchSettings } from "../dap/launch-settings.ts";
import type { Captured } from "../debugger/walk/capture-transaction.ts";
import { LOCAL_NETWORK } from "../model/networks.ts";
import type { Config } from "../sources/network-settings.ts";
import type { Work } from "../tools/open-work.ts";
import { readInput } from "./arguments/read-input.ts";
import type { Shell } from "./shell.ts";

interface Launched extends Pick<LaunchSettings, "fork" | "deploy"> {
  readonly invoke: NonNullable<LaunchSettings["invoke"]>;
  /** The contract that `deploy` names. */
  readonly deployed: Uint8Array | null;
  readonly network?: unknown;
}

const EMPTY = "empty";

/** Throws USAGE where the transaction cannot be made, and what opening the fork throws. */
export async function makeLaunched(
  shell: Shell,
  config: Config,
  { fork = EMPTY, deploy, deployed, invoke, network }: Launched,
  {
    work,
    ...context
  }: {
    readonly signal: AbortSignal;
    readonly progress: (text: string) => void;
    readonly work: Pick<Work, "program" | "nodes" | "proofs">;
  },
): Promise<Captured> {
  const { openBase } = await import("../fork/base/open-base.ts");
  const { FORK_SETTINGS } = await import("../fork/fork-settings.ts");
  const { makeCall } = await import("../fork/make-call.ts");
  const program = work.program();
  const { progress } = context;
  const words = { what: "The file ", flag: "fork" };
  const file = isFile(fork) ? await readInput(shell, fork, words) : null;
  const text = file && {
    ...{ name: file.name, text: new TextDecoder().decode(file.bytes), mayBeCapsule: true },
  };
  const isEmpty = fork === EMPTY;
  const protocolVersion = Number(FORK_SETTINGS.protocol.default);
  const opened = await openBase(
    {
      ...{ config, progress, warn: progress, work },
      passphrase: isEmpty ? LOCAL_NETWORK.passphrase : null,
      // A file needs no nodes. Where a network is named, they are asked for what the file lacks.
      offline: file !== null && network === undefined,
      archive: null,
    },
    { ledger: null, before: null, file: text, empty: isEmpty ? { protocolVersion } : null },
    context,
  );
  const given = typeof deploy === "object" ? deploy.arguments : undefined;
  return makeCall(
    { opened, program, ...context },
    deployed && { wasm: withoutDebugSections(deployed), arguments: given },
    Array.isArray(invoke) ? invoke : [invoke],
  );
}

/** The network that is forked; null: the fork is a file's or empty, or there is no fork. */
export function networkToFork({ fork }: LaunchSettings): string | null {
  return fork === undefined || fork === EMPTY || isFile(fork) ? null : fork;
}

function isFile(fork: string): boolean {
  return /[/\\]|\.json$/.test(fork);
}
