// Transactions simulated again, each on the state of the ledger that its simulation ran against,
// beside what a real Stellar RPC answered: every field, byte for byte, but nonces drawn at random.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { RECORDING_BINARY } from "../../scripts/ensure-built.ts";
import { openRecordingPool } from "../../src/simulator/pool.ts";
import type { RecordingSimulator } from "../../src/simulator/recording-simulator.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { simulateAgain } from "../support/simulated-again.ts";

const MISSING = !existsSync(RECORDING_BINARY);

/** The ledger that upgraded all network settings: nobody recorded the older ones. */
const SETTINGS_SINCE = 136;
const OLD_SETTINGS = Object.fromEntries(
  [2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => [n, ["transactionData", "minResourceFee"]]),
);
/** What a contract draws follows a seed that Stellar RPC chooses at random. */
const DRAWN = { 70: ["events", "results"], 71: ["events", "results"], 151: ["events", "results"] };

let simulator: RecordingSimulator;

beforeAll(() => {
  simulator = openRecordingPool({ path: RECORDING_BINARY, size: 2 });
});

afterAll(() => simulator[Symbol.asyncDispose]());

describe.skipIf(MISSING)("the recorded transactions of the repository", () => {
  const loopback = openLoopback();
  afterAll(() => loopback[Symbol.asyncDispose]());

  for (const transaction of loopback.network.transactions) {
    const { simulation } = loopback.network.file(transaction);
    if (!simulation || loopback.network.closeTime(simulation.latestLedger) === null) continue;
    if (simulation.latestLedger < SETTINGS_SINCE) continue;
    test(`${transaction.n}: ${transaction.name}`, async () => {
      const both = await simulateAgain(loopback, simulator, transaction);
      expect(both?.again).toEqual(both?.recorded as Record<string, unknown>);
    });
  }
});

describe.skipIf(MISSING || !hasCorpus("network"))(
  "all transactions of the recorded network",
  () => {
    let loopback: Loopback;
    beforeAll(() => {
      loopback = openLoopback({ root: corpusPath("network") });
    });
    afterAll(() => loopback[Symbol.asyncDispose]());

    test("each is equal, or differs as it must", async () => {
      const differing: Record<number, readonly string[]> = {};
      let equal = 0;
      for (const transaction of loopback.network.transactions) {
        const both = await simulateAgain(loopback, simulator, transaction);
        if (both === null) continue;
        const { recorded, again } = both;
        const names = new Set([...Object.keys(recorded), ...Object.keys(again)]);
        const fields = [...names].filter((name) => !Bun.deepEquals(recorded[name], again[name]));
        if (fields.length === 0) equal += 1;
        else differing[transaction.n] = fields;
      }
      expect({ equal, differing }).toEqual({
        equal: 145,
        differing: { ...OLD_SETTINGS, ...DRAWN },
      });
    }, 120_000);
  },
);
