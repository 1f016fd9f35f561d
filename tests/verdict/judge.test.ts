import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SvcError } from "../../src/base/errors/errors.ts";
import type { ChainRecord } from "../../src/model/chain-record.ts";
import type { Execution } from "../../src/model/execution.ts";
import type { Snapshot, SnapshotEntry } from "../../src/model/snapshot.ts";
import type { Verdict } from "../../src/model/verdict.ts";
import { compareDiagnostics } from "../../src/verdict/diagnostics.ts";
import { compareFees } from "../../src/verdict/fees.ts";
import { judge } from "../../src/verdict/judge.ts";
import { likelyCause } from "../../src/verdict/likely-cause.ts";
import { settingKeyOf } from "../../src/xdr/ledger/settings.ts";
import { type ChainFacts, readChain } from "../../src/xdr/outcome/chain-facts.ts";
import { isCoreMetric } from "../../src/xdr/outcome/diagnostics.ts";
import { sliceTransactionMeta } from "../../src/xdr/outcome/meta.ts";
import { XdrCursor } from "../../src/xdr/reader/cursor.ts";
import { isSorobanKey } from "../../src/xdr/reader/keys.ts";
import { xdrSource } from "../../src/xdr/reader/shape.ts";
import { dataKeyOf } from "../support/ledger-entries.ts";
import { opened } from "../support/opened.ts";
import { protocolWalks, type Walk, walkOf } from "./protocol-walk.ts";

const WALKS = protocolWalks();
const ASSUMED = { kind: "assumed", detail: "no source has it" } as const;

const verdictOf = (walk: Walk) => judge(opened(walk), walk.snapshot, walk.execution);
/** LedgerEntryChanges without any. */
const NO_CHANGES = "AAAAAA==";
/** By position, so that a counterexample stays readable. */
const pick = fc.nat(WALKS.length - 1);
const walkAt = (i: number) => WALKS[i] as Walk;
/** feeCharged of the inner transaction, which needs the fee phase: outer fee, code, hash, fee. */
const INNER_FEE = range(8 + 4 + 32, 8);

/** The kind, or `refused` when the data cannot be decoded. */
function kindOf(record: ChainRecord, walk: Walk): Verdict["kind"] | "refused" {
  try {
    return judge(opened({ record }), walk.snapshot, walk.execution).kind;
  } catch (error) {
    if (error instanceof SvcError && error.code === "XDR_INVALID") return "refused";
    throw error;
  }
}

function flip(base64: string, position: number, bit: number): string {
  const bytes = Uint8Array.fromBase64(base64);
  bytes[position] = (bytes[position] ?? 0) ^ (1 << bit);
  return bytes.toBase64();
}

/** Positions in the meta of the operation's changes, events and return value. */
function metaPositions(metaXdr: string): number[] {
  const bytes = Uint8Array.fromBase64(metaXdr);
  const meta = sliceTransactionMeta(new XdrCursor(xdrSource(bytes)));
  const changes = meta.operationChanges.flat();
  const slices = [...meta.events, ...(meta.returnValue === null ? [] : [meta.returnValue])];
  const positions = slices.flatMap((slice) => range(slice.byteOffset, slice.byteLength));
  for (const { kind, bytes: slice } of changes) {
    // The kind has the first four bytes. The ledger in which a TTL was last modified before this
    // operation is the only thing that a replay does not use.
    const ttlState = kind === "state" && slice[7] === 9;
    if (ttlState) positions.push(...range(slice.byteOffset + 4, slice.byteLength - 4));
    else positions.push(...range(slice.byteOffset - 4, slice.byteLength + 4));
  }
  return positions;
}

function range(start: number, length: number): number[] {
  return Array.from({ length }, (_, i) => start + i);
}

