// What svc waits for where each answer of a node takes 100 ms: how many answers follow one another.
//
//   bun bench/far-nodes.ts

import { tmpdir } from "node:os";
import { ensureBuilt, SVC_BINARY } from "../scripts/ensure-built.ts";
import { openLongChain } from "../tests/support/long-chain.ts";
import { openLoopback } from "../tests/support/loopback-server.ts";
import { line } from "./aims.ts";
import { median } from "./round-trip.ts";

const DISTANCE_MILLISECONDS = 100;
const RUNS = 5;
const LEDGERS = 200;

ensureBuilt();
await debug("a success", "inc persistent counter #1", 3.5);
await debug("a failure", "entry over the size limit", 3.5);
await debug("one whose entry many ledgers changed since", "footprint lacks the entry");
await simulate("inc persistent counter #1", 2.5);
await verify();

/** Passes requests on to `origin`, and answers later than it does. */
function openFar(origin: string, milliseconds: number) {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const body = await request.text();
      await Bun.sleep(milliseconds);
      const { method } = request;
      const sent = { method, ...(body === "" ? {} : { body }) };
      const answer = await fetch(new URL(pathname + search, origin), sent);
      return new Response(await answer.bytes(), { status: answer.status });
    },
  });
  return {
    url: (path: string) => `http://127.0.0.1:${server.port}${new URL(path, origin).pathname}`,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

async function debug(what: string, name: string, atMost?: number): Promise<void> {
  await using loopback = openLoopback();
  const { passphrase } = loopback.network;
  const { hash } = loopback.network.named(name);
  const { near, far } = await nearAndFar(async (milliseconds) => {
    await using node = openFar(loopback.url("rpc"), milliseconds);
    const horizon = node.url(loopback.url("horizon", "no-meta"));
    const nodes = ["--horizon-url", horizon, "--rpc-url", node.url(loopback.url("rpc"))];
    return await wall(["debug", hash, ...nodes], passphrase);
  });
  waited(`svc debug, ${what}`, near, far, atMost);
}

/** The envelope as it was sent. */
async function simulate(name: string, atMost: number): Promise<void> {
  await using loopback = openLoopback();
  const { passphrase } = loopback.network;
  const { rpcGetTransaction } = loopback.network.file(loopback.network.named(name));
  const envelope = String(rpcGetTransaction.result.envelopeXdr);
  const { near, far } = await nearAndFar(async (milliseconds) => {
    await using node = openFar(loopback.url("rpc"), milliseconds);
    return await wall(
      ["simulate", envelope, "--rpc-url", node.url(loopback.url("rpc"))],
      passphrase,
    );
  });
  waited("svc simulate", near, far, atMost);
}

/** Medians, in turn. */
async function nearAndFar(timed: (milliseconds: number) => Promise<number>) {
  const near: number[] = [];
  const far: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    near.push(await timed(0));
    far.push(await timed(DISTANCE_MILLISECONDS));
  }
  return { near: median(near), far: median(far) };
}

function waited(what: string, near: number, far: number, atMost?: number): void {
  const value = (far - near) / DISTANCE_MILLISECONDS;
  line(what, far, "ms", { value, of: "one answer", ...(atMost === undefined ? {} : { atMost }) });
}

/** From a node, and from a lake with an object for each ledger, as the public ones have. */
async function verify(): Promise<void> {
  await using chain = openLongChain({ successes: 9, failures: 1, varied: true });
  const first = chain.first + 1;
  const last = chain.first + LEDGERS;
  await using lake = chain.serveLake({ ledgersPerBatch: 1, last: last + 1 });
  const timed = async (origin: string, milliseconds: number, words: readonly string[]) => {
    await using far = openFar(origin, milliseconds);
    const nodes = words.map((word) => (word.startsWith("http:") ? far.url(word) : word));
    return await wall(["verify", `${first}-${last}`, "--jobs", "1", ...nodes], chain.passphrase);
  };
  for (const [what, origin, words] of [
    ["a node", chain.url, ["--rpc-url", chain.url]],
    ["a lake", lake.lakeUrl, ["--rpc-url", lake.rpcUrl, "--ledger-lake-url", lake.lakeUrl]],
  ] as const) {
    const near = await timed(origin, 0, words);
    const far = await timed(origin, DISTANCE_MILLISECONDS, words);
    line(`svc verify, ${LEDGERS} ledgers of ${what}`, far, "ms", { value: far / near, of: "near" });
  }
}

async function wall(words: readonly string[], passphrase: string): Promise<number> {
  const start = performance.now();
  const command = [SVC_BINARY, ...words, "--network-passphrase", passphrase];
  const child = Bun.spawn(command, { cwd: tmpdir(), stdout: "ignore", stderr: "inherit" });
  if ((await child.exited) > 1) throw new Error(`svc ${words.join(" ")} gave no answer`);
  return performance.now() - start;
}
