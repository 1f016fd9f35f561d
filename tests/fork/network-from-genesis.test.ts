// A test network from its genesis, closed by one fork: a history archive has what was sent and how
// it ended. Each ledger rests on what the fork made of all ledgers before it.

import { expect } from "bun:test";
import { NETWORKS } from "../../src/model/networks.ts";
import { closeArchive } from "../support/closed-archive.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { needs } from "../support/needs.ts";
import { openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();
const ARCHIVE = ["history-archive", "testnet-1-6015"];
/** All 6,015 take minutes; the first 700 have every supported operation but a merge. */
const LAST = Number(Bun.env.SVC_TEST_LAST_LEDGER ?? 700);

needs("../shared/corpus", hasCorpus(...ARCHIVE)).test(
  "results and fee pools are the network's, ledger after ledger",
  async () => {
    const { passphrase: networkPassphrase } = NETWORKS.testnet;
    const range = { networkPassphrase, first: 10, last: LAST };
    const count = await closeArchive(corpusPath(...ARCHIVE), range, simulator);
    expect(count.different).toEqual([]);
    expect(count.otherFeePools).toEqual([]);
    if (LAST !== 700) return;
    expect([count.transactions, count.equal, count.unknown]).toEqual([1056, 1056, 0]);
    expect(Object.fromEntries(count.takenOver)).toEqual({
      ...{ createPassiveSellOffer: 2, manageSellOffer: 1 },
    });
  },
  900_000,
);
