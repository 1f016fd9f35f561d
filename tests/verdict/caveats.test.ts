// The reasons why a replay without differences is not exact, row by row: of which key each is, and
// in which words.

import { describe, expect, test } from "bun:test";
import type { Execution, LedgerChange } from "../../src/model/execution.ts";
import type { Provenance } from "../../src/model/provenance.ts";
import type { Snapshot, SnapshotEntry } from "../../src/model/snapshot.ts";
import type { Caveat, Comparison } from "../../src/model/verdict.ts";
import { comparisonCaveats, entryCaveats, inputCaveats } from "../../src/verdict/caveats.ts";
import { settingKeyOf } from "../../src/xdr/ledger/settings.ts";
import { type ChainFacts, readChain } from "../../src/xdr/outcome/chain-facts.ts";
import { ttlKeyOf } from "../../src/xdr/reader/keys.ts";
import { encode } from "../../src/xdr/reader/value.ts";
import { dataKeyOf } from "../support/ledger-entries.ts";
import { walkOf } from "./protocol-walk.ts";

const { record, execution } = walkOf("sac-transfer");
const chain = readChain(record);
const meta = chain.meta as NonNullable<ChainFacts["meta"]>;

const KEY = dataKeyOf("p0");
const ASSUMED: Provenance = { kind: "assumed", detail: "nobody has it" };
const KNOWN: Provenance = { kind: "ledger-scan", detail: "a ledger has it" };

const entryOf = (changes: Partial<SnapshotEntry> = {}): SnapshotEntry =>
  ({
    ...{ keyXdr: KEY, entryXdr: "AAAA", liveUntilLedger: 9, archived: false, codeCached: null },
    ...{ provenance: KNOWN, ttlProvenance: KNOWN },
    ...changes,
  }) as SnapshotEntry;
const snapshotOf = (changes: Partial<Snapshot>): Snapshot => ({
  ...{ entries: [], settings: [], rentFeePer1KbStroops: null, unknown: [] },
  ...changes,
});
const runOf = (changes: Partial<Execution>): Execution => ({
  ...execution,
  ...{ assumed: [], changes: [], hostError: null, outcome: { kind: "success" } },
  ...changes,
});
const assumed = (detail: string, keyXdr: string | null = KEY): Caveat => ({
  ...{ kind: "assumed", keyXdr, detail },
});

describe("an entry", () => {
  const NO_SOURCE = assumed("the source of its TTL is unknown");
  const OF_TTL = assumed("TTL: nobody has it");
  const OF_ENTRY = assumed("nobody has it");
  test.each<[string, Partial<SnapshotEntry>, boolean, Caveat[]]>([
    ["that is known has none", {}, false, []],
    ["that is assumed has one", { provenance: ASSUMED }, false, [OF_ENTRY]],
    ["that is assumed and stated has none", { provenance: ASSUMED }, true, []],
    ["whose TTL is assumed has one", { ttlProvenance: ASSUMED }, false, [OF_TTL]],
    ["has that of its TTL also if it is stated", { ttlProvenance: ASSUMED }, true, [OF_TTL]],
    [
      "has one for itself and one for its TTL",
      { provenance: ASSUMED, ttlProvenance: ASSUMED },
      false,
      [OF_ENTRY, OF_TTL],
    ],
    ["with a TTL of no source has one", { ttlProvenance: null }, false, [NO_SOURCE]],
    ["without a TTL has none", { ttlProvenance: null, liveUntilLedger: null }, false, []],
  ])("%s", (_, changes, isStated, expected) => {
    expect(entryCaveats(entryOf(changes), isStated)).toEqual(expected);
    if (!isStated) expect(entryCaveats(entryOf(changes))).toEqual(expected);
  });
});

