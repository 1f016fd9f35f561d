// A test network from its genesis, closed by one fork: a history archive has what was sent and how
// it ended. Each ledger rests on what the fork made of all ledgers before it.

import { expect } from "bun:test";
import type { ClosedLedger } from "../../src/fork/ledger/chain.ts";
import { NETWORKS } from "../../src/model/networks.ts";
import type { FoldedMismatch } from "../../src/snapshot/stream/folded-state.ts";
import { LedgersFold } from "../../src/snapshot/stream/ledgers-fold.ts";
import { accountKeyOf } from "../../src/xdr/reader/keys.ts";
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
    // Whoever folds the fork's ledgers finds each entry as the ledgers before left it.
    const mismatches: FoldedMismatch[] = [];
    const fold = new LedgersFold({
      networkPassphrase,
      onMismatch: (mismatch) => mismatches.push(mismatch),
    });
    const follow = ({ ledgerCloseMetaXdr }: ClosedLedger) =>
      fold.foldOnly(fold.open(Buffer.from(ledgerCloseMetaXdr, "base64")));
    const count = await closeArchive(corpusPath(...ARCHIVE), range, simulator, follow);
    const unknown = new Set([...count.unknownAccounts].map(accountKeyOf));
    expect(mismatches.filter(({ keyXdr }) => !unknown.has(keyXdr))).toEqual([]);
    expect(fold.counts.states).toBeGreaterThan(6_000);
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
