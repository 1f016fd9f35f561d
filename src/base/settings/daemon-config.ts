// The daemon's own settings, in addition to the settings of every command. A settings file has them
// under `daemon`. The token is never in a settings file, and has no flag.

import { isIPv4, isIPv6 } from "node:net";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import * as v from "valibot";
import { nearestWord } from "../errors/did-you-mean.ts";
import { SvcError } from "../errors/errors.ts";
import { readSmallFile, whyUnreadable } from "../files/read-file.ts";
import type { ConfigFile } from "./config-file.ts";
import {
  configInvalid,
  duration,
  nonEmpty,
  place,
  readSettings,
  type SettingDefinition,
} from "./setting-layers.ts";
import { hostNames, integer, origins, yesOrNo } from "./setting-schemas.ts";

export interface DaemonConfig {
  /** 0: any free port. */
  readonly port: number;
  readonly host: string;
  /** Null: TCP. */
  readonly unixSocket: string | null;
  /** Null: everybody who can connect may send requests. */
  readonly token: string | null;
  /** The file of the token, which can be read again; null when the token has no file. */
  readonly tokenFile: string | null;
  /** The origins whose pages may use the daemon in a browser; `*` is any. */
  readonly allowedOrigins: readonly string[];
  readonly tls: { readonly certificateFile: string; readonly keyFile: string } | null;
  readonly workers: number;
  /** Maximum number of simulations that wait for a worker. */
  readonly queue: number;
  /** A worker that uses more is replaced. */
  readonly workerMemoryBytes: number;
  /** The time at shutdown in which the daemon is no longer ready, but still takes requests. */
  readonly shutdownDelayMilliseconds: number;
  /** The time that requests in flight get to finish after that. */
  readonly drainMilliseconds: number;
  /** The most that a client may declare for one simulation. */
  readonly simulationLimits: { readonly instructions: number; readonly memoryBytes: number };
  /** CPU time of one run of svc-sim. */
  readonly simulationMilliseconds: number;
  /** The bodies of all requests that have no answer so far. */
  readonly bodyBytes: number;
  /** Lower case. Null: the address of the connection tells the clients apart. */
  readonly clientHeader: string | null;
  /** Lower case: names of this daemon besides those that only its own network can have. */
  readonly allowedHosts: readonly string[];
  /** Where the tools of /mcp may read and create capsules; null: nowhere. */
  readonly allowDirectory: string | null;
}

export type DaemonSettingName =
  | "port"
  | "host"
  | "unixSocket"
  | "tokenFile"
  | "tlsCertificate"
  | "tlsKey"
  | "allowUnauthenticated"
  | "allowedOrigins"
  | "workers"
  | "queue"
  | "workerMemory"
  | "shutdownDelay"
  | "drainTimeout"
  | "maxInstructions"
  | "maxTransactionMemory"
  | "simulationTime"
  | "bodyMemory"
  | "clientHeader"
  | "allowedHosts"
  | "allowDirectory";

export interface DaemonConfigInputs {
  readonly flags: Readonly<Partial<Record<DaemonSettingName, unknown>>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly file: ConfigFile | null;
  readonly workingDirectory: string;
}

/** The section of a settings file with the daemon's settings. */
const DAEMON_SECTION = "daemon";
const TOKEN_VARIABLE = "SVC_DAEMON_TOKEN";
/** 96 bits in base64; a shorter token can be guessed over a network. */
const SHORTEST_TOKEN = 16;
const MEBIBYTE = 1024 * 1024;