describe("the inputs of a replay", () => {
  const of = (
    snapshot: Partial<Snapshot>,
    run: Partial<Execution> = {},
    more: { assumedFacts?: readonly string[]; stated?: ReadonlySet<string | null> } = {},
  ) => {
    const { assumedFacts, stated } = more;
    const facts = assumedFacts === undefined ? {} : { assumedFacts };
    const context = stated === undefined ? undefined : { stated };
    return inputCaveats(facts as never, { meta: null }, snapshotOf(snapshot), runOf(run), context);
  };
  const NAME = "CONFIG_SETTING_CONTRACT_COMPUTE_V0";
  const SETTING = settingKeyOf(1);
  const settingOf = (name: string, provenance = ASSUMED) => ({ name, entryXdr: "", provenance });

  test("are named with what is unknown first, then facts, entries and settings", () => {
    expect(of({})).toEqual([]);
    const found = of(
      {
        unknown: [{ keyXdr: "AAAA", reason: "no node has it" }],
        entries: [entryOf({ provenance: ASSUMED }), entryOf({ keyXdr: "BBBB" })],
        settings: [settingOf(NAME), settingOf("NEW"), settingOf(NAME, KNOWN)],
      },
      {},
      { assumedFacts: ["The base fee is assumed."] },
    );
    expect(found).toEqual([
      { kind: "unknown", keyXdr: "AAAA", detail: "no node has it" },
      assumed("The base fee is assumed.", null),
      assumed("nobody has it"),
      assumed("nobody has it", SETTING),
      assumed("Network setting NEW: nobody has it", null),
    ]);
    const stated = new Set([KEY]);
    expect(of({ entries: [entryOf({ provenance: ASSUMED })] }, {}, { stated })).toEqual([]);
  });

  test("that svc-sim assumed are named once, by their key or by what they are", () => {
    const what = { what: "protocol_version", keyXdr: null, value: "23" };
    const setting = { what: NAME, keyXdr: null, value: "the first" };
    const entry = { what: "an entry", keyXdr: KEY, value: "absent" };
    const assumptions = { assumed: [what, what, setting, entry] };
    expect(of({}, assumptions)).toEqual([
      assumed("svc-sim assumed protocol_version: 23", null),
      assumed("svc-sim assumed protocol_version: 23", null),
      assumed("svc-sim assumed the first", SETTING),
      assumed("svc-sim assumed an entry: absent"),
    ]);
    // What another caveat is about is not named again.
    const unknown = [{ keyXdr: KEY, reason: "no node has it" }];
    const settings = [settingOf(NAME)];
    expect(of({ unknown, settings }, { assumed: [setting, entry] })).toHaveLength(2);
    expect(of({}, { assumed: [entry] }, { stated: new Set([KEY]) })).toEqual([]);
    // A caveat about no key hides nothing.
    expect(of({}, { assumed: [what] }, { assumedFacts: ["x"] })).toHaveLength(2);
  });
});

