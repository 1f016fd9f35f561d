// Weighing evidence, case by case: what the recorded networks do not happen to hold.

import { describe, expect, test } from "bun:test";
import { decideEntry } from "../../src/snapshot/decide-entry.ts";
import { decideEntries } from "../../src/snapshot/decide-snapshot.ts";
import { decideTtl } from "../../src/snapshot/decide-ttl.ts";
import type { KnownEntry } from "../../src/snapshot/known-entry.ts";
import { readOwnChanges } from "../../src/snapshot/own-changes.ts";
import type { Before } from "../../src/snapshot/stream/ledger-changes.ts";
import { ENTRY_TYPE } from "../../src/xdr/reader/keys.ts";
import {
  evidence,
  type Folded,
  type FoldedChange,
  type Given,
  key,
  LEDGER,
  OTHER,
  PERSISTENT,
  TEMPORARY,
} from "../support/given-evidence.ts";
import { accountOf, codeOf, dataKeyOf, type MadeEntry } from "../support/ledger-entries.ts";

const ACCOUNT = key(accountOf(1).key, { type: 0, ttlKeyXdr: null });

/** Kind of provenance, and whether it is there. */
function entryOf(given: Given, of = PERSISTENT): string {
  const decided = decideEntry(evidence(given), of);
  if ("reason" in decided) return "unknown";
  const state = decided.entryXdr === null ? "absent" : decided.archived ? "archived" : "there";
  return `${decided.provenance.kind}: ${state}`;
}

function ttlOf(given: Given, of = PERSISTENT): string {
  const from = evidence(given);
  const decided = decideTtl(from, of, decideEntry(from, of) as KnownEntry);
  if (decided === null) return "none";
  const { kind } = decided.provenance;
  if ("archived" in decided) return `${kind}: archived`;
  return `${kind}: ${decided.liveUntilLedger}${decided.provisional ? " at most" : ""}`;
}

describe("an entry that a node does not have", () => {
  test("was absent when every ledger since was read and none removed it", () => {
    expect(entryOf({ readTo: 110 })).toBe("rpc-unchanged: absent");
    expect(entryOf({ readTo: 109 })).toBe("assumed: absent");
  });

  test("may have expired unseen when it is temporary and ledgers have passed", () => {
    expect(entryOf({ at: 110, readTo: 110 }, TEMPORARY)).toBe("assumed: absent");
    expect(entryOf({ at: LEDGER, readTo: LEDGER }, TEMPORARY)).toBe("rpc-unchanged: absent");
  });

  test("was what its first later change shows", () => {
    const removed: Before = { kind: "entry", entryXdr: "then", liveUntilLedger: null };
    expect(entryOf({ before: { persistent: removed } })).toBe("ledger-scan: there");
    expect(entryOf({ before: { persistent: { kind: "evicted" } } })).toBe("unknown");
  });
});

test("code in a ledger that does not have the hash in its key is believed nowhere", () => {
  const decidedOf = ({ key: keyXdr, entry: entryXdr }: MadeEntry) => {
    const footprint = [key(keyXdr, { type: 7 })];
    const before: Before = { kind: "entry", entryXdr, liveUntilLedger: 500 };
    return decideEntries(evidence({ footprint, before: { [keyXdr]: before } }));
  };
  expect(decidedOf(codeOf("code")).entries).toHaveLength(1);
  expect(decidedOf(codeOf("cope", "code"))).toEqual({
    entries: [],
    unknown: [{ keyXdr: codeOf("code").key, reason: expect.stringContaining("hash in its key") }],
  });
});

describe("an entry that changed since", () => {
  const entries = { persistent: [105, 500] } as const;

  test("is unknown without the ledger that changed it", () => {
    expect(entryOf({ entries })).toBe("unknown");
  });

  test("did not exist when a later ledger creates it", () => {
    expect(entryOf({ entries, before: { persistent: { kind: "absent" } } })).toBe(
      "ledger-scan: absent",
    );
  });

  test("had the value that a later ledger restores, and was live by the result", () => {
    const restored: Before = { kind: "archived", entryXdr: "then" };
    const given = { entries, before: { persistent: restored } };
    expect(entryOf(given)).toBe("ledger-scan: there");
    expect(ttlOf(given)).toBe("deduced: 1000100 at most");
  });

  test("is likely what the transaction's own fee phase left, for its source account", () => {
    const { key: keyXdr, entry: entryXdr } = accountOf(1, LEDGER);
    const given = { entries: { [keyXdr]: [105, 0] as const }, footprint: [ACCOUNT] };
    expect(entryOf({ ...given, changesBefore: [{ keyXdr, entryXdr }] }, ACCOUNT)).toBe(
      "assumed: there",
    );
  });
});

