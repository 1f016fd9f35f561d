// What must be alarmed while svc follows, and what must not: the stale entries of CAP-76 each in their
// own ledger, and nothing in the recorded streams.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { ensureBuilt } from "../../scripts/ensure-built.ts";
import type { ReplayEngines } from "../../src/verify/replay-transaction.ts";
import { sameData } from "../../src/xdr/reader/keys.ts";
import { chained } from "../support/chained-ledgers.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { CORE_TESTS_PASSPHRASE } from "../support/folded-stream.ts";
import { coreTestEngines, follow, ledgersOfFile, testEngines } from "../support/follow-run.ts";
import { MADE_PASSPHRASE, makeLedgers } from "../support/made-ledgers.ts";
import { needs } from "../support/needs.ts";
import { readStaleEntries, restoredIn, staleLedgers } from "../support/stale-entries.ts";
import { StreamNetwork } from "../support/stream-network.ts";

let engines: ReplayEngines;
let ofTestBuild: ReplayEngines;
beforeAll(async () => {
  await ensureBuilt();
  engines = testEngines();
  ofTestBuild = coreTestEngines();
}, 900_000);
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
  await ofTestBuild[Symbol.asyncDispose]();
});

function followAll(network: StreamNetwork, url: string, by = engines) {
  return follow({
    networkPassphrase: network.passphrase,
    rpcUrls: [url],
    engines: by,
    options: { fromLedger: network.first, untilLedger: network.last },
  });
}

const corpus = needs("../shared/corpus", hasCorpus("cap-0076"));

corpus.describe("the stale entries of CAP-76", () => {
  for (const { name, shown, reported } of [
    { name: "as metas show them", shown: restoredIn, reported: 77 },
    { name: "with their own last-modified ledger", shown: (entry: string) => entry, reported: 84 },
  ])
    test(`${name}: ${reported} alarms, each in its own ledger`, async () => {
      const entries = readStaleEntries();
      const { ledgers, at } = staleLedgers(entries, shown);
      const network = new StreamNetwork(chained(makeLedgers(ledgers)), MADE_PASSPHRASE);
      await using nodes = network.serve({ live: { tip: () => network.last } });
      const { events, totals } = await followAll(network, nodes.liveUrl());
      const alarms = events.flatMap((event) => (event.kind === "state-mismatch" ? event : []));
      expect(alarms).toHaveLength(reported);
      expect(totals.stateMismatches).toBe(reported);
      expect(alarms.every(({ alert }) => alert)).toBe(true);
      for (const { keyXdr, correctXdr, archivedXdr, restoredLedger } of entries) {
        const found = alarms.filter(({ mismatch }) => mismatch.keyXdr === keyXdr);
        const stale = restoredLedger !== null;
        const shows = stale && (reported === 84 || !sameData(correctXdr, archivedXdr));
        expect(found.map(({ ledger }) => ledger)).toEqual(shows ? [at(restoredLedger)] : []);
      }
    }, 60_000);
});

/** SVC_ALL_STREAMS=1: every stream, which takes minutes. */
const EACH = process.env.SVC_ALL_STREAMS === "1" ? 1 : 8;

const corpus2 = needs("../shared/corpus", hasCorpus("core-streams"));

corpus2.describe("recorded streams", () => {
  const folders = [
    "BeginSponsoringFutureReservesTests",
    "FrozenLedgerKeysTests",
    "InvokeHostFunctionTests",
    "PathPaymentTests",
    "TxEnvelopeTests",
    "TxResultsTests",
  ] as const;
  for (const folder of folders)
    test(`of ${folder} raise no alarm: every transaction is exact`, async () => {
      const names = readdirSync(corpusPath("core-streams", folder)).sort();
      for (const name of names.filter((_, i) => i % EACH === 0)) {
        const ledgers = await ledgersOfFile(corpusPath("core-streams", folder, name));
        const network = new StreamNetwork(ledgers, CORE_TESTS_PASSPHRASE);
        const run = async (by: ReplayEngines) => {
          let tip = network.first;
          const moving = () => {
            tip = Math.min(network.last, tip + 1);
            return tip;
          };
          await using nodes = network.serve({ live: { tip: moving } });
          const followed = await followAll(network, nodes.liveUrl(), by);
          const alarms = followed.events.filter(
            ({ kind }) => kind !== "failure" && kind !== "failure-summary",
          );
          return { ...followed, alarms };
        };
        let found = await run(engines);
        if (found.alarms.length > 0) found = await run(ofTestBuild);
        const { alarms, totals, ledgers: seen } = found;
        expect([name, alarms]).toEqual([name, []]);
        const { exact, ...others } = totals.verdicts;
        expect(others).toEqual({ equivalent: 0, diverged: 0, inconclusive: 0 });
        expect(exact).toBeGreaterThanOrEqual(0);
        expect(seen).toHaveLength(ledgers.length);
      }
    }, 300_000);
});
