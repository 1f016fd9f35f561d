// Transactions simulated again, each on the state of the ledger that its simulation ran against,
// beside what a real Stellar RPC answered: every field, byte for byte, but nonces drawn at random.

import { afterAll, describe, expect, test } from "bun:test";
import { openLoopback } from "../support/loopback-server.ts";
import { simulateAgain } from "../support/simulated-again.ts";
import { openTestRecorder } from "../support/simulator.ts";

/** Ledger 136 upgraded all network settings: nobody recorded the older ones. */
const OLD_SETTINGS = Object.fromEntries(
  [2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => [n, ["transactionData", "minResourceFee"]]),
);
/** What a contract draws follows a seed that Stellar RPC chooses at random. */
const DRAWN = { 70: ["events", "results"], 71: ["events", "results"], 151: ["events", "results"] };

const DIFFERING: Readonly<Record<number, readonly string[]>> = { ...OLD_SETTINGS, ...DRAWN };

describe("a recorded transaction is equal, or differs as it must", () => {
  const loopback = openLoopback();
  const { network } = loopback;
  const simulator = openTestRecorder();
  afterAll(() => loopback[Symbol.asyncDispose]());
  const simulated = network.transactions.filter((transaction) => {
    const { simulation } = network.file(transaction);
    return Boolean(simulation) && network.closeTime(simulation?.latestLedger ?? 0) !== null;
  });

  test("145 of 157 are equal", () => {
    expect(simulated.length).toBe(157);
    expect(Object.keys(DIFFERING).length).toBe(157 - 145);
  });

  for (const transaction of simulated) {
    test(`${transaction.n}: ${transaction.name}`, async () => {
      const both = await simulateAgain(loopback, simulator, transaction);
      const { recorded = {}, again = {} } = both ?? {};
      const names = new Set([...Object.keys(recorded), ...Object.keys(again)]);
      const fields = [...names].filter((name) => !Bun.deepEquals(recorded[name], again[name]));
      expect(names.size).toBeGreaterThan(0);
      expect(fields).toEqual([...(DIFFERING[transaction.n] ?? [])]);
    });
  }
});
