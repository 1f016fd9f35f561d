// The transaction that a launch configuration makes: the fork that it names, the contract to deploy
// there, and the calls.

import { withoutDebugSections } from "../../base/files/wasm-file.ts";
import { readInput } from "../../cli/arguments/read-input.ts";
import type { MakeLaunched } from "../../cli/lending.ts";
import { EMPTY_FORK, isForkFile } from "../../dap/launch-settings.ts";
import { LOCAL_NETWORK } from "../../model/networks.ts";

/** Throws USAGE where the transaction cannot be made, and what opening the fork throws. */
export const makeLaunched: MakeLaunched = async (
  shell,
  config,
  { fork = EMPTY_FORK, deploy, deployed, invoke, network },
  { work, ...context },
) => {
  const { openBase } = await import("../base/open-base.ts");
  const { FORK_SETTINGS } = await import("../fork-settings.ts");
  const { makeCall } = await import("../make-call.ts");
  const program = work.program();
  const { progress } = context;
  const words = { what: "The file ", flag: "fork" };
  const file = isForkFile(fork) ? await readInput(shell, fork, words) : null;
  const text = file && {
    ...{ name: file.name, text: new TextDecoder().decode(file.bytes), mayBeCapsule: true },
  };
  const isEmpty = fork === EMPTY_FORK;
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
};
