// The listening socket: TCP or a Unix socket, with or without TLS.
// Invariants: a socket file is removed only when no process listens on it; no other process shares
// the port.

import { chmodSync, lstatSync, unlinkSync } from "node:fs";
import { SvcError } from "../base/errors/errors.ts";
import { ifVisible } from "../base/files/read-file.ts";
import { flag, phrase } from "../base/phrase.ts";
import { nextTurn } from "../base/turns.ts";
import { CATALOGUE } from "../error-catalogue.ts";
import { BODY_RULES } from "./routes/read-body.ts";
import type { ServerConfig } from "./server-settings.ts";

export interface Listener {
  /** The address, such as `http://127.0.0.1:8080` or `unix:/run/svc.sock`. */
  readonly address: string;
  /**
   * Makes new connections use the certificate that the files have now. False if it is the same.
   * Throws CONFIG_INVALID, and then keeps the old one.
   */
  readonly reload: () => Promise<boolean>;
  /** From now on each answer closes its connection. New connections are still accepted. */
  readonly leave: () => void;
  /** Accepts no new connections. Resolves when the open ones have their answers. */
  readonly drain: () => Promise<void>;
  /** Closes all open connections. */
  readonly close: () => Promise<void>;
  /** The port; null for a Unix socket. */
  readonly port: number | null;
  /** Says whether a request of the connection (its address and port) is in work. */
  readonly isInWork: (connection: string) => boolean;
}

/** The listening program, in the words of its errors. */
export type Program = "daemon" | "fork";

type ListenPlace = Pick<ServerConfig, "host" | "port" | "unixSocket" | "tls" | "idleSeconds">;

/** Access for owner and group, whatever the umask is. */
const SOCKET_MODE = 0o660;
/** The time that clients have to leave the listener with the old certificate. */
const RETIREMENT_MILLISECONDS = 2_000;
const PACKET_BYTES = 1_024;

/** The connection of a request. */
export interface Connection {
  /** Null for a Unix socket. */
  readonly address: string | null;
  /** Sets the time after which a silent connection is closed; null for that of an idle one. */
  readonly patience: (seconds: number | null) => void;
}

export type Fetch = (request: Request, connection: Connection) => Response | Promise<Response>;
type Tls = { readonly cert: string; readonly key: string };

/** A server. Bun cannot replace its certificate, so there may be two for a while. */
interface Serving {
  readonly server: Bun.Server<undefined>;
  leaving: boolean;
  /** The address and port of each connection whose request has no answer yet. */
  readonly inWork: Set<string>;
}

/** Listens. Throws ADDRESS_UNAVAILABLE and CONFIG_INVALID. */
export async function listen(
  place: ListenPlace,
  fetch: Fetch,
  program: Program = "daemon",
): Promise<Listener> {
  const { unixSocket, tls } = place;
  const secret = tls === null ? null : await readTls(tls);
  if (unixSocket !== null) await removeStale(unixSocket, program);
  // Two servers on one port both need the option, and with it Bun would share the port with any
  // process that also has it. A server without it first shows that the port is free.
  const replaceable = secret !== null && unixSocket === null;
  const port = replaceable ? await freePort(place, fetch, program) : place.port;
  let current = serve({ ...place, port }, fetch, { program, secret, reusePort: replaceable });
  const all = new Set([current]);
  if (unixSocket !== null) chmodSync(unixSocket, SOCKET_MODE);
  const remove = () => {
    if (unixSocket !== null && isSocket(unixSocket)) unlinkSync(unixSocket);
  };
  const stop = async (serving: Serving) => {
    await serving.server.stop();
    all.delete(serving);
  };
  const retirements: ReturnType<typeof setTimeout>[] = [];
  const stopRetirements = () => {
    for (const timer of retirements.splice(0)) clearTimeout(timer);
  };
  return {
    port: unixSocket === null ? (current.server.port ?? null) : null,
    isInWork: (connection) => [...all].some(({ inWork }) => inWork.has(connection)),
    address: addressOf(place, current.server.port),
    async reload() {
      if (tls === null || !replaceable) return false;
      const next = serve({ ...place, port }, fetch, {
        program,
        secret: await readTls(tls),
        reusePort: true,
      });
      const previous = current;
      current = next;
      all.add(next);
      previous.leaving = true;
      retirements.push(setTimeout(() => stop(previous), RETIREMENT_MILLISECONDS));
      return true;
    },
    leave() {
      for (const serving of all) serving.leaving = true;
    },
    async drain() {
      stopRetirements();
      await Promise.all([...all].map(stop));
    },
    async close() {
      stopRetirements();
      await Promise.all([...all, current].map(({ server }) => server.stop(true)));
      remove();
    },
  };
}

async function freePort(place: ListenPlace, fetch: Fetch, program: Program): Promise<number> {
  const { server } = serve(place, fetch, { program, secret: null, reusePort: false });
  const { port = place.port } = server;
  await server.stop(true);
  return port;
}

