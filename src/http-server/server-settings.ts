// The settings of the HTTP server, in addition to those of every command. The daemon has all of
// them, a fork some. The token is never in a settings file, and has no flag.

import { isIPv4, isIPv6 } from "node:net";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import * as v from "valibot";
import { configInvalid, SvcError } from "../base/errors/errors.ts";
import { readSmallFile, whyUnreadable } from "../base/files/read-file.ts";
import { flag, phrase } from "../base/phrase.ts";
import {
  directory,
  duration,
  integer,
  mebibytes,
  type Settings,
  text,
  type Values,
  yesOrNo,
} from "../base/settings/setting.ts";

export const TOKEN_VARIABLE = "SVC_DAEMON_TOKEN";
/** 96 bits in base64. A shorter token can be guessed over a network. */
const SHORTEST_TOKEN = 16;

export const SERVER_SETTINGS = {
  port: {
    hint: "PORT",
    schema: integer(0, 65_535),
    default: "8080",
    help: "Port to listen on; 0 is any free port.",
  },
  host: {
    hint: "ADDRESS",
    schema: text,
    // Unless the operator decides otherwise, only users of this machine may send requests.
    default: "127.0.0.1",
    help: "Address to listen on.",
  },
  unixSocket: {
    hint: "FILE",
    schema: text,
    notWith: ["host", "port"],
    help: "Listen on this Unix socket instead of a port.",
  },
  tokenFile: {
    hint: "FILE",
    schema: text,
    help: "File that contains the token that clients must send (or set SVC_DAEMON_TOKEN).",
  },
  allowUnauthenticated: {
    schema: yesOrNo,
    onlyWith: [
      {
        setting: "host",
        not: ["127.0.0.1", "localhost", "::1"],
        words: "a --host that other machines can reach",
      },
    ],
    notWith: ["tokenFile"],
    help: "Allow an address that other machines can reach, without a token.",
  },
  allowedOrigins: {
    hint: "URL,…",
    schema: listOf(
      (origin) =>
        origin === "*" ||
        URL.parse(origin.replace(/:\*$/, ""))?.origin === origin.replace(/:\*$/, ""),
      "must be * or origins such as https://app.example, with commas between them",
    ),
    help:
      "Origins whose pages may use the server in a browser (CORS); * is any, http://localhost:* " +
      "any port.",
  },
  tlsCertificate: {
    hint: "FILE",
    schema: text,
    onlyWith: ["tlsKey"],
    help: "File with the PEM certificate chain.",
  },
  tlsKey: {
    hint: "FILE",
    schema: text,
    onlyWith: ["tlsCertificate"],
    help: "File with the PEM private key.",
  },
  workers: {
    hint: "N",
    schema: integer(1, 256),
    otherwise: "one per core",
    help: "Number of svc-sim workers.",
  },
  queue: {
    hint: "N",
    schema: integer(0, 100_000),
    // A simulation takes about a millisecond. A client does not notice the wait behind this many;
    // with more in the queue, clients would give up before their turn.
    default: "128",
    help: "Maximum number of simulations in the queue.",
  },
  workerMemory: {
    hint: "MIB",
    schema: mebibytes(64, 1024 * 1024),
    // An idle worker uses some tens of megabytes; one contract may use a few hundred.
    default: "1024",
    help: "Replace a worker that uses more memory than this.",
  },
  shutdownDelay: {
    hint: "TIME",
    schema: v.union([
      v.pipe(
        v.picklist([0, "0", "0s", "0ms", "0m"]),
        v.transform(() => 0),
      ),
      duration,
    ]),
    // Load balancers notice within a few seconds that a server is no longer ready.
    default: "5s",
    help: "Time after SIGTERM during which requests are still accepted but /ready fails.",
  },
  drainTimeout: {
    hint: "TIME",
    schema: duration,
    // Kubernetes kills a pod after 30 seconds, which include the delay.
    default: "20s",
    help: "Time that requests in flight get to finish after the shutdown delay.",
  },
  maxInstructions: {
    hint: "N",
    schema: integer(1, 0xffff_ffff),
    // No public network allows a transaction more than this, or more memory than the next.
    default: "400000000",
    help: "Maximum instructions that a client may declare.",
  },
  maxTransactionMemory: {
    hint: "MIB",
    schema: mebibytes(1, 4096),
    default: "40",
    help: "Highest memory limit that a client may set.",
  },
  simulationTime: {
    hint: "TIME",
    schema: duration,
    // 400 million instructions take about half a second, with functions of wasm a few seconds.
    default: "10s",
    help: "CPU time of one simulation.",
  },
  bodyMemory: {
    hint: "MIB",
    // One body may have 16 MiB.
    schema: mebibytes(16, 1024 * 1024),
    // Four of the largest bodies. The server needs about five times as much memory while it reads
    // and passes them on.
    default: "64",
    help: "Maximum total size of request bodies in flight.",
  },
  answerMemory: {
    hint: "MIB",
    // One answer of a node may have 64 MiB.
    schema: mebibytes(64, 1024 * 1024),
    default: "256",
    help: "Maximum total size of answers that wait to be sent.",
  },
  maxConnections: {
    hint: "N",
    schema: integer(8, 1_000_000),
    // An idle connection takes some kilobytes.
    default: "10000",
    help: "Maximum number of connections, and at most three quarters of the descriptors (Linux).",
  },
  maxConnectionsPerClient: {
    hint: "N",
    schema: integer(1, 1_000_000),
    otherwise: "three quarters of them",
    help: "Maximum number of connections from one address (Linux).",
  },
  idleTimeout: {
    hint: "TIME",
    schema: v.pipe(
      duration,
      v.check((time) => time >= 1_000 && time <= 255_000, "must be from 1s to 255s"),
    ),
    // Proxies keep connections for 60 s, and must be the first to close one.
    default: "75s",
    help: "Close a connection that is idle for this time.",
  },
  clientHeader: {
    hint: "NAME",
    schema: v.pipe(text, v.regex(/^[\w-]+$/, "must be the name of a header"), v.toLowerCase()),
    help: "Header in which a proxy sends the client's address, e.g. X-Forwarded-For.",
  },
  allowedHosts: {
    hint: "NAMES",
    schema: listOf(
      (name) => /^[a-z0-9._-]+$/i.test(name),
      "must be host names with commas between them",
    ),
    help: "Names of this server that a Host header may have, with commas between them.",
  },
  allowDirectory: {
    hint: "DIR",
    schema: directory,
    help: "Directory where the tools of /mcp may read capsules and save new ones.",
  },
} as const satisfies Settings;

