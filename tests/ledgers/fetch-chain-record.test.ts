import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openHttp } from "../../src/base/http/http.ts";
import { LedgerReader } from "../../src/ledgers/ledger-reader.ts";
import { NETWORKS } from "../../src/model/networks.ts";
import { openLedgerFiles } from "../../src/sources/files/ledger-file.ts";
import { openHorizon } from "../../src/sources/nodes/horizon.ts";
import { failureOf } from "../support/failure.ts";
import { FAULTS } from "../support/faults.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { openWalk, recordOf, type WalkNodes } from "../support/loopback-walk.ts";
import { openNode } from "../support/scripted-node.ts";
import { TestClock } from "../support/test-clock.ts";

const loopback = openLoopback();
afterAll(() => loopback[Symbol.asyncDispose]());
const { transactions } = loopback.network;
const named = (name: string) => loopback.network.named(name);
const TRAP = named("panic -> unreachable trap");
const BUMPED = named("fee bump soroban failing");

async function fetchIt(hash: string, nodes: WalkNodes = {}) {
  const walk = openWalk(loopback, nodes);
  return (await recordOf(walk, hash)).record;
}

describe("what the chain says", () => {
  for (const nodes of [
    { horizon: ["plain"], rpc: [] },
    { horizon: [], rpc: ["plain"] },
    { horizon: ["no-meta"], rpc: ["plain"] },
    { horizon: ["no-meta"], rpc: ["past-retention"] },
  ] satisfies WalkNodes[]) {
    test(`is gathered for every transaction from ${JSON.stringify(nodes)}`, async () => {
      for (const transaction of transactions) {
        const record = await fetchIt(transaction.hash, nodes);
        const { horizonTransaction } = loopback.network.file(transaction);
        expect(record).toMatchObject({
          hash: transaction.hash,
          innerHash: transaction.innerHash ?? null,
          applicationOrder: transaction.applicationOrder,
          resultXdr: horizonTransaction.body.result_xdr,
        });
        expect(record.ledger.sequence).toBe(transaction.ledger);
        expect(record.assumedFacts).toBeUndefined();
        expect(record.resultMetaXdr).not.toBeNull();
      }
    });
  }

  test("comes with the fee and refund phases where a ledger is at hand", async () => {
    const record = await fetchIt(TRAP.hash);
    expect(record.feeChangesXdr).not.toBeNull();
    expect(record.refundChangesXdr).not.toBeNull();
    expect(record.origins.meta).toStartWith("horizon http://127.0.0.1");
    expect(record.origins.refundChanges).toStartWith("rpc http://127.0.0.1");
  });

  // A regression: the facts of this source had more fields than those of other sources, so a ledger
  // contradicted itself in a walk with this source alone.
  test("is the same from a ledger file alone as from a node that has the ledger", async () => {
    const directory = mkdtempSync(join(tmpdir(), "svc-recordings-"));
    try {
      for (const { hash, ledger } of transactions) {
        const file = join(directory, String(ledger));
        writeFileSync(file, loopback.network.ledgerBytes(ledger) as Buffer);
        const sources = [openLedgerFiles([file], loopback.network.passphrase)];
        const { networkPassphrase } = openWalk(loopback);
        const ledgers = new LedgerReader({ sources, networkPassphrase });
        const walk = { sources, ledgers, networkPassphrase };
        const { record: fromFile } = await recordOf(walk, hash);
        const fromNode = await fetchIt(hash, { horizon: [] });
        // A node also has diagnostics outside the meta; a ledger has them only in its meta.
        const ofNode = { ...fromNode, diagnosticEventsXdr: [], origins: fromFile.origins };
        expect(fromFile).toEqual(ofNode);
        expect(new Set(Object.values(fromFile.origins))).toEqual(new Set([`file ${file}`]));
      }
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test("is the same for the inner hash and for upper case", async () => {
    const inner = BUMPED.innerHash as string;
    const record = await fetchIt(inner.toUpperCase(), { horizon: ["no-meta"] });
    expect(record).toMatchObject({
      requestedHash: inner,
      hash: BUMPED.hash,
      innerHash: inner,
    });
    expect(record.resultMetaXdr).not.toBeNull();
  });

  test("lists the assumed facts when no source has the header", async () => {
    const nodes = { horizon: [], rpc: ["no-ledgers"] };
    const record = await fetchIt(TRAP.hash, nodes);
    expect(record.ledger.protocolVersion).toBe(28);
    expect(record.assumedFacts?.join(" ")).toContain("seeds random numbers");
  });
});

test("a transaction without its ledger's header is incomplete", async () => {
  const error = await failureOf(fetchIt(TRAP.hash, { horizon: ["no-headers"], rpc: [] }));
  expect(error.code).toBe("TRANSACTION_INCOMPLETE");
  expect(error.message).toContain(String(TRAP.ledger));
});

describe("nodes that fail", () => {
  for (const fault of Object.keys(FAULTS)) {
    if (fault === "silent" || fault === "drip") continue;
    test(`${fault}: another node is asked`, async () => {
      const ofHorizon = await fetchIt(TRAP.hash, { horizon: [fault, "plain"] });
      const ofRpc = await fetchIt(TRAP.hash, { horizon: ["no-meta"], rpc: [fault, "plain"] });
      const rpcInstead = await fetchIt(TRAP.hash, { horizon: [fault] });
      for (const record of [ofHorizon, ofRpc, rpcInstead]) {
        expect(record.hash).toBe(TRAP.hash);
        expect(record.resultMetaXdr).not.toBeNull();
      }
    });

    test(`${fault}: when there is no other, the node is named`, async () => {
      const error = await failureOf(fetchIt(TRAP.hash, { horizon: [fault], rpc: [fault] }));
      expect(error.code).toMatch(/^NETWORK_/);
      expect(error.message).toContain("http://127.0.0.1");
    });
  }

  test("a silent node costs three seconds, once: the next is asked, and then asked first", async () => {
    const clock = new TestClock({ grantedUpTo: 0 });
    await using silent = openNode((path) => {
      // It is asked for its network beside that.
      if (path.startsWith("/transactions/")) clock.passLimits(3_000);
      return new Promise(() => {});
    });
    const urls = [silent.url, loopback.url("horizon")];
    const more = { horizonUrls: urls, rpcUrls: [silent.url, loopback.url("rpc")] };
    const walk = openWalk(loopback, { clock, more });
    const fetched = () => recordOf(walk, TRAP.hash);
    const { record } = await fetched();
    expect(record.hash).toBe(TRAP.hash);
    expect(record.origins.envelope).toBe(`horizon ${new URL(loopback.url("horizon")).origin}/…`);
    expect(record.origins.refundChanges).toStartWith("rpc http://127.0.0.1");
    // The two sources at the silent URL are one node.
    expect([silent.asked.length, clock.monotonicMilliseconds()]).toEqual([2, 3_000]);
    await fetched();
    expect([silent.asked.length, clock.monotonicMilliseconds()]).toEqual([2, 3_000]);
  });

  test("nobody waits for a Horizon that is silent about ledgers, where another has the header", async () => {
    await using silent = openNode((path) =>
      path.startsWith("/ledgers/")
        ? new Promise(() => {})
        : fetch(loopback.url("horizon", "no-meta") + path),
    );
    const clock = new TestClock({ grantedUpTo: 5000 });
    const walk = openWalk(loopback, { clock, more: { horizonUrls: [silent.url] } });
    const { record } = await recordOf(walk, TRAP.hash);
    expect(record.assumedFacts).toBeUndefined();
    expect(silent.asked).toContain(`/ledgers/${TRAP.ledger}`);
  });

  test("a node that is busy at first is asked again", async () => {
    const record = await fetchIt(TRAP.hash, { horizon: ["first-broken=3"], rpc: [] });
    expect(record.hash).toBe(TRAP.hash);
  });
});

describe("nodes that lie", () => {
  const RESULTS = /the [a-z ]+ are .+ and .+ \(resultXdr\)/;
  /** The field that differs is named. */
  const cases: [string, WalkNodes, RegExp?][] = [
    [
      "another envelope from Horizon",
      { horizon: ["wrong-envelope"] },
      /envelope has the hash \w{64} \(envelopeXdr\)/,
    ],
    [
      "another envelope from RPC",
      { horizon: [], rpc: ["wrong-envelope"] },
      /envelope has the hash \w{64} \(envelopeXdr\)/,
    ],
    ["another result from Horizon", { horizon: ["wrong-result"] }, RESULTS],
    ["another result from RPC", { horizon: ["no-meta"], rpc: ["wrong-result"] }, RESULTS],
    [
      "another result, held against a node without ledgers",
      {
        horizon: ["wrong-result"],
        rpc: ["no-ledgers"],
      },
    ],
    [
      "more fee taken than was bid",
      { horizon: ["wrong-fee"] },
      /fee changes show \d+ stroops taken, the bid is \d+ and the fee charged \d+ \(feeChangesXdr\)/,
    ],
    ["another ledger's header", { horizon: ["wrong-header"] }, /header of ledger \d+ for ledger/],
  ];
  for (const [name, nodes, field = RESULTS] of cases) {
    test(`${name}: NODE_LIED`, async () => {
      const transaction = name.includes("result") ? named("same ledger: inc main #1") : TRAP;
      const error = await failureOf(fetchIt(transaction.hash, nodes));
      expect(error.code).toBe("NODE_LIED");
      expect(error.message).toMatch(field);
    });
  }

  test("a lie is told at once, although the node is silent about ledgers", async () => {
    await using node = openNode((_, call) =>
      call?.method === "getLedgers"
        ? new Promise(() => {})
        : fetch(loopback.url("rpc", "wrong-result"), {
            method: "POST",
            body: JSON.stringify(call),
          }),
    );
    const walk = openWalk(loopback, { horizon: ["no-meta"], more: { rpcUrls: [node.url] } });
    const fetched = recordOf(walk, TRAP.hash);
    expect((await failureOf(fetched)).code).toBe("NODE_LIED");
    expect(node.asked).toContain("getLedgers");
  });

  test("the network's passphrase is part of what is asked", async () => {
    const walk = { ...openWalk(loopback), networkPassphrase: "Another Network" };
    const error = await failureOf(recordOf(walk, TRAP.hash));
    expect(error.code).toBe("NODE_LIED");
    expect(error.remedy).toContain("network");
  });

  test("a transaction of another known network: that network is named", async () => {
    const { passphrase } = NETWORKS.testnet;
    const error = await failureOf(
      recordOf({ ...openWalk(loopback), networkPassphrase: passphrase }, TRAP.hash),
    );
    expect(error.message).toContain("a transaction of the network local, not of testnet");
    expect(error.message).not.toContain("wrong answer");
    expect(error.remedy).toBe("Pass `--network local`.");
  });
});

describe("an unknown hash", () => {
  const UNKNOWN = "ab".repeat(32);

  test("lists the sources, and what to check", async () => {
    const error = await failureOf(fetchIt(UNKNOWN));
    expect(error.code).toBe("TRANSACTION_NOT_FOUND");
    expect(error.message).toContain("(ledgers 71 to ");
    expect(error.remedy).toContain("64 hexadecimal");
    expect(error.remedy).toContain("10 to 30 seconds");
  });

  test("names the other network that has it", async () => {
    const clock = new TestClock({ grantedUpTo: 0 });
    const http = openHttp({ clock, timeoutMilliseconds: 60_000, userAgent: "svc/test" });
    const source = openHorizon({ http, url: loopback.url("horizon") });
    const silent = openHorizon({ http, url: "http://127.0.0.1:1" });
    const walk = {
      ...openWalk(loopback, { horizon: ["session=none"], rpc: [] }),
      elsewhere: [
        { network: "mainnet", source: silent },
        { network: "futurenet", source },
      ],
    };
    const error = await failureOf(recordOf(walk, TRAP.hash));
    expect(error.code).toBe("TRANSACTION_NOT_FOUND");
    expect(error.remedy).toContain("--network futurenet");
  });

  test("is not called unknown when a node that may know it could not be asked", async () => {
    const error = await failureOf(fetchIt(UNKNOWN, { horizon: ["status-500"] }));
    expect(error.code).toBe("NETWORK_BAD_STATUS");
  });
});
