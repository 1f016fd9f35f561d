// Each comparison with all that either side can have, row by row: what it says, of which values, and
// in which words.

import { describe, expect, test } from "bun:test";
import { nameDifference } from "../../src/explain/naming/named-values.ts";
import type { Execution, LedgerChange } from "../../src/model/execution.ts";
import type { Comparison } from "../../src/model/verdict.ts";
import { compareTexts, notCompared } from "../../src/verdict/compare.ts";
import { compareCoreMetrics, otherSizes, sizeCaveat } from "../../src/verdict/core-metrics.ts";
import { compareDiagnostics } from "../../src/verdict/diagnostics.ts";
import { compareEvents } from "../../src/verdict/events.ts";
import { compareFees } from "../../src/verdict/fees.ts";
import { compareLedgerChanges, isTtlKey } from "../../src/verdict/ledger-changes.ts";
import {
  compareOperationResult,
  compareTransactionResult,
} from "../../src/verdict/operation-result.ts";
import { compareReturnValue } from "../../src/verdict/return-value.ts";
import { feeSourceKeyOf } from "../../src/xdr/envelope/envelope-facts.ts";
import { type ChainFacts, readChain } from "../../src/xdr/outcome/chain-facts.ts";
import { isCoreMetric } from "../../src/xdr/outcome/diagnostics.ts";
import { feeEventsXdr } from "../../src/xdr/outcome/fee-events.ts";
import { ttlKeyOf } from "../../src/xdr/reader/keys.ts";
import { decode, encode } from "../../src/xdr/reader/value.ts";
import { accountOf, dataKeyOf, dataOf, ttlOf } from "../support/ledger-entries.ts";
import { walkOf } from "./protocol-walk.ts";

const walk = walkOf("sac-transfer");
const { record, snapshot, execution } = walk;
const chain = readChain(record);
const meta = chain.meta as NonNullable<ChainFacts["meta"]>;

const ofChain = (changes: Partial<ChainFacts>): ChainFacts => ({ ...chain, ...changes });
const ofResult = (changes: Partial<ChainFacts["result"]>) =>
  ofChain({ result: { ...chain.result, ...changes } });
const ofRun = (changes: Partial<Execution>): Execution => ({ ...execution, ...changes });
/** Without the subject, and with the detail only where there is one. */
const rows = (comparisons: readonly Comparison[]) =>
  comparisons.map(({ item, result, chain, replay, detail }) =>
    [item, result, chain, replay, detail].filter((_, at) => at < 4 || detail !== null),
  );

test("the two forms of a comparison", () => {
  const facts = { subject: "refund", item: "x" } as const;
  const equal = { ...facts, result: "equal", chain: "1", replay: "1", detail: null };
  expect(compareTexts("refund", "x", "1", "1")).toEqual(equal as never);
  const different = { ...facts, result: "different", chain: "1", replay: null, detail: "why" };
  expect(compareTexts("refund", "x", "1", null, "why")).toEqual(different as never);
  expect(compareTexts("refund", "x", null, null).result).toBe("equal");
  expect(notCompared("refund", "why")).toEqual({
    ...{ subject: "refund", item: null, result: "unavailable" },
    ...{ chain: null, replay: null, detail: "why" },
  });
  expect(notCompared("refund", "why", { chain: "1", replay: "2" })).toMatchObject({
    ...{ chain: "1", replay: "2" },
  });
});

/** Each value is XDR of that type, unless the comparison says that it is a plain text. */
function expectForms(comparisons: readonly Comparison[], type: "LedgerEntry" | "OperationResult") {
  for (const comparison of comparisons) {
    const { plain = [] } = comparison;
    const named = nameDifference(comparison);
    for (const side of ["chain", "replay"] as const) {
      const value = comparison[side];
      if (value === null) expect(named?.[side]).toBe("nothing");
      else if (plain.includes(side)) expect(named?.[side]).toBe(value);
      else
        expect([encode(type, decode(type, value)), named?.[side] === value]).toEqual([
          value,
          false,
        ]);
    }
  }
}