/** A list of names with commas between them, or a list in a file. */
function listOf(isValid: (name: string) => boolean, problem: string) {
  return v.pipe(
    v.union([v.string(), v.array(v.string())], problem),
    v.transform((value) => (typeof value === "string" ? value.split(",") : value)),
    v.array(v.pipe(v.string(), v.trim(), v.check(isValid, problem))),
  );
}

export type ServerConfig = ReturnType<typeof serverConfigOf>;

interface ServerSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
}

/** The address of the server. Throws CONFIG_INVALID for only one of the two TLS files. */
export function serverPlaceOf(settings: Values<typeof SERVER_SETTINGS>) {
  const { host, port, unixSocket } = settings;
  return { host, port, unixSocket, tls: tlsOf(settings) };
}

/**
 * Reads the settings. Throws CONFIG_INVALID for a combination that has no meaning, and
 * FILE_UNREADABLE.
 */
export function serverConfigOf(
  settings: Values<typeof SERVER_SETTINGS>,
  { environment, workingDirectory }: ServerSurroundings,
) {
  const pathOf = (path: string | null) => (path === null ? null : resolve(workingDirectory, path));
  const tokenFile = pathOf(settings.tokenFile);
  /** Null if everybody who can connect may send requests. */
  const token = readToken(environment, tokenFile);
  const { host, unixSocket, allowUnauthenticated } = settings;
  if (unixSocket === null && token === null && !allowUnauthenticated) refuseOpenDoor(host);
  return Object.freeze({
    port: settings.port,
    host,
    unixSocket,
    token,
    /** The file of the token, which can be read again. */
    tokenFile,
    allowedOrigins: settings.allowedOrigins ?? [],
    tls: tlsOf(settings),
    workers: settings.workers ?? availableParallelism(),
    queue: settings.queue,
    workerMemoryBytes: settings.workerMemory,
    shutdownDelayMilliseconds: settings.shutdownDelay,
    drainMilliseconds: settings.drainTimeout,
    simulationLimits: {
      instructions: settings.maxInstructions,
      memoryBytes: settings.maxTransactionMemory,
    },
    simulationMilliseconds: settings.simulationTime,
    idleSeconds: Math.ceil(settings.idleTimeout / 1000),
    connectionLimits: {
      connections: settings.maxConnections,
      /** Null if a proxy makes the connections of all clients. */
      ofClient:
        settings.maxConnectionsPerClient ??
        (settings.clientHeader === null ? Math.ceil((settings.maxConnections * 3) / 4) : null),
    },
    bodyBytes: settings.bodyMemory,
    answerBytes: settings.answerMemory,
    /** Null if the address of the connection identifies the client. */
    clientHeader: settings.clientHeader,
    /** Names in addition to those that only the server's own network can have. */
    allowedHosts: (settings.allowedHosts ?? []).map((name) => name.toLowerCase()),
    /** Null if the tools of /mcp read and create no files. */
    allowDirectory: pathOf(settings.allowDirectory),
  });
}

