// Code that no node has, from files: every recorded transaction that runs a contract's code is as
// exact as with the node's, and a file that the footprint does not name is none.

import { afterAll, expect, test } from "bun:test";
import { type ContractCodeEntry, LedgerEntry } from "@stellar/stellar-sdk/xdr";
import { type Captured, captureTransaction } from "../../src/debugger/walk/capture-transaction.ts";
import { replayCaptured } from "../../src/debugger/walk/replay-captured.ts";
import type { CodeFile } from "../../src/debugger/walk/supply-code.ts";
import { withoutCostInputs } from "../../src/xdr/ledger/patch-entry.ts";
import { ENTRY_TYPE, typeOfKey } from "../../src/xdr/reader/keys.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { openWalk, NEVER_ABORTED as signal } from "../support/loopback-walk.ts";
import { openTestSimulator } from "../support/simulator.ts";

const WALKS_MILLISECONDS = 300_000;
const simulator = openTestSimulator();
const loopback = openLoopback();
afterAll(() => loopback[Symbol.asyncDispose]());

function codeOf(entryXdr: string): ContractCodeEntry {
  const { data } = LedgerEntry.fromXdr(entryXdr, "base64");
  if (data.type !== "contractCode") throw new Error("no code");
  return data.contractCode;
}

/** The capture of a node without contract code, and the files of that code. */
function withoutCode(captured: Captured): { captured: Captured; files: CodeFile[] } {
  const { snapshot } = captured;
  if (snapshot === null) return { captured, files: [] };
  const isCode = (entry: { readonly keyXdr: string }) =>
    typeOfKey(entry.keyXdr) === ENTRY_TYPE.contractCode;
  const files = snapshot.entries.filter(isCode).flatMap(({ entryXdr }) => {
    if (entryXdr === null) return [];
    return { file: "some.wasm", bytes: codeOf(entryXdr).code };
  });
  const unknown = snapshot.entries
    .filter((entry) => isCode(entry) && entry.entryXdr !== null)
    .map(({ keyXdr }) => ({ keyXdr, reason: "no node has it" }));
  const missing = new Set(unknown.map(({ keyXdr }) => keyXdr));
  const entries = snapshot.entries.filter(({ keyXdr }) => !missing.has(keyXdr));
  return { captured: { ...captured, snapshot: { ...snapshot, entries, unknown } }, files };
}

test(
  "with the code's files the verdict is as with the code, without them it is inconclusive",
  async () => {
    const counts = { supplied: 0, exact: 0 };
    for (const { hash, ledger, soroban } of loopback.network.transactions) {
      if (!soroban) continue;
      const walk = openWalk(loopback, { rpc: [`entries-at=${ledger}`] });
      const progress = () => {};
      const whole = await captureTransaction({ ...walk, progress }, hash, { signal });
      const { captured, files } = withoutCode(whole);
      if (files.length === 0 || whole.envelope.hostFunction === null) continue;
      const debug = async (given: Captured, code: readonly CodeFile[]) =>
        (await replayCaptured({ simulator, progress }, given, { signal, code })).verdict;
      const known = await debug(whole, []);
      const supplied = await debug(captured, [{ file: "x", bytes: new Uint8Array(9) }, ...files]);
      expect((await debug(captured, []))?.kind).toBe("inconclusive");
      counts.supplied += 1;
      if (supplied?.kind === "exact") counts.exact += 1;
      if (supplied?.kind === known?.kind) continue;
      // A file does not have the code's TTL, which the transaction extended.
      expect([hash, supplied?.kind]).toEqual([hash, "equivalent"]);
      const missing = captured.snapshot?.unknown.map(({ keyXdr }) => keyXdr);
      for (const { keyXdr, detail } of supplied?.caveats ?? []) {
        expect(missing).toContain(keyXdr ?? "");
        expect(detail).toMatch(/TTL/);
      }
    }
    expect(counts.supplied).toBeGreaterThan(80);
    expect(counts.exact).toBeGreaterThan(80);
  },
  WALKS_MILLISECONDS,
);

test("code is the same in the form that it had before protocol 21", async () => {
  const { entryXdr = null } =
    (
      await captureTransaction(
        { ...openWalk(loopback), progress: () => {} },
        loopback.network.named("panic_with_error").hash,
        { signal },
      )
    ).snapshot?.entries.find(({ keyXdr }) => typeOfKey(keyXdr) === ENTRY_TYPE.contractCode) ?? {};
  const older = codeOf(withoutCostInputs(entryXdr ?? ""));
  expect(codeOf(entryXdr ?? "").ext.type).toBe("v1");
  expect(older.ext.type).toBe("v0");
  expect(older.hash.toJson()).toEqual(codeOf(entryXdr ?? "").hash.toJson());
  expect(Buffer.compare(older.code, codeOf(entryXdr ?? "").code)).toBe(0);
});
