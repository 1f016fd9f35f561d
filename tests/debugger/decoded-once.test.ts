// What a walk reads, it reads once: for every kind of failure, nothing is read more often than twice
// in a debug, by any of its stages and of its further runs.

import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { ensureBuilt } from "../../scripts/ensure-built.ts";
import { captureTransaction } from "../../src/debugger/walk/capture-transaction.ts";
import { replayCaptured } from "../../src/debugger/walk/replay-captured.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import * as contracts from "../../src/xdr/contract/contract-specs.ts";
import * as envelopes from "../../src/xdr/envelope/envelope.ts";
import * as reports from "../../src/xdr/outcome/error-reports.ts";
import * as metas from "../../src/xdr/outcome/meta.ts";
import * as results from "../../src/xdr/outcome/result.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";
import { openTestSimulator } from "../support/simulator.ts";

/** As often as an input may be read. */
const MOST = 2;

const loopback = openLoopback();
const simulator = openTestSimulator();
const envelope = spyOn(envelopes, "openEnvelope");
const result = spyOn(results, "readTransactionResult");
const meta = spyOn(metas, "readTransactionMeta");
const lookup = spyOn(contracts, "contractLookup");
const report = spyOn(reports, "errorReportOf");
const watched = [envelope, result, meta, lookup, report];

beforeAll(ensureBuilt, 900_000);
afterAll(async () => {
  for (const each of watched) each.mockRestore();
  await loopback[Symbol.asyncDispose]();
});

/** How often the input that was read most often was read. */
function most(inputs: readonly unknown[]): number {
  const counts = new Map<unknown, number>();
  for (const input of inputs) counts.set(input, (counts.get(input) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

function readsOfOneInput() {
  return {
    envelope: most(envelope.mock.calls.map(([xdr]) => xdr)),
    result: most(result.mock.calls.map(([xdr]) => xdr)),
    meta: most(meta.mock.calls.map(([xdr]) => xdr)),
    lookup: most(lookup.mock.calls.map(([entries]) => [...entries].join())),
  };
}

/** The most runs of svc-sim in a debug, the replay included; a fix that is found takes more. */
const MOST_RUNS = 5;
const MORE_RUNS: Readonly<Record<string, number>> = {
  "cpu budget too low in resources": 7,
  "footprint lacks the entry": 9,
  "footprint entry read-only but written": 7,
  "refundable fee too low (rent of 16 KiB)": 6,
  "cross-contract add overflow in callee": 7,
  "try_call catches trap with rollback": 7,
  "SAC transfer insufficient balance": 8,
  "SAC transfer to account without trustline": 8,
  "send(): unsigned sub-invocation auth": 8,
  "custom account bad signature": 7,
  "same ledger: trap": 9,
  // The entry that is missing is added, as a proof, and once more to see whether it is a reason.
  "get of missing key -> contract error": 6,
  "same ledger race: get #1": 7,
  "expired temporary entry is gone": 12,
  "try_call catches trap with rollback, more cpu": 6,
  "spawn: constructor auth of the deployer contract missing": 9,
};

describe("a debug of each failure of a recorded network", () => {
  const failed = loopback.network.transactions.filter(
    ({ status, soroban }) => status !== "SUCCESS" && soroban,
  );
  test("covers the kinds that a network has", () => expect(failed.length).toBeGreaterThan(35));

  for (const transaction of failed)
    test(`${transaction.name}: no input is read more often than twice`, async () => {
      const before = loopback.network.file(transaction).preEntries?.result?.latestLedger;
      const nodes = { rpc: [`entries-at=${before ?? transaction.ledger}`] };
      const runs: (readonly string[])[] = [];
      const counted: Simulator = {
        ...simulator,
        replay: async (...asked) => {
          const ran = await simulator.replay(...asked);
          runs.push(ran.diagnosticsXdr);
          return ran;
        },
      };
      const walk = { ...openWalk(loopback, nodes), simulator: counted, progress: () => {} };
      for (const each of watched) each.mockClear();
      const options = { signal: NEVER_ABORTED, locate: { wasm: null } };
      const captured = await captureTransaction(walk, transaction.hash, options);
      // What nodes answered is checked, entry by entry, before it is believed.
      for (const each of watched) each.mockClear();
      await replayCaptured(walk, captured, options);
      for (const [name, count] of Object.entries(readsOfOneInput()))
        expect([name, count <= MOST]).toEqual([name, true]);
      const { chain } = captured;
      const events = [chain.diagnosticsXdr, ...runs].map((each) => new Set(each));
      // The events of a run are read for its errors, and for its calls.
      const held = (xdr: string) => events.filter((each) => each.has(xdr)).length;
      const inputs = Math.max(1, ...[...(events[0] ?? [])].map(held));
      expect(most(report.mock.calls.map(([event]) => event))).toBeLessThanOrEqual(inputs * MOST);
      expect(runs.length).toBeLessThanOrEqual(MORE_RUNS[transaction.name] ?? MOST_RUNS);
    });
});