describe("the operation's result", () => {
  const of = (facts: ChainFacts, run: Execution) =>
    compareOperationResult(facts, run).map(({ subject, result, chain, replay }) => [
      ...[subject, result, chain, replay],
    ]);
  const [own] = chain.result.operationResultsXdr;
  const hash = chain.result.successHash;

  test("is that of the first operation, beside the success hash if there is one on either side", () => {
    expect(hash).toBeString();
    const equal = ["operation-result", "equal", own, own];
    expect(of(chain, execution)).toEqual([equal, ["success-hash", "equal", hash, hash]] as never);
    const without = ofResult({ successHash: null });
    const none = ofRun({ successHash: null });
    expect(of(without, none)).toEqual([equal] as never);
    expect(of(without, execution)).toEqual([
      equal,
      ["success-hash", "different", null, hash],
    ] as never);
    expect(of(chain, none)).toEqual([equal, ["success-hash", "different", hash, null]] as never);
  });

  test("is the transaction's code where no operation has one", () => {
    const internal = ofRun({
      outcome: { kind: "internal_error", message: "x" },
      successHash: null,
    });
    const codes = { operationResultsXdr: [], successHash: null, code: "txInternalError" };
    const row = (result: string, onChain: string) => [
      ["operation-result", result, onChain, "txInternalError"],
    ];
    expect(of(ofResult({ ...codes, innerCode: null }), internal)).toEqual(
      row("equal", "txInternalError") as never,
    );
    expect(of(ofResult({ ...codes, innerCode: "txFailed" }), internal)).toEqual(
      row("different", "txFailed") as never,
    );
    expect(of(chain, ofRun({ operationResultXdr: "AAAA" }))[0]).toEqual([
      ...["operation-result", "different", own, "AAAA"],
    ] as never);
    // One side can have a result, and the other one a code.
    for (const facts of [chain, ofResult({ ...codes, innerCode: null })])
      for (const run of [execution, internal])
        expectForms(compareOperationResult(facts, run).slice(0, 1), "OperationResult");
  });
});

describe("the transaction's result", () => {
  const of = (facts: ChainFacts, run: Execution, innerHash: string | null = null) =>
    compareTransactionResult(facts, { ...record, innerHash }, run);
  const UNKNOWN = [
    ...[null, "unavailable", chain.resultXdr, null],
    "The fee before the refund is unknown, so the replay has no complete result. Its parts are compared.",
  ];

  test("is compared whole where the replay has it", () => {
    const whole = ofRun({ resultXdr: chain.resultXdr });
    expect(of(chain, whole)).toEqual([
      compareTexts("transaction-result", null, chain.resultXdr, chain.resultXdr),
    ]);
    expect(rows(of(chain, ofRun({ resultXdr: "AAAA" })))).toEqual([
      [null, "different", chain.resultXdr, "AAAA"],
    ]);
  });

  test.each([
    ["success", "txSuccess", "txFeeBumpInnerSuccess"],
    ["failed", "txFailed", "txFeeBumpInnerFailed"],
    ["internal_error", "txInternalError", "txFeeBumpInnerFailed"],
  ])("of a replay that ended with %s is compared by its parts", (kind, code, outer) => {
    const run = ofRun({ resultXdr: null, outcome: { kind } as never });
    const facts = ofResult({ code, innerCode: null, innerHash: null });
    expect(rows(of(facts, run))).toEqual([UNKNOWN, ["code", "equal", code, code]]);
    const bump = ofResult({ code: outer, innerCode: code, innerHash: "ab" });
    expect(rows(of(bump, run, "ab"))).toEqual([
      UNKNOWN,
      ["code", "equal", code, code],
      ["fee-bump code", "equal", outer, outer],
      ["inner hash", "equal", "ab", "ab"],
    ]);
    expect(of(bump, run, null).map(({ result }) => result)).toEqual([
      ...(["unavailable", "equal", "equal", "different"] as const),
    ]);
    const noBump = ofResult({ code, innerCode: null, innerHash: null });
    expect(rows(of(noBump, run, "ab")).slice(1)).toEqual([
      ["code", "equal", code, code],
      ["fee-bump code", "different", code, outer],
      ["inner hash", "different", null, "ab"],
    ]);
  });
});

describe("the return value", () => {
  const other = ofRun({ returnValueXdr: "AAAAAAAAAAE=" });
  const own = execution.returnValueXdr;

  test("is compared for an invocation that succeeded, and for nothing else", () => {
    expect(rows(compareReturnValue(chain, execution))).toEqual([[null, "equal", own, own]]);
    const operation = "restore_footprint";
    expect(compareReturnValue(chain, ofRun({ operation }))).toEqual([]);
    expect(compareReturnValue(ofResult({ success: false }), execution)).toEqual([]);
  });

  test("is covered by the success hash where the meta is missing, or was rewritten", () => {
    expect(rows(compareReturnValue(ofChain({ meta: null }), execution))).toEqual([
      [
        ...[null, "unavailable", null, own],
        "No source had the meta. The success hash covers the return value.",
      ],
    ]);
    const differs = [null, "different", own, "AAAAAAAAAAE="];
    expect(rows(compareReturnValue(chain, other))).toEqual([
      [
        ...differs,
        "The meta's return value differs, but the success hash, which covers it, is equal: the meta was rewritten.",
      ],
    ]);
    expect(rows(compareReturnValue(chain, { ...other, successHash: "00" }))).toEqual([differs]);
    const unhashed = ofResult({ successHash: null });
    expect(rows(compareReturnValue(unhashed, { ...other, successHash: null }))).toEqual([differs]);
  });
});

