// A node of another network is refused, whatever it is asked for, and is asked for its network once.

import { describe, expect, test } from "bun:test";
import { openHttp } from "../../src/base/http/http.ts";
import { type NetworkOfNode, ofNetwork } from "../../src/sources/nodes/of-network.ts";
import { openSources } from "../../src/sources/open-source.ts";
import type { FetchContext, Source } from "../../src/sources/source.ts";
import { failureOf } from "../support/failure.ts";
import { type JsonRpcCall, openNode, rpcError } from "../support/scripted-node.ts";
import { TestClock } from "../support/test-clock.ts";

const HASH = "ab".repeat(32);
const OURS = "our network";

type Ask = (source: Source, context: FetchContext) => Promise<unknown> | undefined;

const ASKED: Readonly<Record<string, Ask>> = {
  "a transaction": (source, context) => source.fetchTransaction?.(HASH, context),
  "ledger facts": (source, context) => source.fetchLedgerFacts?.(7, context),
  "the latest facts": (source, context) => source.fetchLatestFacts?.(context),
  "the latest ledger": (source, context) => source.fetchTip?.(context),
  "a ledger": (source, context) => source.fetchLedgerCloseMeta?.(7, context),
  ledgers: (source, context) => {
    const ledgers = source.fetchLedgerCloseMetas?.(7, 8, context);
    return ledgers && Array.fromAsync(ledgers);
  },
  entries: (source, context) => source.fetchLedgerEntries?.([], context),
};

/** `passphrase`: null where the node does not say it. */
function openNodes(passphrase: string | null) {
  const rpc = openNode((_path, call) => answer(call as JsonRpcCall, passphrase));
  const horizon = openNode((path) =>
    new URL(path, "http://node").pathname === "/" && passphrase !== null
      ? { network_passphrase: passphrase }
      : Response.json({ title: "Resource Missing" }, { status: 404 }),
  );
  const clock = new TestClock({ grantedUpTo: 5_000 });
  const http = openHttp({ clock, timeoutMilliseconds: 60_000, userAgent: "svc/test" });
  const { sources } = openSources(
    { http, clock },
    {
      network: "custom",
      networkPassphrase: OURS,
      horizonUrls: [horizon.url],
      rpcUrls: [rpc.url],
      origins: { horizonUrl: { kind: "flag", setting: "horizonUrl" } } as never,
    },
  );
  return { rpc, horizon, sources };
}

function answer({ method }: JsonRpcCall, passphrase: string | null) {
  const latest = { latestLedger: 9, latestLedgerCloseTime: "45", oldestLedger: 1 };
  switch (method) {
    case "getNetwork":
      if (passphrase === null) return rpcError(-32601, "method not found");
      return { passphrase, protocolVersion: 27 };
    case "getTransaction":
      return { status: "NOT_FOUND", ...latest };
    case "getLedgers":
      return { ledgers: [], ...latest };
    case "getLatestLedger":
      return { sequence: 9 };
    default:
      return { entries: [], ...latest };
  }
}

test("a passphrase of 20 MB is cut", async () => {
  const source: Source = { name: "node", fetchTransaction: async () => null };
  const said = { passphrase: "x".repeat(20_000_000), protocolVersion: null };
  const asked = ofNetwork(source, OURS, async () => said).fetchTransaction?.(HASH, {
    signal: new AbortController().signal,
  });
  const { message, details } = await failureOf(asked as Promise<unknown>);
  expect(message.length).toBeLessThan(400);
  expect(JSON.stringify(details).length).toBeLessThan(400);
});

describe("a node of another network", () => {
  for (const [what, ask] of Object.entries(ASKED))
    test(`asked for ${what}: NODE_LIED, with both networks`, async () => {
      const { rpc, horizon, sources } = openNodes("another \u001b[31mnetwork");
      await using _rpc = rpc;
      await using _horizon = horizon;
      let asked = 0;
      for (const source of sources) {
        const answered = ask(source, rpc.context);
        if (answered === undefined) continue;
        asked += 1;
        const error = await failureOf(answered);
        expect(error.code).toBe("NODE_LIED");
        expect(error.message).toEndWith('network", not of "our network".');
        expect(error.message).not.toContain("\u001b");
      }
      expect(asked).toBeGreaterThan(0);
    });
});

for (const passphrase of [OURS, null])
  test(`a node that says ${passphrase ?? "nothing"} answers`, async () => {
    const { rpc, horizon, sources } = openNodes(passphrase);
    await using _rpc = rpc;
    await using _horizon = horizon;
    for (const ask of Object.values(ASKED))
      for (const source of sources) {
        if (passphrase === null && ask === ASKED["the latest ledger"]) continue;
        await ask(source, rpc.context);
      }
    const ofNetwork = rpc.asked.filter((method) => method === "getNetwork");
    // Once for itself, and once for the protocol of the latest ledger.
    expect(ofNetwork).toHaveLength(passphrase === null ? 1 : 2);
  });

test("a question that was given up is asked again for those who shared it", async () => {
  const { promise: first, reject } = Promise.withResolvers<NetworkOfNode>();
  const answers = [first, Promise.resolve({ passphrase: "another", protocolVersion: 23 })];
  const answer = Promise.withResolvers<null>();
  const source = ofNetwork(
    { name: "a node", fetchTransaction: () => answer.promise },
    OURS,
    () => answers.shift() as Promise<NetworkOfNode>,
  );
  const leaving = new AbortController();
  const left = source.fetchTransaction?.(HASH, { signal: leaving.signal });
  const stays = source.fetchTransaction?.(HASH, { signal: new AbortController().signal });
  leaving.abort();
  reject(leaving.signal.reason);
  answer.resolve(null);
  expect(await left).toBeNull();
  expect((await failureOf(stays as Promise<unknown>)).code).toBe("NODE_LIED");
});
