// Until which ledger an entry was live, row by row: what each piece of evidence makes of it, with the
// words that reports have for it.

import { describe, expect, test } from "bun:test";
import { decideEntry } from "../../src/snapshot/decide-entry.ts";
import { decideEntries, decideSnapshot } from "../../src/snapshot/decide-snapshot.ts";
import { decideTtl, exactTtl } from "../../src/snapshot/decide-ttl.ts";
import type { Evidence } from "../../src/snapshot/evidence.ts";
import type { FootprintKey } from "../../src/snapshot/footprint-keys.ts";
import type { KnownEntry, KnownTtl } from "../../src/snapshot/known-entry.ts";
import type { OwnChanges } from "../../src/snapshot/own-changes.ts";
import { ENTRY_TYPE } from "../../src/xdr/reader/keys.ts";
import {
  evidence,
  type Given,
  key,
  LEDGER,
  OTHER,
  PERSISTENT,
  TEMPORARY,
} from "../support/given-evidence.ts";
import { codeOf } from "../support/ledger-entries.ts";

const entryOf = (changes: Partial<KnownEntry> = {}): KnownEntry => ({
  ...{ entryXdr: "now", liveUntilLedger: null, archived: false },
  ...{ provenance: { kind: "rpc-unchanged", detail: "a node has it" } },
  ...changes,
});

type Shown = ReturnType<typeof decideTtl>;

/** Kind, ledger and words; ` at most` marks what the judge has to check. */
function inWords(ttl: Shown): readonly string[] | null {
  if (ttl === null) return null;
  const { kind, detail } = ttl.provenance;
  if ("archived" in ttl) return [`${kind}: archived`, detail];
  expect(ttl.liveUntilLedger).toBeNumber();
  return [`${kind}: ${ttl.liveUntilLedger}${ttl.provisional ? " at most" : ""}`, detail];
}

const of = (given: Given, which: FootprintKey = PERSISTENT, entry = entryOf()) =>
  inWords(decideTtl(evidence({ footprint: [which], ...given }), which, entry));

const NODE = { persistent: [50, 500] } as const;
const BY_RESULT = [
  "deduced: 1000100 at most",
  "live, because the result reports no archived entry; the exact ledger matters only if something extends the TTL or pays the entry's rent",
] as const;
const AT_MOST = (until: number, latest = 110) =>
  [
    `rpc-unchanged: ${until} at most`,
    `it was live at the transaction; in ledger ${latest} it is live until ledger ${until} at most. The exact value matters only if something extends it or pays its rent`,
  ] as const;

test("there is none of a classic, an absent or an archived entry", () => {
  expect(of({ entries: NODE }, key("persistent", { ttlKeyXdr: null }))).toBeNull();
  expect(of({ entries: NODE }, PERSISTENT, entryOf({ entryXdr: null }))).toBeNull();
  expect(of({ entries: NODE }, PERSISTENT, entryOf({ archived: true }))).toBeNull();
  expect(of({ entries: NODE })).not.toBeNull();
});

describe("what the transaction's own meta shows", () => {
  const shown = (liveUntilLedger: number): KnownTtl => ({
    ...{ liveUntilLedger, provisional: false },
    provenance: { kind: "meta", detail: "shown" },
  });
  const expired: KnownTtl = {
    ...{ liveUntilLedger: LEDGER - 1, provisional: false },
    provenance: { kind: "deduced", detail: "expired" },
  };
  const of = (own: Partial<OwnChanges>, given: Given = {}) => {
    const from = evidence(given);
    const nothing = { ttl: () => null, expiredTtl: () => null };
    const found = exactTtl({ ...from, own: { ...from.own, ...nothing, ...own } }, PERSISTENT);
    return inWords(found)?.[1] ?? null;
  };

  test("is the TTL, or the end of one that a restoration shows, whichever had ended", () => {
    expect(of({})).toBeNull();
    expect(of({ ttl: () => shown(300) })).toBe("shown");
    expect(of({ expiredTtl: () => expired })).toBe("expired");
    expect(of({ ttl: () => shown(300), expiredTtl: () => expired })).toBe("expired");
    expect(of({ ttl: () => shown(LEDGER), expiredTtl: () => expired })).toBe("expired");
    expect(of({ ttl: () => shown(LEDGER - 1), expiredTtl: () => expired })).toBe("shown");
  });

  test("comes before what other ledgers show, and the end of a TTL before an eviction", () => {
    const folded = { from: 90, changes: [[95, "persistent ttl", "updated", 300]] } as const;
    expect(of({ ttl: () => shown(400) }, { folded })).toBe("shown");
    expect(of({}, { folded })).toBe("as the ledgers before this one left it");
    expect(of({}, { folded: { from: 2, fromGenesis: true, changes: [] } })).toBeNull();
  });
});