describe("a read-write entry that the transaction's own meta does not mention", () => {
  const written = key("written", { readOnly: false });
  const entries = { written: [105, 500] } as const;

  test("did not exist when the transaction succeeded: a success writes what there is", () => {
    const code = "success" as const;
    expect(entryOf({ entries, code, footprint: [written] }, written)).toBe("deduced: absent");
    expect(entryOf({ entries, code, footprint: [PERSISTENT] })).toBe("assumed: absent");
  });

  test("may be anything when it failed", () => {
    expect(entryOf({ entries, footprint: [written] }, written)).toBe("unknown");
  });
});

test("an entry that the own meta restores and extends had expired with the TTL it shows, if that had ended", () => {
  const { key: keyXdr, entry: entryXdr } = codeOf("code", "code", LEDGER);
  const code = key(keyXdr, { readOnly: false, type: ENTRY_TYPE.contractCode });
  const before = (liveUntilLedger: number) => {
    const change = { kind: "restored", type: 7, entryXdr: null, liveUntilLedger: null } as const;
    const own = readOwnChanges({
      ledgerSequence: LEDGER,
      operation: "invoke_host_function",
      succeeded: true,
      changesBefore: [],
      operationChanges: [
        { ...change, keyXdr, entryXdr },
        { ...change, keyXdr: code.ttlKeyXdr ?? "", liveUntilLedger },
        { ...change, kind: "updated", keyXdr: code.ttlKeyXdr ?? "", liveUntilLedger: 900 },
      ],
    });
    const { archived, cacheUnknown } = own.entry(code, null) as KnownEntry;
    return { archived, cacheUnknown, ttl: own.ttl(code)?.liveUntilLedger };
  };
  expect(before(98)).toEqual({ archived: false, cacheUnknown: true, ttl: 98 });
  expect(before(500)).toEqual({ archived: true, cacheUnknown: true, ttl: undefined });
});

describe("contract code that a node has as archived", () => {
  const code = key("code", { type: ENTRY_TYPE.contractCode });
  const entries = { code: [50, 0] } as const;

  test("may have been in the module cache: it has expired, or was evicted", () => {
    for (const given of [
      { at: LEDGER, readTo: LEDGER },
      { at: 95, folded: { from: 90 } },
    ]) {
      const [entry] = decideEntries(evidence({ ...given, entries, footprint: [code] })).entries;
      expect(entry).toMatchObject({ archived: true, codeCached: false, maybeCached: true });
    }
  });

  test("is of no interest where it is not code", () => {
    const footprint = [PERSISTENT];
    const given = { at: LEDGER, readTo: LEDGER, entries: { persistent: [50, 0] as const } };
    const [entry] = decideEntries(evidence({ ...given, footprint })).entries;
    expect([entry?.archived, entry?.codeCached, entry?.maybeCached]).toEqual([
      true,
      null,
      undefined,
    ]);
  });
});

describe("a time to live", () => {
  const entries = { persistent: [50, 500], other: [50, 500], temporary: [50, 120] } as const;

  test("that nothing changed up to the node's ledger is exact", () => {
    expect(ttlOf({ entries, readTo: 110 })).toBe("rpc-unchanged: 500");
  });

  test("that a later ledger changed in some way is not exact, although all ledgers were read", () => {
    const before = { "persistent ttl": { kind: "unclear" } } as const;
    expect(ttlOf({ entries, readTo: 110, before })).toBe("rpc-unchanged: 500 at most");
  });

  test("of an entry that was written since may be more than today's: it may be another one", () => {
    const before: Before = { kind: "entry", entryXdr: "then", liveUntilLedger: null };
    const given = { entries: { persistent: [105, 500] }, before: { persistent: before } } as const;
    expect(entryOf(given)).toBe("ledger-scan: there");
    expect(ttlOf(given)).toBe("deduced: 1000100 at most");
  });

  test("of an entry that was read is at most today's", () => {
    expect(ttlOf({ entries })).toBe("rpc-unchanged: 500 at most");
    expect(ttlOf({ entries }, TEMPORARY)).toBe("rpc-unchanged: 120 at most");
  });

  test("of an entry that has expired since ended before the node's ledger", () => {
    const expired = { persistent: [50, 0] } as const;
    expect(ttlOf({ entries: expired })).toBe("rpc-unchanged: 109 at most");
  });

  test("had ended when the node's ledger is the transaction's own", () => {
    const expired = { persistent: [50, 0] } as const;
    expect(ttlOf({ entries: expired, at: LEDGER, readTo: LEDGER })).toBe("rpc-unchanged: archived");
  });

  test("is open when the transaction meant to restore the entry and failed", () => {
    expect(ttlOf({ entries, marked: ["persistent"] })).toBe("assumed: 500");
  });

  test("had ended for the only entry that can be the archived one", () => {
    const code = "entryArchived" as const;
    expect(ttlOf({ entries, code })).toBe("deduced: archived");
    const footprint = [PERSISTENT, OTHER];
    expect(ttlOf({ entries, code, footprint })).toBe("assumed: 500");
    expect(ttlOf({ entries, code, footprint, marked: ["other"] })).toBe("deduced: archived");
    expect(ttlOf({ entries, code, footprint, named: "persistent" })).toBe("diagnostics: archived");
    expect(ttlOf({ entries, code, footprint, named: "other" })).toBe("rpc-unchanged: 500 at most");
  });
});

