// The listening socket: TCP or a Unix socket, with or without TLS.
// Invariant: a socket file is removed only when no process listens on it.

import { chmodSync, lstatSync, unlinkSync } from "node:fs";
import { SvcError } from "../base/errors/errors.ts";
import type { DaemonConfig } from "../base/settings/daemon-config.ts";
import { BODY_RULES } from "./routes/read-body.ts";

export interface Listener {
  /** `http://127.0.0.1:8080`, `unix:/run/svc.sock`. */
  readonly address: string;
  /** Accepts no new connections; resolves when the open ones have their answers. */
  readonly drain: () => Promise<void>;
  /** Closes all open connections. */
  readonly close: () => Promise<void>;
}

type Place = Pick<DaemonConfig, "host" | "port" | "unixSocket" | "tls">;

/** Owner and group, whatever the umask says. */
const SOCKET_MODE = 0o660;
/** Bun's maximum, in seconds; no request takes that long. */
const IDLE_SECONDS = 255;
/** Without this, Bun would share the port with another process that listens on it. */
const TCP = { reusePort: false };

/** Throws ADDRESS_UNAVAILABLE and CONFIG_INVALID. */
export async function listen(
  place: Place,
  fetch: (request: Request, address: string | null) => Response | Promise<Response>,
): Promise<Listener> {
  const { host, port, unixSocket, tls } = place;
  const common = {
    fetch: (request: Request, server: Bun.Server<undefined>) =>
      fetch(request, server.requestIP(request)?.address ?? null),
    // The routes have their own limit, with an error of their own.
    maxRequestBodySize: BODY_RULES.maximumBytes * 2,
    development: false,
    idleTimeout: IDLE_SECONDS,
    ...(tls === null ? {} : { tls: await readTls(tls) }),
  };
  if (unixSocket !== null) await removeStale(unixSocket);
  let server: Bun.Server<undefined>;
  try {
    const at = unixSocket === null ? { ...TCP, hostname: host, port } : { unix: unixSocket };
    // The types have no idle timeout for a Unix socket; without one, Bun closes it after 10 s.
    server = Bun.serve({ ...common, ...at } as Bun.Serve.Options<undefined>);
  } catch (cause) {
    const code = codeOf(cause);
    // The system's codes for an address begin with E and have no underscore.
    if (tls !== null && !/^E[A-Z]+$/.test(code)) throw tlsUnusable(tls, code, cause);
    throw unavailable(unixSocket ?? `${host}:${port}`, code, cause);
  }
  if (unixSocket !== null) chmodSync(unixSocket, SOCKET_MODE);
  const remove = () => {
    if (unixSocket !== null && isSocket(unixSocket)) unlinkSync(unixSocket);
  };
  return {
    address: addressOf(place, server.port),
    drain: () => server.stop(),
    async close() {
      await server.stop(true);
      remove();
    },
  };
}

function addressOf({ host, unixSocket, tls }: Place, port: number | undefined): string {
  if (unixSocket !== null) return `unix:${unixSocket}`;
  const shown = host.includes(":") ? `[${host}]` : host;
  return `${tls === null ? "http" : "https"}://${shown}:${port}`;
}

async function readTls(tls: NonNullable<Place["tls"]>) {
  const read = async (path: string) => {
    try {
      return await Bun.file(path).text();
    } catch (cause) {
      throw new SvcError("CONFIG_INVALID", {
        message: `The TLS file ${path} cannot be read (${codeOf(cause)}).`,
        remedy: "Check `--tls-certificate` and `--tls-key`, and the permissions of the files.",
        cause,
      });
    }
  };
  return { cert: await read(tls.certificateFile), key: await read(tls.keyFile) };
}

function tlsUnusable(tls: NonNullable<Place["tls"]>, code: string, cause: unknown): SvcError {
  return new SvcError("CONFIG_INVALID", {
    message: `${tls.certificateFile} and ${tls.keyFile} cannot be used for TLS (${code}).`,
    remedy: "Use a PEM certificate chain, and the private key of its first certificate.",
    cause,
  });
}

/** After a crash the file still exists, and would prevent a new socket. */
async function removeStale(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw unavailable(path, "the file exists and is not a socket");
  try {
    const connection = await Bun.connect({ unix: path, socket: { data() {} } });
    connection.end();
  } catch {
    unlinkSync(path);
    return;
  }
  throw unavailable(path, "another process listens there");
}

function isSocket(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true;
}

function unavailable(where: string, why: string, cause?: unknown): SvcError {
  return new SvcError("ADDRESS_UNAVAILABLE", {
    message: `The daemon cannot listen on ${where}: ${why}.`,
    remedy:
      "Set another `--port`, `--host` or `--unix-socket`, or stop the process that listens there.",
    cause,
  });
}

function codeOf(cause: unknown): string {
  const { code, message } = cause as { code?: string; message?: string };
  return code ?? message ?? "unknown reason";
}
