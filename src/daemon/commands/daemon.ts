// svc daemon: serves HTTP until a signal stops it.

import { systemClock } from "../../base/clock.ts";
import { usageError } from "../../base/errors/errors.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { withWarnings } from "../../base/settings/check-rules.ts";
import { checkSection } from "../../base/settings/config-file.ts";
import { type Condition, directory, type Settings } from "../../base/settings/setting.ts";
import { callsOn } from "../../command/call-by-name.ts";
import { type Arguments, defineCommand } from "../../command/command.ts";
import { COMMON, NETWORK, TRACING, verbose } from "../../command/common-settings.ts";
import type { Lent } from "../../command/lending.ts";
import { openRunTracing } from "../../command/run-tracing.ts";
import { proofOf, type Shell, surroundingsOf } from "../../command/shell.ts";
import { ARCHIVE_SETTINGS } from "../../history-archive/archive-settings.ts";
import type { OpenCalls } from "../../http-server/open-services.ts";
import { serverConfigOf, serverPlaceOf } from "../../http-server/server-settings.ts";
import type { StartFollowing } from "../../http-server/start-following.ts";
import { configOf } from "../../sources/network-settings.ts";
import { DAEMON_SETTINGS } from "../daemon-settings.ts";

/** The settings of the daemon's address, and of the way to reach it. --check uses only these. */
const { port, host, unixSocket, tlsCertificate, tlsKey, ...OF_WORK } = DAEMON_SETTINGS;
const { config, ...OF_NETWORK } = NETWORK;
const CHECK: Condition = { setting: "check", words: "" };

const DAEMON = {
  port,
  host,
  unixSocket,
  tlsCertificate,
  tlsKey,
  check: {
    help:
      "Do not start a daemon. Exit with code 0 if the daemon at this address is alive. Only the " +
      "address and the TLS files have an effect.",
  },
  ...withWarnings({ notWith: [CHECK] }, {
    ...OF_WORK,
    follow: { help: "Follow the network as the section `follow` of the settings file sets it." },
    state: {
      hint: "DIR",
      schema: directory,
      variable: "SVC_STATE",
      onlyWith: ["follow"],
      help: "Directory for saved progress and waiting events.",
    },
    ...TRACING,
    ...ARCHIVE_SETTINGS,
    ...OF_NETWORK,
  } as const satisfies Settings),
  config,
  ...COMMON,
  ...verbose("Log every request, including those of monitoring."),
  quiet: { ...COMMON.quiet, notWith: ["verbose"] },
} as const satisfies Settings;

export const command = defineCommand(DAEMON, daemonCommand, {
  examples: [
    ["--port 8080", "Then open http://127.0.0.1:8080/."],
    ["--follow --state DIR", "Serve requests, and follow the network."],
  ],
});

async function daemonCommand(
  shell: Shell,
  args: Arguments<typeof DAEMON>,
  lent: Lent,
): Promise<number> {
  const config = configOf(args);
  const { stderr, signals, environment } = shell.facts;
  checkSection(args.file, "daemon", Object.keys(DAEMON_SETTINGS));
  if (args.check) {
    const { checkDaemon } = await import("../check-daemon.ts");
    await checkDaemon(serverPlaceOf(args), { signal: shell.signal });
    return 0;
  }
  const server = serverConfigOf(args, shell.facts);
  const following = await startFollowing(shell, args, lent);
  const { openAgents: agents = null } = (await lent.agents?.()) ?? {};
  const { runServer } = await import("../../http-server/run-server.ts");
  const { openEventLog } = await import("../../http-server/request-log.ts");
  const log = openEventLog({
    clock: systemClock,
    write: (line) => stderr().write(line),
    lowest: args.quiet ? "error" : shell.verbose ? "debug" : "info",
  });
  const surroundings = surroundingsOf(shell);
  const info = (text: string) => log.write("info", text);
  const warn = (text: string) => log.write("warn", text);
  const logged = { ...shell, log: { ...shell.log, info, warn } };
  await using traced = await openRunTracing(logged, args.tracing);
  const { tracing } = traced;
  const stop = shell.signal;
  // No user is present to answer a question about a download.
  const proof = { ...proofOf(logged, args), confirm: undefined };
  const options = { config, server, surroundings, log, tracing, signals, following, stop };
  const calls: OpenCalls = (work) => callsOn({ config, work }, lent);
  await runServer({ ...options, agents, calls, environment, proof });
  return 0;
}

/** Null without --follow. */
async function startFollowing(
  shell: Shell,
  args: Arguments<typeof DAEMON>,
  lent: Lent,
): Promise<StartFollowing | null> {
  if (!args.follow) return null;
  if (lent.following === undefined)
    throw usageError("This svc cannot follow a network.", phrase`Remove ${flag("follow")}.`);
  const { chooseFollowing } = await lent.following();
  return chooseFollowing(shell, args);
}
