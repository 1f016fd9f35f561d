// All entries of a state are of one ledger, however often the node goes on to the next one between
// two answers.

import { expect, test } from "bun:test";
import { openCurrentState } from "../../src/debugger/simulate/current-state.ts";
import { openRpc } from "../../src/sources/nodes/rpc.ts";
import { settingKeyOf } from "../../src/xdr/ledger/settings.ts";
import { failureOf } from "../support/failure.ts";
import { codeOf } from "../support/ledger-entries.ts";
import { type JsonRpcCall, openNode } from "../support/scripted-node.ts";
import { TestClock } from "../support/test-clock.ts";

const KEYS = ["a", "b", "c"].map((name) => codeOf(name).key);

/** Answers from the ledger that `ledgerOf` gives for its n-th answer; it holds no entries. */
function openNodeAt(ledgerOf: (answer: number) => number) {
  let answers = 0;
  const told: { readonly ledger: number; readonly keys: number }[] = [];
  const node = openNode((_path, call) => {
    const { method, params = {} } = call as JsonRpcCall;
    if (method === "getNetwork") return { passphrase: "x", protocolVersion: 28 };
    const latestLedger = ledgerOf(answers++);
    if (method === "getLedgerEntries") {
      told.push({ ledger: latestLedger, keys: (params.keys as string[]).length });
      return { latestLedger, entries: [] };
    }
    return { status: "NOT_FOUND", latestLedger, latestLedgerCloseTime: String(latestLedger * 5) };
  });
  const clock = new TestClock({ grantedUpTo: 5000 });
  const sources = [openRpc(node.dependencies)];
  const open = (maximumAgeMilliseconds = 0) =>
    openCurrentState({ sources, clock, maximumAgeMilliseconds });
  return { node, told, clock, open };
}

test("what is known of a ledger is asked once", async () => {
  const { node, told, open } = openNodeAt(() => 7);
  await using _ = node;
  const current = open();
  const state = await current.latest(node.context);
  expect(state.tip).toEqual({ sequence: 7, closeTimeUnixSeconds: "35", protocolVersion: 28 });
  const first = await current.withKeys(state, KEYS.slice(0, 2), node.context);
  const second = await current.withKeys(first, KEYS, node.context);
  expect(second).toBe(state);
  expect([...second.entries.keys()]).toEqual(KEYS);
  expect(told).toEqual([
    { ledger: 7, keys: 2 },
    { ledger: 7, keys: 1 },
  ]);
});

test("when the ledger has changed, everything is asked again of the new one", async () => {
  // tip 7, entries of 7; then the node stands at 8: entries, tip, the rest of the entries.
  const { node, told, open } = openNodeAt((answer) => (answer < 2 ? 7 : 8));
  await using _ = node;
  const current = open();
  const state = await current.latest(node.context);
  await current.withKeys(state, KEYS.slice(0, 2), node.context);
  const moved = await current.withKeys(state, KEYS, node.context);
  expect(moved.tip.sequence).toBe(8);
  expect(moved.entries.size).toBe(3);
  expect(told.map(({ ledger }) => ledger)).toEqual([7, 8, 8]);
  expect(told.at(-1)?.keys).toBe(2);
});

test("a state is kept as long as its ledger is the newest, and looked at again when it is old", async () => {
  let ledger = 7;
  const { node, clock, open } = openNodeAt(() => ledger);
  await using _ = node;
  const current = open(500);
  const state = await current.latest(node.context);
  ledger = 8;
  expect(await current.latest(node.context)).toBe(state);
  await clock.sleep(500, node.context.signal);
  expect((await current.latest(node.context)).tip.sequence).toBe(8);
});

test("a node that never answers twice from one ledger is given up", async () => {
  const { node, open } = openNodeAt((answer) => answer);
  await using _ = node;
  const current = open();
  const state = await current.latest(node.context);
  const error = await failureOf(current.withKeys(state, KEYS, node.context));
  expect(error.code).toBe("NETWORK_BAD_ANSWER");
  expect(error.message).toContain("ledger changed during each of 8 tries");
});

test("without a node that serves entries, the remedy names --rpc-url", async () => {
  const current = openCurrentState({ sources: [], clock: new TestClock({ grantedUpTo: 0 }) });
  const error = await failureOf(current.latest({ signal: new AbortController().signal }));
  expect(error.code).toBe("CONFIG_INVALID");
  expect(error.remedy).toContain("--rpc-url");
});

test("a network setting that the node leaves out is its failure: every network has all", async () => {
  const { node, open } = openNodeAt(() => 7);
  await using _ = node;
  const current = open();
  const state = await current.latest(node.context);
  const error = await failureOf(current.withKeys(state, [settingKeyOf(1)], node.context));
  expect(error.code).toBe("NETWORK_BAD_ANSWER");
  expect(error.message).toContain("CONFIG_SETTING_CONTRACT_COMPUTE_V0");
});