describe("events", () => {
  const [event = ""] = execution.eventsXdr;
  const of = (onChain: readonly string[] | null, replayed: readonly string[], hash?: string) => {
    const facts = ofChain({ meta: onChain === null ? null : { ...meta, eventsXdr: onChain } });
    const run = ofRun({
      eventsXdr: [...replayed],
      successHash: hash ?? execution.successHash,
    });
    return rows(compareEvents(facts, run));
  };

  test("are compared one by one, or by their number where there are none", () => {
    expect(of([event], [event])).toEqual([["0", "equal", event, event]]);
    expect(of([], [])).toEqual([[null, "equal", "0", "0", "Neither run emitted an event."]]);
    expect(of(null, [event])).toEqual([
      [
        ...[null, "unavailable", null, null],
        "No source had the meta. The success hash covers the events.",
      ],
    ]);
    expect(of([event, "AAAA"], [event], "00")).toEqual([
      ["0", "equal", event, event],
      ["1", "different", "AAAA", null],
    ]);
    expect(of([], [event], "00")).toEqual([["0", "different", null, event]]);
  });

  test("that the success hash contradicts are the meta's fault, and equal ones stay equal", () => {
    const [, blamed] = of([event], [event, event]);
    expect(of([event], [event, event])[0]).toEqual(["0", "equal", event, event]);
    expect(blamed).toEqual([
      ...["1", "different", null, event],
      "The meta's copy of the event differs, but the success hash, which covers the events, is equal: the meta was rewritten.",
    ]);
  });
});

