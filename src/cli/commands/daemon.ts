// svc daemon: HTTP beside Prometheus, until it is told to stop.

import { type ArgsDef, defineCommand } from "citty";
import { systemClock } from "../../base/clock.ts";
import { resolveDaemonConfig } from "../../base/settings/daemon-config.ts";
import {
  CONFIG_FLAGS,
  loadConfig,
  loadConfigFile,
  MANNER_FLAGS,
  type ParsedFlags,
} from "../arguments/common-flags.ts";
import { openRunTracing } from "../run-tracing.ts";
import { type Shell, surroundingsOf } from "../shell.ts";

const ARGUMENTS = {
  port: { type: "string", valueHint: "PORT", description: "Port; 8080 when not given, 0: any." },
  host: {
    type: "string",
    valueHint: "ADDRESS",
    description: "Address to listen on; 127.0.0.1 when not given.",
  },
  "unix-socket": {
    type: "string",
    valueHint: "FILE",
    description: "Listen on this Unix socket instead of a port.",
  },
  "token-file": {
    type: "string",
    valueHint: "FILE",
    description: "File of the token that clients must send; or SVC_DAEMON_TOKEN.",
  },
  "allow-unauthenticated": {
    type: "boolean",
    description: "Listen without a token where other machines can connect.",
  },
  "tls-certificate": { type: "string", valueHint: "FILE", description: "PEM certificate chain." },
  "tls-key": { type: "string", valueHint: "FILE", description: "PEM private key." },
  workers: {
    type: "string",
    valueHint: "N",
    description: "Simulators at work at once; one a core when not given.",
  },
  queue: {
    type: "string",
    valueHint: "N",
    description: "Simulations that may wait for one; 128 when not given.",
  },
  "worker-memory": {
    type: "string",
    valueHint: "MIB",
    description: "A simulator that holds more is replaced; 1024 when not given.",
  },
  "drain-timeout": {
    type: "string",
    valueHint: "TIME",
    description: "What is in flight may take so long at the end; 20s when not given.",
  },
  check: {
    type: "boolean",
    description: "Start nothing: end with 0 when the daemon of these settings is alive.",
  },
  tracing: { type: "boolean", description: "Send spans of every step to an OTLP collector." },
  ...CONFIG_FLAGS,
  ...MANNER_FLAGS,
} as const satisfies ArgsDef;

export function daemonCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "daemon" },
    args: ARGUMENTS,
    async run({ args }) {
      const config = loadConfig(shell, args);
      const { environment, workingDirectory, stderr } = shell.facts;
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
      const { runDaemon } = await import("../../daemon/run-daemon.ts");
      const { openEventLog } = await import("../../daemon/request-log.ts");
      const log = openEventLog({
        clock: systemClock,
        write: (line) => stderr().write(line),
        lowest: args.quiet ? "error" : shell.verbose ? "debug" : "info",
      });
      const surroundings = surroundingsOf(shell);
      await using traced = await openRunTracing(shell, args);
      const { tracing } = traced;
      await runDaemon({ config, daemon, surroundings, log, tracing, stop: shell.signal });
      return 0;
    },
  });
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
    workers: args.workers,
    queue: args.queue,
    workerMemory: args["worker-memory"],
    drainTimeout: args["drain-timeout"],
  };
}