describe("what other ledgers show", () => {
  const ttl = (ledger: number, until: number) =>
    [ledger, "persistent ttl", "updated", until] as const;

  test("of the ledgers before: as they left it", () => {
    const left = (ledger: number) => of({ folded: { from: 90, changes: [ttl(ledger, 300)] } });
    expect(left(95)).toEqual(["ledger-scan: 300", "as the ledgers before this one left it"]);
    expect(left(LEDGER)).toEqual([
      ...["same-ledger: 300", "as earlier transactions of the ledger left it"],
    ]);
  });

  test("of an eviction: that it was archived", () => {
    const folded = { from: 90, changes: [[95, "persistent ttl", "removed"]] } as const;
    expect(of({ folded })).toEqual(["archive: archived", "an earlier ledger evicted it"]);
    const present = [...folded.changes, [95, "persistent", "updated", "then"]] as const;
    expect(of({ folded: { from: 90, changes: present } })).toEqual(BY_RESULT);
  });

  test("of its first change since: as that shows it", () => {
    const before = (liveUntilLedger: number | null) => ({
      "persistent ttl": { kind: "entry", entryXdr: null, liveUntilLedger } as const,
    });
    expect(of({ before: before(300) })).toEqual([
      ...["ledger-scan: 300", "its first change since, in ledger 105, shows it"],
    ]);
    expect(of({ before: before(null) })).toEqual(BY_RESULT);
    expect(of({ before: { "persistent ttl": { kind: "absent" } } })).toEqual(BY_RESULT);
    // An earlier change, or one of the same ledger that may be of an earlier transaction, shows nothing.
    expect(of({ before: before(300), changedIn: LEDGER })).toEqual(BY_RESULT);
    expect(of({ before: before(300), changedIn: LEDGER, folded: { from: 90 } })?.[0]).toBe(
      "ledger-scan: 300",
    );
  });

  test("of a node's ledger that nothing lies between: as the node has it", () => {
    const by = (seen: string) => `not changed in ${seen}, according to a node`;
    expect(of({ entries: NODE, readTo: 110 })).toEqual([
      ...["rpc-unchanged: 500", by("ledgers 100 to 110")],
    ]);
    expect(of({ entries: NODE, at: LEDGER, readTo: LEDGER })).toEqual([
      ...["rpc-unchanged: 500", by("ledger 100")],
    ]);
    expect(of({ entries: NODE, at: 95, folded: { from: 96 } })).toEqual([
      ...["rpc-unchanged: 500", by("ledgers 95 to 100")],
    ]);
    expect(of({ entries: NODE, readTo: 109 })).toEqual(AT_MOST(500));
    expect(of({ entries: NODE, at: 95, folded: { from: 97 } })).toEqual([
      ...["assumed: 500", "its TTL in ledger 95"],
    ]);
    expect(of({ hasNode: false, readTo: 110 })).toEqual(BY_RESULT);
    expect(of({ readTo: 110 })).toEqual(BY_RESULT);
    // A node that does not have the entry says nothing of its TTL, wherever it stands.
    expect(of({ at: LEDGER, readTo: LEDGER })).toEqual(BY_RESULT);
    expect(of({ at: 95 })).toEqual(BY_RESULT);
  });

  test("of a node that has it as archived: archived, if it is of the same ledger or before", () => {
    const entries = { persistent: [50, 0] } as const;
    const by = (seen: string) =>
      ["rpc-unchanged: archived", `not changed in ${seen}, according to a node`] as const;
    expect(of({ entries, at: LEDGER, readTo: LEDGER })).toEqual(by("ledger 100"));
    expect(of({ entries, at: 95, folded: { from: 96 } })).toEqual(by("ledgers 95 to 100"));
    expect(of({ entries, readTo: 110 })).toEqual(AT_MOST(109));
    expect(of({ entries: { persistent: [50, 1] }, readTo: 110 })?.[0]).toBe("rpc-unchanged: 1");
  });
});