interface Serve {
  readonly program: Program;
  readonly secret: Tls | null;
  readonly reusePort: boolean;
}

function serve(place: ListenPlace, fetch: Fetch, { program, secret, reusePort }: Serve): Serving {
  const { host, port, unixSocket, tls, idleSeconds } = place;
  const serving = { leaving: false, inWork: new Set<string>() };
  const at = unixSocket === null ? { reusePort, hostname: host, port } : { unix: unixSocket };
  const options = {
    ...at,
    async fetch(request: Request, server: Bun.Server<undefined>) {
      const { address = null, port: from = 0 } = server.requestIP(request) ?? {};
      const connection = `${address?.replace(/^::ffff:(?=\d+\.)/, "")} ${from}`;
      serving.inWork.add(connection);
      const patience = (seconds: number | null) =>
        void server.timeout(request, seconds ?? idleSeconds);
      let answer: Response;
      try {
        answer = await fetch(request, { address, patience });
      } finally {
        serving.inWork.delete(connection);
      }
      // Bun reads the trailers of a chunked body as another request, and refuses it with 400.
      // Trailers that have arrived are refused before the answer, and later ones find no
      // connection.
      const isChunked = request.headers.has("transfer-encoding");
      if (isChunked) await nextTurn();
      if (serving.leaving || isChunked || mayLeaveBody(request, answer))
        answer.headers.set("connection", "close");
      return answer;
    },
    // The routes have their own limit, with their own error.
    maxRequestBodySize: BODY_RULES.maximumBytes * 2,
    development: false,
    idleTimeout: idleSeconds,
    ...(secret === null ? {} : { tls: secret }),
  };
  try {
    // The types have no idle timeout for a Unix socket. Without one, Bun closes it after 10 s.
    const server = Bun.serve(options as Bun.Serve.Options<undefined>);
    return Object.assign(serving, { server });
  } catch (cause) {
    const code = codeOf(cause);
    // The system's codes for an address begin with E and have no underscore.
    if (tls !== null && !/^E[A-Z]+$/.test(code)) throw tlsUnusable(tls, code, cause);
    throw unavailable(program, unixSocket ?? `${host}:${port}`, code, cause);
  }
}

/**
 * Says whether an error may be answered before its body has arrived, because a drain would wait for
 * the rest. A body of one packet has arrived, unless it is late.
 */
function mayLeaveBody(request: Request, { status }: Response): boolean {
  if (status < 400) return false;
  const isLate = status === CATALOGUE.BODY_TOO_SLOW.httpStatus;
  return isLate || Number(request.headers.get("content-length")) > PACKET_BYTES;
}

function addressOf({ host, unixSocket, tls }: ListenPlace, port: number | undefined): string {
  if (unixSocket !== null) return `unix:${unixSocket}`;
  const shown = host.includes(":") ? `[${host}]` : host;
  return `${tls === null ? "http" : "https"}://${shown}:${port}`;
}

async function readTls(tls: NonNullable<ListenPlace["tls"]>): Promise<Tls> {
  const read = async (path: string) => {
    try {
      return await Bun.file(path).text();
    } catch (cause) {
      throw new SvcError("CONFIG_INVALID", {
        message: `The TLS file ${path} cannot be read (${codeOf(cause)}).`,
        remedy: phrase`Check ${flag("tlsCertificate")} and ${flag("tlsKey")}, and the permissions of the files.`,
        cause,
      });
    }
  };
  return { cert: await read(tls.certificateFile), key: await read(tls.keyFile) };
}

function tlsUnusable(tls: NonNullable<ListenPlace["tls"]>, code: string, cause: unknown): SvcError {
  return new SvcError("CONFIG_INVALID", {
    message: `${tls.certificateFile} and ${tls.keyFile} cannot be used for TLS (${code}).`,
    remedy: "Use a PEM certificate chain, and the private key of its first certificate.",
    cause,
  });
}

/** Removes a socket file that a crash left, because it would prevent a new socket. */
async function removeStale(path: string, program: Program): Promise<void> {
  const status = ifVisible(() => lstatSync(path));
  if (status === null) return;
  if (!status.isSocket()) throw unavailable(program, path, "the file exists and is not a socket");
  try {
    const connection = await Bun.connect({ unix: path, socket: { data() {} } });
    connection.end();
  } catch {
    unlinkSync(path);
    return;
  }
  throw unavailable(program, path, "another process listens there");
}

function isSocket(path: string): boolean {
  return ifVisible(() => lstatSync(path))?.isSocket() === true;
}

function unavailable(program: Program, where: string, why: string, cause?: unknown): SvcError {
  return new SvcError("ADDRESS_UNAVAILABLE", {
    message: `The ${program} cannot listen on ${where}: ${why}.`,
    remedy: phrase`Set another ${flag("port")}, ${flag("host")} or ${flag("unixSocket")}, or stop the process that listens there.`,
    cause,
  });
}

function codeOf(cause: unknown): string {
  const { code, message } = cause as { code?: string; message?: string };
  return code ?? message ?? "unknown reason";
}
