// Which inputs count as a node's word, and when an absent or archived entry makes a difference from the
// chain inconclusive: every kind of provenance with every kind of entry, against the rules written
// out here once more.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Execution } from "../../src/model/execution.ts";
import { PROVENANCES, type Provenance, type ProvenanceKind } from "../../src/model/provenance.ts";
import type { Snapshot, SnapshotEntry } from "../../src/model/snapshot.ts";
import type { Comparison } from "../../src/model/verdict.ts";
import { absenceCaveats, isAbsentByNode, missedEntries } from "../../src/verdict/missed-entries.ts";
import {
  isReported,
  isReportedSetting,
  isUnconfirmed,
  unconfirmedOf,
} from "../../src/verdict/unconfirmed.ts";
import { encode } from "../../src/xdr/reader/value.ts";
import { codeOf } from "../support/ledger-entries.ts";

const KINDS = Object.keys(PROVENANCES) as ProvenanceKind[];
/** Only somebody's statement: nothing that svc read shows it. */
const WORDS: readonly ProvenanceKind[] = ["rpc-unchanged", "claimed"];
const PROOFS: readonly ProvenanceKind[] = ["meta", "history-archive", "deduced", "replay-proof"];

const HASH = new Uint8Array(32).fill(7);
const dataKey = (durability: number) =>
  encode("LedgerKey", {
    type: 6,
    contractData: { contract: { type: 1, contractId: HASH }, key: { type: 1 }, durability },
  } as never);
const KEYS = {
  persistent: dataKey(1),
  temporary: dataKey(0),
  code: encode("LedgerKey", { type: 7, contractCode: { hash: HASH } } as never),
};

const provenance = (kind: ProvenanceKind): Provenance =>
  kind === "claimed"
    ? { kind, by: "capsule", claims: "meta", detail: `by ${kind}` }
    : { kind, detail: `by ${kind}` };

const LEDGER = 1000;
const entry = fc
  .record({
    key: fc.constantFrom<keyof typeof KEYS>("persistent", "temporary", "code"),
    isThere: fc.boolean(),
    kind: fc.constantFrom(...KINDS),
    ttlKind: fc.constantFrom(null, ...KINDS),
    archived: fc.boolean(),
    liveUntilLedger: fc.constantFrom(null, LEDGER - 1, LEDGER, LEDGER + 1),
  })
  .map(({ key, isThere, kind, ttlKind, archived, liveUntilLedger }) => ({
    shape: { key, isThere, kind, ttlKind, archived, liveUntilLedger },
    entry: {
      keyXdr: KEYS[key],
      entryXdr: isThere ? "AAAA" : null,
      archived,
      liveUntilLedger,
      provenance: provenance(kind),
      ttlProvenance: ttlKind === null ? null : provenance(ttlKind),
    } as SnapshotEntry,
  }));

const snapshotOf = (entries: readonly SnapshotEntry[], settings: readonly ProvenanceKind[] = []) =>
  ({
    entries,
    settings: settings.map((kind) => ({ id: 0, entryXdr: null, provenance: provenance(kind) })),
  }) as unknown as Snapshot;

const differs = (subject: Comparison["subject"]): Comparison =>
  ({ subject, result: "different", item: null, chain: null, replay: null }) as never;

describe("an input that only somebody states", () => {
  test("is reported, but for code, which its hash confirms", () => {
    fc.assert(
      fc.property(entry, ({ entry: each, shape }) => {
        const isStated = WORDS.includes(shape.kind) || shape.ttlKind === "claimed";
        const isHashed = shape.key === "code" && shape.isThere;
        expect(isReported(each)).toBe(isStated && !isHashed);
        expect(isAbsentByNode(each)).toBe(!shape.isThere && WORDS.includes(shape.kind));
      }),
    );
  });

  test("is counted, and makes a replay unconfirmed", () => {
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 5 }),
        fc.array(fc.constantFrom(...KINDS), { maxLength: 4 }),
        (entries, settings) => {
          const snapshot = snapshotOf(
            entries.map((each) => each.entry),
            settings,
          );
          const counts = {
            entries: entries.filter((each) => isReported(each.entry)).length,
            settings: settings.filter((kind) => WORDS.includes(kind)).length,
          };
          expect(unconfirmedOf({} as never, snapshot)).toEqual({ record: [], ...counts });
          expect(isUnconfirmed(snapshot)).toBe(counts.entries + counts.settings > 0);
          for (const setting of snapshot.settings)
            expect(isReportedSetting(setting)).toBe(WORDS.includes(setting.provenance.kind));
        },
      ),
    );
    const claimed = { parts: ["meta"] } as never;
    expect(unconfirmedOf({ claimed }, snapshotOf([])).record as unknown).toEqual(["meta"]);
  });
});

