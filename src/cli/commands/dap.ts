// svc dap: a Debug Adapter Protocol server on stdin and stdout, or on a loopback port.

import { type ArgsDef, defineCommand } from "citty";
import { SvcError } from "../../base/errors/errors.ts";
import { COMMON_FLAGS, CONFIG_FLAGS, textFlag } from "../arguments/common-flags.ts";
import { openRecordings } from "../open-recordings.ts";
import type { Shell } from "../shell.ts";

const ARGUMENTS = {
  port: {
    type: "string",
    valueHint: "PORT",
    description: "Serve any number of sessions on this loopback port (default: stdin and stdout).",
  },
  ...CONFIG_FLAGS,
  ...COMMON_FLAGS,
} as const satisfies ArgsDef;

export function dapCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "dap" },
    args: ARGUMENTS,
    async run({ args }) {
      const { listen, serveStreams } = await import("../../dap/serve.ts");
      const open = openRecordings(shell, args);
      const port = portOf(textFlag(args, "port"));
      if (port === null) {
        const write = (text: string) => shell.output.write(text);
        await serveStreams({ input: shell.facts.stdin(), write }, open, shell.signal);
        return 0;
      }
      const server = listen(port, open, {
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
  });
}

function portOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new SvcError("USAGE", {
    message: `${text} is not a port.`,
    remedy: "Pass a number from 0 (any free port) to 65535 to `--port`.",
  });
}
