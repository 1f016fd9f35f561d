// A simulation that asks for one entry after another ends, with an error.

import { expect, test } from "bun:test";
import type { CurrentState } from "../../src/debugger/simulate/current-state.ts";
import { simulateTransaction } from "../../src/debugger/simulate/simulate-transaction.ts";
import type { RecordingSimulator } from "../../src/simulator/recording-simulator.ts";
import { dataKeyOf } from "../support/ledger-entries.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";

test("a simulation that never has all entries ends after so many rounds", async () => {
  const network = new RecordedNetwork();
  const transaction = network.named("SAC transfer alice -> bob");
  const { envelopeXdr } = network.file(transaction).rpcGetTransaction.result;
  let rounds = 0;
  const asked: number[] = [];
  const simulator = {
    record: async () => {
      rounds += 1;
      return { kind: "missing", keysXdr: [dataKeyOf(`number ${rounds}`)] };
    },
  } as unknown as RecordingSimulator;
  const tip = { sequence: 7, closeTimeUnixSeconds: "35", protocolVersion: 28 };
  const latest = { tip, entries: new Map() };
  const state = {
    latest: async () => latest,
    withKeys: async (known, keys) => {
      asked.push(keys.length);
      return known;
    },
  } as CurrentState;
  const dependencies = { simulator, state, networkPassphrase: network.passphrase };
  const wish = { transactionXdr: String(envelopeXdr) };
  const run = simulateTransaction(dependencies, wish, { signal: NEVER_ABORTED, maximumRounds: 3 });
  await expect(run).rejects.toThrow("still misses ledger entries after 3 rounds");
  expect([rounds, asked]).toEqual([3, [1, 2, 3]]);
});
