// Variants of real transactions, with the built svc-sim: one that changes nothing is the original to
// the last byte, and one that changes something takes from the recording only what stays true.

import { beforeAll, describe, expect, test } from "bun:test";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { applyVariant, runVariant } from "../../src/debugger/run/run-variant.ts";
import { VariantRuns } from "../../src/debugger/run/variant-runs.ts";
import { replayCaptured } from "../../src/debugger/walk/replay-captured.ts";
import type { Variant } from "../../src/fix/variant.ts";
import type { Execution } from "../../src/model/execution.ts";
import type { Provenance } from "../../src/model/provenance.ts";
import type { SnapshotEntry, SnapshotSetting } from "../../src/model/snapshot.ts";
import { openOneShot } from "../../src/simulator/one-shot.ts";
import type { Envelope } from "../../src/xdr/envelope/envelope.ts";
import { withFee, withResources } from "../../src/xdr/envelope/patch-envelope.ts";
import { readTransactionResult } from "../../src/xdr/outcome/result.ts";
import { NEVER_ABORTED as signal } from "../support/loopback-walk.ts";
import { captureRecorded, type RecordedWalk, replayableOf } from "../support/recorded-walks.ts";

const simulator = openOneShot({ path: SIMULATOR_BINARY });
const OUT_OF_INSTRUCTIONS = "cpu budget too low in resources";
const OVERRIDDEN: Provenance = { kind: "assumed", detail: "overridden" };

let walks: RecordedWalk[];
beforeAll(async () => {
  ensureBuilt();
  walks = await captureRecorded();
}, 900_000);

function byName(settings: readonly SnapshotSetting[]) {
  return new Map(settings.map((setting) => [setting.name, setting]));
}

function run(name: string, variant: Partial<Variant>): Promise<Execution> {
  return runVariant({ simulator }, replayableOf(walks, name), variant, { signal, trace: true });
}

function withoutTime({ hostNanoseconds: _, ...execution }: Execution) {
  return execution;
}

/** The envelope as sent, with the resource fee raised along with the bid by `stroops`. */
function enveloped(name: string, instructions: number, stroops: bigint): Envelope {
  const { envelope } = replayableOf(walks, name);
  const { soroban, feeBidStroops } = envelope;
  const resourceFeeStroops = (BigInt(soroban?.resourceFeeStroops ?? "0") + stroops).toString();
  const patched = withResources(envelope, { instructions, resourceFeeStroops });
  return withFee(patched, BigInt(feeBidStroops) + stroops);
}

describe("a variant that changes nothing", () => {
  test("is the original, byte for byte", async () => {
    for (const { name, record, envelope, chain, snapshot } of walks) {
      if (snapshot === null) continue;
      const original = await replayCaptured(
        { simulator, progress: () => {} },
        { record, envelope, chain, snapshot },
        { signal },
      );
      const unchanged = await run(name, {});
      if (original.execution === null) throw new Error(`${name} was not replayed`);
      expect(withoutTime(unchanged)).toEqual(withoutTime(original.execution));
      const { ledger } = record;
      const same = await run(name, { envelope, ledger, settings: byName(snapshot.settings) });
      expect(withoutTime(same)).toEqual(withoutTime(unchanged));
    }
  });
});

describe("a variant's envelope", () => {
  test("with more instructions turns a budget failure into a success, and its fee is known", async () => {
    const original = await run(OUT_OF_INSTRUCTIONS, {});
    expect(original.outcome).toMatchObject({ code: "resourceLimitExceeded" });
    const envelope = enveloped(OUT_OF_INSTRUCTIONS, 50_000_000, 1_000_000n);
    const fixed = await run(OUT_OF_INSTRUCTIONS, { envelope });
    expect(fixed.outcome).toEqual({ kind: "success" });
    expect(fixed.limits.instructions).toBe("50000000");
    expect(fixed.transactionHash).not.toBe(original.transactionHash);
    const charged = (execution: Execution) =>
      BigInt(readTransactionResult(execution.resultXdr ?? "").feeChargedStroops);
    const { fees: before } = original;
    const { fees: after } = fixed;
    const owed = (fees: Execution["fees"]) =>
      BigInt(fees.nonRefundableStroops) + BigInt(fees.refundableConsumedStroops);
    // What was charged beside the resources is the inclusion fee, and that has not changed.
    expect(charged(fixed) - owed(after)).toBe(charged(original) - owed(before));
  });

  test("with a bid of which nobody knows what would be taken has no result", async () => {
    const { envelope } = replayableOf(walks, OUT_OF_INSTRUCTIONS);
    const lower = await run(OUT_OF_INSTRUCTIONS, { envelope: withFee(envelope, 1n) });
    expect(lower.resultXdr).toBeNull();
    expect(lower.outcome.kind).toBe("failed");
  });
});

