// Following chains on loopback: every ledger verified once and in order, whatever the nodes do.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt } from "../../scripts/ensure-built.ts";
import { openFollowStore } from "../../src/follow/follow-store.ts";
import type { FollowEvent } from "../../src/model/follow.ts";
import type { LedgerBytes } from "../../src/sources/files/ledger-stream.ts";
import type { ReplayEngines } from "../../src/verify/replay-transaction.ts";
import { readLedgerCloseMeta } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { chained } from "../support/chained-ledgers.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { failureOf } from "../support/failure.ts";
import { CORE_TESTS_PASSPHRASE } from "../support/folded-stream.ts";
import { coreTestEngines, follow, ledgersOfFile, testEngines } from "../support/follow-run.ts";
import { openLongChain } from "../support/long-chain.ts";
import { serveNetwork } from "../support/made-network.ts";
import { needs } from "../support/needs.ts";
import { StreamNetwork } from "../support/stream-network.ts";

let engines: ReplayEngines;
beforeAll(async () => {
  await ensureBuilt();
  engines = testEngines();
}, 900_000);
afterAll(() => engines[Symbol.asyncDispose]());

const alertKinds = (events: readonly FollowEvent[]) =>
  events.filter(({ alert }) => alert).map(({ kind }) => kind);
const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

describe("a chain of recorded transactions", () => {
  test("is verified ledger by ledger; equal failures are one alert and one summary", async () => {
    await using chain = openLongChain({ successes: 2, failures: 10 });
    chain.tip = chain.first + 100;
    const { totals, events, ledgers, log } = await follow({
      networkPassphrase: chain.passphrase,
      rpcUrls: [chain.url],
      engines,
      options: { fromLedger: chain.first + 1, untilLedger: chain.tip },
    });
    expect(ledgers).toEqual(range(chain.first + 1, chain.tip));
    expect(totals.verdicts).toEqual({ exact: 1200, equivalent: 0, diverged: 0, inconclusive: 0 });
    expect(totals.failures).toBe(1000);
    expect(log).toEqual(["behind the network", "caught up with the network"]);
    expect(alertKinds(events)).toEqual(["failure", "failure-summary"]);
    expect(events.at(-1)).toMatchObject({ count: 1000, total: 1000, cause: "contract-panic" });
    // What the contract reads was asked for once, and its settings.
    expect(chain.requests.get("getLedgerEntries")).toBeLessThan(10);
  }, 120_000);

  test("goes on over a ledger whose transaction set was voted away (CAP-83)", async () => {
    await using chain = openLongChain({ successes: 1, failures: 1 });
    chain.tip = chain.first + 4;
    chain.votedAway = chain.first + 2;
    const { totals, events, ledgers } = await follow({
      networkPassphrase: chain.passphrase,
      rpcUrls: [chain.url],
      engines,
      options: { fromLedger: chain.first + 1, untilLedger: chain.tip },
    });
    expect(ledgers).toEqual(range(chain.first + 1, chain.tip));
    expect(totals.verdicts).toEqual({ exact: 6, equivalent: 0, diverged: 0, inconclusive: 0 });
    expect(alertKinds(events)).toEqual(["failure", "failure-summary"]);
  }, 120_000);

  test("the ledger before the first is asked for until it can be read, and then all are exact", async () => {
    await using chain = openLongChain({ successes: 2, failures: 0 });
    chain.tip = chain.first + 5;
    let spoiled = 0;
    chain.spoil = (sequence, bytes) => {
      if (sequence !== chain.first || spoiled > 0) return bytes;
      spoiled += 1;
      return bytes.subarray(0, 600);
    };
    const refused: number[] = [];
    const { totals, ledgers, log } = await follow({
      networkPassphrase: chain.passphrase,
      rpcUrls: [chain.url],
      engines,
      options: { fromLedger: chain.first + 1, untilLedger: chain.tip },
      with: { refused: ({ ledger }) => refused.push(ledger) },
    });
    expect(refused).toEqual([chain.first]);
    expect(log.filter((line) => line.startsWith("a ledger cannot be read"))).toHaveLength(1);
    expect(ledgers).toEqual(range(chain.first + 1, chain.tip));
    expect(totals.verdicts).toMatchObject({ exact: 10 });
  }, 60_000);

  test("stopped and begun again with its state, has no ledger twice and none missing", async () => {
    await using chain = openLongChain({ successes: 1, failures: 1 });
    const directory = mkdtempSync(join(tmpdir(), "svc-"));
    const seen: number[] = [];
    const ids: string[] = [];
    for (const until of [10, 11, 25, 40]) {
      chain.tip = chain.first + until;
      using store = openFollowStore(directory, chain.passphrase, null);
      const { ledgers, events } = await follow({
        networkPassphrase: chain.passphrase,
        rpcUrls: [chain.url],
        engines,
        store,
        options: { fromLedger: chain.first + 1, untilLedger: chain.tip },
      });
      seen.push(...ledgers);
      ids.push(...events.flatMap((event) => (event.kind === "failure" ? event.id : [])));
    }
    expect(seen).toEqual(range(chain.first + 1, chain.first + 40));
    expect(new Set(ids).size).toBe(40);
    using store = openFollowStore(directory, chain.passphrase, null);
    expect(store.cursor?.totals).toMatchObject({ ledgers: 40, failures: 40 });
  }, 60_000);

  test("with a limit for the backlog: late ledgers are skipped aloud, or svc stops", async () => {
    await using chain = openLongChain({ successes: 1, failures: 0 });
    chain.tip = chain.first + 30;
    const run = (policy: "skip" | "stop") =>
      follow({
        networkPassphrase: chain.passphrase,
        rpcUrls: [chain.url],
        engines,
        options: {
          fromLedger: chain.first + 1,
          untilLedger: chain.tip,
          backlog: { limit: 10, policy },
        },
      });
    const { totals, events, ledgers } = await run("skip");
    expect(ledgers).toEqual([chain.tip]);
    expect(totals.skippedLedgers).toBe(29);
    expect(events[0]).toMatchObject({ kind: "ledgers-skipped", alert: true });
    expect(await failureOf(run("stop"))).toMatchObject({ code: "FOLLOW_BEHIND" });
  }, 60_000);
});