describe("ledger changes", () => {
  const key = dataKeyOf("p0");
  const ttlKey = ttlKeyOf(key);
  const [before, after] = [dataOf(key, 1, 5), dataOf(key, 2, 6)];
  type Change = { kind: string; keyXdr: string; entryXdr: string | null };
  const onChain = (...changes: readonly Change[]) =>
    ofChain({ meta: { ...meta, operationChanges: [changes] as never } });
  const inRun = (...changes: readonly LedgerChange[]) => ofRun({ changes: [...changes] });
  const state = (entryXdr: string, keyXdr = key) => ({ kind: "state", keyXdr, entryXdr });
  const updated = (entryXdr: string | null, keyXdr = key) => ({
    ...{ kind: "updated", keyXdr, entryXdr },
  });
  const change = (changes: Partial<LedgerChange> = {}): LedgerChange => ({
    ...{ kind: "updated", keyXdr: key, beforeXdr: before, afterXdr: after },
    ...changes,
  });
  const withTtl = (keyXdr: string, liveUntilLedger: number | null) => ({
    ...snapshot,
    entries: [{ ...snapshot.entries[0], keyXdr, liveUntilLedger }] as never,
  });
  const of = (facts: ChainFacts, run: Execution, state = snapshot) => {
    const comparisons = compareLedgerChanges(facts, state, run);
    expectForms(comparisons, "LedgerEntry");
    return rows(comparisons);
  };

  test("are compared by key: the value after, the value before, the kind", () => {
    const chain = onChain(state(before), updated(after));
    expect(of(chain, inRun(change()))).toEqual([[key, "equal", after, after]]);
    const otherwise = dataOf(key, 3, 6);
    expect(of(chain, inRun(change({ afterXdr: otherwise })))).toEqual([
      [key, "different", after, otherwise, "The values after the operation differ."],
    ]);
    expect(of(chain, inRun(change({ beforeXdr: otherwise })))).toEqual([
      [key, "different", before, otherwise, "The values before the operation differ."],
    ]);
    expect(of(chain, inRun(change({ beforeXdr: null })))).toEqual([
      [key, "different", before, null, "The values before the operation differ."],
    ]);
    expect(of(chain, inRun(change({ kind: "restored" })))).toEqual([
      [key, "different", "updated", "restored", "The kinds of change differ."],
    ]);
  });

  test("without the state before in the meta differ, unless the entry is new", () => {
    const without = "The meta does not have the state before the change.";
    const ofNone = change({ beforeXdr: null });
    expect(of(onChain(updated(after)), inRun(ofNone))).toEqual([
      [key, "different", null, "updated", without],
    ]);
    const removed = { kind: "removed", keyXdr: key, entryXdr: null };
    const gone = change({ kind: "removed", beforeXdr: null, afterXdr: null });
    expect(of(onChain(removed), inRun(gone))).toEqual([
      [key, "different", null, "removed", without],
    ]);
    for (const kind of ["created", "restored"] as const) {
      const onIts = onChain({ kind, keyXdr: key, entryXdr: after });
      expect(of(onIts, inRun(change({ kind, beforeXdr: null })))).toEqual([
        [key, "equal", after, after],
      ]);
    }
    const other = onChain({ kind: "created", keyXdr: key, entryXdr: after });
    expect(of(other, inRun(ofNone))).toEqual([
      [key, "different", "created", "updated", "The kinds of change differ."],
    ]);
  });

  test("on one side alone show what they left, or what kind they are", () => {
    const chain = onChain(state(before), updated(after));
    expect(of(chain, inRun())).toEqual([
      [key, "different", after, null, "Only the chain changed it."],
    ]);
    expect(of(onChain(), inRun(change()))).toEqual([
      [key, "different", null, after, "Only the replay changed it."],
    ]);
    const removed = { kind: "removed", keyXdr: key, entryXdr: null };
    expect(of(onChain(state(before), removed), inRun())).toEqual([
      [key, "different", "removed", null, "Only the chain changed it."],
    ]);
    const gone = change({ kind: "removed", afterXdr: null });
    expect(of(onChain(), inRun(gone))).toEqual([
      [key, "different", null, "removed", "Only the replay changed it."],
    ]);
    expect(of(onChain(), inRun())).toEqual([
      [null, "equal", "0", "0", "Neither run changed the ledger."],
    ]);
    expect(of(ofChain({ meta: null }), inRun())).toEqual([
      [null, "unavailable", null, null, "No source had the meta, which has the changes."],
    ]);
  });

  test("of a key that the replay reports twice differ by their number", () => {
    const chain = onChain(state(before), updated(after));
    expect(of(chain, inRun(change(), change()))).toEqual([
      [key, "equal", after, after],
      [null, "different", "1", "2", "The replay reports a key twice."],
    ]);
  });

  test("of a TTL are compared with the snapshot, since the replay has no entry before", () => {
    const [ttlBefore, ttlAfter] = [ttlOf(key, 100, 4), ttlOf(key, 200, 6)];
    const chain = onChain(state(ttlBefore, ttlKey), updated(ttlAfter, ttlKey));
    const run = inRun(change({ keyXdr: ttlKey, beforeXdr: null, afterXdr: ttlAfter }));
    const equal = [ttlKey, "equal", ttlAfter, ttlAfter];
    const withLedger = (ledger: number | null) => of(chain, run, withTtl(key, ledger));
    const about = "The TTL before the operation.";
    expect(withLedger(100)).toEqual([equal, [ttlKey, "equal", "100", "100", about]]);
    expect(withLedger(101)).toEqual([equal, [ttlKey, "different", "100", "101", about]]);
    expect(withLedger(null)).toEqual([equal]);
    expect(of(chain, run, withTtl(dataKeyOf("p1"), 100))).toEqual([equal]);
    // The replay may have the entry before, which then counts.
    const otherTtl = ttlOf(key, 99, 4);
    const known = inRun(change({ keyXdr: ttlKey, beforeXdr: otherTtl, afterXdr: ttlAfter }));
    expect(of(chain, known, withTtl(key, 100))).toEqual([
      [ttlKey, "different", ttlBefore, otherTtl, "The values before the operation differ."],
    ]);
    // What differs already, or was not there before, is not compared a second time.
    const longer = ttlOf(key, 300, 6);
    const differs = inRun(change({ keyXdr: ttlKey, beforeXdr: null, afterXdr: longer }));
    expect(of(chain, differs, withTtl(key, 100))).toHaveLength(1);
    const created = onChain({ kind: "created", keyXdr: ttlKey, entryXdr: ttlAfter });
    const made = change({ kind: "created", keyXdr: ttlKey, beforeXdr: null, afterXdr: ttlAfter });
    expect(of(created, inRun(made), withTtl(key, 100))).toEqual([equal]);
    const removed = onChain(state(ttlBefore, ttlKey), {
      kind: "removed",
      keyXdr: ttlKey,
      entryXdr: null,
    });
    const gone = change({ kind: "removed", keyXdr: ttlKey, beforeXdr: null, afterXdr: null });
    expect(of(removed, inRun(gone), withTtl(key, 100))).toEqual([[ttlKey, "equal", null, null]]);
    // An updated entry that is no TTL has none of its own.
    expect(of(onChain(state(before), updated(after)), inRun(change()), withTtl(key, 7))).toEqual([
      [key, "equal", after, after],
    ]);
  });

  test("a key is that of a TTL by its type", () => {
    expect([ttlKey, key, accountOf(1).key].map(isTtlKey)).toEqual([true, false, false]);
  });
});

