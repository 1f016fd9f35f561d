// Opens the fork of calls that are made for the command line, editors, agents and the daemon.

import { withoutDebugSections } from "../../base/files/wasm-file.ts";
import type {
  CallContext,
  CallSurroundings,
  DescribeContract,
  ForkOfCalls,
  MakeCalls,
} from "../../command/lending.ts";
import type { MadeCall } from "../../model/investigation.ts";
import { LOCAL_NETWORK } from "../../model/networks.ts";

/** Makes the calls. Throws USAGE if one cannot be made, and the errors of opening the fork. */
export const makeCalls: MakeCalls = async (surroundings, request, context) => {
  const { fork, deployed, calls, namesNetwork } = request;
  const { makeCallsOn } = await import("../make-calls.ts");
  const options = await openFork(surroundings, fork, namesNetwork, context);
  return makeCallsOn(
    options,
    deployed && { ...deployed, wasm: withoutDebugSections(deployed.wasm) },
    calls,
  );
};

/** Reads a contract of the fork. Throws USAGE if there is none. */
export const describeContract: DescribeContract = async (surroundings, fork, contract, context) => {
  const { describeContractOn } = await import("../make-calls.ts");
  const { origins } = surroundings.config;
  const isNamed = [origins.network, origins.rpcUrl].some(({ kind }) => kind === "flag");
  const options = await openFork(surroundings, fork, isNamed, context);
  return describeContractOn(options, contract);
};

async function openFork(
  { config, work }: CallSurroundings,
  fork: ForkOfCalls,
  namesNetwork: boolean,
  context: CallContext,
) {
  const { openBase } = await import("../base/open-base.ts");
  const { FORK_SETTINGS } = await import("../fork-settings.ts");
  const program = work.program();
  const { progress } = context;
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
      offline: fork.kind === "file" && !namesNetwork,
      archive: fork.kind === "network" ? fork.archive : null,
    },
    {
      ledger: fork.kind === "network" ? fork.ledger : null,
      before: null,
      file: fork.kind === "file" ? { ...fork, mayBeCapsule: true } : null,
      empty: isEmpty ? { protocolVersion } : null,
    },
    context,
  );
  return { opened, shownBy: await shownBy(fork, work), program, ...context };
}

async function shownBy(
  fork: ForkOfCalls,
  work: CallSurroundings["work"],
): Promise<MadeCall["shownBy"]> {
  if (fork.kind === "empty") return "nobody";
  if (fork.kind === "file") return "files";
  if (fork.archive !== null) return "archive";
  const { sources } = await work.nodes();
  return sources.some(({ isFork }) => isFork === true) ? "fork" : "nodes";
}
