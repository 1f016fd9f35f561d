// Calls without a frame in the host's trace are named from the envelope, and the result of the host
// function itself is shown: real transactions, replayed with the built svc-sim.

import { afterAll, expect, test } from "bun:test";
import { debugTransaction } from "../../src/debugger/walk/debug-transaction.ts";
import { explain } from "../../src/explain/explain.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import { renderText } from "../../src/report/text/render-text.ts";
import { readTransactionMeta } from "../../src/xdr/outcome/meta.ts";
import { showValue } from "../../src/xdr/values/value.ts";
import { investigate } from "../report/investigations.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";
import { openedAlone } from "../support/opened.ts";
import { openTestSimulator } from "../support/simulator.ts";
import { walkOf } from "../verdict/protocol-walk.ts";

const loopback = openLoopback();
const simulator = openTestSimulator();
afterAll(() => loopback[Symbol.asyncDispose]());

async function investigated(name: string): Promise<Investigation> {
  const transaction = loopback.network.named(name);
  const before = loopback.network.file(transaction).preEntries?.result?.latestLedger;
  const walk = openWalk(loopback, { rpc: [`entries-at=${before ?? transaction.ledger}`] });
  const deps = { ...walk, simulator, progress: () => {} };
  return debugTransaction(deps, transaction.hash, { signal: NEVER_ABORTED });
}

const textOf = (investigation: Investigation) => renderText(investigation, { color: false });

test("a call that never opened a frame is one failure, not two", async () => {
  const found = await investigated("call of a contract that does not exist");
  const { headline, calls } = found.explanation;
  expect(headline).toStartWith("`f()` failed");
  expect(calls?.calls).toHaveLength(1);
  expect(calls?.calls[0]).toMatchObject({ kind: "invoke", function: "f", failed: true });
  const metered = found.execution?.callTree?.calls[0]?.cpuInstructions;
  expect(calls?.calls[0]?.cpuInstructions).toBe(metered ?? "none");
  expect(textOf(found)).not.toContain("invoke_contract");
});

test("a transaction that was not replayed names its call from the envelope", () => {
  const { headline, calls, invocation } = investigate("entry-archived").explanation;
  expect(calls).toBeNull();
  expect(headline).toStartWith("`get_persistent()` failed");
  expect(invocation).toMatchObject({ function: "get_persistent", arguments: ["p1"] });
  const text = textOf(investigate("entry-archived"));
  expect(text).toContain("Call (from the envelope)\n  get_persistent(key: p1) in CAD5");
});

test("without a replay and without diagnostics the headline is the same", () => {
  const { record } = walkOf("contract-error");
  const silent = { ...record, diagnosticEventsXdr: [], resultMetaXdr: null };
  const { headline, diagnosticCalls, invocation } = explain(openedAlone(silent), null, null);
  expect(diagnosticCalls).toEqual([]);
  expect(headline).toStartWith("`fail()` failed");
  expect(invocation?.function).toBe("fail");
});

const RETURNING = ["upload kitchen wasm", "create contract (short ttl)"];

for (const name of RETURNING) {
  test(`the report shows the return value of the chain: ${name}`, async () => {
    const found = await investigated(name);
    const { returnValueXdr } = readTransactionMeta(found.record.resultMetaXdr ?? "");
    const [frame] = found.explanation.calls?.calls ?? [];
    expect(frame?.failed).toBe(false);
    expect(frame?.result).toBe(showValue(returnValueXdr ?? ""));
    expect(textOf(found)).not.toContain("(not recorded)");
  });
}
