// The ledger engine checks and folds the ledgers that svc received from nodes and lakes. What it
// counts, and what svc then judges, is what svc finds when it reads the same ledgers by itself; and
// a ledger in which something is wrong has the same error.

import { beforeAll, describe, expect, test } from "bun:test";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { systemClock } from "../../src/base/clock.ts";
import { SvcError } from "../../src/base/errors/errors.ts";
import { openHttp } from "../../src/base/http/http.ts";
import { NEWEST_PROTOCOL } from "../../src/model/protocols.ts";
import { readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import { openSources } from "../../src/sources/open-source.ts";
import { verifyRange } from "../../src/verify/verify-ledgers.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { CORE_TESTS_PASSPHRASE } from "../support/folded-stream.ts";
import { openLongChain } from "../support/long-chain.ts";
import { NEVER_ABORTED as signal } from "../support/loopback-walk.ts";
import { serveNetwork } from "../support/made-network.ts";
import { needs } from "../support/needs.ts";
import { StreamNetwork } from "../support/stream-network.ts";

const BUILD_MILLISECONDS = 900_000;
/** The key of the setting of the largest contract, which every list of settings has. */
const CONTRACT_SIZE_SETTING = "AAAACAAAAAA=";
beforeAll(ensureBuilt, BUILD_MILLISECONDS);

/** A protocol for which each transaction runs once more, so that svc reads the ledgers by itself. */
const READ_BY_SVC = NEWEST_PROTOCOL;

interface Places {
  readonly rpcUrls: readonly string[];
  readonly ledgerUrls?: readonly string[];
  readonly networkPassphrase: string;
  readonly warmUpLedgers?: number;
}

async function verified(
  { rpcUrls, ledgerUrls = [], networkPassphrase, warmUpLedgers = 0 }: Places,
  range: { readonly first: number; readonly last: number },
  rehearseProtocol: number | null = null,
) {
  const http = openHttp({ clock: systemClock, timeoutMilliseconds: 20_000, userAgent: "svc/test" });
  const { sources } = openSources(
    { http, clock: systemClock },
    {
      ...{ network: "custom", networkPassphrase, horizonUrls: [], rpcUrls, ledgerUrls },
      origins: {} as never,
    },
  );
  const dependencies = {
    ...{ program: { path: SIMULATOR_BINARY }, networkPassphrase, sources, jobs: 1, warmUpLedgers },
    ...{ rehearseProtocol, keepNotExact: 1_000, progress: () => {} },
  };
  try {
    const found = await verifyRange(dependencies, range, { signal });
    return { ...found, elapsedMilliseconds: 0, rehearsal: null };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const { code, message, remedy, details } = error;
    return { code, message, remedy, details };
  }
}

async function expectAlike(places: Places, first: number, last: number) {
  const byEngine = await verified(places, { first, last });
  expect(byEngine).toEqual(await verified(places, { first, last }, READ_BY_SVC));
  return byEngine;
}

describe("ledgers of a made chain", () => {
  const LEDGERS = 12;

  test("are counted alike, from a node and from a lake, with ledgers before them", async () => {
    await using chain = openLongChain({ successes: 4, failures: 1, varied: true });
    const [first, last] = [chain.first + 3, chain.first + LEDGERS];
    const { passphrase: networkPassphrase, url } = chain;
    const places = { rpcUrls: [url], networkPassphrase };
    chain.tip = last + 1;
    const found = await expectAlike(places, first, last);
    expect(found).toMatchObject({ ledgers: LEDGERS - 2, verdicts: { exact: 5 * (LEDGERS - 2) } });
    await expectAlike({ ...places, warmUpLedgers: 2 }, first, last);
    for (const ledgersPerBatch of [1, 4]) {
      await using lake = chain.serveLake({ ledgersPerBatch, last: last + 1 });
      const ofLake = { rpcUrls: [lake.rpcUrl], ledgerUrls: [lake.lakeUrl], networkPassphrase };
      expect(await expectAlike(ofLake, first, last)).toMatchObject({ ledgers: LEDGERS - 2 });
    }
  }, 60_000);

  test("have their settings asked for while their entries are on their way", async () => {
    await using chain = openLongChain({ successes: 4, failures: 1, varied: true });
    const first = chain.first + 3;
    chain.tip = first + 1;
    const settingsAsked = Promise.withResolvers<void>();
    let entriesAsked = 0;
    await using node = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        const body = await request.text();
        if (body.includes(CONTRACT_SIZE_SETTING)) settingsAsked.resolve();
        else if (body.includes("getLedgerEntries")) {
          entriesAsked += 1;
          await settingsAsked.promise;
        }
        return fetch(chain.url, { method: "POST", body, headers: request.headers });
      },
    });
    const places = {
      rpcUrls: [`http://127.0.0.1:${node.port}`],
      networkPassphrase: chain.passphrase,
    };
    const found = await verified(places, { first, last: first });
    expect(found).toMatchObject({ verdicts: { exact: 5 } });
    // One that waits for the settings' question is given up, and asked again.
    expect(entriesAsked).toBe(1);
  }, 60_000);

  test("are alike where a transaction's record is not what its replay gives", async () => {
    await using chain = openLongChain({ successes: 2, failures: 1 });
    chain.divergent = chain.first + 4;
    chain.tip = chain.first + LEDGERS;
    const places = { rpcUrls: [chain.url], networkPassphrase: chain.passphrase };
    const found = await expectAlike(places, chain.first + 1, chain.first + 8);
    expect(found).toMatchObject({ verdicts: { diverged: 1 } });
  }, 60_000);

  const faults: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
    "is cut": (bytes) => bytes.subarray(0, bytes.length - 5),
    "has bytes after it": (bytes) => Buffer.concat([bytes, new Uint8Array(4)]),
    "has another header": (bytes) => withBit(bytes, 150),
    "has another transaction": (bytes) => withBit(bytes, 1_200),
    "has another result or meta": (bytes) => withBit(bytes, Math.floor(bytes.length / 2)),
  };
  for (const [name, spoilt] of Object.entries(faults))
    for (const at of [1, 7])
      test(`has the same error where ledger ${at} ${name}`, async () => {
        await using chain = openLongChain({ successes: 2, failures: 1 });
        chain.tip = chain.first + LEDGERS;
        chain.spoil = (sequence, bytes) => (sequence === chain.first + at ? spoilt(bytes) : bytes);
        const places = { rpcUrls: [chain.url], networkPassphrase: chain.passphrase };
        await expectAlike(places, chain.first + 1, chain.first + 8);
      }, 60_000);

  test("have the same error where they are of another network", async () => {
    await using chain = openLongChain({ successes: 2, failures: 1 });
    chain.tip = chain.first + LEDGERS;
    const { passphrase } = chain;
    const nodes = { ...chain, passphrase: "another" };
    await using served = serveNetwork(nodes, { nodes: () => ({ tip: () => chain.tip }) });
    const places = { rpcUrls: [served.rpcUrl("")], networkPassphrase: "another" };
    const found = await expectAlike(places, chain.first + 1, chain.first + 8);
    expect(found).toHaveProperty("code");
    expect(passphrase).not.toBe("another");
  }, 60_000);

  test("have the same error where no source has the next one", async () => {
    await using chain = openLongChain({ successes: 2, failures: 1 });
    chain.tip = chain.first + 5;
    const places = { rpcUrls: [chain.url], networkPassphrase: chain.passphrase };
    const found = await expectAlike(places, chain.first + 1, chain.first + 8);
    expect(found).toMatchObject({ code: "LEDGER_NOT_FOUND" });
  }, 60_000);
});

function withBit(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

const corpus = needs("../shared/corpus", hasCorpus("core-streams"));
const EVERY = 25;

corpus.describe("streams of stellar-core", () => {
  const names = hasCorpus("core-streams")
    ? [...new Bun.Glob("*/*.xdr.zst").scanSync(corpusPath("core-streams"))].sort()
    : [];
  const networkPassphrase = CORE_TESTS_PASSPHRASE;

  test("are counted alike from nodes, with entries and without", async () => {
    for (const name of names.filter((_, at) => at % EVERY === 0)) {
      const path = corpusPath("core-streams", name);
      const read = await Array.fromAsync(readLedgerFile(path, { signal }));
      const ledgers = [...new Map(read.map((each) => [each.sequence, each])).values()];
      const network = new StreamNetwork(ledgers, networkPassphrase);
      await using nodes = network.serve();
      for (const hasEntries of [true, false]) {
        const rpcUrls = [nodes.rpcUrl(network.last, hasEntries)];
        await expectAlike({ rpcUrls, networkPassphrase }, network.first, network.last);
      }
    }
  }, 180_000);
});
