// Whole ledgers of public networks, played as nodes that stand at the ledger, one later and 1,000
// later, and know what the ledgers' own metas show. No ledger holds the code and the network settings
// that its transactions used: what cannot be known is named, and nothing is claimed of it.

import { afterAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { SIMULATOR_BINARY } from "../scripts/ensure-built.ts";
import { openHttp } from "../src/base/http/http.ts";
import { debugTransaction } from "../src/debugger/walk/debug-transaction.ts";
import { LedgerReader } from "../src/ledgers/ledger-reader.ts";
import { NETWORKS } from "../src/model/networks.ts";
import { openLedgerEngine } from "../src/simulator/open-processes.ts";
import { readLedgerFile } from "../src/sources/files/ledger-file.ts";
import { openSources } from "../src/sources/open-source.ts";
import { corpusPath, hasCorpus } from "./support/corpus.ts";
import { foldedStream } from "./support/folded-stream.ts";
import { NEVER_ABORTED } from "./support/loopback-walk.ts";
import { needs } from "./support/needs.ts";
import { openTestSimulator } from "./support/simulator.ts";
import { StreamNetwork } from "./support/stream-network.ts";
import { TestClock } from "./support/test-clock.ts";

const WALKS_MILLISECONDS = 300_000;
/** Of a ledger; the first ones, in their order of application. */
const TRANSACTIONS = 12;
const LATER = [0, 1, 1_000];

const simulator = openTestSimulator();
afterAll(() => simulator[Symbol.asyncDispose]());
const files = hasCorpus("mainnet-ledgers") ? readdirSync(corpusPath("mainnet-ledgers")) : [];

const corpus = needs("../shared/corpus", files.length > 0);

corpus.describe("public ledgers as nodes", () => {
  for (const file of files)
    test(
      `${file}: nothing is claimed that no node shows, each unknown is named, failures have a cause`,
      async () => {
        const path = corpusPath("mainnet-ledgers", file);
        const { passphrase } = file.startsWith("testnet") ? NETWORKS.testnet : NETWORKS.mainnet;
        const ledgers = await Array.fromAsync(readLedgerFile(path, { signal: NEVER_ABORTED }));
        const network = new StreamNetwork(ledgers, passphrase);
        await using nodes = network.serve();
        const hashes: string[] = [];
        for await (const { record, snapshot } of foldedStream(path, passphrase))
          if (snapshot !== null && hashes.length < TRANSACTIONS) hashes.push(record.hash);
        expect(hashes.length).toBeGreaterThan(0);
        for (const later of LATER) {
          const rpcUrls = [nodes.rpcUrl(network.last + later, true)];
          const clock = new TestClock({ grantedUpTo: 5_000 });
          const http = openHttp({ clock, timeoutMilliseconds: 60_000, userAgent: "svc/test" });
          const { sources } = openSources(
            { http, clock },
            {
              network: "custom",
              networkPassphrase: passphrase,
              horizonUrls: [],
              rpcUrls,
              origins: { horizonUrl: { kind: "flag", setting: "horizonUrl" } } as never,
            },
          );
          for (const hash of hashes) {
            const networkPassphrase = passphrase;
            const ledgers = new LedgerReader({ sources, networkPassphrase });
            const startEngine = () => openLedgerEngine({ path: SIMULATOR_BINARY }, 1);
            const nodes = { sources, ledgers, startEngine, networkPassphrase };
            const dependencies = { ...nodes, progress: () => {} };
            const found = await debugTransaction({ ...dependencies, simulator }, hash, {
              signal: NEVER_ABORTED,
            });
            const { verdict, snapshot, explanation, record } = found;
            const kind = verdict?.kind;
            expect({ hash, later, kind }).toEqual({ hash, later, kind: "inconclusive" });
            const named = new Set(verdict?.caveats.flatMap(({ keyXdr }) => keyXdr ?? []));
            for (const { keyXdr } of snapshot?.unknown ?? []) expect(named).toContain(keyXdr);
            expect(record.hash).toBe(hash);
            expect(explanation.success || explanation.cause !== null).toBe(true);
          }
        }
      },
      WALKS_MILLISECONDS,
    );
});
