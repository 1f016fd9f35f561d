// What-if runs that need ledger entries the transaction did not name. Their state is read from a
// source that knows it. Without a source, the run claims nothing about them.

import { afterAll, describe, expect, test } from "bun:test";
import { TransactionEnvelope } from "@stellar/stellar-sdk/xdr";
import { runVariant } from "../../src/debugger/run/run-variant.ts";
import { captureTransaction } from "../../src/debugger/walk/capture-transaction.ts";
import { replayCaptured } from "../../src/debugger/walk/replay-captured.ts";
import { whatIf } from "../../src/debugger/what-if/what-if.ts";
import type { WhatIf } from "../../src/model/what-if.ts";
import { readOverrides } from "../../src/overrides/read-overrides.ts";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { openRecord } from "../../src/xdr/envelope/opened-record.ts";
import { trustlineKeyOf } from "../../src/xdr/reader/from-json.ts";
import { changedXdr } from "../support/changed-xdr.ts";
import { absentEntry } from "../support/executed.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { openWalk, NEVER_ABORTED as signal } from "../support/loopback-walk.ts";
import { openTestSimulator } from "../support/simulator.ts";

const TRANSFER = "SAC transfer alice -> bob";
const SEND = "send(): contract moves tokens with sub-invocation auth";
const STRANGER = "GDQOE23CFSUMSVQK4Y5JHPPYK73VYCNHZHA7ENKCV37P6SUEO6XQBKPP";

const simulator = openTestSimulator();

/**
 * `online`: the run may read from the nodes that gave the transaction. `absentXdr`: key of an entry
 * beyond the footprint that is known not to exist.
 */
async function runWhatIf(
  loopback: Loopback,
  name: string,
  document: object,
  online = true,
  absentXdr: string | null = null,
): Promise<WhatIf> {
  const transaction = loopback.network.named(name);
  const walk = openWalk(loopback, { rpc: [`entries-at=${transaction.ledger}`] });
  const dependencies = { ...walk, progress: () => {} };
  const taken = await captureTransaction(dependencies, transaction.hash, { signal });
  const { snapshot } = taken;
  const beyondFootprint = absentXdr === null ? [] : [absentEntry(absentXdr)];
  const captured = { ...taken, snapshot: snapshot && { ...snapshot, beyondFootprint } };
  const read = readOverrides({ format: 1, ...document });
  if ("problems" in read) throw new Error(read.problems.join("\n"));
  const overrides = { ...read, wasm: new Map() };
  const sources = online ? dependencies : { progress: dependencies.progress };
  const options = { signal, overrides };
  const { whatIf } = await replayCaptured({ ...sources, simulator }, captured, options);
  if (whatIf === undefined) throw new Error("nothing was run again");
  return whatIf;
}

test("calls below the call with other arguments: the source account authorizes them, too", async () => {
  await using loopback = openLoopback();
  const transaction = loopback.network.named(SEND);
  const walk = openWalk(loopback, { rpc: [`entries-at=${transaction.ledger}`] });
  const dependencies = { ...walk, simulator, progress: () => {} };
  const taken = await captureTransaction(dependencies, transaction.hash, { signal });
  const { networkPassphrase, envelopeXdr } = taken.record;
  // As if the account that signed the entry were the source account.
  const bySource = changedXdr(TransactionEnvelope, envelopeXdr, ({ tx: { tx } }) => {
    const [operation] = tx.operations;
    const [entry] = operation.body.invoke_host_function.auth;
    operation.source_account = entry.credentials.address.address;
    entry.credentials = "source_account";
  });
  const envelope = openEnvelope(bySource, networkPassphrase);
  const { snapshot } = taken;
  if (snapshot === null) throw new Error("nothing ran");
  const changed = { ...taken.record, envelopeXdr: bySource };
  const captured = { ...openRecord(changed, envelope), snapshot };
  const execution = await runVariant({ simulator }, captured, {}, { signal });
  const verdict = { kind: "exact", comparisons: [], caveats: [] } as never;
  const read = readOverrides({ format: 1, arguments: { amount: "79" } });
  if ("problems" in read) throw new Error(read.problems.join("\n"));
  const replayed = { ...captured, execution, verdict };
  const found = await whatIf(dependencies, replayed, { ...read, wasm: new Map() }, { signal });
  expect(found.headline).toBe("The transaction succeeds with and without the overrides.");
  expect(found.changed.map(({ what }) => what)).toEqual([
    "argument amount of send",
    "calls that the source account authorizes",
  ]);
});