describe("what the result shows", () => {
  test("of an entry that it does not call archived: it was live", () => {
    expect(of({})).toEqual(BY_RESULT);
    expect(of({ entries: NODE })).toEqual(AT_MOST(500));
    expect(of({ entries: { persistent: [50, 0] } })).toEqual(AT_MOST(109));
    expect(of({ entries: NODE, at: 95 })).toEqual(["assumed: 500", "its TTL in ledger 95"]);
    // The node has another entry under the key: its TTL bounds nothing, unless the transaction left it.
    const other = entryOf({ entryXdr: "then" });
    expect(of({ entries: NODE }, PERSISTENT, other)).toEqual(BY_RESULT);
    const from = evidence({ entries: NODE });
    const left = { ...from, own: { ...from.own, after: () => "now" } };
    expect(inWords(decideTtl(left, PERSISTENT, other))).toEqual(AT_MOST(500));
  });

  test("of a temporary entry: it was live where nothing rewrote it since", () => {
    const entries = { temporary: [50, 120] } as const;
    const open = (ledger: number) =>
      `ledger ${ledger} does not show whether it had expired before the transaction`;
    expect(of({ entries }, TEMPORARY)).toEqual(AT_MOST(120));
    expect(of({ entries, at: 95 }, TEMPORARY)).toEqual(["assumed: 120", open(95)]);
    const scanned = entryOf({ provenance: { kind: "ledger-scan", detail: "x" } });
    expect(of({ entries }, TEMPORARY, scanned)).toEqual(["assumed: 120", open(110)]);
    expect(of({ hasNode: false }, TEMPORARY)).toEqual([
      ...["assumed: 1000100", "live; no source has its expiration ledger"],
    ]);
    expect(of({ entries: { temporary: [50, 0] }, at: 95 }, TEMPORARY)).toEqual([
      ...["assumed: archived", open(95)],
    ]);
    // What the operation changed was there.
    const from = evidence({ entries, at: 95 });
    const touched = { ...from, own: { ...from.own, touches: () => true } };
    expect(inWords(decideTtl(touched, TEMPORARY, entryOf()))).toEqual([
      ...["assumed: 120", "its TTL in ledger 95"],
    ]);
  });

  test("of what was to be restored: nothing, if that failed", () => {
    const open = "ledger 110 does not show whether it had expired before the transaction";
    const marked = ["persistent"];
    expect(of({ entries: NODE, marked })).toEqual(["assumed: 500", open]);
    expect(of({ entries: NODE, marked, code: "success" })).toEqual(AT_MOST(500));
    expect(of({ entries: NODE, marked: ["other"] })).toEqual(AT_MOST(500));
    const operation = "restore_footprint";
    expect(of({ entries: NODE, operation })).toEqual(["assumed: 500", open]);
    expect(of({ entries: NODE, operation, code: "success" })).toEqual(AT_MOST(500));
    expect(of({ entries: NODE, operation, marked, code: "success" })).toEqual(AT_MOST(500));
  });
});

