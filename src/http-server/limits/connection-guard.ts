// Limits connections, in total and for each client. Bun accepts every connection, and at the limit
// of descriptors it tries again and again. So this file looks for connections above the limits and
// closes them. Invariants: enough descriptors remain for probes, nodes and svc-sim. The client with
// the most connections loses its newest one first; a connection whose request is in work is closed
// last. Only Linux shows connections, so other systems have no limits.

import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { ifVisible } from "../../base/files/read-file.ts";
import { openCLibrary } from "../c-library.ts";
import { mostDescriptors, openDescriptors } from "../process-metrics.ts";
import type { EventLog } from "../request-log.ts";
import { networkOf } from "./client-of.ts";

export interface ConnectionLimits {
  /** The limit of all connections. */
  readonly connections: number;
  /** The limit for one address; null if a proxy makes the connections. */
  readonly ofClient: number | null;
}

export interface GuardOptions extends ConnectionLimits {
  /** The port of the listener; null for a Unix socket, whose clients cannot be distinguished. */
  readonly port: number | null;
  readonly log: EventLog;
  /** Says whether a request of this connection is in work. */
  readonly isInWork: (connection: string) => boolean;
}

export interface ConnectionGuard extends Disposable {
  /** The number of open connections; null if they cannot be seen. */
  readonly count: () => number | null;
}

interface OpenConnection {
  readonly descriptor: number;
  /** A newer connection has a greater number. */
  readonly inode: number;
  /** The address and port. */
  readonly name: string;
  readonly client: string;
}

const LOOK_MILLISECONDS = 100;
/** The time between two looks while connections are closed, because as many wait to be accepted. */
const SOON_MILLISECONDS = 5;
const LOG_MILLISECONDS = 10_000;
/** The other descriptors are for svc-sim, nodes and files. */
const SHARE_OF_DESCRIPTORS = 3 / 4;
/** A look needs descriptors too. */
const SPARES = 4;
const SHUT_BOTH = 2;

export function openConnectionGuard(options: GuardOptions): ConnectionGuard {
  const { port, log, isInWork, ofClient } = options;
  const descriptors = mostDescriptors();
  if (port === null || descriptors === null)
    return { count: () => null, [Symbol.dispose]: () => {} };
  const limit = Math.min(options.connections, Math.floor(descriptors * SHARE_OF_DESCRIPTORS));
  const limitOfClient = ofClient === null ? limit : Math.min(ofClient, limit);
  const shut = openShutdown();
  const spares = new Spares();
  spares.fill();
  let closed = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  /** Closes connections above the limits, and returns their number. */
  const look = (): number => {
    spares.fill();
    if ((openDescriptors() ?? 0) <= limitOfClient) return 0;
    const open = spares.without(() => connectionsOf(port));
    const victims = victimsOf(open, { limit, limitOfClient, isInWork });
    for (const { descriptor } of victims) shut(descriptor);
    closed += victims.length;
    if (closed === 0 || performance.now() - loggedAt < LOG_MILLISECONDS) return victims.length;
    loggedAt = performance.now();
    const fields = { connections: open.length, closed, limit, limitOfClient, descriptors };
    log.write("warn", "connections closed", fields);
    closed = 0;
    return victims.length;
  };
  let timer: ReturnType<typeof setTimeout>;
  const lookLater = (milliseconds: number) => {
    timer = setTimeout(() => {
      lookLater(look() > 0 ? SOON_MILLISECONDS : LOOK_MILLISECONDS);
    }, milliseconds).unref();
  };
  lookLater(LOOK_MILLISECONDS);
  return {
    count: () => spares.without(() => connectionsOf(port)).length,
    [Symbol.dispose]() {
      clearTimeout(timer);
      spares.close();
    },
  };
}

interface Choice {
  readonly limit: number;
  readonly limitOfClient: number;
  readonly isInWork: (connection: string) => boolean;
}

/** The connections to close, one after another from the client with the most. */
export function victimsOf<Each extends Pick<OpenConnection, "inode" | "name" | "client">>(
  open: readonly Each[],
  { limit, limitOfClient, isInWork }: Choice,
): Each[] {
  const rank = (connection: Each) => (isInWork(connection.name) ? 0 : 1);
  // The last connection in this order is closed first.
  const byAge = open.toSorted((a, b) => rank(a) - rank(b) || a.inode - b.inode);
  const clients = [...Map.groupBy(byAge, ({ client }) => client).values()];
  const victims: Each[] = [];
  for (const each of clients) victims.push(...each.splice(limitOfClient));
  let left = open.length - victims.length;
  while (left > limit) {
    const most = clients.reduce((a, b) => (b.length > a.length ? b : a));
    const victim = most.pop();
    if (victim === undefined) break;
    victims.push(victim);
    left -= 1;
  }
  return victims;
}

/** Spare descriptors, which are released for a look. */
class Spares {
  private open: number[] = [];

  fill(): void {
    while (this.open.length < SPARES) {
      const spare = ifVisible(() => openSync("/dev/null", "r"));
      if (spare === null) return;
      this.open.push(spare);
    }
  }

  without<Result>(look: () => Result): Result {
    this.close();
    try {
      return look();
    } finally {
      this.fill();
    }
  }

  close(): void {
    for (const spare of this.open.splice(0)) closeSync(spare);
  }
}

/** The connections that clients made to this port of this process. */
function connectionsOf(port: number): OpenConnection[] {
  const byInode = new Map<number, { readonly name: string; readonly client: string }>();
  for (const file of ["tcp", "tcp6"]) {
    const rows = ifVisible(() => readFileSync(`/proc/self/net/${file}`, "latin1")) ?? "";
    for (const [, local = "", address = "", remote = "", state = "", inode = ""] of rows.matchAll(
      /^ *\d+: [\dA-F]+:([\dA-F]{4}) ([\dA-F]+):([\dA-F]{4}) ([\dA-F]{2})(?: +\S+){5} +(\d+)/gm,
    )) {
      if (Number.parseInt(local, 16) !== port || state === LISTENING) continue;
      const client = addressOf(address);
      const name = `${client} ${Number.parseInt(remote, 16)}`;
      byInode.set(Number(inode), { name, client: networkOf(client) });
    }
  }
  if (byInode.size === 0) return [];
  return (ifVisible(() => readdirSync("/proc/self/fd")) ?? []).flatMap((descriptor) => {
    const target = ifVisible(() => readlinkSync(`/proc/self/fd/${descriptor}`));
    const inode = Number(/^socket:\[(\d+)\]$/.exec(target ?? "")?.[1] ?? Number.NaN);
    const connection = byInode.get(inode);
    return connection === undefined ? [] : { descriptor: Number(descriptor), inode, ...connection };
  });
}

const LISTENING = "0A";

/** The address in 32-bit words of this machine's byte order, least significant byte first. */
function addressOf(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) =>
    (word.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).reverse(),
  );
  if (bytes.length === 4) return bytes.join(".");
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff;
  if (isMapped) return bytes.slice(12).join(".");
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
  );
  return groups.join(":");
}

/** The C library's `shutdown`. Bun then closes the connection, as if the client had left. */
function openShutdown(): (descriptor: number) => void {
  const library = openCLibrary({ shutdown: { args: ["i32", "i32"], returns: "i32" } });
  return (descriptor) => void library?.shutdown(descriptor, SHUT_BOTH);
}