const SETTINGS = {
  port: { ...place("--port", "SVC_DAEMON_PORT"), schema: integer(0, 65_535), shown: true },
  host: { ...place("--host", "SVC_DAEMON_HOST"), schema: nonEmpty, shown: true },
  unixSocket: { ...place("--unix-socket", "SVC_DAEMON_UNIX_SOCKET"), schema: nonEmpty },
  tokenFile: { ...place("--token-file", "SVC_DAEMON_TOKEN_FILE"), schema: nonEmpty },
  tlsCertificate: { ...place("--tls-certificate", "SVC_DAEMON_TLS_CERTIFICATE"), schema: nonEmpty },
  tlsKey: { ...place("--tls-key", "SVC_DAEMON_TLS_KEY"), schema: nonEmpty },
  allowUnauthenticated: {
    ...place("--allow-unauthenticated", "SVC_DAEMON_ALLOW_UNAUTHENTICATED"),
    schema: yesOrNo(),
    shown: true,
  },
  allowedOrigins: {
    ...place("--allowed-origins", "SVC_DAEMON_ALLOWED_ORIGINS"),
    schema: origins(),
    shown: true,
  },
  workers: { ...place("--workers", "SVC_DAEMON_WORKERS"), schema: integer(1, 256), shown: true },
  queue: { ...place("--queue", "SVC_DAEMON_QUEUE"), schema: integer(0, 100_000), shown: true },
  workerMemory: {
    ...place("--worker-memory", "SVC_DAEMON_WORKER_MEMORY"),
    schema: integer(64, 1024 * 1024),
    shown: true,
  },
  shutdownDelay: {
    ...place("--shutdown-delay", "SVC_DAEMON_SHUTDOWN_DELAY"),
    schema: v.union([
      v.pipe(
        v.picklist([0, "0", "0s", "0ms", "0m"]),
        v.transform(() => 0),
      ),
      duration,
    ]),
  },
  drainTimeout: { ...place("--drain-timeout", "SVC_DAEMON_DRAIN_TIMEOUT"), schema: duration },
  maxInstructions: {
    ...place("--max-instructions", "SVC_DAEMON_MAX_INSTRUCTIONS"),
    schema: integer(1, 0xffff_ffff),
    shown: true,
  },
  maxTransactionMemory: {
    ...place("--max-transaction-memory", "SVC_DAEMON_MAX_TRANSACTION_MEMORY"),
    schema: integer(1, 4096),
    shown: true,
  },
  simulationTime: { ...place("--simulation-time", "SVC_DAEMON_SIMULATION_TIME"), schema: duration },
  bodyMemory: {
    ...place("--body-memory", "SVC_DAEMON_BODY_MEMORY"),
    // One body may have 16 MiB.
    schema: integer(16, 1024 * 1024),
    shown: true,
  },
  clientHeader: {
    ...place("--client-header", "SVC_DAEMON_CLIENT_HEADER"),
    schema: v.pipe(nonEmpty, v.regex(/^[\w-]+$/, "must be the name of a header"), v.toLowerCase()),
    shown: true,
  },
  allowedHosts: {
    ...place("--allowed-hosts", "SVC_DAEMON_ALLOWED_HOSTS"),
    schema: hostNames(),
    shown: true,
  },
  allowDirectory: { ...place("--allow-directory", "SVC_DAEMON_ALLOW_DIRECTORY"), schema: nonEmpty },
} as const satisfies Record<DaemonSettingName, SettingDefinition>;

type Settings = { [Name in DaemonSettingName]: v.InferOutput<(typeof SETTINGS)[Name]["schema"]> };

const DEFAULTS = {
  port: 8080,
  // Unless the operator decides otherwise, only users of this machine may send requests.
  host: "127.0.0.1",
  // A simulation takes about a millisecond. A client does not notice the wait behind this many;
  // with more in the queue, clients would give up before their turn.
  queue: 128,
  // An idle worker uses some tens of megabytes; one contract may use a few hundred.
  workerMemory: 1024,
  // Load balancers learn within a few seconds that a daemon is no longer ready.
  shutdownDelay: 5_000,
  // Kubernetes kills a pod after 30 seconds, which include the delay.
  drainTimeout: 20_000,
  // No public network allows a transaction more than these two.
  maxInstructions: 400_000_000,
  maxTransactionMemory: 40,
  // 400 million instructions take about half a second, with functions of wasm a few seconds.
  simulationTime: 10_000,
  // Four of the largest bodies. The daemon needs about five times as much memory while it reads
  // and passes them on.
  bodyMemory: 64,
} as const satisfies Partial<Settings>;

/** Throws USAGE, CONFIG_INVALID, and FILE_UNREADABLE for the token file. */
export function resolveDaemonConfig(inputs: DaemonConfigInputs): DaemonConfig {
  const { values } = readSettings(SETTINGS, { ...inputs, file: daemonSection(inputs.file) });
  const settings = values as Partial<Settings>;
  const pathOf = (path: string | undefined) =>
    path === undefined ? null : resolve(inputs.workingDirectory, path);
  const tokenFile = pathOf(settings.tokenFile);
  const config: DaemonConfig = {
    port: settings.port ?? DEFAULTS.port,
    host: settings.host ?? DEFAULTS.host,
    unixSocket: settings.unixSocket ?? null,
    token: readToken(inputs, tokenFile),
    tokenFile,
    allowedOrigins: settings.allowedOrigins ?? [],
    tls: tlsOf(settings),
    workers: settings.workers ?? availableParallelism(),
    queue: settings.queue ?? DEFAULTS.queue,
    workerMemoryBytes: (settings.workerMemory ?? DEFAULTS.workerMemory) * MEBIBYTE,
    shutdownDelayMilliseconds: settings.shutdownDelay ?? DEFAULTS.shutdownDelay,
    drainMilliseconds: settings.drainTimeout ?? DEFAULTS.drainTimeout,
    simulationLimits: {
      instructions: settings.maxInstructions ?? DEFAULTS.maxInstructions,
      memoryBytes: (settings.maxTransactionMemory ?? DEFAULTS.maxTransactionMemory) * MEBIBYTE,
    },
    simulationMilliseconds: settings.simulationTime ?? DEFAULTS.simulationTime,
    bodyBytes: (settings.bodyMemory ?? DEFAULTS.bodyMemory) * MEBIBYTE,
    clientHeader: settings.clientHeader ?? null,
    allowedHosts: settings.allowedHosts ?? [],
    allowDirectory: pathOf(settings.allowDirectory),
  };
  refuseOpenDoor(config, settings.allowUnauthenticated === true);
  return Object.freeze(config);
}

