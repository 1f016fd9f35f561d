// svc mcp: tools for agents, in the Model Context Protocol over standard input and output.

import { resolve } from "node:path";
import { Readable, Writable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { type ArgsDef, defineCommand } from "citty";
import { neutralise } from "../../base/text/neutralise.ts";
import { COMMON_FLAGS, CONFIG_FLAGS, loadConfig } from "../arguments/common-flags.ts";
import { readLabels } from "../arguments/read-labels.ts";
import { asSvcError } from "../present/present-error.ts";
import type { Shell } from "../shell.ts";

const ARGUMENTS = {
  "allow-directory": {
    type: "string",
    valueHint: "DIR",
    description: "Directory where agents may read capsules and save new ones (default: none).",
  },
  ...CONFIG_FLAGS,
  ...COMMON_FLAGS,
} as const satisfies ArgsDef;

export function mcpCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "mcp" },
    args: ARGUMENTS,
    async run({ args, rawArgs }) {
      const config = loadConfig(shell, args);
      const labels = readLabels(shell, args, rawArgs);
      const { openAllowedDirectory } = await import("../../mcp/allowed-directory.ts");
      const { openAgentServices } = await import("../agent-services.ts");
      const { openAnswerStore } = await import("../../mcp/answer-store.ts");
      const { toolsOf } = await import("../../mcp/tools.ts");
      const { serveOverStdio } = await import("../../mcp/serve-stdio.ts");
      const directory = args["allow-directory"];
      const allowed =
        directory === undefined
          ? null
          : openAllowedDirectory(resolve(shell.facts.workingDirectory, directory));
      const services = openAgentServices(shell, { config, labels, allowed });
      const { signal } = shell;
      const { timeoutMilliseconds } = config;
      const tools = toolsOf(services, openAnswerStore());
      await serveOverStdio(
        { tools, overHttp: false, signal, timeoutMilliseconds, asError: asSvcError },
        {
          input: Readable.fromWeb(shell.facts.stdin() as NodeReadableStream<Uint8Array>),
          output: outputOf(shell),
          onError: ({ message }) => shell.log.warn(neutralise(message)),
        },
      );
      return 0;
    },
  });
}

function outputOf({ output }: Shell): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk, _encoding, written) {
      output.write(String(chunk)).then(() => written(), written);
    },
  });
}