describe("the runs of a transaction's variants", () => {
  test("a variant that ran before is not run again, and every other one is", async () => {
    const captured = replayableOf(walks, OUT_OF_INSTRUCTIONS);
    let count = 0;
    const counted = {
      replay: (...given: Parameters<typeof simulator.replay>) => {
        count += 1;
        return simulator.replay(...given);
      },
      [Symbol.asyncDispose]: async () => {},
    };
    const runs = new VariantRuns({ simulator: counted }, captured);
    const [entry] = captured.snapshot.entries;
    const [setting] = captured.snapshot.settings;
    if (entry === undefined || setting === undefined) throw new Error("nothing was captured");
    const { sequence } = captured.record.ledger;
    const envelope = enveloped(OUT_OF_INSTRUCTIONS, 50_000_000, 1_000_000n);
    const variants: Partial<Variant>[] = [
      {},
      { envelope },
      { envelope, entries: new Map([[entry.keyXdr, { ...entry, liveUntilLedger: null }]]) },
      { envelope, settings: new Map([[setting.name, setting]]) },
      { envelope, ledger: { sequence: sequence + 1 } },
    ];
    for (const [at, variant] of variants.entries()) {
      const first = await runs.run(variant, { signal, trace: true });
      expect(await runs.run({ ...variant }, { signal, trace: true })).toBe(first);
      // It recorded more than is asked.
      expect(await runs.run(variant, { signal })).toBe(first);
      expect(count).toBe(at + 1);
    }
    const more = await runs.run({}, { signal, trace: true, profile: true });
    expect(count).toBe(variants.length + 1);
    expect(more.outcome).toEqual((await runs.run({}, { signal })).outcome);
  });
});

describe("a variant's state", () => {
  test("an entry that is gone, and one that is put there", async () => {
    const name = "SAC transfer alice -> bob";
    const { snapshot } = replayableOf(walks, name);
    const gone = (keyXdr: string): SnapshotEntry => ({
      keyXdr,
      entryXdr: null,
      liveUntilLedger: null,
      archived: false,
      codeCached: null,
      provenance: OVERRIDDEN,
      ttlProvenance: null,
    });
    const original = await run(name, {});
    expect(original.outcome).toEqual({ kind: "success" });
    const changed = original.changes.find(({ kind }) => kind === "updated");
    const keyXdr = changed?.keyXdr ?? "";
    const failed = await run(name, { entries: new Map([[keyXdr, gone(keyXdr)]]) });
    expect(failed.outcome.kind).toBe("failed");
    const held = snapshot.entries.find((entry) => entry.keyXdr === keyXdr);
    if (held === undefined) throw new Error("the changed entry is not in the snapshot");
    const again = await run(name, { entries: new Map([[keyXdr, held]]) });
    expect(again.outcome).toEqual({ kind: "success" });
  });

  test("known by the variant, it is no longer unknown", () => {
    const { snapshot, ...recorded } = replayableOf(walks, OUT_OF_INSTRUCTIONS);
    const [first, ...others] = snapshot.entries;
    if (first === undefined) throw new Error("the footprint is empty");
    const unknown = [{ keyXdr: first.keyXdr, reason: "nobody knows" }];
    const captured = { ...recorded, snapshot: { ...snapshot, entries: others, unknown } };
    const entries = new Map([[first.keyXdr, first]]);
    const applied = applyVariant(captured, { entries });
    expect(applied.snapshot.unknown).toEqual([]);
    expect(applied.snapshot.entries).toEqual([...others, first]);
    expect(applyVariant(captured, {}).snapshot.unknown).toEqual(unknown);
  });
});

describe("a variant's ledger", () => {
  test("an earlier protocol is another host", async () => {
    const older = await run("SAC transfer alice -> bob", { ledger: { protocolVersion: 27 } });
    expect(older.host.protocol).toBe(27);
  });

  test("past an entry's time to live, it is archived or has expired", async () => {
    const { snapshot } = replayableOf(walks, OUT_OF_INSTRUCTIONS);
    const lives = snapshot.entries.map(({ liveUntilLedger }) => liveUntilLedger ?? 0);
    const sequence = Math.max(...lives) + 1;
    const late = await run(OUT_OF_INSTRUCTIONS, { ledger: { sequence } });
    expect(late.outcome).toEqual({
      kind: "failed",
      operation: "invokeHostFunction",
      code: "entryArchived",
    });
  });

  test("a rent fee that a ledger reported holds only for what it was computed from", () => {
    const { snapshot, ...recorded } = replayableOf(walks, OUT_OF_INSTRUCTIONS);
    const captured = { ...recorded, snapshot: { ...snapshot, rentFeePer1KbStroops: "1000" } };
    const rentOf = (variant: Partial<Variant>) =>
      applyVariant(captured, variant).snapshot.rentFeePer1KbStroops;
    const named = (name: string) => snapshot.settings.filter((setting) => setting.name === name);
    expect(rentOf({ ledger: { closeTimeUnixSeconds: "1" } })).toBe("1000");
    expect(rentOf({ settings: byName(named("CONFIG_SETTING_CONTRACT_EVENTS_V0")) })).toBe("1000");
    expect(rentOf({ ledger: { protocolVersion: 27 } })).toBe("1000");
    expect(rentOf({ ledger: { protocolVersion: 22 } })).toBeNull();
    expect(
      rentOf({ settings: byName(named("CONFIG_SETTING_CONTRACT_LEDGER_COST_V0")) }),
    ).toBeNull();
  });
});

test("what the chain says of its own run is left out of a variant's", () => {
  const captured = replayableOf(walks, OUT_OF_INSTRUCTIONS);
  const { record } = captured;
  const { record: applied } = applyVariant(captured, {});
  expect(record.resultMetaXdr).not.toBeNull();
  expect(applied).toMatchObject({
    hash: record.hash,
    resultMetaXdr: null,
    feeChangesXdr: null,
    refundChangesXdr: null,
    diagnosticEventsXdr: [],
  });
});