const STREAM = ["core-streams", "InvokeHostFunctionTests", "21c43b92b819267f.xdr.zst"] as const;

const corpus = needs("../shared/corpus", hasCorpus(...STREAM));

corpus.describe("nodes in trouble", () => {
  let ledgers: LedgerBytes[];
  let network: StreamNetwork;
  let ofTestBuild: ReplayEngines;
  beforeAll(async () => {
    ofTestBuild = coreTestEngines();
    ledgers = await ledgersOfFile(corpusPath(...STREAM));
    network = new StreamNetwork(ledgers, CORE_TESTS_PASSPHRASE);
  });
  afterAll(() => ofTestBuild[Symbol.asyncDispose]());
  const everything = () => range(network.first, network.last);
  const following = (rpcUrls: readonly string[], more: { ledgerUrls?: readonly string[] } = {}) =>
    follow({
      networkPassphrase: network.passphrase,
      rpcUrls,
      ...more,
      engines: ofTestBuild,
      options: { fromLedger: network.first, untilLedger: network.last },
      with: { stallMilliseconds: 50 },
    });
  const expectAll = ({ totals, ledgers: seen, events }: Awaited<ReturnType<typeof follow>>) => {
    expect(seen).toEqual(everything());
    expect(totals.verdicts).toMatchObject({ exact: 30, diverged: 0, inconclusive: 0 });
    expect(events.filter(({ kind }) => kind !== "failure" && kind !== "failure-summary")).toEqual(
      [],
    );
  };

  test("a node that stands still, or goes back, is left for the next one", async () => {
    const half = Math.floor((network.first + network.last) / 2);
    let asked = 0;
    const still = { tip: () => half };
    const back = {
      tip: () => {
        asked += 1;
        return asked > 3 ? network.first : half;
      },
    };
    const good = { tip: () => network.last };
    await using nodes = network.serve({ still, back, good });
    const first = await following([nodes.liveUrl("still"), nodes.liveUrl("good")]);
    expectAll(first);
    expect(first.log).toContain("ledgers come from another source");
    expectAll(await following([nodes.liveUrl("back"), nodes.liveUrl("good")]));
  }, 60_000);

  test("a node that answers with gaps, errors or other networks' ledgers is left", async () => {
    const tip = () => network.last;
    const gap = {
      tip,
      fault: (method: string, result: object | number) => {
        if (method !== "getLedgers" || typeof result === "number") return null;
        const { ledgers: some, ...rest } = result as { readonly ledgers: readonly object[] };
        return { ...rest, ledgers: some.filter((_, i) => i !== 2) };
      },
    };
    const broken = { tip, fault: () => new Response("busy", { status: 500 }) };
    const foreign = {
      tip,
      fault: (method: string, result: object | number) =>
        method === "getLedgers" && typeof result === "object"
          ? { ...result, ledgers: [{ sequence: network.first, metadataXdr: "AAAA" }] }
          : null,
    };
    await using nodes = network.serve({ gap, broken, foreign, good: { tip } });
    for (const name of ["gap", "broken", "foreign"]) {
      expectAll(await following([nodes.liveUrl(name), nodes.liveUrl("good")]));
    }
    // A gap alone is filled by asking again.
    const alone = await following([nodes.liveUrl("gap")]);
    expectAll(alone);
    expect(alone.log).toContain("the node left out a ledger that it should have");
  }, 120_000);

  test("a ledger that does not follow is not taken: nodes that disagree are waited for", async () => {
    const at = network.first + 5;
    const forked = new StreamNetwork(
      // From the fork on, the ledgers follow another one.
      [...ledgers.slice(0, 5), ...chained(ledgers.slice(5), Buffer.from("ab".repeat(32), "hex"))],
      CORE_TESTS_PASSPHRASE,
    );
    const tip = () => network.last;
    await using one = forked.serve({ live: { tip } });
    await using other = network.serve({ live: { tip } });
    const found = await following([one.liveUrl(), other.liveUrl()]);
    expectAll(found);
    expect(found.log.filter((line) => line.includes("the nodes disagree"))).not.toEqual([]);
    const stop = new AbortController();
    const committed: number[] = [];
    const alone = follow({
      networkPassphrase: network.passphrase,
      rpcUrls: [one.liveUrl()],
      engines,
      options: { fromLedger: network.first, untilLedger: network.last },
      signal: stop.signal,
      with: {
        log: (_level, message) => {
          if (message.includes("disagree")) stop.abort(new Error("seen"));
        },
      },
      committed: ({ ledger }) => committed.push(ledger),
    });
    await expect(alone).rejects.toThrow("seen");
    expect(committed.every((ledger) => ledger < at)).toBe(true);
  }, 60_000);

  test("ledgers that a node no longer keeps come from the lake", async () => {
    const kept = network.first + 20;
    const lake = { ledgersPerBatch: 1, last: network.last };
    await using served = serveNetwork(network, { nodes: () => undefined, lake });
    const pruned = { tip: () => network.last, oldest: () => kept };
    await using nodes = network.serve({ pruned });
    const ledgerUrls = [served.lakeUrl];
    const found = await following([nodes.liveUrl("pruned")], { ledgerUrls });
    expectAll(found);
    expect(found.log).toContain("the node no longer keeps the ledger");
  }, 60_000);

  test("one changed byte of a meta is alarmed in its own ledger, and nowhere else", async () => {
    const view = (bytes: Uint8Array) => readLedgerCloseMeta(bytes, CORE_TESTS_PASSPHRASE);
    const index = ledgers.findIndex(({ ledgerCloseMeta }) =>
      view(ledgerCloseMeta).transactions.some(({ metaXdr }) => metaXdr.length > 2000),
    );
    const target = ledgers[index] as LedgerBytes;
    const bytes = new Uint8Array(target.ledgerCloseMeta);
    const planted = plantDifference(bytes);
    expect(planted).toBe(true);
    const changed = ledgers.with(index, { ...target, ledgerCloseMeta: bytes });
    const lying = new StreamNetwork(changed, CORE_TESTS_PASSPHRASE);
    await using nodes = lying.serve({ live: { tip: () => lying.last } });
    const { events, ledgers: seen } = await follow({
      networkPassphrase: lying.passphrase,
      rpcUrls: [nodes.liveUrl()],
      engines,
      options: { fromLedger: lying.first, untilLedger: lying.last },
    });
    expect(seen).toEqual(everything());
    const alarms = events.filter(({ kind }) => kind === "diverged");
    expect(alarms).toHaveLength(1);
    expect(alarms[0]).toMatchObject({ ledger: target.sequence, alert: true });
  }, 60_000);
});

/** Changes one byte of the last value that a Soroban transaction's meta has. */
function plantDifference(ledgerCloseMeta: Uint8Array): boolean {
  const found = readLedgerCloseMeta(ledgerCloseMeta, CORE_TESTS_PASSPHRASE).transactions.find(
    ({ metaXdr }) => metaXdr.length > 2000,
  );
  if (found === undefined) return false;
  // In the wasm of an uploaded contract: its last byte.
  const wasm = Buffer.from(found.meta).indexOf("\0asm");
  if (wasm === -1) return false;
  const at = found.meta.byteOffset - ledgerCloseMeta.byteOffset + wasm + 200;
  ledgerCloseMeta[at] = (ledgerCloseMeta[at] ?? 0) ^ 1;
  return true;
}
