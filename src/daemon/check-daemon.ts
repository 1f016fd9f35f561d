// Checks that a daemon with these settings is alive, for the health checks of containers, which
// have no other HTTP client. The only request goes to the address at which this daemon would
// listen.

import { SvcError } from "../base/errors/errors.ts";
import type { ServerConfig } from "../http-server/server-settings.ts";

export type DaemonPlace = Pick<ServerConfig, "host" | "port" | "unixSocket" | "tls">;

const PATIENCE_MILLISECONDS = 5_000;
/** The loopback address that replaces an address of all interfaces. */
const LOOPBACK: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** Resolves if `/health` answers 200. Throws DAEMON_NOT_ALIVE. */
export async function checkDaemon(place: DaemonPlace, { signal }: { signal: AbortSignal }) {
  const url = healthUrl(place);
  const where = place.unixSocket === null ? url : `${url} on ${place.unixSocket}`;
  let status: number;
  try {
    const answer = await fetch(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MILLISECONDS)]),
      ...(place.unixSocket === null ? {} : { unix: place.unixSocket }),
      // The certificate is for the name that clients use, not for this machine's loopback address.
      ...(place.tls === null ? {} : { tls: { rejectUnauthorized: false } }),
    });
    status = answer.status;
    await answer.body?.cancel();
  } catch (cause) {
    throw notAlive(`No daemon answers at ${where}.`, cause);
  }
  if (status !== 200) throw notAlive(`The server at ${where} answered with status ${status}.`);
}

function healthUrl({ host, port, tls }: DaemonPlace): string {
  const address = LOOPBACK[host] ?? host;
  const name = address.includes(":") ? `[${address}]` : address;
  return `${tls === null ? "http" : "https"}://${name}:${port}/health`;
}

function notAlive(message: string, cause?: unknown): SvcError {
  return new SvcError("DAEMON_NOT_ALIVE", {
    message,
    remedy: "Use the settings that the daemon was started with, and read its log.",
    cause,
  });
}
