// Limits of connections: a daemon with few descriptors answers probes whatever clients open, and
// says so in its log once.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { join, resolve } from "node:path";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { victimsOf } from "../../src/http-server/limits/connection-guard.ts";
import { openDaemon, scrape } from "../support/daemon.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { until } from "../support/until.ts";

const MAIN = resolve(join(import.meta.dir, "../../src/main.ts"));
const NEVER_IN_WORK = () => false;

let loopback: Loopback;
beforeAll(() => {
  loopback = openLoopback();
});
afterAll(() => loopback[Symbol.asyncDispose]());

const connection = (client: string, inode: number) => ({
  client,
  inode,
  name: `${client} ${inode}`,
});

test("the client with the most loses its newest first, and requests in work last", () => {
  const open = [
    ...[1, 2, 3, 4, 5].map((inode) => connection("a", inode)),
    ...[6, 7].map((inode) => connection("b", inode)),
  ];
  const limits = { limit: 4, limitOfClient: 10, isInWork: (name: string) => name === "a 5" };
  expect(victimsOf(open, limits).map(({ name }) => name)).toEqual(["a 4", "a 3", "a 2"]);
  const ofClient = { limit: 100, limitOfClient: 2, isInWork: NEVER_IN_WORK };
  expect(victimsOf(open, ofClient).map(({ name }) => name)).toEqual(["a 3", "a 4", "a 5"]);
  expect(victimsOf(open, { ...ofClient, limitOfClient: 5 })).toEqual([]);
});

/** Connections that are opened and say nothing; `open`: how many of them the server has kept. */
async function silent(port: number, count: number) {
  let closed = 0;
  const socket = {
    data() {},
    close() {
      closed += 1;
    },
    error() {},
  };
  const opened = await Promise.all(
    Array.from({ length: count }, () => Bun.connect({ hostname: "127.0.0.1", port, socket })),
  );
  return {
    closed: () => closed,
    end() {
      for (const each of opened) each.end();
    },
  };
}

test("what one client opens beyond the limit is closed, counted and logged once", async () => {
  const settings = { maxConnections: 40, maxConnectionsPerClient: 20 };
  await using daemon = await openDaemon(loopback, { daemon: settings });
  const port = Number(new URL(daemon.url).port);
  const clients = await silent(port, 60);
  await until(() => clients.closed() >= 40);
  expect((await daemon.get("/health")).status).toBe(200);
  expect((await scrape(daemon)).get("svc_connections")).toBeLessThanOrEqual(21);
  const lines = daemon.log.filter(({ message }) => message === "connections closed");
  expect(lines).toEqual([expect.objectContaining({ level: "warn", limitOfClient: 20, limit: 40 })]);
  clients.end();
});

const hasProc = process.platform === "linux";

test.skipIf(!hasProc)("at the limit of descriptors, probes and metrics are answered", async () => {
  const urls = ["--horizon-url", loopback.url("horizon"), "--rpc-url", loopback.url("rpc")];
  const command = [process.execPath, MAIN, "daemon", "--port", "0", ...urls];
  const passphrase = ["--network-passphrase", loopback.network.passphrase];
  const own = ["--workers", "1", "--sim-path", SIMULATOR_BINARY];
  const run = Bun.spawn(
    ["sh", "-c", 'ulimit -n 128; exec "$@"', "sh", ...command, ...passphrase, ...own],
    { stdout: "ignore", stderr: "pipe" },
  );
  let log = "";
  const reading = (async () => {
    for await (const chunk of run.stderr) log += new TextDecoder().decode(chunk);
  })();
  try {
    await until(() => log.includes('"listening"'));
    const url = /"address":"(http:[^"]+)"/.exec(log)?.[1] ?? "";
    const clients = await silent(Number(new URL(url).port), 400);
    for (const path of ["/health", "/ready", "/metrics"]) {
      const answer = await fetch(`${url}${path}`, { headers: { connection: "close" } });
      expect([path, answer.status]).toEqual([path, 200]);
      await answer.text();
    }
    await until(() => log.includes("connections closed"));
    expect(log.split("\n").length).toBeLessThan(20);
    clients.end();
  } finally {
    run.kill();
    await run.exited;
    await reading;
  }
});
