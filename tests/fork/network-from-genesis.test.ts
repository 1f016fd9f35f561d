// A test network from its genesis, closed by one fork: a history archive has what was sent and how
// it ended. Each ledger rests on what the fork made of all ledgers before it.

import { expect } from "bun:test";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import type { ClosedLedger } from "../../src/fork/ledger/chain.ts";
import { NETWORKS } from "../../src/model/networks.ts";
import { openLedgerEngine } from "../../src/simulator/open-processes.ts";
import { type FoldedMismatch, LedgersFold } from "../../src/snapshot/stream/ledgers-fold.ts";
import { accountKeyOf } from "../../src/xdr/reader/keys.ts";
import { ARCHIVE, ofArchive } from "../support/archived-records.ts";
import { closeArchive } from "../support/closed-archive.ts";
import { givenLedger } from "../support/folded-stream.ts";
import { openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();
/** All 6,015 take minutes; the first 700 have every supported operation but a merge. */
const LAST = Number(Bun.env.SVC_TEST_LAST_LEDGER ?? 700);

ofArchive.test(
  "results and fee pools are the network's, ledger after ledger",
  async () => {
    const { passphrase: networkPassphrase } = NETWORKS.testnet;
    const range = { networkPassphrase, first: 10, last: LAST };
    // Whoever folds the fork's ledgers finds each entry as the ledgers before left it.
    const mismatches: FoldedMismatch[] = [];
    await using engine = openLedgerEngine({ path: SIMULATOR_BINARY }, 1);
    const fold = new LedgersFold(engine, { networkPassphrase });
    let folding: Promise<unknown> = Promise.resolve();
    const follow = ({ ledgerCloseMetaXdr }: ClosedLedger) => {
      const given = givenLedger(Buffer.from(ledgerCloseMetaXdr, "base64"), networkPassphrase);
      folding = folding.then(async () => mismatches.push(...(await fold.foldOnly(given))));
    };
    const count = await closeArchive(ARCHIVE, range, simulator, follow);
    await folding;
    const unknown = new Set([...count.unknownAccounts].map(accountKeyOf));
    expect(mismatches.filter(({ keyXdr }) => !unknown.has(keyXdr))).toEqual([]);
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
