// The chain is the test: ledgers of recorded streams, each closed again by a fork of the ledger
// before it. Results, fees, changes, events and metrics are those that were recorded.

import { beforeAll, expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { openPool } from "../../src/simulator/pool.ts";
import { readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import { closeStream, nothingClosed } from "../support/closed-stream.ts";
import { CORE_TEST_BINARY } from "../support/core-streams.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { CORE_TESTS_PASSPHRASE } from "../support/folded-stream.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { needs } from "../support/needs.ts";

const SAMPLE = join(import.meta.dir, "../fixtures/streams");

beforeAll(ensureBuilt, 900_000);

async function closeAll(directory: string) {
  await using simulator = openPool({ path: SIMULATOR_BINARY, size: 1 });
  // The hosts of stellar-core's test builds meter otherwise.
  await using testBuild = existsSync(CORE_TEST_BINARY)
    ? openPool({ path: CORE_TEST_BINARY, size: 1 })
    : null;
  const simulators = testBuild === null ? [simulator] : [simulator, testBuild];
  const count = nothingClosed();
  for (const name of [...new Bun.Glob("**/*.xdr.zst").scanSync(directory)].sort()) {
    const ledgers = readLedgerFile(join(directory, name), { signal: NEVER_ABORTED });
    await closeStream(ledgers, CORE_TESTS_PASSPHRASE, simulators, count);
  }
  return count;
}

const hasTestBuild = existsSync(CORE_TEST_BINARY);

needs("svc-sim-core-test", hasTestBuild).test(
  "every transaction of the sample ends as stellar-core recorded it",
  async () => {
    const { closed, differences, takenOver } = await closeAll(SAMPLE);
    expect(differences).toEqual([]);
    expect(closed).toBe(94);
    expect([...takenOver]).toEqual([]);
  },
  60_000,
);

needs("the corpus", hasCorpus("core-streams") && hasTestBuild).test(
  "so does every transaction of the whole corpus whose operations a fork knows",
  async () => {
    const { closed, differences, takenOver } = await closeAll(corpusPath("core-streams"));
    expect(differences).toEqual([]);
    expect(closed).toBe(3433);
    expect(Object.fromEntries(takenOver)).toEqual({
      ...{ manageSellOffer: 75, createPassiveSellOffer: 5, manageBuyOffer: 4 },
      ...{ pathPaymentStrictSend: 4, pathPaymentStrictReceive: 4, liquidityPoolDeposit: 2 },
      changeTrust: 1,
    });
  },
  600_000,
);