describe("an entry that folded ledgers", () => {
  const entries = { persistent: [50, 500] } as const;
  const cases: readonly {
    readonly what: string;
    readonly folded: Folded;
    readonly given?: Given;
    readonly entry: string;
    readonly ttl?: string;
  }[] = [
    {
      what: "wrote is what they left, whatever a node has now",
      folded: { from: 90, changes: [[95, "persistent", "updated", "then"]] },
      given: { entries: { persistent: [105, 900] } },
      entry: "ledger-scan: there",
      ttl: "deduced: 1000100 at most",
    },
    {
      what: "wrote with its TTL is known whole",
      folded: {
        from: 90,
        changes: [
          [95, "persistent", "created", "then"],
          [95, "persistent ttl", "created", 300],
        ],
      },
      given: { entries: { persistent: [105, 900] } },
      entry: "ledger-scan: there",
      ttl: "ledger-scan: 300",
    },
    {
      what: "wrote in the transaction's own ledger is of the same ledger",
      folded: {
        from: 90,
        changes: [
          [LEDGER, "persistent", "updated", "then"],
          [LEDGER, "persistent ttl", "updated", 300],
        ],
      },
      entry: "same-ledger: there",
      ttl: "same-ledger: 300",
    },
    {
      what: "removed is absent, even if it is there again now",
      folded: { from: 90, changes: [[95, "persistent", "removed"]] },
      given: { entries: { persistent: [105, 900] } },
      entry: "ledger-scan: absent",
    },
    {
      what: "removed in the own ledger is absent by that",
      folded: { from: 90, changes: [[LEDGER, "persistent", "removed"]] },
      entry: "same-ledger: absent",
    },
    {
      what: "never mentioned since genesis is absent",
      folded: { from: 2, fromGenesis: true },
      given: { entries: { persistent: [105, 900] } },
      entry: "ledger-scan: absent",
    },
    {
      what: "never mentioned is, by that node's word, as a node has it that stands before them",
      folded: { from: 90 },
      given: { entries, at: 95 },
      entry: "rpc-unchanged: there",
      ttl: "rpc-unchanged: 500",
    },
    {
      what: "never mentioned is absent, by that node's word, where such a node does not have it",
      folded: { from: 90 },
      given: { at: 95 },
      entry: "rpc-unchanged: absent",
    },
    {
      what: "never mentioned is archived where such a node has it as archived",
      folded: { from: 90 },
      given: { entries: { persistent: [50, 0] }, at: 95 },
      entry: "rpc-unchanged: archived",
    },
    {
      what: "never mentioned is bridged from the ledger just before the first of them",
      folded: { from: 96 },
      given: { entries, at: 95 },
      entry: "rpc-unchanged: there",
      ttl: "rpc-unchanged: 500",
    },
    {
      what: "never mentioned is not bridged where one ledger is missing",
      folded: { from: 97 },
      given: { entries, at: 95 },
      entry: "assumed: there",
      ttl: "assumed: 500",
    },
    {
      what: "never mentioned is not bridged where one is missing, and absence is assumed then",
      folded: { from: 97 },
      given: { at: 95 },
      entry: "assumed: absent",
    },
    {
      what: "gave a new TTL alone is not archived, although the node had it so (protocol 22)",
      folded: { from: 90, changes: [[97, "persistent ttl", "updated", 300]] },
      given: { entries: { persistent: [50, 0] }, at: 95 },
      entry: "rpc-unchanged: there",
      ttl: "ledger-scan: 300",
    },
    {
      what: "did not mention, and a node that stands later has unchanged",
      folded: { from: 90 },
      given: { entries, at: 110 },
      entry: "rpc-unchanged: there",
      ttl: "rpc-unchanged: 500 at most",
    },
    {
      what: "did not mention, and ledgers up to the node's neither",
      folded: { from: 90 },
      given: { entries, at: 110, readTo: 110 },
      entry: "rpc-unchanged: there",
      ttl: "rpc-unchanged: 500",
    },
    {
      what: "up to its own have begun nowhere is not bridged",
      folded: { from: LEDGER + 1 },
      given: { entries, at: LEDGER - 1 },
      entry: "assumed: there",
    },
    {
      what: "did not mention is as its own ledger first shows it, after this transaction",
      folded: { from: 90 },
      given: {
        changedIn: LEDGER,
        before: { persistent: { kind: "entry", entryXdr: "then", liveUntilLedger: null } },
      },
      entry: "ledger-scan: there",
      ttl: "deduced: 1000100 at most",
    },
    {
      what: "did not mention was archived where its own ledger restores it after this transaction",
      folded: { from: 90 },
      given: {
        changedIn: LEDGER,
        before: { persistent: { kind: "archived", entryXdr: "then" } },
      },
      entry: "archive: archived",
    },
  ];
  for (const { what, folded, given = {}, entry, ttl } of cases)
    test(what, () => {
      const all = { ...given, folded };
      expect(entryOf(all)).toBe(entry);
      if (ttl !== undefined) expect(ttlOf(all)).toBe(ttl);
    });

  test("evicted is archived with what they had of it", () => {
    const name = dataKeyOf("evicted");
    const evicted = key(name);
    const changes: FoldedChange[] = [
      [91, name, "created", "then"],
      [95, name, "evicted"],
    ];
    expect(entryOf({ footprint: [evicted], folded: { from: 90, changes } }, evicted)).toBe(
      "archive: archived",
    );
  });

  test("evicted with a value that none of them shows is not absent", () => {
    const name = dataKeyOf("evicted");
    const evicted = key(name);
    const folded: Folded = { from: 90, changes: [[95, name, "evicted"]] };
    const given: Given = { footprint: [evicted], folded };
    // The node does not have it; that alone says nothing of the ledgers before.
    expect(entryOf(given, evicted)).toBe("assumed: absent");
    // What a node before them had is what the archive got.
    const entries = { [name]: [50, 94] as const };
    expect(entryOf({ ...given, entries, at: 93 }, evicted)).toBe("rpc-unchanged: there");
  });

  test("do not reach: the own ledger's first changes do not count", () => {
    const before = { kind: "entry", entryXdr: "then", liveUntilLedger: null } as const;
    const given: Given = { changedIn: LEDGER, before: { persistent: before } };
    expect(entryOf(given)).toBe("assumed: absent");
    expect(entryOf({ ...given, folded: { from: 90 } })).toBe("ledger-scan: there");
  });
});

