// svc dap: a Debug Adapter Protocol server on stdin and stdout, or on a loopback port.

import { integer, type Settings } from "../../base/settings/setting.ts";
import { COMMON, NETWORK } from "../arguments/common-settings.ts";
import { type Command, readArguments } from "../command.ts";
import { openRecordings } from "../open-recordings.ts";

const PORT = {
  port: {
    hint: "PORT",
    schema: integer(0, 65_535),
    otherwise: "stdin and stdout",
    help: "Serve any number of sessions on this loopback port; 0 is any free port.",
  },
} as const satisfies Settings;

/** The settings of the network are read when a session begins: the editor overrides them. */
export const command: Command = {
  settings: { ...PORT, ...NETWORK, ...COMMON },
  async run(shell, given) {
    const { port } = readArguments(shell, PORT, given);
    const { listen, serveStreams } = await import("../../dap/serve.ts");
    const open = openRecordings(shell, given);
    if (port === null) {
      const write = (text: string) => shell.output.write(text);
      await serveStreams({ input: shell.facts.stdin(), write }, open, shell.signal);
      return 0;
    }
    const server = await listen(port, open, {
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
