// svc daemon: serves HTTP until a signal stops it.

import { type ArgsDef, defineCommand } from "citty";
import { systemClock } from "../../base/clock.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { resolveDaemonConfig } from "../../base/settings/daemon-config.ts";
import { resolveFollowConfig } from "../../base/settings/follow-config.ts";
import type { FollowChoice } from "../../daemon/follow/following.ts";
import {
  COMMON_FLAGS,
  CONFIG_FLAGS,
  loadConfig,
  loadConfigFile,
  type ParsedFlags,
  textFlag,
} from "../arguments/common-flags.ts";
import { openRunTracing } from "../run-tracing.ts";
import { type Shell, surroundingsOf } from "../shell.ts";

const ARGUMENTS = {
  port: {
    type: "string",
    valueHint: "PORT",
    description: "Port to listen on; 0 is any free port (default: 8080).",
  },
  host: {
    type: "string",
    valueHint: "ADDRESS",
    description: "Address to listen on (default: 127.0.0.1).",
  },
  "unix-socket": {
    type: "string",
    valueHint: "FILE",
    description: "Listen on this Unix socket instead of a port.",
  },
  "token-file": {
    type: "string",
    valueHint: "FILE",
    description: "File that contains the token that clients must send (or set SVC_DAEMON_TOKEN).",
  },
  "allow-unauthenticated": {
    type: "boolean",
    description: "Allow an address that other machines can reach, without a token.",
  },
  "allowed-origins": {
    type: "string",
    valueHint: "URL,…",
    description: "Origins whose pages may use the daemon in a browser (CORS); * is any.",
  },
  "tls-certificate": {
    type: "string",
    valueHint: "FILE",
    description: "File with the PEM certificate chain.",
  },
  "tls-key": { type: "string", valueHint: "FILE", description: "File with the PEM private key." },
  workers: {
    type: "string",
    valueHint: "N",
    description: "Number of svc-sim workers (default: one per core).",
  },
  queue: {
    type: "string",
    valueHint: "N",
    description: "Maximum number of simulations in the queue (default: 128).",
  },
  "worker-memory": {
    type: "string",
    valueHint: "MIB",
    description: "Replace a worker that uses more memory than this (default: 1024 MiB).",
  },
  "shutdown-delay": {
    type: "string",
    valueHint: "TIME",
    description:
      "Time from SIGTERM, in which /ready already fails, until no more requests are taken " +
      "(default: 5s).",
  },
  "drain-timeout": {
    type: "string",
    valueHint: "TIME",
    description: "Time that requests in flight then get to finish (default: 20s).",
  },
  follow: {
    type: "boolean",
    description: "Follow the network, as the section `follow` of the settings file says.",
  },
  state: {
    type: "string",
    valueHint: "DIR",
    description: "Directory of the position and of the events that wait, for --follow.",
  },
  "resend-dead-letters": {
    type: "boolean",
    description: "Send again what sinks refused or could not be given, for --follow.",
  },
  "max-instructions": {
    type: "string",
    valueHint: "N",
    description: "Most instructions that a client may declare (default: 400000000).",
  },
  "max-transaction-memory": {
    type: "string",
    valueHint: "MIB",
    description: "Highest memory limit that a client may set (default: 40 MiB).",
  },
  "simulation-time": {
    type: "string",
    valueHint: "TIME",
    description: "CPU time of one simulation (default: 10s).",
  },
  "body-memory": {
    type: "string",
    valueHint: "MIB",
    description: "Bodies of all requests in flight together (default: 64 MiB).",
  },
  "client-header": {
    type: "string",
    valueHint: "NAME",
    description: "Header in which a proxy sends the client's address, e.g. X-Forwarded-For.",
  },
  "allowed-hosts": {
    type: "string",
    valueHint: "NAMES",
    description: "Names of this daemon that a Host header may have, with commas between them.",
  },
  "allow-directory": {
    type: "string",
    valueHint: "DIR",
    description: "Directory where the tools of /mcp may read capsules and save new ones.",
  },
  check: {
    type: "boolean",
    description:
      "Do not start a daemon. Exit with code 0 if the daemon with these settings is alive.",
  },
  tracing: { type: "boolean", description: "Send a span of every step to an OTLP collector." },
  ...CONFIG_FLAGS,
  ...COMMON_FLAGS,
} as const satisfies ArgsDef;

export function daemonCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "daemon" },
    args: ARGUMENTS,
    async run({ args }) {
      const config = loadConfig(shell, args);
      const { environment, workingDirectory, stderr, signals } = shell.facts;
      const daemon = resolveDaemonConfig({
        flags: daemonFlags(args),
        environment,
        file: loadConfigFile(shell, args),
        workingDirectory,
      });
      if (args.check) {
        const { checkDaemon } = await import("../../daemon/check-daemon.ts");
        await checkDaemon(daemon, { signal: shell.signal });
        return 0;
      }
      const following = followChoice(shell, args);
      const { runDaemon } = await import("../../daemon/run-daemon.ts");
      const { openEventLog } = await import("../../daemon/request-log.ts");
      const log = openEventLog({
        clock: systemClock,
        write: (line) => stderr().write(line),
        lowest: args.quiet ? "error" : shell.verbose ? "debug" : "info",
      });
      const surroundings = surroundingsOf(shell);
      const info = (text: string) => log.write("info", text);
      const warn = (text: string) => log.write("warn", text);
      const logged = { ...shell, log: { ...shell.log, info, warn } };
      await using traced = await openRunTracing(logged, args);
      const { tracing } = traced;
      const stop = shell.signal;
      await runDaemon({ config, daemon, surroundings, log, tracing, signals, following, stop });
      return 0;
    },
  });
}

/** Null without --follow. */
function followChoice(shell: Shell, args: ParsedFlags): FollowChoice | null {
  if (args.follow !== true) {
    const misplaced = ["state", "resend-dead-letters"].find((name) => args[name]);
    if (misplaced === undefined) return null;
    throw new SvcError("USAGE", {
      message: `--${misplaced} has no meaning without --follow.`,
      remedy: "Add `--follow`, or remove the flag.",
    });
  }
  const { environment, workingDirectory } = shell.facts;
  const follow = resolveFollowConfig({
    file: loadConfigFile(shell, args),
    state: textFlag(args, "state") ?? (environment.SVC_STATE || undefined),
    environment,
    workingDirectory,
  });
  const write = async (text: string) => {
    await shell.output.write(text);
    if (shell.output.readerGone()) throw new Error("The reader of stdout has ended.");
  };
  return { follow, write, resend: args["resend-dead-letters"] === true };
}

function daemonFlags(args: ParsedFlags) {
  return {
    port: args.port,
    host: args.host,
    unixSocket: args["unix-socket"],
    tokenFile: args["token-file"],
    tlsCertificate: args["tls-certificate"],
    tlsKey: args["tls-key"],
    allowUnauthenticated: args["allow-unauthenticated"],
    allowedOrigins: args["allowed-origins"],
    workers: args.workers,
    queue: args.queue,
    workerMemory: args["worker-memory"],
    shutdownDelay: args["shutdown-delay"],
    drainTimeout: args["drain-timeout"],
    maxInstructions: args["max-instructions"],
    maxTransactionMemory: args["max-transaction-memory"],
    simulationTime: args["simulation-time"],
    bodyMemory: args["body-memory"],
    clientHeader: args["client-header"],
    allowedHosts: args["allowed-hosts"],
    allowDirectory: args["allow-directory"],
  };
}
