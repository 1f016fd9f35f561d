// Faults that stop a daemon, or keep everybody waiting, although it could go on: a bad ledger of
// the only node, bodies of brackets, answers without end, a first node with 500 or 429, and large
// answers that nobody reads.
//
//   bun bench/stuck.ts [--svc FILE --simulator FILE]
//     [--only ledgers|bodies|answers|nodes|held|errors]

import { mkdtempSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { until } from "../acceptance/checks.ts";
import { openLongChain } from "../tests/support/long-chain.ts";
import { openNode } from "../tests/support/scripted-node.ts";
import { line, type RunningDaemon, startDaemon } from "./running-daemon.ts";

const { values } = parseArgs({
  args: Bun.argv.slice(2),
  options: {
    svc: { type: "string" },
    simulator: { type: "string" },
    only: { type: "string" },
  },
});
const PASSPHRASE = "bench";
const BODY_BYTES = 16 * 1024 * 1024;
const LARGE_ANSWER_BYTES = 30 * 1024 * 1024;
const UNREAD = 100;
const UNREAD_SECONDS = 45;
/** An address of this machine: for the daemon, another client. */
const OTHER_CLIENT = "127.0.0.2";
/** How long a ledger is bad, and how long svc may take once it is right. */
const BAD_SECONDS = 8;
const PATIENCE_SECONDS = 45;

const PARTS = { ledgers: badLedgers, bodies, answers, nodes, held, errors };
for (const [name, measure] of Object.entries(PARTS))
  if (values.only === undefined || values.only === name) await measure();

async function badLedgers(): Promise<void> {
  await using other = openLongChain({ successes: 1, failures: 0, beginUnixSeconds: 1 });
  const spoils = {
    truncated: (_: number, bytes: Uint8Array) => bytes.subarray(0, 600),
    flipped: (_: number, bytes: Uint8Array) => bytes.with(150, (bytes[150] ?? 0) ^ 1),
    "of another history": (sequence: number) => other.bytes(sequence),
  };
  for (const [name, spoil] of Object.entries(spoils)) {
    await using chain = openLongChain({ successes: 2, failures: 1 });
    chain.tip = chain.first + 12;
    const bad = chain.first + 8;
    let isBad = true;
    chain.spoil = (sequence, bytes) =>
      isBad && sequence === bad ? new Uint8Array(spoil(sequence, bytes)) : bytes;
    const directory = mkdtempSync(join(tmpdir(), "svc-stuck-"));
    const config = join(directory, "svc.json");
    writeFileSync(config, JSON.stringify({ follow: { behindLedgers: 10 } }));
    const flags = ["--follow", "--config", config, "--state", join(directory, "state")];
    const { passphrase, url } = chain;
    await using daemon = await startDaemon({
      ...values,
      flags,
      nodes: { rpcUrls: [url], passphrase },
    });
    await until(20, async () => (await verified(daemon)) >= bad - 1);
    await Bun.sleep(BAD_SECONDS * 1000);
    const { status } = await fetch(`http://127.0.0.1:${daemon.port}/ready`);
    isBad = false;
    const since = performance.now();
    const passed = await until(
      PATIENCE_SECONDS,
      async () => (await verified(daemon)) === chain.tip,
    );
    const seconds = (performance.now() - since) / 1000;
    process.stdout.write(`a ledger ${name}, for ${BAD_SECONDS} s: /ready ${status}, `);
    process.stdout.write(passed ? `goes on after ${seconds.toFixed(1)} s\n` : "never goes on\n");
  }
}

async function verified(daemon: RunningDaemon): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${daemon.port}/metrics`)).text();
  return Number(/^svc_follow_last_ledger (\d+)/m.exec(text)?.[1] ?? 0);
}

/** Watches /health and the memory while the work goes on. */
async function watched(daemon: RunningDaemon, work: () => Promise<unknown>) {
  let [longest, most, going] = [0, 0, true];
  const health = (async () => {
    while (going) {
      const start = performance.now();
      await fetch(`http://127.0.0.1:${daemon.port}/health`).then((answer) => answer.text());
      longest = Math.max(longest, performance.now() - start);
      await Bun.sleep(5);
    }
  })();
  const memory = setInterval(() => {
    most = Math.max(most, daemon.residentMebibytes());
  }, 10);
  await work();
  going = false;
  await health;
  clearInterval(memory);
  return { longest, most };
}

