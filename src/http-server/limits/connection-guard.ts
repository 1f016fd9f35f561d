// Limits of connections, in all and for each client. Bun accepts every connection, and at the limit
// of descriptors it tries again and again, so what is above the limits is found here, and closed.
// Invariants: descriptors are left for probes, nodes and svc-sim. The client with the most loses
// its newest connection first, and one whose request is in work last. Only Linux shows connections:
// elsewhere there are no limits.

import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { ifVisible } from "../../base/files/read-file.ts";
import { openCLibrary } from "../c-library.ts";
import { mostDescriptors, openDescriptors } from "../process-metrics.ts";
import type { EventLog } from "../request-log.ts";
import { networkOf } from "./client-of.ts";

export interface ConnectionLimits {
  /** In all. */
  readonly connections: number;
  /** Of one address; null where a proxy makes them. */
  readonly ofClient: number | null;
}

export interface GuardOptions extends ConnectionLimits {
  /** Of the listener; null: a Unix socket, whose clients are not told apart. */
  readonly port: number | null;
  readonly log: EventLog;
  /** Whether a request of this connection is in work. */
  readonly isInWork: (connection: string) => boolean;
}

export interface ConnectionGuard extends Disposable {
  /** Open connections; null where they cannot be seen. */
  readonly count: () => number | null;
}

interface OpenConnection {
  readonly descriptor: number;
  /** Greater for a newer one. */
  readonly inode: number;
  /** Address and port. */
  readonly name: string;
  readonly client: string;
}

const LOOK_MILLISECONDS = 100;
/** While connections are closed, as many wait to be accepted. */
const SOON_MILLISECONDS = 5;
const LOG_MILLISECONDS = 10_000;
/** The rest is for svc-sim, nodes and files. */
const SHARE_OF_DESCRIPTORS = 3 / 4;
/** Looking needs descriptors, too. */
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
  /** How many connections it has closed. */
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

/** What is above the limits: of the client with the most, one after the other. */
export function victimsOf<Each extends Pick<OpenConnection, "inode" | "name" | "client">>(
  open: readonly Each[],
  { limit, limitOfClient, isInWork }: Choice,
): Each[] {
  const rank = (one: Each) => (isInWork(one.name) ? 0 : 1);
  // The first to close is the last.
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

/** Descriptors that are given back while something is looked at. */
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

/** The connections of this process that clients made to this port. */
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
    const found = byInode.get(inode);
    return found === undefined ? [] : { descriptor: Number(descriptor), inode, ...found };
  });
}

const LISTENING = "0A";

/** Words of 32 bits in the order of this machine, least significant byte first. */
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

/** `shutdown` of the C library: Bun then closes the connection, as when its client leaves. */
function openShutdown(): (descriptor: number) => void {
  const library = openCLibrary({ shutdown: { args: ["i32", "i32"], returns: "i32" } });
  return (descriptor) => void library?.shutdown(descriptor, SHUT_BOTH);
}
