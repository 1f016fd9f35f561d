// The listening socket: TCP or a Unix socket, with or without TLS.
// Invariant: a socket file is removed only when nobody listens on it.

import { chmodSync, lstatSync, unlinkSync } from "node:fs";
import { SvcError } from "../base/errors/errors.ts";
import type { DaemonConfig } from "../base/settings/daemon-config.ts";
import { BODY_RULES } from "./routes/read-body.ts";

export interface Listener {
  /** `http://127.0.0.1:8080`, `unix:/run/svc.sock`. */
  readonly address: string;
  /** No new connections; resolves when those that are open have their answers. */
  readonly drain: () => Promise<void>;
  /** Closes what is still open. */
  readonly close: () => Promise<void>;
}

type Place = Pick<DaemonConfig, "host" | "port" | "unixSocket" | "tls">;

/** Owner and group, whatever the umask says. */
const SOCKET_MODE = 0o660;
/** Seconds, the longest that Bun takes; no request may take that long. */
const IDLE_SECONDS = 255;
/** Left out, Bun would share the port with whoever else listens on it. */
const TCP = { reusePort: false };

/** Throws ADDRESS_UNAVAILABLE and CONFIG_INVALID. */
export async function listen(
  place: Place,
  fetch: (request: Request) => Response | Promise<Response>,
): Promise<Listener> {
  const { host, port, unixSocket, tls } = place;
  const common = {
    fetch,
    // The routes have their own limit and say so in their own words.
    maxRequestBodySize: BODY_RULES.maximumBytes * 2,
    development: false,
    idleTimeout: IDLE_SECONDS,
    ...(tls === null ? {} : { tls: await readTls(tls) }),
  };
  if (unixSocket !== null) await removeStale(unixSocket);
  let server: Bun.Server<undefined>;
  try {
    const at = unixSocket === null ? { ...TCP, hostname: host, port } : { unix: unixSocket };
    // The types know no idle timeout of a Unix socket; without one, Bun closes it after 10 s.
    server = Bun.serve({ ...common, ...at } as Bun.Serve.Options<undefined>);
  } catch (cause) {
    const code = codeOf(cause);
    // Whatever the system says of an address begins with E and has no underscore.
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
        remedy: "Check --tls-certificate and --tls-key, and the files' permissions.",
        cause,
      });
    }
  };
  return { cert: await read(tls.certificateFile), key: await read(tls.keyFile) };
}

function tlsUnusable(tls: NonNullable<Place["tls"]>, code: string, cause: unknown): SvcError {
  return new SvcError("CONFIG_INVALID", {
    message: `${tls.certificateFile} and ${tls.keyFile} make no TLS (${code}).`,
    remedy: "Give a PEM certificate chain, and the private key of its first certificate.",
    cause,
  });
}

/** After a crash the file stays and would be in the way. */
async function removeStale(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw unavailable(path, "it exists and is no socket");
  try {
    const connection = await Bun.connect({ unix: path, socket: { data() {} } });
    connection.end();
  } catch {
    unlinkSync(path);
    return;
  }
  throw unavailable(path, "somebody listens there");
}

function isSocket(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true;
}

function unavailable(where: string, why: string, cause?: unknown): SvcError {
  return new SvcError("ADDRESS_UNAVAILABLE", {
    message: `The daemon cannot listen on ${where}: ${why}.`,
    remedy: "Name another --port, --host or --unix-socket, or end what listens there.",
    cause,
  });
}

function codeOf(cause: unknown): string {
  const { code, message } = cause as { code?: string; message?: string };
  return code ?? message ?? "unknown reason";
}
