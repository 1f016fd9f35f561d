// Makes the transaction of a launch configuration: the fork that it names, the contract to deploy
// there, and the calls.

import { withoutDebugSections } from "../../base/files/wasm-file.ts";
import type { MakeLaunched } from "../../command/lending.ts";
import { readInput } from "../../command/read-input.ts";
import { LOCAL_NETWORK } from "../../model/networks.ts";

/** Makes the transaction. Throws USAGE if it cannot be made, and the errors of opening the fork. */
export const makeLaunched: MakeLaunched = async (
  shell,
  config,
  { fork, deployed, calls, namesNetwork },
  { work, ...context },
) => {
  const { openBase } = await import("../base/open-base.ts");
  const { FORK_SETTINGS } = await import("../fork-settings.ts");
  const { makeCall } = await import("../make-call.ts");
  const program = work.program();
  const { progress } = context;
  const words = { label: "The file ", flag: "fork" };
  const file = fork.kind === "file" ? await readInput(shell, fork.path, words) : null;
  const text = file && {
    name: file.name,
    text: new TextDecoder().decode(file.bytes),
    mayBeCapsule: true,
  };
  const isEmpty = fork.kind === "empty";
  const protocolVersion = Number(FORK_SETTINGS.protocol.default);
  const opened = await openBase(
    {
      config,
      progress,
      warn: progress,
      work,
      passphrase: isEmpty ? LOCAL_NETWORK.passphrase : null,
      // A file needs no nodes. If a network is named, its nodes are asked for entries that the file
      // lacks.
      offline: file !== null && !namesNetwork,
      archive: null,
    },
    { ledger: null, before: null, file: text, empty: isEmpty ? { protocolVersion } : null },
    context,
  );
  return makeCall(
    { opened, program, ...context },
    deployed && { ...deployed, wasm: withoutDebugSections(deployed.wasm) },
    calls,
  );
};