describe("a result that calls an entry archived", () => {
  const code = "entryArchived" as const;
  const entries = { ...NODE, other: [50, 500], temporary: [50, 120] } as const;
  const ONLY = [
    "deduced: archived",
    "the result reports that an entry was archived, and it is the only one that can be",
  ] as const;
  const WHICH = "the result reports that an entry was archived, but not which one";
  const ANOTHER = "the result reports that an entry was archived: another one was";

  test("means the one that the diagnostics name", () => {
    expect(of({ entries, code, named: "persistent" })).toEqual([
      ...["diagnostics: archived", "the chain's own diagnostics name it as archived"],
    ]);
    expect(of({ entries, code, named: "other" })).toEqual(AT_MOST(500));
    // Whatever the result is.
    expect(of({ entries, named: "persistent" })?.[0]).toBe("diagnostics: archived");
  });

  test("means the only one that can be", () => {
    expect(of({ entries, code })).toEqual(ONLY);
    const two = [PERSISTENT, OTHER];
    expect(of({ entries, code, footprint: two })).toEqual(["assumed: 500", WHICH]);
    const without: Given = { entries: { persistent: [50, 500] }, code, footprint: two };
    expect(of({ ...without, hasNode: false })).toEqual(["assumed: archived", WHICH]);
    for (const other of [TEMPORARY, key("classic", { ttlKeyXdr: null })])
      expect(of({ entries, code, footprint: [PERSISTENT, other] })).toEqual(ONLY);
    expect(of({ entries, code, footprint: two, marked: ["other"] })).toEqual(ONLY);
    // One that the node does not have cannot be it, if every change since was seen.
    const absent = { persistent: [50, 500] } as const;
    const changed = { "persistent ttl": { kind: "unclear" } } as const;
    const seen: Given = { entries: absent, code, footprint: two, readTo: 110, before: changed };
    expect(of(seen)).toEqual(ONLY);
    expect(of({ ...seen, readTo: 109 })).toEqual(["assumed: 500", WHICH]);
    // One whose TTL is known cannot be it either.
    const known = { from: 90, changes: [[95, "other ttl", "updated", 300]] } as const;
    expect(of({ entries, code, footprint: two, folded: known })).toEqual(ONLY);
    expect(of({ entries, code, footprint: [OTHER] })).toEqual(["assumed: 500", WHICH]);
  });

  test("means no other where one is known to be archived", () => {
    const footprint = [PERSISTENT, OTHER];
    const gone = (...changes: NonNullable<Given["folded"]>["changes"] & object) =>
      of({ entries, code, footprint, folded: { from: 90, changes } });
    expect(gone([95, "other ttl", "updated", LEDGER - 1])).toEqual(["assumed: 500", ANOTHER]);
    expect(gone([95, "other ttl", "updated", LEDGER])).toEqual(ONLY);
    expect(gone([95, "other ttl", "removed"])).toEqual(["assumed: 500", ANOTHER]);
    const from = evidence({ entries, code, footprint, folded: { from: 90 } });
    const folded = Object.assign(Object.create(from.folded), {
      archived: (keyXdr: string) => (keyXdr === "other" ? "then" : null),
    });
    const evicted = { ...from, folded } as Evidence;
    expect(inWords(decideTtl(evicted, PERSISTENT, entryOf()))).toEqual(["assumed: 500", ANOTHER]);
  });

  test("means no temporary entry", () => {
    expect(of({ entries, code }, TEMPORARY)).toEqual(AT_MOST(120));
  });
});

