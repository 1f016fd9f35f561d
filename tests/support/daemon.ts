// A complete daemon in this process, on its own port, with the recorded network as its nodes.

import { EventEmitter } from "node:events";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import { LENT } from "../../src/cli/lent.ts";
import { callsOn } from "../../src/command/call-by-name.ts";
import type { DAEMON_SETTINGS } from "../../src/daemon/daemon-settings.ts";
import type { ProofOptions } from "../../src/debugger/setup/open-proofs.ts";
import { type FollowChoice, openFollowing } from "../../src/follow/following.ts";
import { openEventLog } from "../../src/http-server/request-log.ts";
import { runServer } from "../../src/http-server/run-server.ts";
import { openAgents } from "../../src/mcp/http-route.ts";
import type { Tracing } from "../../src/report/otlp/open-tracing.ts";
import type { Loopback } from "./loopback-server.ts";
import { resolveConfig, resolveDaemonConfig } from "./settings.ts";

/** A flag or a command of svc, which a client of the daemon does not have. */
export const FOR_COMMAND_LINE = /(?:^|[^-])--[a-z]|\bsvc [a-z]/;

export interface TestDaemon extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** The parsed lines of its log. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  readonly post: (
    path: string,
    body: unknown,
    headers?: Record<string, string>,
  ) => Promise<Response>;
  readonly get: (path: string) => Promise<Response>;
  /** Stops the daemon; `ended` resolves when it has stopped. */
  readonly stop: () => void;
  readonly send: (signal: "SIGHUP" | "SIGUSR1") => void;
  readonly ended: Promise<void>;
}

export interface TestDaemonOptions {
  readonly daemon?: Readonly<Partial<Record<keyof typeof DAEMON_SETTINGS, unknown>>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly simulatorPath?: string;
  /** Switches of the nodes. */
  readonly horizon?: string;
  readonly rpc?: string;
  readonly timeout?: string;
  readonly tracing?: Tracing;
  readonly following?: FollowChoice;
  /** In the place of the recorded network's. */
  readonly rpcUrl?: string;
  readonly horizonUrl?: string;
  readonly networkPassphrase?: string;
  readonly proof?: ProofOptions;
  /** Measures the delay of its stop. */
  readonly clock?: Clock;
}

export async function openDaemon(
  loopback: Loopback,
  options: TestDaemonOptions = {},
): Promise<TestDaemon> {
  const config = resolveConfig({
    flags: {
      networkPassphrase: options.networkPassphrase ?? loopback.network.passphrase,
      horizonUrl: options.horizonUrl ?? loopback.url("horizon", options.horizon),
      rpcUrl: options.rpcUrl ?? loopback.url("rpc", options.rpc),
      timeout: options.timeout,
      simPath: options.simulatorPath ?? SIMULATOR_BINARY,
    },
    environment: {},
    file: null,
  });
  const daemon = resolveDaemonConfig({
    flags: { port: 0, shutdownDelay: 0, ...options.daemon },
    environment: options.environment ?? {},
    file: null,
    workingDirectory: "/",
  });
  const { following: choice } = options;
  const log: Record<string, unknown>[] = [];
  const stop = new AbortController();
  const signals = new EventEmitter();
  const listening = Promise.withResolvers<string>();
  const eventLog = openEventLog({
    clock: systemClock,
    lowest: "debug",
    write(lines) {
      for (const line of lines.trimEnd().split("\n")) {
        const event = JSON.parse(line) as Record<string, unknown>;
        log.push(event);
        if (event.message === "listening") listening.resolve(String(event.address));
      }
    },
  });
  const surroundings = { executablePath: "/nowhere/svc", searchPath: undefined };
  const ended = runServer({
    config,
    server: daemon,
    surroundings,
    agents: openAgents,
    calls: (work) => callsOn({ config, work }, LENT),
    log: eventLog,
    tracing: options.tracing ?? null,
    signals,
    environment: options.environment ?? {},
    following: choice === undefined ? null : (beside) => openFollowing({ ...beside, ...choice }),
    ...(options.proof && { proof: options.proof }),
    ...(options.clock && { clock: options.clock }),
    stop: stop.signal,
  });
  ended.catch(listening.reject);
  const url = await listening.promise;
  return {
    url,
    get log() {
      // The daemon holds lines back for some milliseconds.
      eventLog.flush();
      return log;
    },
    get: async (path) => withHttpRemedy(await fetch(`${url}${path}`)),
    post: async (path, body, headers = {}) =>
      withHttpRemedy(
        await fetch(`${url}${path}`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: typeof body === "string" ? body : JSON.stringify(body),
        }),
      ),
    stop: () => stop.abort(),
    send: (signal) => signals.emit(signal),
    ended,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

/** Throws when the answer is an error whose remedy is for the command line. */
async function withHttpRemedy(answer: Response): Promise<Response> {
  const isJson = answer.headers.get("content-type")?.startsWith("application/json");
  if (isJson !== true) return answer;
  const { error } = (await answer.clone().json()) as { error?: { data?: object } & object };
  const { remedy } = { remedy: "", ...(error?.data ?? error) };
  if (!FOR_COMMAND_LINE.test(remedy)) return answer;
  throw new Error(`a remedy over HTTP is for the command line: ${remedy}`);
}

/** The samples of a scrape: `name{labels}` → value. */
export async function scrape(daemon: TestDaemon): Promise<Map<string, number>> {
  const text = await (await daemon.get("/metrics")).text();
  const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    samples.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}
