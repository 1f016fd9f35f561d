// What an entry was just before a transaction, row by row: the first evidence that shows it, in which
// words, and why nothing does.

import { describe, expect, test } from "bun:test";
import { decideEntry } from "../../src/snapshot/decide-entry.ts";
import type { Traced } from "../../src/snapshot/evidence.ts";
import type { Before } from "../../src/snapshot/stream/ledger-changes.ts";
import { ENTRY_TYPE } from "../../src/xdr/reader/keys.ts";
import {
  evidence,
  type Given,
  key,
  LEDGER,
  PERSISTENT,
  TEMPORARY,
} from "../support/given-evidence.ts";

/** Kind, value and words; or why it is unknown. */
function of(given: Given, which = PERSISTENT): readonly string[] {
  const decided = decideEntry(evidence(given), which);
  if ("reason" in decided) return ["unknown", decided.reason];
  const { entryXdr, archived, provenance } = decided;
  const value = `${entryXdr ?? "absent"}${archived ? ", archived" : ""}`;
  return [`${provenance.kind}: ${value}`, provenance.detail];
}

const CHANGED = { persistent: [105, 500] } as const;
const UNKNOWN = ["unknown", "it changed after ledger 100, and no source has the change"];

test.each<[string, Given, readonly string[]]>([
  [
    "ledgers before that left it",
    { folded: { from: 90, changes: [[95, "persistent", "updated", "then"]] } },
    ["ledger-scan: then", "as the ledgers before this one left it"],
  ],
  [
    "the ledger's own earlier transactions that left it",
    { folded: { from: 90, changes: [[LEDGER, "persistent", "updated", "then"]] } },
    ["same-ledger: then", "as the ledger's fees and earlier transactions left it"],
  ],
  [
    "ledgers before that removed it",
    { folded: { from: 90, changes: [[95, "persistent", "removed"]] } },
    [
      ...["ledger-scan: absent"],
      "the ledgers before this one were folded, and it did not exist after them",
    ],
  ],
  [
    "an earlier transaction of the ledger that removed it",
    { folded: { from: 90, changes: [[LEDGER, "persistent", "removed"]] } },
    ["same-ledger: absent", "an earlier transaction of the ledger removed it"],
  ],
])("%s", (_, given, expected) => {
  expect(of(given)).toEqual(expected);
});

describe("its first change since", () => {
  const of_ = (before: Before, changedIn = 105) =>
    of({ entries: CHANGED, before: { persistent: before }, changedIn });
  const entry = (entryXdr: string | null): Before => ({
    ...{ kind: "entry", entryXdr, liveUntilLedger: null },
  });

  test("shows it, creates it or restores it", () => {
    const since = "its first change in ledgers 100 to 105";
    expect(of_(entry("then"))).toEqual(["ledger-scan: then", `${since} shows it as it was before`]);
    expect(of_({ kind: "absent" })).toEqual(["ledger-scan: absent", `${since} creates it`]);
    expect(of_({ kind: "archived", entryXdr: "then" })).toEqual([
      ...["ledger-scan: then", `${since} restores it with this value`],
    ]);
    const folded = { from: 90 };
    const before = { persistent: { kind: "archived", entryXdr: "then" } } as const;
    expect(of({ entries: CHANGED, before, changedIn: LEDGER, folded })).toEqual([
      "archive: then, archived",
      "its first change in ledger 100 restores it with this value",
    ]);
  });

  test("that shows no value leaves it open, and an eviction is the reason", () => {
    expect(of_({ kind: "archived", entryXdr: null })).toEqual(UNKNOWN);
    expect(of_({ kind: "unclear" })).toEqual(UNKNOWN);
    expect(of_({ kind: "evicted" })).toEqual(["unknown", "ledger 105 evicted it"]);
    // It is not absent either, although the node does not have it now.
    const before = { persistent: { kind: "unclear" } } as const;
    expect(of({ readTo: 110, before })).toEqual(UNKNOWN);
  });
});