function readToken(
  environment: ServerSurroundings["environment"],
  tokenFile: string | null,
): string | null {
  const token = environment[TOKEN_VARIABLE] || undefined;
  if (tokenFile === null) return token === undefined ? null : checkedToken(token, TOKEN_VARIABLE);
  if (token !== undefined)
    throw configInvalid(
      `${TOKEN_VARIABLE} and a token file are both set.`,
      `Set only ${TOKEN_VARIABLE} or only the token file.`,
    );
  return readTokenFile(tokenFile);
}

/**
 * Reads the token. Throws FILE_UNREADABLE, and CONFIG_INVALID for a text that cannot be a token.
 */
export function readTokenFile(path: string): string {
  try {
    return checkedToken(readSmallFile(path).trim(), path);
  } catch (cause) {
    if (cause instanceof SvcError) throw cause;
    throw new SvcError("FILE_UNREADABLE", {
      message: `The token file ${path} cannot be read (${whyUnreadable(cause)}).`,
      remedy: phrase`Check the path in ${flag("tokenFile")}, and its permissions.`,
      cause,
    });
  }
}

function checkedToken(token: string, origin: string): string {
  // The characters that a header can carry (RFC 6750, b64token, and what people use in addition).
  if (token.length >= SHORTEST_TOKEN && /^[\x21-\x7e]+$/.test(token)) return token;
  throw configInvalid(
    `The token in ${origin} must have at least ${SHORTEST_TOKEN} ASCII characters, without spaces.`,
    "Create a token with `openssl rand -base64 32`.",
  );
}

function tlsOf({ tlsCertificate, tlsKey }: Values<typeof SERVER_SETTINGS>) {
  if (tlsCertificate !== null && tlsKey !== null)
    return { certificateFile: tlsCertificate, keyFile: tlsKey };
  if (tlsCertificate === null && tlsKey === null) return null;
  throw configInvalid(
    "TLS needs a certificate and its key, but only one of them is set.",
    phrase`Set both ${flag("tlsCertificate")} and ${flag("tlsKey")}, or neither.`,
  );
}

/**
 * Refuses an address that other machines can reach, unless there is a token or
 * --allow-unauthenticated.
 */
function refuseOpenDoor(host: string): void {
  if (isLoopback(host)) return;
  throw configInvalid(
    `Other machines can reach the address ${host}, and no token is set.`,
    phrase`Set ${TOKEN_VARIABLE} or ${flag("tokenFile")}. If the network itself keeps others out, pass ${flag("allowUnauthenticated")}.`,
  );
}

export function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith("127.");
  return host === "localhost" || (isIPv6(host) && new URL(`http://[${host}]`).hostname === "[::1]");
}