describe("a snapshot", () => {
  const made = codeOf("code");
  const code = (changes: Partial<FootprintKey> = {}) =>
    key(made.key, { type: ENTRY_TYPE.contractCode, ...changes });
  /** The first entry, with evidence that says so of the code. */
  const only = (
    given: Given,
    known: Partial<KnownEntry> | null = {},
    more: Partial<Evidence> = {},
  ) => {
    const from = evidence({ footprint: [code()], hasNode: false, ...given });
    const own = known && {
      own: { ...from.own, entry: () => entryOf({ entryXdr: made.entry, ...known }) },
    };
    const [entry] = decideEntries({ ...from, ...own, ...more }).entries;
    return entry;
  };

  test("has the entries of the footprint in its order, and what is unknown beside the settings'", () => {
    const footprint = [OTHER, PERSISTENT, key("gone")];
    const entries = { persistent: [50, 500], gone: [105, 500] } as const;
    const from = evidence({ footprint, entries, readTo: 110 });
    const settings = [{ name: "X", entryXdr: "", provenance: { kind: "assumed", detail: "x" } }];
    const decided = {
      ...{ settings, rentFeePer1KbStroops: "7" },
      unknown: [{ keyXdr: "a setting", reason: "no source" }],
    } as const;
    const { unknown, ...found } = decideSnapshot(from, decided as never);
    expect(found.entries.map(({ keyXdr, entryXdr }) => [keyXdr, entryXdr])).toEqual([
      ["other", null],
      ["persistent", "now"],
    ]);
    expect([found.settings, found.rentFeePer1KbStroops]).toEqual([settings, "7"] as never);
    expect(unknown.map(({ keyXdr }) => keyXdr)).toEqual(["gone", "a setting"]);
    expect(decideSnapshot(from).entries).toEqual(found.entries);
  });

  test("says of each entry what is known of its TTL", () => {
    const entries = { persistent: [50, 500], other: [50, 0] } as const;
    const of = (given: Given) =>
      decideEntries(evidence({ entries, footprint: [PERSISTENT], ...given })).entries[0];
    expect(of({ readTo: 110 })).toEqual({
      ...{ keyXdr: "persistent", entryXdr: "now", liveUntilLedger: 500, archived: false },
      codeCached: null,
      provenance: expect.objectContaining({ kind: "rpc-unchanged" }),
      ttlProvenance: expect.objectContaining({ kind: "rpc-unchanged" }),
    });
    expect(of({})).toMatchObject({ liveUntilLedger: 500, provisional: "ttl-unchanged" });
    expect(of({ code: "entryArchived" })).toMatchObject({
      ...{ archived: true, liveUntilLedger: null, ttlProvenance: { kind: "deduced" } },
    });
    const removed = { from: 90, changes: [[95, "persistent", "removed"]] } as const;
    const absent = of({ folded: removed });
    expect(absent).toMatchObject({ entryXdr: null, ttlProvenance: null, archived: false });
    expect(absent).not.toHaveProperty("restoredEarlier");
    const from = evidence({ footprint: [PERSISTENT], entries, folded: removed });
    const restored = Object.assign(Object.create(from.folded), {
      restoredInThisLedger: () => true,
    });
    expect(decideEntries({ ...from, folded: restored }).entries[0]).toMatchObject({
      ...{ entryXdr: null, restoredEarlier: true },
    });
    const there = evidence({ footprint: [PERSISTENT], entries, readTo: 110, folded: { from: 90 } });
    const both = Object.assign(Object.create(there.folded), { restoredInThisLedger: () => true });
    expect(decideEntries({ ...there, folded: both }).entries[0]).not.toHaveProperty(
      "restoredEarlier",
    );
  });

  test("says of code whether it was in the cache, or that this is open", () => {
    const folded = (more: object) =>
      ({ ...evidence({ folded: { from: 90 } }), ...more }).folded as NonNullable<
        Evidence["folded"]
      >;
    const withFold = (more: object): Partial<Evidence> => ({
      folded: Object.assign(Object.create(folded({})), more),
    });
    const live = { liveUntilLedger: () => 500, archived: () => null };
    const cached = (more: object, known: Partial<KnownEntry> = {}) => {
      const entry = only({}, known, withFold({ ...live, ...more }));
      return [entry?.codeCached, entry?.maybeCached];
    };
    expect(cached({ complete: true })).toEqual([true, undefined]);
    expect(cached({ complete: false })).toEqual([null, undefined]);
    expect(cached({ complete: true, isNewCode: () => true })).toEqual([false, undefined]);
    expect(cached({ complete: true, isRevivedCode: () => true })).toEqual([true, true]);
    expect(cached({ complete: true }, { cacheUnknown: true })).toEqual([true, true]);
    expect(cached({ complete: true }, { archived: true })).toEqual([false, true]);
    expect(cached({ complete: true, archived: () => "then" }, { archived: true })).toEqual([
      ...[false, undefined],
    ]);
    // Without ledgers before it, only svc-sim can tell.
    const alone = only({});
    expect([alone?.codeCached, alone?.maybeCached]).toEqual([null, undefined]);
    const gone = only({}, { archived: true });
    expect([gone?.codeCached, gone?.maybeCached]).toEqual([false, true]);
    const before = (protocolVersion: number) =>
      only({}, { archived: true }, { ledger: { protocolVersion, previous: null, own: null } });
    expect([before(22)?.codeCached, before(23)?.codeCached]).toEqual([null, false]);
    const absent = only({}, { entryXdr: null });
    expect([absent?.codeCached, absent?.maybeCached]).toEqual([false, undefined]);
    const data = evidence({ footprint: [PERSISTENT], hasNode: false });
    const own = { ...data.own, entry: () => entryOf({ archived: true, cacheUnknown: true }) };
    const [entry] = decideEntries({ ...data, own }).entries;
    expect([entry?.codeCached, entry?.maybeCached]).toEqual([null, undefined]);
  });

  test("has no code that does not have its hash, and says why", () => {
    expect(decideEntry(evidence({ footprint: [code()], hasNode: false }), code())).toHaveProperty(
      "reason",
    );
    const from = evidence({ footprint: [code()] });
    const forged = codeOf("cope", "code").entry;
    const own = { ...from.own, entry: () => entryOf({ entryXdr: forged }) };
    expect(decideEntries({ ...from, own })).toEqual({
      entries: [],
      unknown: [
        {
          keyXdr: made.key,
          reason: "the code that a source has for it does not have the hash in its key",
        },
      ],
    });
  });
});