function daemonSection(file: ConfigFile | null) {
  const section = file?.settings[DAEMON_SECTION];
  if (file === null || section === undefined) return null;
  const checked = Array.isArray(section) ? null : section;
  const known = v.safeParse(v.record(v.string(), v.unknown()), checked);
  const unknown = known.success
    ? Object.keys(known.output).find((name) => !Object.hasOwn(SETTINGS, name))
    : null;
  if (known.success && unknown === undefined) return { path: file.path, settings: known.output };
  const names = Object.keys(SETTINGS);
  const meant = nearestWord(unknown ?? "", names);
  throw configInvalid(
    typeof unknown !== "string"
      ? `${DAEMON_SECTION} in ${file.path} is not an object of settings.`
      : `${DAEMON_SECTION}.${unknown} in ${file.path} is not a setting.`,
    meant === null
      ? `Write an object with these settings: ${names.join(", ")}.`
      : `Did you mean "${meant}"?`,
  );
}

function readToken({ environment }: DaemonConfigInputs, tokenFile: string | null): string | null {
  const given = environment[TOKEN_VARIABLE] || undefined;
  if (tokenFile === null) return given === undefined ? null : token(given, TOKEN_VARIABLE);
  if (given !== undefined)
    throw configInvalid(
      `${TOKEN_VARIABLE} and a token file are both set.`,
      `Set only ${TOKEN_VARIABLE} or only the token file.`,
    );
  return readTokenFile(tokenFile);
}

/** Throws FILE_UNREADABLE, and CONFIG_INVALID for a text that cannot be a token. */
export function readTokenFile(path: string): string {
  try {
    return token(readSmallFile(path).trim(), path);
  } catch (cause) {
    if (cause instanceof SvcError) throw cause;
    throw new SvcError("FILE_UNREADABLE", {
      message: `The token file ${path} cannot be read (${whyUnreadable(cause)}).`,
      remedy: "Check the path in `--token-file`, and its permissions.",
      cause,
    });
  }
}

function token(text: string, origin: string): string {
  // The characters that a header can carry (RFC 6750, b64token, and what people use in addition).
  if (text.length >= SHORTEST_TOKEN && /^[\x21-\x7e]+$/.test(text)) return text;
  throw configInvalid(
    `The token in ${origin} must have at least ${SHORTEST_TOKEN} ASCII characters, without spaces.`,
    "Create a token with `openssl rand -base64 32`.",
  );
}

function tlsOf({ tlsCertificate, tlsKey }: Partial<Settings>): DaemonConfig["tls"] {
  if (tlsCertificate !== undefined && tlsKey !== undefined)
    return { certificateFile: tlsCertificate, keyFile: tlsKey };
  if (tlsCertificate === undefined && tlsKey === undefined) return null;
  throw configInvalid(
    "TLS needs a certificate and its key, but only one of them is set.",
    "Set both `--tls-certificate` and `--tls-key`, or neither.",
  );
}

/** An address that other machines can reach needs a token, or --allow-unauthenticated. */
function refuseOpenDoor(config: DaemonConfig, allowed: boolean): void {
  const { unixSocket, token, host } = config;
  if (unixSocket !== null || token !== null || allowed || isLoopback(host)) return;
  throw configInvalid(
    `Other machines can reach the address ${host}, and no token is set.`,
    `Set ${TOKEN_VARIABLE} or \`--token-file\`. If the network itself keeps others out, pass ` +
      "`--allow-unauthenticated`.",
  );
}

function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith("127.");
  return host === "localhost" || (isIPv6(host) && new URL(`http://[${host}]`).hostname === "[::1]");
}