describe("a TTL from a later ledger", () => {
  const TTL = ttlKeyOf(KEY);
  const LATER = "TTL taken from a later ledger, which may change the fee";
  const NO_LEDGER = "TTL whose last ledger no source has, which may change the fee";
  const change = (keyXdr: string, beforeXdr: string | null, afterXdr: string | null) =>
    ({ kind: "updated", keyXdr, beforeXdr, afterXdr }) as LedgerChange;
  const comparison = (
    subject: Comparison["subject"],
    item: string | null,
    result: Comparison["result"],
  ): Comparison => ({ subject, item, result, chain: null, replay: null, detail: null });
  interface Given {
    readonly entry?: Partial<SnapshotEntry>;
    readonly run?: Partial<Execution>;
    readonly meta?: ChainFacts["meta"];
    readonly comparisons?: readonly Comparison[];
  }
  const of = ({ entry, run = {}, meta = null, comparisons }: Given) =>
    inputCaveats(
      {},
      { meta },
      snapshotOf({ entries: [entryOf({ provisional: "ttl-unchanged", ...entry })] }),
      runOf(run),
      comparisons && { comparisons },
    ).map(({ kind, keyXdr, detail }) => [kind, keyXdr, detail]);
  const ONE = [["assumed", KEY, LATER]];
  const failed = (code: string) => ({
    outcome: { kind: "failed", operation: "invokeHostFunction", code } as never,
  });

  test("does not matter where nothing changes and nothing ran out", () => {
    expect(of({})).toEqual([]);
    expect(of({ run: failed("trapped") })).toEqual([]);
    const hostError = { type: "Storage", code: "MissingValue", contractCode: null } as never;
    expect(of({ run: { hostError } })).toEqual([]);
    const internal = { kind: "internal_error", message: "x" } as const;
    expect(of({ run: { outcome: internal } })).toEqual([]);
  });

  test("matters where a limit or the fee ran out", () => {
    const hostError = { type: "Budget", code: "ExceededLimit", contractCode: null } as never;
    expect(of({ run: { hostError } })).toEqual(ONE);
    expect(of({ run: failed("resourceLimitExceeded") })).toEqual(ONE);
    expect(of({ run: failed("insufficientRefundableFee") })).toEqual(ONE);
    const entry = { provisional: undefined } as never;
    expect(of({ entry, run: { hostError } })).toEqual([]);
  });

  test("matters where the chain or the replay changed it", () => {
    expect(of({ run: { changes: [change(TTL, "AAAA", "BBBB")] } })).toEqual(ONE);
    expect(of({ run: { changes: [change(ttlKeyOf(dataKeyOf("p1")), "A", "B")] } })).toEqual([]);
    const operationChanges = [[{ kind: "updated", keyXdr: TTL, entryXdr: "AAAA" }]] as never;
    expect(of({ meta: { ...meta, operationChanges } })).toEqual(ONE);
  });

  test("matters for an entry that grew, unless its rent was paid alike", () => {
    const grew = change(KEY, "AAAA", "AAAABBBB");
    const growth = [
      [grew, ONE],
      [change(KEY, null, "AAAA"), ONE],
      [change(KEY, "AAAA", "BBBB"), []],
      [change(KEY, "AAAABBBB", "AAAA"), []],
      [change(KEY, "AAAA", null), []],
      [change(KEY, null, null), []],
      [change(dataKeyOf("p1"), "AAAA", "AAAABBBB"), []],
    ] as const;
    for (const [each, expected] of growth)
      expect(of({ run: { changes: [each] } })).toEqual(expected as never);
    const rent = (result: Comparison["result"]) => comparison("resource-fee", "rent", result);
    const fee = (result: Comparison["result"]) => comparison("fee-charged", null, result);
    const otherPart = comparison("resource-fee", "refundable", "equal");
    const paid: [readonly Comparison[], boolean][] = [
      [[], false],
      [[rent("equal")], true],
      [[fee("equal")], true],
      [[rent("equal"), fee("different")], true],
      [[rent("unavailable"), fee("equal")], true],
      [[rent("different"), fee("equal")], false],
      [[rent("different")], false],
      [[fee("different")], false],
      [[rent("unavailable"), fee("unavailable")], false],
      [[otherPart], false],
      [[comparison("refund", "rent", "equal")], false],
    ];
    for (const [comparisons, isPaid] of paid)
      expect(of({ run: { changes: [grew] }, comparisons })).toEqual(isPaid ? [] : (ONE as never));
  });

  test("says whether a ledger shows it at all", () => {
    const ofKind = (ttlProvenance: Provenance) =>
      of({ entry: { ttlProvenance }, run: failed("resourceLimitExceeded") }).at(-1)?.[2];
    expect(ofKind(KNOWN)).toBe(LATER);
    expect(ofKind({ kind: "deduced", detail: "x" })).toBe(NO_LEDGER);
    expect(ofKind({ kind: "meta", detail: "x" })).toBe(NO_LEDGER);
    const claimed = { kind: "claimed", by: "capsule", detail: "x" } as const;
    expect(ofKind({ ...claimed, claims: "meta" })).toBe(NO_LEDGER);
    expect(ofKind({ ...claimed, claims: "ledger-scan" })).toBe(LATER);
    const entry = { ttlProvenance: null, liveUntilLedger: null };
    expect(of({ entry, run: failed("resourceLimitExceeded") })).toEqual(ONE);
  });
});

