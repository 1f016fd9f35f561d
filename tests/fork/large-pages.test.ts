// The history of a fork whose ledgers are large: a page ends when it has enough, its cursor goes on
// after it, and others have their turn while it is made.

import { expect, test } from "bun:test";
import type { Fork } from "../../src/fork/fork.ts";
import type { ClosedLedger } from "../../src/fork/ledger/chain.ts";
import { LedgerHistory } from "../../src/fork/ledger-history.ts";
import { getEvents } from "../../src/fork/rpc/events.ts";
import { getTransactions } from "../../src/fork/rpc/transactions.ts";
import { SCV } from "../../src/xdr/reader/scval-type.ts";
import { encode } from "../../src/xdr/reader/value.ts";

const LEDGERS = 60;
const EVENT_BYTES = 300 * 1024;
/** What a page has at most, with its last transaction. */
const MOST_CHARACTERS = 2 * 10 * 1024 * 1024;

const metaXdr = (fill: number) =>
  encode("TransactionMeta", {
    v: 4,
    v4: {
      ext: { v: 0 },
      ...{ txChangesBefore: [], txChangesAfter: [], sorobanMeta: null, events: [] },
      diagnosticEvents: [],
      operations: [
        {
          ext: { v: 0 },
          changes: [],
          events: [
            {
              ...{ ext: { v: 0 }, contractId: null, type: 1 },
              body: {
                v: 0,
                v0: {
                  topics: [],
                  data: { type: SCV.bytes, bytes: Buffer.alloc(EVENT_BYTES, fill) },
                },
              },
            },
          ],
        },
      ],
    },
  });

function largeFork(): Fork {
  const history = new LedgerHistory();
  const closed = { closeTimeUnixSeconds: "1000" };
  for (let sequence = 2; sequence < 2 + LEDGERS; sequence += 1) {
    const hash = sequence.toString(16).padStart(64, "0");
    const transaction = {
      ...{ hash, innerHash: null, applicationOrder: 1, isSuccess: true, waived: [] },
      ...{ envelopeXdr: "", resultXdr: "", feeChangesXdr: "", metaXdr: metaXdr(sequence) },
    };
    const ledger = { ...closed, sequence, hash: `large ${hash}`, transactions: [transaction] };
    history.add(ledger as unknown as ClosedLedger);
  }
  const latest = { ...closed, sequence: 1 + LEDGERS };
  return { history, chain: { latest }, oldest: { ...closed, sequence: 2 } } as unknown as Fork;
}

/** The turns that others had while the action went on. */
async function turnsDuring<Result>(action: () => Promise<Result>) {
  let turns = 0;
  let going = true;
  const count = () => {
    turns += 1;
    if (going) setImmediate(count);
  };
  setImmediate(count);
  const result = await action();
  going = false;
  return { result, turns };
}

test("getTransactions and getEvents have all of it, page by page", async () => {
  const fork = largeFork();
  const all = Array.from({ length: LEDGERS }, (_, index) => index + 2);
  const transactions: number[] = [];
  let pages = 0;
  for (
    let at: object = { startLedger: 2, pagination: { limit: 200 } };
    transactions.length < LEDGERS;
  ) {
    const { result, turns } = await turnsDuring(() => getTransactions(fork, at));
    expect(JSON.stringify(result).length).toBeLessThan(MOST_CHARACTERS);
    expect(turns).toBeGreaterThan(5);
    transactions.push(...result.transactions.map((each) => (each as { ledger: number }).ledger));
    at = { pagination: { limit: 200, cursor: result.cursor } };
    pages += 1;
  }
  expect([transactions, pages > 2]).toEqual([all, true]);
  const events: number[] = [];
  for (
    let at: object = { startLedger: 2, pagination: { limit: 1_000 } };
    events.length < LEDGERS;
  ) {
    const { result, turns } = await turnsDuring(() => getEvents(fork, at));
    expect(JSON.stringify(result).length).toBeLessThan(MOST_CHARACTERS);
    expect(turns).toBeGreaterThan(5);
    events.push(...result.events.map(({ ledger }) => ledger));
    at = { pagination: { limit: 1_000, cursor: result.cursor } };
  }
  expect(events).toEqual(all);
  const end = await getTransactions(fork, { pagination: { cursor: String((62n << 32n) | 1n) } });
  expect(end.transactions).toEqual([]);
});