const ARCHIVED = {
  outcome: { kind: "failed", operation: "invokeHostFunction", code: "entryArchived" },
  hostError: null,
  diagnosticsXdr: [],
} as unknown as Execution;
const MISSING = {
  outcome: { kind: "failed", operation: "invokeHostFunction", code: "trapped" },
  hostError: { type: "Storage", code: "MissingValue", contractCode: null },
  diagnosticsXdr: [],
} as unknown as Execution;

describe("a replay that ends because an entry is archived", () => {
  test("names the entries that may have been live, and no others", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 5 }), (entries) => {
        const snapshot = snapshotOf(entries.map((each) => each.entry));
        const found = missedEntries(snapshot, ARCHIVED, [differs("operation-result")], LEDGER);
        const expected = entries.filter(({ shape }) => {
          const isProven = shape.ttlKind !== null && PROOFS.includes(shape.ttlKind);
          const hasExpired =
            shape.archived || (shape.liveUntilLedger !== null && shape.liveUntilLedger < LEDGER);
          return shape.isThere && shape.key !== "temporary" && !isProven && hasExpired;
        });
        expect(found.map(({ keyXdr }) => keyXdr)).toEqual(
          expected.map((each) => each.entry.keyXdr),
        );
        for (const { kind, detail } of found) {
          expect(kind).toBe("unknown");
          expect(detail).toContain("archived, as far as svc knows");
        }
      }),
    );
  });

  test("says nothing where the chain ended in the same way", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 4 }), (entries) => {
        const snapshot = snapshotOf(entries.map((each) => each.entry));
        expect(missedEntries(snapshot, ARCHIVED, [], LEDGER)).toEqual([]);
        expect(missedEntries(snapshot, ARCHIVED, [differs("fee-charged")], LEDGER)).toEqual([]);
      }),
    );
  });
});

describe("a replay that ends because an entry is absent", () => {
  const expectedOf = (entries: readonly { readonly entry: SnapshotEntry }[]) =>
    entries
      .map((each) => each.entry)
      .filter(({ entryXdr, provenance: { kind } }) => entryXdr === null && !PROOFS.includes(kind));

  test("names the absent entries that nothing proves, and says what shows it", () => {
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 5 }),
        fc.constantFrom<Comparison["subject"]>("operation-result", "diagnostic-error"),
        (entries, subject) => {
          const snapshot = snapshotOf(entries.map((each) => each.entry));
          const found = missedEntries(snapshot, MISSING, [differs(subject)], LEDGER);
          const expected = expectedOf(entries);
          expect(found.map(({ keyXdr }) => keyXdr)).toEqual(expected.map(({ keyXdr }) => keyXdr));
          for (const { detail } of found) {
            const isShown = subject === "operation-result";
            expect(detail.startsWith("svc ran without it, although the chain had it")).toBe(
              isShown,
            );
            expect(detail.includes("may have had it")).toBe(!isShown);
            expect(detail.includes("or another one")).toBe(found.length > 1);
          }
        },
      ),
    );
  });

  /** What the host reports last, about the entry of the contract that these values name. */
  function reports(message: string, values: readonly object[]): Execution {
    const vec = [{ type: 14, str: Buffer.from(message) }, ...values];
    const topics = [
      { type: 15, sym: Buffer.from("error") },
      { type: 2, error: { type: 3, code: 3 } },
    ];
    const event = {
      ...{ ext: { v: 0 }, contractId: null, type: 2 },
      body: { v: 0, v0: { topics, data: { type: 16, vec } } },
    };
    const xdr = encode("DiagnosticEvent", { inSuccessfulContractCall: false, event } as never);
    return { ...MISSING, diagnosticsXdr: [xdr] };
  }
  const contract = { type: 18, address: { type: 1, contractId: HASH } };
  const key = { type: 1 };

  test("names the one that the host's report names, if it is among them", () => {
    const result = [differs("operation-result")];
    const absent = (keyXdr: string, kind: ProvenanceKind = "assumed") =>
      ({ keyXdr, entryXdr: null, provenance: provenance(kind) }) as SnapshotEntry;
    const snapshot = snapshotOf([absent(KEYS.persistent), absent(KEYS.code)]);
    const named = (run: Execution, state = snapshot) =>
      missedEntries(state, run, result, LEDGER).map(({ keyXdr, detail }) => [keyXdr, detail]);
    const data = reports("trying to get non-existing value for contract data key", [contract, key]);
    const had = (why = "") => `svc ran without it, although the chain had it${why} (by assumed)`;
    expect(named(data)).toEqual([[KEYS.persistent, had()]]);
    const other = { type: 18, address: { type: 1, contractId: new Uint8Array(32) } };
    const elsewhere = reports("trying to get non-existing value for contract data key", [
      other,
      key,
    ]);
    expect(named(elsewhere)).toHaveLength(2);
    expect(named(reports("something else", [contract, key]))).toHaveLength(2);
    // Entries that are there are looked at for names alone.
    const present = { ...absent(KEYS.temporary), entryXdr: codeOf("code").entry } as SnapshotEntry;
    expect(named(data, snapshotOf([...snapshot.entries, present]))).toEqual([
      [KEYS.persistent, had()],
    ]);
  });

  test("names code that nothing but a word or an assumption calls absent, whatever the difference", () => {
    const code = reports("trying to get non-existing value for contract code", [
      { type: 13, bytes: HASH },
    ]);
    const of = (kind: ProvenanceKind, more: Partial<SnapshotEntry> = {}) =>
      ({
        ...{ keyXdr: KEYS.code, entryXdr: null, provenance: provenance(kind) },
        ...more,
      }) as SnapshotEntry;
    const named = (...entries: SnapshotEntry[]) =>
      missedEntries(snapshotOf(entries), code, [], LEDGER).map(({ keyXdr, detail }) => [
        ...[keyXdr, detail],
      ]);
    const had = (kind: ProvenanceKind, more = "") =>
      `svc ran without it, although the chain had it${more}, since code is never deleted and archived code fails otherwise (by ${kind})`;
    for (const kind of ["rpc-unchanged", "claimed", "assumed"] as const)
      expect(named(of(kind), of("meta"))).toEqual([[KEYS.code, had(kind)]]);
    for (const kind of ["meta", "ledger-scan", "history-archive"] as const)
      expect(named(of(kind))).toEqual([]);
    expect(named(of("assumed", { entryXdr: "AAAA" }))).toEqual([]);
    expect(named(of("assumed", { keyXdr: KEYS.persistent }))).toEqual([]);
    expect(named(of("assumed"), of("rpc-unchanged"))).toEqual([
      [KEYS.code, had("assumed", " or another one of these entries")],
      [KEYS.code, had("rpc-unchanged", " or another one of these entries")],
    ]);
    const without = { ...code, diagnosticsXdr: [] } as unknown as Execution;
    expect(missedEntries(snapshotOf([of("assumed")]), without, [], LEDGER)).toEqual([]);
  });

  test("says nothing without such a difference, or with another error", () => {
    const absent = { keyXdr: KEYS.persistent, entryXdr: null, provenance: provenance("assumed") };
    const snapshot = snapshotOf([absent as SnapshotEntry]);
    const result = differs("operation-result");
    const hostErrors = [
      null,
      { type: "Storage", code: "ExceededLimit", contractCode: null },
      { type: "Value", code: "MissingValue", contractCode: null },
    ];
    for (const hostError of hostErrors)
      expect(missedEntries(snapshot, { ...MISSING, hostError } as never, [result], LEDGER)).toEqual(
        [],
      );
    expect(missedEntries(snapshot, MISSING, [], LEDGER)).toEqual([]);
    expect(missedEntries(snapshot, MISSING, [differs("fee-charged")], LEDGER)).toEqual([]);
    expect(missedEntries(snapshot, MISSING, [result], LEDGER)).toHaveLength(1);
  });
});

