// Ledgers of files that come again, as where a writer began anew, count once; and no file is so long
// that all its ledgers are remembered.

import { expect, test } from "bun:test";
import { openLedgers } from "../../src/verify/tally-ledgers.ts";
import { readLedgerCloseMeta } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";

const network = new RecordedNetwork();
const ledgerCloseMeta = new Uint8Array(network.ledgerBytes(380) ?? []);
const MANY = 7_000;

async function opened(sequences: Iterable<number>): Promise<number[]> {
  async function* ledgers() {
    for (const sequence of sequences) yield { sequence, ledgerCloseMeta, source: "a file" };
  }
  const open = (bytes: Uint8Array) => readLedgerCloseMeta(bytes, network.passphrase);
  const found: number[] = [];
  for await (const { sequence } of openLedgers(ledgers(), open)) found.push(sequence);
  return found;
}

test("a ledger that comes again is left out", async () => {
  expect(await opened([5, 6, 7, 6, 7, 8, 5])).toEqual([5, 6, 7, 8]);
});

test("ledgers of long ago are forgotten, and a checkpoint's are not", async () => {
  const all = Array.from({ length: MANY }, (_, index) => index + 1);
  const found = await opened([...all, MANY - 63, MANY, 1]);
  expect(found.slice(MANY)).toEqual([1]);
});