describe("fees", () => {
  const of = (facts: ChainFacts, run: Execution, subject?: Comparison["subject"]) =>
    compareFees(facts, record, run).filter((each) => !subject || each.subject === subject);
  const charged = chain.result.feeChargedStroops;
  const taken = chain.feeTakenStroops as string;
  const { fees } = execution;
  const incomplete = ofRun({ resultXdr: null });

  test("charged is that of the replay's result, or of the fee phase less the refund", () => {
    expect(rows(of(chain, incomplete, "fee-charged"))).toEqual([[null, "equal", charged, charged]]);
    const more = ofChain({ feeTakenStroops: String(BigInt(taken) + 1n) });
    expect(rows(of(more, incomplete, "fee-charged"))).toEqual([
      [null, "different", charged, String(BigInt(charged) + 1n)],
    ]);
    expect(rows(of(ofChain({ feeTakenStroops: null }), incomplete, "fee-charged"))).toEqual([
      [
        ...[null, "unavailable", charged, null],
        "No source had the fee phase, so the fee before the refund is unknown.",
      ],
    ]);
    // The replay's own result counts, whatever the fee phase says.
    const whole = ofRun({ resultXdr: chain.resultXdr });
    expect(rows(of(more, whole, "fee-charged"))).toEqual([[null, "equal", charged, charged]]);
  });

  test("for resources are compared part by part", () => {
    const { sorobanFees } = meta;
    const part = (item: string, onChain?: string, replayed = onChain) => [
      ...[item, onChain === replayed ? "equal" : "different", onChain, replayed],
    ];
    const expected = [
      part("non-refundable", sorobanFees?.nonRefundableStroops),
      part("refundable", sorobanFees?.refundableStroops),
      part("rent", sorobanFees?.rentStroops),
    ];
    expect(rows(of(chain, execution, "resource-fee"))).toEqual(expected as never);
    const other = ofRun({
      fees: {
        ...fees,
        ...{ nonRefundableStroops: "1", refundableConsumedStroops: "2", rentStroops: "3" },
      },
    });
    expect(rows(of(chain, other, "resource-fee"))).toEqual([
      part("non-refundable", sorobanFees?.nonRefundableStroops, "1"),
      part("refundable", sorobanFees?.refundableStroops, "2"),
      part("rent", sorobanFees?.rentStroops, "3"),
    ] as never);
    const none = [
      [null, "unavailable", null, null, "The meta does not have the parts of the resource fee."],
    ];
    const without = ofChain({ meta: { ...meta, sorobanFees: null } });
    expect(rows(of(without, execution, "resource-fee"))).toEqual(none);
    expect(rows(of(ofChain({ meta: null }), execution, "resource-fee"))).toEqual(none);
  });

  test("refunded are equal, unavailable, or due and not paid", () => {
    const { refundStroops } = fees;
    const refund = (facts: ChainFacts, run = execution) => rows(of(facts, run, "refund"));
    expect(refund(chain)).toEqual([[null, "equal", refundStroops, refundStroops]]);
    expect(refund(ofChain({ refundStroops: null }))).toEqual([
      [
        ...[null, "unavailable", null, refundStroops],
        "No source had the refund phase. The refund is part of the fee charged.",
      ],
    ]);
    const unpaid = { refundStroops: "0", result: { ...chain.result, feeChargedStroops: taken } };
    const due = [
      ...[null, "equal", "0", refundStroops],
      "The refund was due but not paid: the fee source was merged, or its balance had no room.",
    ];
    expect(refund(ofChain(unpaid))).toEqual([due]);
    expect(refund(ofChain({ ...unpaid, meta: null }))).toEqual([due]);
    expect(refund(ofChain({ ...unpaid, meta: { ...meta, sorobanFees: null } }))).toEqual([due]);
    // Without a refund on either side, nothing was due.
    const none = ofRun({ fees: { ...fees, refundStroops: "0" } });
    expect(refund(ofChain(unpaid), none)).toEqual([[null, "equal", "0", "0"]]);
    const differs = (onChain: string) => [[null, "different", onChain, refundStroops]];
    expect(refund(ofChain({ ...unpaid, refundStroops: "1" }))).toEqual(differs("1"));
    expect(refund(ofChain({ refundStroops: "0" }))).toEqual(differs("0"));
    const used = { nonRefundableStroops: "1", refundableStroops: "1", rentStroops: "1" };
    expect(refund(ofChain({ ...unpaid, meta: { ...meta, sorobanFees: used } }))).toEqual(
      differs("0"),
    );
  });

  test("in events are those that were taken and refunded", () => {
    const eventsOf = (taken: bigint, refunded: bigint) =>
      feeEventsXdr({
        ...{ networkPassphrase: record.networkPassphrase, taken, refunded },
        protocolVersion: chain.protocolVersion,
        feeSourceKey: feeSourceKeyOf(record.envelopeXdr),
      });
    const { refundStroops } = fees;
    const real = eventsOf(BigInt(charged) + BigInt(refundStroops), BigInt(refundStroops));
    expect(real).toHaveLength(2);
    const events = (transactionEventsXdr: readonly string[], more: Partial<ChainFacts> = {}) =>
      rows(
        of(
          ofChain({ ...more, meta: { ...meta, transactionEventsXdr } as never }),
          incomplete,
          "fee-events",
        ),
      );
    const equal = real.map((event, at) => [String(at), "equal", event, event]);
    expect(events([])).toEqual([]);
    expect(compareFees(ofChain({ meta: null }), record, incomplete)).toHaveLength(3);
    expect(events(real)).toEqual(equal);
    // Without the fee phase, the charge of the chain counts.
    expect(events(real, { feeTakenStroops: null })).toEqual(equal);
    const notThis = "The meta's fee event is not about the fee that was charged.";
    const [first = "", second = ""] = real;
    const other = eventsOf(1n, BigInt(refundStroops))[0] ?? "";
    expect(events([other, second])).toEqual([
      ["0", "different", other, first, notThis],
      equal[1],
    ] as never);
    expect(events([first])).toEqual([equal[0], ["1", "different", null, second, notThis]] as never);
    expect(events([first, second, other])[2]).toEqual(["2", "different", other, null, notThis]);
    // Where another refund was paid, the replay's counts.
    const lessRefund = { refundStroops: String(BigInt(refundStroops) - 1n) };
    expect(events(real, lessRefund)).toEqual(equal);
    // Where another fee was charged, that is the difference, and it needs no words.
    const more = { feeTakenStroops: String(BigInt(taken) + 1n) };
    expect(events(real, more)[0]).toHaveLength(4);
    expect(events(real, more)[0]?.[1]).toBe("different");
    // A refund that was due and not paid is in no event.
    const unpaid = eventsOf(BigInt(taken), 0n);
    const result = { ...chain.result, feeChargedStroops: taken };
    expect(unpaid).toHaveLength(1);
    const facts = ofChain({
      ...{ refundStroops: "0", result },
      meta: { ...meta, transactionEventsXdr: unpaid } as never,
    });
    const result_ = rows(of(facts, ofRun({ resultXdr: null }), "fee-events"));
    expect(result_).toHaveLength(1);
  });
});