describe("an entry that only a node calls absent", () => {
  const read = (chain: string, replay: string): Comparison =>
    ({ subject: "metric", item: "ledger_read_byte", result: "different", chain, replay }) as never;
  const success = { result: { success: true }, diagnosticsXdr: ["x"] } as never;
  const failed = { result: { success: false }, diagnosticsXdr: [] } as never;
  const failedWithReason = { result: { success: false }, diagnosticsXdr: ["x"] } as never;

  test("is doubted where the chain read more, the replay differs, or nothing shows why it failed", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 5 }), (entries) => {
        const snapshot = snapshotOf(entries.map((each) => each.entry));
        const open = snapshot.entries.filter(isAbsentByNode).map(({ keyXdr }) => keyXdr);
        const cases = [
          [success, [], [], null],
          [success, [read("5", "5")], [], null],
          [success, [read("4", "5")], [], null],
          [success, [{ ...read("9", "1"), item: "mem_byte" }, read("5", "5")], [], null],
          [success, [read("6", "5")], [], "the chain read more"],
          [success, [read("10", "9")], [], "the chain read more"],
          [failedWithReason, [], [], null],
          [failed, [], [], "no diagnostics show why it failed"],
          [success, [], [differs("ledger-change")], "the replay differs from the chain"],
          [
            failed,
            [read("6", "5")],
            [differs("ledger-change")],
            "the replay differs from the chain",
          ],
          [failed, [read("6", "5")], [], "the chain read more"],
        ] as const;
        for (const [chain, comparisons, decisive, why] of cases) {
          const found = absenceCaveats(snapshot, chain, [...comparisons], [...decisive]);
          expect(found.map(({ keyXdr }) => keyXdr)).toEqual(why === null ? [] : open);
          for (const { kind, detail } of found)
            expect([kind, detail.includes(why ?? "never")]).toEqual(["assumed", true]);
        }
      }),
      { numRuns: 40 },
    );
  });
});