const grownBy = ({ changed }: WhatIf) =>
  changed
    .filter(({ what }) => what.startsWith("footprint: "))
    .map(({ what, after }) => [what, after]);

describe("a transfer to somebody else", () => {
  const loopback = openLoopback();
  afterAll(() => loopback[Symbol.asyncDispose]());
  const document = { arguments: { to: STRANGER } };

  test("needs another trustline: the footprint grows by it, and the token says what is missing", async () => {
    const found = await runWhatIf(loopback, TRANSFER, document);
    const [[what, after] = []] = grownBy(found);
    expect(what).toStartWith(`footprint: trustline of ${STRANGER} for LAB:`);
    expect(after).toBe("read-only");
    expect(found.explanation.cause?.summary).toContain("TrustlineMissingError");
    expect(found.unknown).toEqual([]);
  });

  test("offline: nothing is claimed, and the key is named", async () => {
    const found = await runWhatIf(loopback, TRANSFER, document, false);
    expect(found.headline).toBe("The outcome with the overrides is unknown.");
    expect(found.unknown).toHaveLength(1);
    expect(found.unknown[0]).toContain(`trustline of ${STRANGER}`);
    expect(found.unknown[0]).toContain("the capsule does not contain it, and no node was queried");
    expect(found.explanation.cause?.confidence).toBe("likely");
  });

  test("offline, but with a capsule that remembers it: the run goes on", async () => {
    const offline = await runWhatIf(loopback, TRANSFER, document, false);
    const asset = /trustline of \w+ for (\w+:\w+)/.exec(offline.unknown[0] ?? "")?.[1] ?? "";
    const remembered = trustlineKeyOf(STRANGER, asset);
    const found = await runWhatIf(loopback, TRANSFER, document, false, remembered);
    expect(found.unknown).toEqual([]);
    expect(found.explanation.cause?.summary).toContain("TrustlineMissingError");
  });

  test("offline, but with an override that says it: the run goes on", async () => {
    const offline = await runWhatIf(loopback, TRANSFER, document, false);
    const asset = /trustline of \w+ for (\w+:\w+)/.exec(offline.unknown[0] ?? "")?.[1];
    const entries = [{ account: STRANGER, asset, remove: true }];
    const found = await runWhatIf(loopback, TRANSFER, { ...document, entries }, false);
    expect(found.unknown).toEqual([]);
    expect(found.explanation.cause?.summary).toContain("TrustlineMissingError");
  });
});

describe("keys that the recorded network shows", () => {
  const loopback = openLoopback();
  afterAll(() => loopback[Symbol.asyncDispose]());
  const limits = { writeBytes: 2000, resourceFeeStroops: 2_000_000 };

  test("another key of a counter is counted from nothing", async () => {
    const document = { arguments: { key: "elsewhere" }, limits };
    const found = await runWhatIf(loopback, "inc persistent counter #0", document);
    expect(found.success).toBe(true);
    expect(found.difference.returnValue).toEqual({ before: "6", after: "1" });
    expect(grownBy(found)).toEqual([
      [expect.stringContaining("persistent data Count(elsewhere)"), "read-write"],
    ]);
  });

  test("a temporary entry is added alone, although the host does not tell which it is", async () => {
    const document = { arguments: { key: "elsewhere" }, limits };
    const found = await runWhatIf(loopback, "inc temporary", document);
    expect(found.success).toBe(true);
    expect(grownBy(found)).toEqual([
      [expect.stringContaining("temporary data Count(elsewhere)"), "read-write"],
    ]);
  });

  test("what the transaction itself failed to name stays missing", async () => {
    const document = { ledger: { baseReserveStroops: 1 } };
    for (const name of ["footprint lacks the entry", "footprint entry read-only but written"]) {
      const found = await runWhatIf(loopback, name, document);
      expect([name, found.success, grownBy(found)]).toEqual([name, false, []]);
      expect(found.explanation.cause?.kind).toBe("footprint-miss");
    }
  });

  test("limits alone lead to no other entry", async () => {
    const name = "footprint lacks the entry";
    const found = await runWhatIf(loopback, name, { limits: { instructions: 90_000_000 } });
    expect(grownBy(found)).toEqual([]);
  });
});