describe("a result that says that an entry was archived", () => {
  const code = "entryArchived" as const;
  const footprint = [PERSISTENT, OTHER];
  const entries = { persistent: [50, 500] } as const;

  test("says nothing of the others where one is known to have expired", () => {
    const folded: Folded = {
      from: 90,
      changes: [
        [95, "other", "updated", "then"],
        [95, "other ttl", "updated", LEDGER - 1],
      ],
    };
    expect(ttlOf({ entries, code, footprint, folded })).toBe("assumed: 500");
  });

  test("names the only open one where the others are known to be live", () => {
    const folded: Folded = {
      from: 90,
      changes: [
        [95, "other", "updated", "then"],
        [95, "other ttl", "updated", LEDGER],
      ],
    };
    expect(ttlOf({ entries, code, footprint, folded })).toBe("deduced: archived");
  });

  test("does not make another one archived, where its TTL is in no source", () => {
    const name = dataKeyOf("evicted");
    const changes: FoldedChange[] = [
      [91, name, "created", "then"],
      [95, name, "evicted"],
      [95, "persistent", "updated", "then"],
    ];
    const given = { code, footprint: [PERSISTENT, key(name)], folded: { from: 90, changes } };
    expect(ttlOf(given)).toBe("assumed: 1000100");
    expect(ttlOf({ ...given, footprint })).toBe("assumed: archived");
  });

  test("says nothing of the others where one is known to be in the archive", () => {
    const name = dataKeyOf("evicted");
    const changes: FoldedChange[] = [
      [91, name, "created", "then"],
      [95, name, "evicted"],
    ];
    const both = [PERSISTENT, key(name)];
    const folded: Folded = { from: 90, changes };
    expect(ttlOf({ entries, code, footprint: both, folded })).toBe("assumed: 500");
  });

  test("names none where it can be a temporary entry's or an absent one's", () => {
    const both = [PERSISTENT, TEMPORARY];
    expect(ttlOf({ entries, code, footprint: both })).toBe("deduced: archived");
    const absent = { entries, code, footprint, readTo: 110, at: 110 };
    expect(ttlOf(absent, PERSISTENT)).toBe("rpc-unchanged: 500");
  });
});