async function bodies(): Promise<void> {
  const post = (daemon: RunningDaemon, path: string, body: string) =>
    fetch(`http://127.0.0.1:${daemon.port}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    }).then(
      (answer) => answer.text(),
      () => {},
    );
  const brackets = "[".repeat(BODY_BYTES);
  for (const path of ["/v1/debug", "/v1/simulate", "/rpc", "/mcp"]) {
    await using daemon = await startDaemon(values);
    const { longest, most } = await watched(daemon, () => post(daemon, path, brackets));
    line(`${path}, 16 MiB of brackets: /health, the longest`, longest, "ms");
    line("  memory at most", most, "MiB");
  }
  await using daemon = await startDaemon(values);
  const { longest, most } = await watched(daemon, async () => {
    for (let count = 0; count < 10; count += 1) await post(daemon, "/v1/simulate", brackets);
  });
  line("ten of them in a row: /health, the longest", longest, "ms");
  line("  memory at most", most, "MiB");
}

async function answers(): Promise<void> {
  const chunk = new Uint8Array(256 * 1024).fill(0x20);
  await using node = openNode(
    () => new Response(new ReadableStream({ pull: (out) => out.enqueue(chunk) })),
  );
  const given = { rpcUrls: [node.url], passphrase: PASSPHRASE };
  await using daemon = await startDaemon({ ...values, nodes: given });
  const { longest, most } = await watched(daemon, async () => {
    await Promise.all(Array.from({ length: 32 }, () => call(daemon, "getLedgers")));
  });
  line("32 answers without end: /health, the longest", longest, "ms");
  line("  memory at most", most, "MiB");
}

/** One batch of 20 large answers, four of them, and clients that ask for one and do not read it. */
async function held(): Promise<void> {
  const meta = "A".repeat(LARGE_ANSWER_BYTES);
  const text = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    result: { ledgers: [{ metadataXdr: meta }] },
  });
  await using node = openNode(() => new Response(text));
  const given = { rpcUrls: [node.url], passphrase: PASSPHRASE };
  const getLedgers = (id: number) => ({ jsonrpc: "2.0", id, method: "getLedgers" });
  const batch = JSON.stringify(Array.from({ length: 20 }, (_, id) => getLedgers(id)));
  for (const count of [1, 4]) {
    await using daemon = await startDaemon({ ...values, nodes: given });
    const { longest, most } = await watched(daemon, () =>
      Promise.all(Array.from({ length: count }, () => drained(daemon, batch))),
    );
    line(`${count} × a batch of 20 answers of 30 MiB: /health`, longest, "ms");
    line("  memory at most", most, "MiB");
  }
  await using daemon = await startDaemon({ ...values, nodes: given });
  const body = JSON.stringify(getLedgers(1));
  const head = `POST /rpc HTTP/1.1\r\nhost: svc\r\ncontent-type: application/json\r\n`;
  let other = Number.NaN;
  const { longest, most } = await watched(daemon, async () => {
    const sockets = [];
    for (let index = 0; index < UNREAD; index += 1) {
      await Bun.sleep(100);
      const socket = connect(daemon.port, "127.0.0.1");
      socket.on("error", () => {});
      socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`);
      sockets.push(socket.pause());
    }
    const start = performance.now();
    await drained(daemon, body, OTHER_CLIENT);
    other = performance.now() - start;
    await Bun.sleep(UNREAD_SECONDS * 1000);
    line(
      `${UNREAD} that do not read, ${UNREAD_SECONDS} s later: memory`,
      daemon.residentMebibytes(),
      "MiB",
    );
    for (const socket of sockets) socket.destroy();
  });
  line("  memory at most", most, "MiB");
  line("  /health, the longest", longest, "ms");
  line("  another client's answer of 30 MiB", other, "ms");
}

/** Reads an answer of POST /rpc, and keeps nothing of it. */
function drained(daemon: RunningDaemon, body: string, localAddress = "127.0.0.1") {
  return new Promise<void>((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": body.length };
    const to = { host: "127.0.0.1", port: daemon.port, path: "/rpc", method: "POST" };
    const sent = request({ ...to, localAddress, headers, agent: false }, (answer) => {
      answer.on("data", () => {});
      answer.on("end", resolve);
      answer.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** A node whose every answer is an error with 20 MB of text. */
async function errors(): Promise<void> {
  const message = "e".repeat(20_000_000);
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32603, message } });
  await using node = openNode(() => new Response(text));
  const given = { rpcUrls: [node.url], passphrase: PASSPHRASE };
  await using daemon = await startDaemon({ ...values, nodes: given });
  const calls = Array.from({ length: 20 }, (_, id) => ({
    jsonrpc: "2.0",
    id,
    method: "getHealth",
  }));
  const { longest, most } = await watched(daemon, async () => {
    for (let round = 0; round < 2; round += 1)
      await Promise.all(Array.from({ length: 4 }, () => drained(daemon, JSON.stringify(calls))));
  });
  line("160 errors of a node with 20 MB of text: memory at most", most, "MiB");
  line("  /health, the longest", longest, "ms");
}

async function call(daemon: RunningDaemon, method: string): Promise<number> {
  const start = performance.now();
  const answer = await fetch(`http://127.0.0.1:${daemon.port}/rpc`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method }),
  });
  await answer.text();
  return performance.now() - start;
}

async function nodes(): Promise<void> {
  await using good = openNode(() => ({ sequence: 7 }));
  const limited = (seconds: string) => () =>
    new Response("", { status: 429, headers: { "retry-after": seconds } });
  for (const [name, script] of Object.entries({
    "500": () => new Response("trouble", { status: 500 }),
    "429 and Retry-After: 2": limited("2"),
    "429 and Retry-After: 60": limited("60"),
  })) {
    await using first = openNode(script);
    const rpcUrls = [first.url, good.url];
    await using daemon = await startDaemon({
      ...values,
      nodes: { rpcUrls, passphrase: PASSPHRASE },
    });
    const times: number[] = [];
    for (let count = 0; count < 12; count += 1) times.push(await call(daemon, "getLatestLedger"));
    const sorted = times.toSorted((one, other) => one - other);
    line(`a first node with ${name}: the first request`, times[0] ?? 0, "ms");
    line("  the median of twelve", sorted[6] ?? 0, "ms");
    line(
      "  all twelve",
      times.reduce((sum, time) => sum + time, 0),
      "ms",
    );
    line("  attempts at that node", first.asked.length, "");
  }
}