describe("diagnostic events", () => {
  const failing = walkOf("contract-error");
  const events = failing.execution.diagnosticsXdr;
  const facts = readChain(failing.record);
  const ofEvents = (host: readonly string[], all = host): ChainFacts => ({
    ...facts,
    ...{ hostDiagnosticsXdr: host, diagnosticsXdr: all },
  });
  const of = (chain: ChainFacts, diagnosticsXdr: readonly string[]) =>
    compareDiagnostics(chain, { ...failing.execution, diagnosticsXdr: [...diagnosticsXdr] }).map(
      ({ subject, item, result, chain, replay, detail }) => [
        ...[subject, item, result, chain, replay, detail],
      ],
    );
  const last = of(ofEvents(events), events)[0]?.[3] as string;
  const metrics = facts.diagnosticsXdr.filter(isCoreMetric);
  const DIFFER = "The diagnostic events differ. They are not part of the ledger.";
  const UNSEEN = "The node reported no diagnostic events.";
  const NUMBER = String(events.length);

  /** An error that the host reports, with a message and values. */
  function reported(message: string, values: readonly number[], code = 1): string {
    return encode("DiagnosticEvent", {
      inSuccessfulContractCall: false,
      event: {
        ...{ ext: { v: 0 }, contractId: null, type: 2 },
        body: {
          v: 0,
          v0: {
            topics: [
              { type: 15, sym: Buffer.from("error") },
              { type: 2, error: { type: 0, contractCode: code } },
            ],
            data: {
              type: 16,
              vec: [
                { type: 14, str: Buffer.from(message) },
                ...values.map((u32) => ({ type: 3, u32 })),
              ],
            },
          },
        },
      },
    } as never);
  }

  test("are compared by the error that they end with, and one by one", () => {
    expect(metrics.length).toBeGreaterThan(0);
    expect(last).toBeString();
    expect(of(ofEvents(events), events)).toEqual([
      ["diagnostic-error", null, "equal", last, last, null],
      ["diagnostic-events", null, "equal", NUMBER, NUMBER, null],
    ]);
    expect(of(ofEvents([]), events)).toEqual([
      ["diagnostic-error", null, "unavailable", null, last, UNSEEN],
    ]);
    expect(of(ofEvents([]), [])).toEqual([
      ["diagnostic-error", null, "unavailable", null, null, UNSEEN],
    ]);
  });

  test("that one side alone has show no other error", () => {
    const [first] = events;
    expect(of(ofEvents([], metrics), events)).toEqual([
      ["diagnostic-error", null, "unavailable", null, last, UNSEEN],
      ["diagnostic-events", "0", "different", null, first, DIFFER],
    ] as never);
    expect(of(ofEvents(events), [])).toEqual([
      ["diagnostic-events", "0", "different", first, null, DIFFER],
    ] as never);
    expect(of(ofEvents([], metrics), [])).toEqual([
      ["diagnostic-error", null, "equal", null, null, null],
      ["diagnostic-events", null, "equal", "0", "0", null],
    ]);
  });

  test("that end alike, and differ before, have the first that differs", () => {
    const fewer = events.slice(1);
    expect(of(ofEvents(events), fewer)).toEqual([
      ["diagnostic-error", null, "equal", last, last, null],
      ["diagnostic-events", "0", "different", events[0], fewer[0], DIFFER],
    ] as never);
    const [extra = ""] = events;
    expect(of(ofEvents(["AAAA", ...events].slice(1)), [...events, extra])[1]).toEqual([
      ...["diagnostic-events", NUMBER, "different", null, extra, DIFFER],
    ]);
  });

  test("with another error, or other values of it, are another failure", () => {
    const [one, values] = [reported("because of", [1]), reported("because of", [2])];
    const of2 = (chain: readonly string[], replay: readonly string[]) =>
      of(ofEvents(chain), replay)[0]?.slice(2);
    expect(of2([one], [one])?.[0]).toBe("equal");
    expect(of2([one], [values])).toEqual([
      "different",
      'Error(Contract, #1), reported by the host: ["because of", 1]',
      'Error(Contract, #1), reported by the host: ["because of", 2]',
      null,
    ]);
    const another = reported("because of", [1], 2);
    expect(of2([one], [another])).toEqual([
      ...["different", "Error(Contract, #1)", "Error(Contract, #2)", null],
    ]);
    expect(of2([one], [reported("other", [1], 2)])).toEqual([
      ...["different", "Error(Contract, #1)", "Error(Contract, #2)", null],
    ]);
    // One side reports the same error once more.
    expect(of2([one, one], [one])).toEqual([
      ...["different", 'Error(Contract, #1), reported by the host: ["because of", 1]', null, null],
    ]);
    expect(of2([one], [one, one])).toEqual([
      ...["different", null, 'Error(Contract, #1), reported by the host: ["because of", 1]', null],
    ]);
    expect(of2([one, values], [one, one])?.slice(1, 3)).toEqual([
      'Error(Contract, #1), reported by the host: ["because of", 2]',
      'Error(Contract, #1), reported by the host: ["because of", 1]',
    ]);
  });

  test("of a limit may differ in what was metered, and not in the limit", () => {
    const limit = (used: number, most: number, message = "operation instructions exceeds amount") =>
      reported(message, [used, most]);
    const result = (chain: string, replay: string) => of(ofEvents([chain]), [replay])[0]?.[2];
    expect(result(limit(11, 10), limit(12, 10))).toBe("equal");
    expect(result(limit(11, 10), limit(11, 9))).toBe("different");
    const memory = "operation memory usage exceeds amount";
    expect(result(limit(11, 10), limit(11, 10, memory))).toBe("different");
    const write = "operation byte-write resources exceeds amount";
    expect(result(limit(11, 10, write), limit(12, 10, write))).toBe("different");
  });
});