describe("real transactions", () => {
  for (const walk of WALKS) {
    test(`${walk.name} is exact, and lists what was compared`, () => {
      const verdict = verdictOf(walk);
      expect(verdict).toMatchObject({ kind: "exact", caveats: [], firstDifference: null });
      const subjects = new Set(verdict.comparisons.map(({ subject }) => subject));
      expect(subjects).toContain("operation-result");
      expect(subjects).toContain("ledger-change");
      const fees = verdict.comparisons.filter(({ subject }) => /fee|refund/.test(subject));
      expect(fees.map(({ result }) => result)).toEqual(fees.map(() => "equal"));
    });
  }
});

describe("never a false exact", () => {
  test("a flipped bit of the result", () => {
    const property = fc.property(pick, fc.nat(), fc.nat(7), (i, seed, bit) => {
      const walk = walkAt(i);
      const { resultXdr, innerHash } = walk.record;
      const position = seed % Uint8Array.fromBase64(resultXdr).length;
      fc.pre(innerHash === null || !INNER_FEE.includes(position));
      const record = { ...walk.record, resultXdr: flip(resultXdr, position, bit) };
      expect(kindOf(record, walk)).not.toBe("exact");
    });
    fc.assert(property, { numRuns: 500 });
  });

  test("a flipped bit of a change, an event or the return value", () => {
    const changing = WALKS.map((walk) => {
      const metaXdr = walk.record.resultMetaXdr ?? "";
      return { walk, metaXdr, positions: metaPositions(metaXdr) };
    }).filter(({ positions }) => positions.length > 0);
    expect(changing.length).toBeGreaterThan(3);
    const one = fc.nat(changing.length - 1);
    const property = fc.property(one, fc.nat(), fc.nat(7), (i, seed, bit) => {
      const found = changing[i] as (typeof changing)[number];
      const position = found.positions[seed % found.positions.length] ?? 0;
      const resultMetaXdr = flip(found.metaXdr, position, bit);
      const record = { ...found.walk.record, resultMetaXdr };
      expect([position, kindOf(record, found.walk)]).not.toEqual([position, "exact"]);
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  test("a change of the replay's fees", () => {
    const names = ["nonRefundableStroops", "refundableConsumedStroops", "refundStroops"] as const;
    const property = fc.property(pick, fc.constantFrom(...names), (i, name) => {
      const walk = walkAt(i);
      const fees = { ...walk.execution.fees, [name]: `${BigInt(walk.execution.fees[name]) + 1n}` };
      const verdict = verdictOf({ ...walk, execution: { ...walk.execution, fees } });
      expect(verdict.kind).toBe("diverged");
    });
    fc.assert(property);
  });

  test("anything that was assumed", () => {
    const ways: ((walk: Walk) => Walk)[] = [
      (walk) => withSnapshot(walk, { entries: walk.snapshot.entries.map(assumed("provenance")) }),
      (walk) =>
        withSnapshot(walk, { entries: walk.snapshot.entries.map(assumed("ttlProvenance")) }),
      (walk) => {
        const entries = walk.snapshot.entries.map((entry) => ({
          ...entry,
          liveUntilLedger: entry.liveUntilLedger ?? 1,
          ttlProvenance: null,
        }));
        return withSnapshot(walk, { entries });
      },
      (walk) => {
        const settings = [{ name: "CONFIG_SETTING_X", entryXdr: "AAAA", provenance: ASSUMED }];
        return withSnapshot(walk, { settings });
      },
      (walk) => {
        const what = { what: "protocol_version", keyXdr: null, value: "23" };
        return { ...walk, execution: { ...walk.execution, assumed: [what] } };
      },
    ];
    const property = fc.property(pick, fc.nat(ways.length - 1), (i, j) => {
      const verdict = verdictOf((ways[j] as (typeof ways)[number])(walkAt(i)));
      expect(verdict.kind).toBe("equivalent");
      expect(verdict.caveats[0]?.kind).toBe("assumed");
    });
    fc.assert(property);
  });

  test("an assumed setting has one caveat, by its key, from whichever side", () => {
    const walk = walkOf("sac-transfer");
    const name = "CONFIG_SETTING_CONTRACT_COMPUTE_V0";
    const keyXdr = settingKeyOf(1);
    const execution = {
      ...walk.execution,
      assumed: [{ what: name, keyXdr: null, value: "that of a standalone network" }],
    };
    const caveatsOf = (snapshot: Partial<Snapshot>) =>
      verdictOf({ ...withSnapshot(walk, snapshot), execution }).caveats;
    const settings = [{ name, entryXdr: "AAAA", provenance: ASSUMED }];
    expect(caveatsOf({ settings })).toEqual([
      { kind: "assumed", keyXdr, detail: "no source has it" },
    ]);
    expect(caveatsOf({ unknown: [{ keyXdr, reason: "no node has it" }] })).toEqual([
      { kind: "unknown", keyXdr, detail: "no node has it" },
    ]);
    const detail = "svc-sim assumed that of a standalone network";
    expect(caveatsOf({})).toEqual([{ kind: "assumed", keyXdr, detail }]);
  });

  test("a chain record without the meta", () => {
    for (const walk of WALKS) {
      const record = { ...walk.record, resultMetaXdr: null };
      const verdict = judge(opened({ record }), walk.snapshot, walk.execution);
      expect(verdict.kind).toBe("equivalent");
      expect(verdict.caveats.map(({ kind }) => kind)).toEqual(["not-compared"]);
    }
  });
});

describe("differences", () => {
  const walk = walkOf("sac-transfer");

  test("a divergence shows both values", () => {
    const verdict = verdictOf(
      withExecution(walk, { returnValueXdr: "AAAAAAAAAAE=", successHash: "00" }),
    );
    expect(verdict.kind).toBe("diverged");
    expect(verdict.firstDifference).toMatchObject({
      subject: "success-hash",
      chain: walk.execution.successHash,
      replay: "00",
    });
  });

  test("a meta that shows another return value than the proven one is a caveat about the meta", () => {
    const verdict = verdictOf(withExecution(walk, { returnValueXdr: "AAAAAAAAAAE=" }));
    expect(verdict.kind).toBe("equivalent");
    expect(verdict.caveats).toMatchObject([{ kind: "events" }]);
    expect(verdict.caveats[0]?.detail).toContain("return value");
  });

  test("an assumed input that may explain it makes it inconclusive, with the key", () => {
    const changed = withExecution(walk, { returnValueXdr: "AAAAAAAAAAE=", successHash: "00" });
    const [first, ...others] = walk.snapshot.entries;
    if (first === undefined) throw new Error("no entries");
    const entries = [{ ...first, provenance: ASSUMED }, ...others];
    const verdict = verdictOf(withSnapshot(changed, { entries }));
    expect(verdict.kind).toBe("inconclusive");
    expect(verdict.caveats[0]?.keyXdr).toBe(first.keyXdr);
    expect(verdict.firstDifference).toBeNull();
  });

  test("an unknown key is inconclusive even without a difference", () => {
    const unknown = [{ keyXdr: "AAAA", reason: "no node has it" }];
    const verdict = verdictOf(withSnapshot(walk, { unknown }));
    expect(verdict.kind).toBe("inconclusive");
    expect(verdict.caveats).toContainEqual({
      kind: "unknown",
      keyXdr: "AAAA",
      detail: "no node has it",
    });
  });

  test("different metering is a caveat that names the metric", () => {
    const metrics = { ...walk.execution.metrics, cpu_insn: "1" };
    const verdict = verdictOf(withExecution(walk, { metrics }));
    expect(verdict.kind).toBe("equivalent");
    expect(verdict.caveats[0]).toMatchObject({ kind: "metering" });
    expect(verdict.caveats[0]?.detail).toMatch(
      /^cpu_insn: \d{1,3}(,\d{3})+ in the diagnostic events, 1 in the replay\.$/,
    );
  });

  test("a metric that the replay does not have is a caveat", () => {
    const verdict = verdictOf(withExecution(walk, { metrics: {} }));
    expect(verdict.kind).toBe("equivalent");
  });

  test("different diagnostics with the same error are a caveat, a different error decides nothing", () => {
    const failing = walkOf("contract-error");
    const [first, ...others] = failing.execution.diagnosticsXdr;
    const fewer = verdictOf(withExecution(failing, { diagnosticsXdr: others }));
    expect(fewer.kind).toBe("equivalent");
    expect(fewer.caveats[0]?.kind).toBe("diagnostics");
    const none = verdictOf(withExecution(failing, { diagnosticsXdr: [first ?? ""] }));
    expect(none.kind).toBe("inconclusive");
    expect(none.caveats[0]?.detail).toContain("another error");
    const otherwise = verdictOf(
      withExecution(failing, { diagnosticsXdr: [first ?? ""], changes: [] }),
    );
    expect(otherwise.kind === "diverged").toBe(failing.execution.changes.length > 0);
    const notCollected = verdictOf(withExecution(failing, { diagnosticsXdr: [] }));
    expect(notCollected.kind).toBe("equivalent");
  });

  test("a change on only one side", () => {
    const verdict = verdictOf(withExecution(walk, { changes: walk.execution.changes.slice(1) }));
    expect(verdict.kind).toBe("diverged");
    expect(verdict.firstDifference).toMatchObject({
      subject: "ledger-change",
      item: walk.execution.changes[0]?.keyXdr,
      detail: "Only the chain changed it.",
    });
  });

  test("a TTL before the operation that differs from the replay's input", () => {
    const extended = walkOf("extend-footprint-ttl");
    const entries = extended.snapshot.entries.map((entry) => ({
      ...entry,
      liveUntilLedger: (entry.liveUntilLedger ?? 0) + 1,
    }));
    expect(verdictOf(withSnapshot(extended, { entries })).kind).toBe("diverged");
  });
});

describe("a refund that could not be paid", () => {
  const walk = walkOf("sac-transfer");
  const chain = readChain(walk.record);
  const taken = chain.feeTakenStroops ?? "";
  const unpaid = {
    ...chain,
    refundStroops: "0",
    result: { ...chain.result, feeChargedStroops: taken },
  };
  const refundOf = (facts: ChainFacts) =>
    compareFees(facts, walk.record, walk.execution).find(({ subject }) => subject === "refund");

  test("is not a difference when the chain charged the full fee", () => {
    expect(refundOf(unpaid)).toMatchObject({ result: "equal", chain: "0" });
    expect(refundOf(unpaid)?.detail).toContain("due but not paid");
  });

  test("is a difference when the chain used more", () => {
    const fees = { nonRefundableStroops: "1", refundableStroops: "1", rentStroops: "1" };
    const meta = chain.meta === null ? null : { ...chain.meta, sorobanFees: fees };
    expect(refundOf({ ...unpaid, meta })?.result).toBe("different");
  });

  test("is a difference when the charge is less than the fee taken", () => {
    expect(refundOf({ ...chain, refundStroops: "0" })?.result).toBe("different");
  });

  test("is part of the simulator's request", () => {
    expect(readChain(walk.record).refundIsPaid).toBe(true);
    const failing = walkOf("contract-error").record;
    expect(readChain(failing).refundIsPaid).toBe(true);
  });
});

describe("a source that contradicts itself about fees", () => {
  const walk = walkOf("sac-transfer");

  test("is the cause, and not a refund that could not be paid or the network's settings", () => {
    const lie = { ...walk.record, refundChangesXdr: NO_CHANGES };
    const { likelyCause: cause } = judge(opened({ record: lie }), walk.snapshot, walk.execution);
    expect(cause).toStartWith("The source contradicts itself");
    expect(cause).toContain("and 0 refunded");
  });

  test("is none where a fee-bump of protocol 20 shows the fee before the refund", () => {
    const chain = readChain(walk.record);
    const facts = (protocolVersion: number): ChainFacts => ({
      ...chain,
      protocolVersion,
      feeTakenStroops: chain.result.feeChargedStroops,
      refundStroops: "7",
      result: { ...chain.result, innerHash: "00".repeat(32) },
    });
    const cause = (protocolVersion: number) =>
      likelyCause(facts(protocolVersion), walk.execution, []);
    expect(cause(20)).not.toContain("contradicts itself");
    expect(cause(21)).toStartWith("The source contradicts itself");
  });

  test("a part of the fee that the sum refutes is the meta's", () => {
    const chain = readChain(walk.record);
    const { meta } = chain;
    const sorobanFees = meta?.sorobanFees && { ...meta.sorobanFees, rentStroops: "7" };
    const forged = { ...chain, meta: meta && { ...meta, sorobanFees: sorobanFees ?? null } };
    const differences = compareFees(forged, walk.record, walk.execution).filter(
      ({ result }) => result === "different",
    );
    const cause = (isChargedEqual: boolean) =>
      likelyCause(forged, walk.execution, differences, { isChargedEqual });
    expect(differences.map(({ item }) => item)).toEqual(["rent"]);
    expect(cause(true)).toContain("the parts of it that the meta names are wrong");
    expect(cause(false)).toContain("settings for rent and TTL");
  });
});

describe("fees that cannot be are of other settings", () => {
  const walk = walkOf("sac-transfer");
  const causeOf = ({ record, snapshot, execution }: Walk) =>
    judge(opened({ record }), snapshot, execution).likelyCause;
  const failing = {
    operationResultXdr: "AAAAAAAAABj////7",
    outcome: {
      kind: "failed",
      operation: "invokeHostFunction",
      code: "insufficientRefundableFee",
    },
  } as unknown as Partial<Execution>;

  test("a refund below zero: the declared resources cost more than the declared fee", () => {
    const fees = { ...walk.execution.fees, refundStroops: "-1" };
    const cause = "The network settings for fees are not those of this ledger";
    expect(causeOf(withExecution(walk, { fees }))).toStartWith(cause);
    expect(causeOf(withExecution(walk, { ...failing, fees }))).toStartWith(cause);
  });

  test("too little for rent and events, where the chain's was enough", () => {
    expect(causeOf(withExecution(walk, failing))).toStartWith(
      "The network settings for fees and rent, or an entry or its TTL, are not",
    );
  });
});

test("other bytes read of the same keys are of an entry that had another size, no metering", () => {
  const walk = walkOf("sac-transfer");
  const other = (changes: Readonly<Record<string, string>>) => {
    const metrics = { ...walk.execution.metrics, ...changes };
    return verdictOf(withExecution(walk, { metrics }));
  };
  const { kind, caveats } = other({ read_data_byte: "7" });
  expect([kind, caveats.map((each) => each.kind)]).toEqual(["equivalent", ["assumed"]]);
  expect(caveats[0]?.detail).toContain("had another size");
  expect(caveats[0]?.detail).toContain("7 in the replay");
  const keysToo = other({ read_data_byte: "7", read_key_byte: "7" });
  expect(keysToo.caveats.map((each) => each.kind)).toEqual(["metering", "metering"]);
});

test("metrics without other diagnostic events show no error, and none is compared", () => {
  const walk = walkOf("contract-error");
  const chain = readChain(walk.record);
  const diagnosticsXdr = chain.diagnosticsXdr.filter(isCoreMetric);
  expect(diagnosticsXdr.length).toBeGreaterThan(0);
  const metrics = { ...chain, diagnosticsXdr, hostDiagnosticsXdr: [] };
  const [error] = compareDiagnostics(metrics, walk.execution);
  expect(error).toMatchObject({ subject: "diagnostic-error", result: "unavailable" });
  expect(error?.detail).toBe("The node reported no diagnostic events.");
});

describe("a TTL from a later ledger", () => {
  const provisional = (walk: Walk) => {
    const entries = walk.snapshot.entries.map((entry) =>
      isSorobanKey(entry.keyXdr) ? { ...entry, provisional: "ttl-unchanged" as const } : entry,
    );
    return verdictOf(withSnapshot(walk, { entries }));
  };

  test("does not matter for an entry that is only read", () => {
    expect(provisional(walkOf("contract-error")).kind).toBe("exact");
    expect(provisional(walkOf("try-call-catches-callee-failure")).kind).toBe("exact");
  });

  test("cannot matter to what is written at its size, with the TTL that it had", () => {
    expect(provisional(walkOf("sac-transfer")).kind).toBe("exact");
  });

  test("is an assumption for what is extended or ran out of its fee", () => {
    expect(provisional(walkOf("temporary-entry-created")).kind).toBe("equivalent");
    expect(provisional(walkOf("extend-footprint-ttl")).kind).toBe("equivalent");
    expect(provisional(walkOf("insufficient-refundable-fee")).kind).toBe("equivalent");
  });
});

describe("a transaction without a verdict of its own", () => {
  test("one that was refused before the host", () => {
    const walk = walkOf("contract-error");
    // feeCharged 100, txBAD_SEQ, no extension.
    const resultXdr = "AAAAAAAAAGT////7AAAAAA==";
    const verdict = judge(
      opened({ record: { ...walk.record, resultXdr } }),
      walk.snapshot,
      walk.execution,
    );
    expect(verdict.kind).toBe("inconclusive");
    expect(verdict.caveats[0]?.detail).toContain("txBadSeq");
  });

  test("the execution of another transaction is an internal error", () => {
    const walk = withExecution(walkOf("contract-error"), { transactionHash: "00".repeat(32) });
    expect(() => verdictOf(walk)).toThrow(SvcError);
  });
});

function withExecution(walk: Walk, changes: Partial<Execution>): Walk {
  return { ...walk, execution: { ...walk.execution, ...changes } };
}

function withSnapshot(walk: Walk, changes: Partial<Snapshot>): Walk {
  return { ...walk, snapshot: { ...walk.snapshot, ...changes } };
}

function assumed(field: "provenance" | "ttlProvenance") {
  return (entry: Snapshot["entries"][number]) => ({ ...entry, [field]: ASSUMED });
}

test("a fee that is not the sum of its equal parts is no matter of network settings", () => {
  const walk = walkOf("sac-transfer");
  const chain = readChain(walk.record);
  const { result } = chain;
  const charged = String(BigInt(result.feeChargedStroops) + 1n);
  const forged = {
    ...chain,
    refundStroops: null,
    result: { ...result, feeChargedStroops: charged },
  };
  const differences = compareFees(forged, walk.record, walk.execution).filter(
    (each) => each.result === "different" && each.subject !== "fee-events",
  );
  expect(differences.map(({ subject }) => subject)).toEqual(["fee-charged"]);
  expect(likelyCause(forged, walk.execution, differences)).toContain("not their sum");
});

describe("a verdict has", () => {
  const walk = walkOf("sac-transfer");
  const served = { kind: "rpc-unchanged", detail: "a node has it" } as const;
  const [first, ...others] = walk.snapshot.entries as [SnapshotEntry];
  const byNode = {
    ...walk,
    snapshot: { ...walk.snapshot, entries: [{ ...first, provenance: served }, ...others] },
  };
  const otherFee = (each: Walk) => {
    const fees = { ...each.execution.fees, rentStroops: "7" };
    return withExecution(each, { fees, returnValueXdr: "AAAAAAAAAAE=", successHash: "00" });
  };

  test("the comparisons in their order, and nothing of a divergence where there is none", () => {
    const { comparisons, likelyCause, firstDifference, unconfirmed } = verdictOf(walk);
    const subjects = [...new Set(comparisons.map(({ subject }) => subject))];
    expect(subjects).toEqual([
      ...(["operation-result", "success-hash", "return-value", "events", "ledger-change"] as const),
      ...(["fee-charged", "resource-fee", "refund", "fee-events", "transaction-result"] as const),
      ...(["diagnostic-error", "diagnostic-events", "core-metric"] as const),
    ]);
    expect([likelyCause, firstDifference]).toEqual([null, null]);
    expect(unconfirmed).toEqual({ record: [], entries: 0, settings: 0 });
  });

  test("the cause of a divergence, which says whether state was served", () => {
    expect(verdictOf(otherFee(walk))).toMatchObject({
      ...{ kind: "diverged", likelyCause: expect.stringContaining("All inputs are known") },
      firstDifference: { subject: "success-hash" },
    });
    const setting = { name: "CONFIG_SETTING_X", entryXdr: "AAAA", provenance: served };
    const settings = { ...walk, snapshot: { ...walk.snapshot, settings: [setting] } };
    for (const each of [byNode, settings]) {
      const { likelyCause, unconfirmed } = verdictOf(otherFee(each));
      expect(likelyCause).toStartWith("Either the metas or the state that was served is wrong");
      expect(unconfirmed.entries + unconfirmed.settings).toBe(1);
    }
    // Parts of the fee alone, where the charge was compared and is equal.
    const fees = { ...walk.execution.fees, rentStroops: "7" };
    expect(verdictOf(withExecution(walk, { fees })).likelyCause).toBe(
      "The fee charged is equal: the parts of it that the meta names are wrong.",
    );
  });

  test("no cause where an input that is assumed may explain the difference", () => {
    const assumedEntry = {
      ...walk,
      snapshot: { ...walk.snapshot, entries: [{ ...first, provenance: ASSUMED }, ...others] },
    };
    expect(verdictOf(otherFee(assumedEntry))).toMatchObject({
      ...{ kind: "inconclusive", likelyCause: null, firstDifference: null },
    });
  });

  test("the error of a node that ends otherwise as unknown, and only where nothing else differs", () => {
    const failing = walkOf("contract-error");
    const [event = ""] = failing.execution.diagnosticsXdr;
    const otherwise = withExecution(failing, { diagnosticsXdr: [event] });
    const { kind, caveats } = verdictOf(otherwise);
    const about = {
      ...{ kind: "unknown", keyXdr: null },
      detail:
        "The node's diagnostic events end with another error than the replay, or with other values of " +
        "it. They are not part of the ledger, where everything is equal.",
    } as const;
    expect([kind, caveats[0]]).toEqual(["inconclusive", about] as never);
    // Beside a difference of the ledger it is one of several.
    const fees = { ...failing.execution.fees, rentStroops: "7" };
    const both = verdictOf(withExecution(otherwise, { fees }));
    expect([both.kind, both.caveats.filter((each) => each.kind === "unknown")]).toEqual([
      "diverged",
      [],
    ]);
    // Where an input is assumed, that says enough.
    const [one, ...more] = failing.snapshot.entries as [SnapshotEntry];
    const entries = [{ ...one, provenance: ASSUMED }, ...more];
    const assumedToo = verdictOf(withSnapshot(otherwise, { entries }));
    expect([assumedToo.kind, assumedToo.caveats.map((each) => each.kind)]).toEqual([
      "inconclusive",
      ["assumed", "diagnostics"],
    ]);
  });

  test("one caveat for an entry that a node left out, and none for its assumption", () => {
    const entries = [...walk.snapshot.entries, absentByNode()];
    const changed = withExecution(withSnapshot(walk, { entries }), { successHash: "00" });
    const { kind, caveats } = verdictOf(changed);
    expect(kind).toBe("inconclusive");
    expect(caveats.filter(({ keyXdr }) => keyXdr === absentByNode().keyXdr)).toEqual([
      {
        ...{ kind: "assumed", keyXdr: absentByNode().keyXdr },
        detail: "no node has it; it may have been there, because the replay differs from the chain",
      },
    ]);
    // Where nothing differs, the node's word stays an unconfirmed input.
    const same = verdictOf(withSnapshot(walk, { entries }));
    expect([same.kind, same.caveats, same.unconfirmed.entries]).toEqual(["exact", [], 1]);
  });

  test("one caveat for an entry that the replay missed, also if it is assumed", () => {
    const failing = walkOf("contract-error");
    const keyXdr = dataKeyOf("absent");
    const absent = { ...absentByNode(), keyXdr, provenance: ASSUMED };
    const entries = [...failing.snapshot.entries, absent];
    const { kind, caveats } = verdictOf(
      withExecution(withSnapshot(failing, { entries }), {
        ...{ operationResultXdr: "AAAA", diagnosticsXdr: [] },
        hostError: { type: "Storage", code: "MissingValue", contractCode: null } as never,
      }),
    );
    expect([kind, caveats.filter((each) => each.keyXdr === keyXdr)]).toEqual([
      "inconclusive",
      [
        {
          ...{ kind: "unknown", keyXdr },
          detail: "svc ran without it, although the chain had it (no source has it)",
        },
      ],
    ] as never);
  });

  test("no decision about events that the success hash covers", () => {
    const [event = ""] = walk.execution.eventsXdr;
    const more = withExecution(walk, { eventsXdr: [...walk.execution.eventsXdr, event] });
    const { kind, caveats } = verdictOf(more);
    expect([kind, caveats.map((each) => each.kind)]).toEqual(["equivalent", ["events"]]);
    expect(verdictOf(withExecution(more, { successHash: "00" })).kind).toBe("diverged");
  });

  test("no word of an equal charge where the charge was not compared", () => {
    const { meta } = readChain(walk.record);
    const silent = meta && { ...meta, transactionEventsXdr: [] };
    const chain = { ...readChain(walk.record), meta: silent, feeTakenStroops: null };
    const fees = { ...walk.execution.fees, rentStroops: "7" };
    const { execution } = withExecution(walk, { fees, resultXdr: null });
    const { comparisons, likelyCause } = judge(
      { record: walk.record, chain } as never,
      walk.snapshot,
      execution,
    );
    expect(comparisons.find(({ subject }) => subject === "fee-charged")?.result).toBe(
      "unavailable",
    );
    expect(likelyCause).toStartWith("The network settings for rent and TTL");
  });

  test("of one that never ran, what a capsule claims", () => {
    const { record } = walkOf("contract-error");
    // feeCharged 100, txBAD_SEQ, no extension.
    const refused = { ...record, resultXdr: "AAAAAAAAAGT////7AAAAAA==" };
    const of = (claimed?: ChainRecord["claimed"]) =>
      judge(opened({ record: claimed ? { ...refused, claimed } : refused }), walk.snapshot, {
        ...walk.execution,
        transactionHash: record.hash,
      });
    expect(of()).toEqual({
      ...{ kind: "inconclusive", comparisons: [], firstDifference: null, likelyCause: null },
      unconfirmed: { record: [], entries: 0, settings: 0 },
      caveats: [
        {
          ...{ kind: "not-compared", keyXdr: null },
          detail: "The transaction was refused (txBadSeq) before its operation ran.",
        },
      ],
    });
    const claimed = { parts: ["meta"] } as unknown as NonNullable<ChainRecord["claimed"]>;
    expect(of(claimed).unconfirmed.record).toEqual(["meta"] as never);
  });

  test("of another transaction, its two hashes", () => {
    const other = withExecution(walk, { transactionHash: "00".repeat(32) });
    expect(() => verdictOf(other)).toThrow(
      `The verdict is about ${walk.record.hash}, but ${"00".repeat(32)} was run.`,
    );
  });

  function absentByNode(): SnapshotEntry {
    const provenance = { kind: "rpc-unchanged", detail: "no node has it" } as const;
    const ttl = { liveUntilLedger: null, ttlProvenance: null, archived: false };
    return { ...first, ...ttl, keyXdr: dataKeyOf("absent"), entryXdr: null, provenance };
  }
});