describe("a node", () => {
  const entries = { persistent: [50, 500] } as const;
  const by = (why: string) => `${why}, according to a node`;

  test("that stands before the ledger has it as it was then", () => {
    const missing = "its state in ledger 95; the ledgers in between are missing";
    expect(of({ entries, at: 95 })).toEqual(["assumed: now", missing]);
    expect(of({ at: 95 })).toEqual(["assumed: absent", missing]);
    const archived = { persistent: [50, 0] } as const;
    expect(of({ entries: archived, at: 95 })).toEqual(["assumed: now, archived", missing]);
    const left = by("as ledger 95 left it, because no later ledger changed it");
    const folded = { from: 96 };
    expect(of({ entries, at: 95, folded })).toEqual(["rpc-unchanged: now", left]);
    expect(of({ at: 95, folded })).toEqual(["rpc-unchanged: absent", left]);
    expect(of({ entries: archived, at: 95, folded })).toEqual([
      ...["rpc-unchanged: now, archived", left],
    ]);
  });

  test("has it as it was last modified, or does not have it", () => {
    expect(of({ entries })).toEqual(["rpc-unchanged: now", by("last modified in ledger 50")]);
    const last = { persistent: [LEDGER - 1, 500] } as const;
    expect(of({ entries: last })).toEqual(["rpc-unchanged: now", by("last modified in ledger 99")]);
    expect(of({ entries: { persistent: [LEDGER, 500] } })).toEqual(UNKNOWN);
    expect(of({ readTo: 110 })).toEqual([
      "rpc-unchanged: absent",
      by("absent after ledgers 100 to 110, and nothing removed it"),
    ]);
    expect(of({})).toEqual([
      "assumed: absent",
      "absent in ledger 110; the ledgers since the transaction's are not all known",
    ]);
    expect(of({ readTo: 110 }, TEMPORARY)).toEqual([
      "assumed: absent",
      "absent in ledger 110; it may have expired in ledgers 100 to 110",
    ]);
    expect(of({ at: LEDGER, readTo: LEDGER }, TEMPORARY)).toEqual([
      "rpc-unchanged: absent",
      by("absent after ledger 100, and nothing removed it"),
    ]);
    expect(of({ hasNode: false })).toEqual(["unknown", "no node"]);
  });
});

describe("an entry that was followed back", () => {
  const traced = (found: Traced) => ({ entries: CHANGED, traced: { persistent: found } });
  const provenance = { kind: "ledger-scan", detail: "a change shows it" } as const;

  test("is as a change shows it", () => {
    expect(of(traced({ kind: "entry", entryXdr: "then", provenance }))).toEqual([
      ...["ledger-scan: then", "a change shows it"],
    ]);
    // What was modified before the transaction needs no search.
    const unchanged = { ...traced({ kind: "entry", entryXdr: "then", provenance }) };
    const entries = { persistent: [50, 500] } as const;
    expect(of({ ...unchanged, entries })[0]).toBe("rpc-unchanged: now");
  });

  test("to its restoration is assumed, unless it is code, which is what its hash says", () => {
    const restored: Traced = { kind: "restored", ledger: 103, entryXdr: "then" };
    expect(of(traced(restored))).toEqual([
      "assumed: then",
      "ledger 103 restores it with this value; no source shows it before",
    ]);
    const code = key("persistent", { type: ENTRY_TYPE.contractCode });
    expect(of(traced(restored), code)).toEqual([
      "ledger-scan: then",
      "ledger 103 restores it, and contract code is what its hash says",
    ]);
    expect(decideEntry(evidence(traced(restored)), code)).toHaveProperty("cacheUnknown", true);
    expect(decideEntry(evidence(traced(restored)), PERSISTENT)).not.toHaveProperty("cacheUnknown");
  });

  test("and lost is unknown for the reason of the search", () => {
    const lost: Traced = { kind: "lost", ledger: 103, reason: "ledger 103 is missing" };
    expect(of(traced(lost))).toEqual(["unknown", "ledger 103 is missing"]);
    expect(of({ ...traced(lost), hasNode: false })).toEqual(["unknown", "ledger 103 is missing"]);
  });
});

test("the transaction's own fee phase shows its source account, if nothing else does", () => {
  const changesBefore = [{ keyXdr: "persistent", entryXdr: "paid" }];
  expect(of({ entries: CHANGED, changesBefore })).toEqual([
    "assumed: paid",
    "the state after the transaction's own fee and sequence number; the other transactions of ledger 100 are unknown",
  ]);
});
