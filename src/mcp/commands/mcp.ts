// svc mcp: tools for agents, in the Model Context Protocol over standard input and output.

import { resolve } from "node:path";
import { Readable, Writable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { directory, type Settings } from "../../base/settings/setting.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import { callsOn } from "../../command/call-by-name.ts";
import { type Arguments, defineCommand } from "../../command/command.ts";
import { COMMON, NETWORK, withoutFlags } from "../../command/common-settings.ts";
import type { Lent } from "../../command/lending.ts";
import { asSvcError } from "../../command/present-error.ts";
import { proofOf, type Shell, workOptions } from "../../command/shell.ts";
import { ARCHIVE_SETTINGS } from "../../history-archive/archive-settings.ts";
import { readLabels } from "../../model/labels.ts";
import { type Config, configOf } from "../../sources/network-settings.ts";
import { ofNetworkNamed } from "../../sources/resolve-network.ts";

const MCP = {
  allowDirectory: {
    hint: "DIR",
    schema: directory,
    otherwise: "none",
    help: "Directory where agents may read capsules and save new ones.",
  },
  ...withoutFlags(ARCHIVE_SETTINGS),
  ...NETWORK,
  ...COMMON,
} as const satisfies Settings;

export const command = defineCommand(MCP, mcpCommand, {
  examples: [["-n mainnet", "The command for an agent's settings."]],
});

async function mcpCommand(shell: Shell, args: Arguments<typeof MCP>, lent: Lent): Promise<number> {
  const config = configOf(args);
  const labels = readLabels([], args.file);
  const { openAllowedDirectory } = await import("../allowed-directory.ts");
  const { openAnswerStore } = await import("../answer-store.ts");
  const { agentTools } = await import("../tools.ts");
  const { serveOverStdio } = await import("../serve-stdio.ts");
  const { belowLimit, openLimit } = await import("../../tools/limit.ts");
  const { openWork } = await import("../../tools/open-work.ts");
  const { allowDirectory } = args;
  const directory =
    allowDirectory === null
      ? null
      : openAllowedDirectory(resolve(shell.facts.workingDirectory, allowDirectory));
  const { signal } = shell;
  const { timeoutMilliseconds } = config;
  const limit = openLimit(AT_ONCE, tooMany);
  // Standard input belongs to the agent, so no user can allow a large download there.
  const proof = { ...proofOf(shell, args), confirm: undefined };
  const { surroundings } = workOptions(shell);
  const workFor = (network: Config) => {
    const work = openWork(network, { surroundings, proof, always: { labels } });
    const { proofs, tools } = work;
    const calls = callsOn({ config: network, work }, lent);
    return { proofs, tools: belowLimit({ ...tools, ...calls }, limit) };
  };
  const { proofs, tools: own } = workFor(config);
  const opened = new Map([[config.networkPassphrase, own]]);
  const networks = {
    own: config.networkName,
    toolsOf(name: string) {
      const other = configOf(ofNetworkNamed(args, name, shell.facts));
      const known = opened.get(other.networkPassphrase) ?? workFor(other).tools;
      opened.set(other.networkPassphrase, known);
      return known;
    },
  };
  const { hasArchive } = proofs;
  const options = { tools: own, networks, overHttp: false, hasArchive, directory };
  const tools = agentTools(options, openAnswerStore());
  await serveOverStdio(
    { tools, overHttp: false, signal, timeoutMilliseconds, asError: asSvcError },
    {
      input: Readable.fromWeb(shell.facts.stdin() as NodeReadableStream<Uint8Array>),
      output: outputOf(shell),
      onError: ({ message }) => shell.log.warn(neutralise(message)),
    },
  );
  return 0;
}

/** The largest number of calls of one agent at a time: more would only slow each other down. */
const AT_ONCE = 8;

const tooMany = (running: number) => ({
  message: `svc already works on ${running} calls, the maximum.`,
  remedy: "Wait for the answers to earlier calls.",
});

function outputOf({ output }: Shell): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk, _encoding, written) {
      output
        .write(String(chunk))
        .then(
          () => written(output.readerGone() ? new Error("The client has left.") : null),
          written,
        );
    },
  });
}
