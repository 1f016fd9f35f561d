// What the hashes of a ledger prove, where the validators voted its transaction set away (CAP-83).

import { expect, test } from "bun:test";
import { forgedPart } from "../../src/xdr/ledger/check-ledger.ts";
import { readLedgerCloseMeta } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { openLongChain } from "../support/long-chain.ts";

test("a transaction set that was voted away is believed only if it is the empty one", async () => {
  await using chain = openLongChain({ successes: 1, failures: 1 });
  const at = chain.first + 2;
  chain.votedAway = at;
  const [before, view, after] = [at - 1, at, at + 1].map((sequence) =>
    readLedgerCloseMeta(chain.bytes(sequence), chain.passphrase),
  );
  if (!before?.transactionSet || !view?.transactionSet || !after) throw new Error("no ledgers");
  expect([before, view, after].map(forgedPart)).toEqual([null, null, null]);
  expect(view.facts.transactionSetHash).toBe("0".repeat(64));
  expect(after.facts.previousHash).toBe(view.facts.hash ?? "");

  const withTransactions = Uint8Array.from(before.transactionSet);
  withTransactions.set(view.transactionSet.subarray(4, 36), 4);
  const ofOtherLedger = Uint8Array.from(view.transactionSet);
  ofOtherLedger.fill(1, 4, 36);
  for (const transactionSet of [withTransactions, ofOtherLedger])
    expect(forgedPart({ ...view, transactionSet })).toBe("transactions");
  const facts = { ...view.facts, protocolVersion: 27 };
  expect(forgedPart({ ...view, facts })).toBe("transactions");
  const { transactions } = before;
  expect(forgedPart({ ...view, transactions })).toBe("results");
});