describe("core metrics", () => {
  const of = (metrics: Readonly<Record<string, string>>, run: Execution, protocolVersion = 23) =>
    compareCoreMetrics(
      ofChain({ metrics: new Map(Object.entries(metrics)), protocolVersion }),
      snapshot,
      run,
    );
  const run = ofRun({ metrics: { cpu_insn: "5" } });

  test("are compared for an invocation of which the node reported some, without times", () => {
    expect(of({ cpu_insn: "5" }, ofRun({ operation: "restore_footprint" }))).toEqual([]);
    expect(rows(of({}, run))).toEqual([
      [null, "unavailable", null, null, "The node reported no core_metrics."],
    ]);
    const times = { invoke_time_nsecs: "9" };
    expect(rows(of({ x_nsecs_y: "3", ...times }, run))).toEqual([
      ["x_nsecs_y", "different", "3", null],
    ]);
    expect(rows(of({ cpu_insn: "5", ...times, mem_byte: "1" }, run))).toEqual([
      ["cpu_insn", "equal", "5", "5"],
      ["mem_byte", "different", "1", null],
    ]);
  });

  test("of an earlier count that fits no better stay those of today", () => {
    const counts = { cpu_insn: "5", read_entry: "77", emit_event_byte: "88" };
    const details = of(counts, ofRun({ metrics: { cpu_insn: "5" } }), 22);
    expect(new Set(details.map(({ detail }) => detail))).toEqual(new Set([null]));
    const earlier = { read_entry: String(snapshot.entries.length) };
    const fits = of(earlier, ofRun({ metrics: { read_entry: "0" } }), 22);
    expect(rows(fits)).toEqual([
      [
        ...["read_entry", "equal", earlier.read_entry, earlier.read_entry],
        "Counted as stellar-core before 23 counts.",
      ],
    ]);
    const before22 = ofRun({ metrics: { cpu_insn: "5" }, cpuInsnBefore22: "6" } as never);
    expect(rows(of({ cpu_insn: "6" }, before22, 22))).toEqual([
      ["cpu_insn", "equal", "6", "6", "Counted as stellar-core before 22 counts."],
    ]);
    // What was emitted is counted without the return value.
    const returned = Buffer.from(execution.returnValueXdr ?? "", "base64").length;
    const emitted = ofRun({ metrics: { emit_event_byte: "100" } });
    const less = String(100 - returned);
    expect(returned).toBeGreaterThan(0);
    expect(rows(of({ emit_event_byte: less }, emitted, 22))[0]?.slice(1, 4)).toEqual([
      ...["equal", less, less],
    ]);
    const silent = { ...emitted, returnValueXdr: null };
    expect(rows(of({ emit_event_byte: "100", x: "1" }, silent, 22))[0]?.[3]).toBe("100");
  });

  test("name entries of another size, where the same keys were read", () => {
    const metric = (item: string, result: Comparison["result"], replay = "1"): Comparison => ({
      ...{ subject: "core-metric", item, result, chain: "2", replay, detail: null },
    });
    const keys = [metric("read_entry", "equal"), metric("read_key_byte", "equal")];
    const [data, code] = ["read_data_byte", "read_code_byte"].map((name) =>
      metric(name, "different"),
    ) as [Comparison, Comparison];
    expect(otherSizes([...keys, data, code])).toEqual([data, code]);
    expect(otherSizes([...keys, metric("read_data_byte", "equal")])).toEqual([]);
    expect(otherSizes([...keys, metric("cpu_insn", "different")])).toEqual([]);
    expect(otherSizes([...keys, { ...data, subject: "events" }])).toEqual([]);
    expect(otherSizes([...keys, { ...data, item: null }])).toEqual([]);
    for (const at of [0, 1]) {
      const other = keys.with(at, { ...(keys[at] as Comparison), result: "different" });
      expect(otherSizes([...other, data])).toEqual([]);
      expect(otherSizes([...keys.toSpliced(at, 1), data])).toEqual([]);
    }
    expect(sizeCaveat(data)).toEqual({
      ...{ kind: "assumed", keyXdr: null },
      detail:
        "An entry that the chain read had another size than the replay's, by the node's " +
        "diagnostic events: read_data_byte is 2 there, and 1 in the replay.",
    });
  });
});