describe("comparisons", () => {
  const of = (facts: Partial<ChainFacts>, soft: readonly Comparison[] = []) =>
    comparisonCaveats({ ...chain, diagnosticsXdr: [], ...facts }, soft).map(
      ({ kind, keyXdr, detail }) => [kind, keyXdr, detail],
    );
  const soft = (changes: Partial<Comparison>): Comparison => ({
    ...{ subject: "events", item: null, result: "different", chain: null, replay: null },
    ...{ detail: null, ...changes },
  });

  test("without the meta were not made, and say what stands for them", () => {
    expect(of({})).toEqual([]);
    const changes = "No source had the transaction meta, so the ledger changes were not compared.";
    const rest = "Return value and events were compared by their hash in the result alone.";
    const unhashed = { ...chain.result, successHash: null };
    expect(of({ meta: null, result: unhashed })).toEqual([["not-compared", null, changes]]);
    expect(of({ meta: null })).toEqual([["not-compared", null, `${changes} ${rest}`]]);
  });

  test("of a fork name whose signatures it did not ask for", () => {
    const address = (byte: number) => ({
      type: 18,
      address: { type: 0, accountId: { type: 0, ed25519: new Uint8Array(32).fill(byte) } },
    });
    const topics = ["fork", "waived_signatures"].map((sym) => ({
      type: 15,
      sym: Buffer.from(sym),
    }));
    const data = { type: 16, vec: [address(1), address(2)] };
    const event = {
      ext: { v: 0 },
      contractId: null,
      type: 2,
      body: { v: 0, v0: { topics, data } },
    };
    const waived = encode("DiagnosticEvent", { inSuccessfulContractCall: false, event } as never);
    const [found, ...others] = of({ diagnosticsXdr: [waived] });
    expect(others).toEqual([]);
    expect(found?.slice(0, 2)).toEqual(["not-compared", null]);
    expect(found?.[2]).toMatch(
      /^The fork did not ask for signatures of G[A-Z2-7]{55}, G[A-Z2-7]{55}\. A network would have refused the transaction\.$/,
    );
  });

  test("that differ outside the ledger are caveats of their kinds", () => {
    const metric = { subject: "core-metric", item: "cpu_insn" } as const;
    expect(of({}, [soft({ ...metric, chain: "1234567", replay: "12" })])).toEqual([
      ["metering", null, "cpu_insn: 1,234,567 in the diagnostic events, 12 in the replay."],
    ]);
    expect(of({}, [soft({ ...metric, chain: null, replay: null })])).toEqual([
      ["metering", null, "cpu_insn: nothing in the diagnostic events, nothing in the replay."],
    ]);
    const [found] = comparisonCaveats(chain, [soft({ ...metric, chain: "1234567", replay: "12" })]);
    expect(found?.metric).toEqual({ name: "cpu_insn", chain: "1234567", replay: "12" });
    expect(of({}, [soft({}), soft({ subject: "return-value", detail: "why" })])).toEqual([
      ["events", null, "The events differ."],
      ["events", null, "why"],
    ]);
    const diagnostics = { subject: "diagnostic-events" } as const;
    expect(of({}, [soft(diagnostics), soft({ ...diagnostics, detail: "why" })])).toEqual([
      ["diagnostics", null, "The diagnostic events differ."],
      ["diagnostics", null, "why"],
    ]);
    const fees = { subject: "fee-events" } as const;
    expect(of({}, [soft(fees), soft({ ...fees, detail: "why" })])).toEqual([
      ["events", null, "why"],
    ]);
  });
});
