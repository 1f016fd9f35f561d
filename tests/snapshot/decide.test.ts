// Weighing evidence, case by case: what the recorded networks do not happen to hold.

import { describe, expect, test } from "bun:test";
import { decideEntry } from "../../src/snapshot/decide-entry.ts";
import { decideEntries } from "../../src/snapshot/decide-snapshot.ts";
import { decideTtl } from "../../src/snapshot/decide-ttl.ts";
import type { Evidence } from "../../src/snapshot/evidence.ts";
import type { FootprintKey } from "../../src/snapshot/footprint-keys.ts";
import type { KnownEntry } from "../../src/snapshot/known-entry.ts";
import { readOwnChanges } from "../../src/snapshot/own-changes.ts";
import type { Before } from "../../src/snapshot/stream/ledger-changes.ts";
import type { CurrentLedgerEntry } from "../../src/sources/source.ts";
import { accountOf, codeOf, type MadeEntry } from "../support/ledger-entries.ts";

const LEDGER = 100;

function key(name: string, options: Partial<FootprintKey> = {}): FootprintKey {
  return {
    keyXdr: name,
    type: 6,
    readOnly: true,
    temporary: false,
    ttlKeyXdr: `${name} ttl`,
    ...options,
  };
}

const PERSISTENT = key("persistent");
const OTHER = key("other");
const TEMPORARY = key("temporary", { temporary: true });
const ACCOUNT = key(accountOf(1).key, { type: 0, ttlKeyXdr: null });

interface Given {
  readonly footprint?: readonly FootprintKey[];
  /** As a node has them: last-modified ledger, live-until ledger. */
  readonly entries?: Readonly<Record<string, readonly [number, number]>>;
  readonly at?: number;
  readonly readTo?: number;
  readonly before?: Readonly<Record<string, Before>>;
  readonly code?: string;
  readonly marked?: readonly string[];
  /** Which one the diagnostics name. */
  readonly named?: string;
  readonly changesBefore?: readonly { readonly keyXdr: string; readonly entryXdr: string }[];
}

function evidence(given: Given): Evidence {
  const entries = new Map<string, CurrentLedgerEntry>();
  for (const [keyXdr, [lastModifiedLedger, liveUntilLedger]] of Object.entries(
    given.entries ?? {},
  )) {
    entries.set(keyXdr, { keyXdr, entryXdr: "now", lastModifiedLedger, liveUntilLedger });
  }
  const code = given.code ?? "invokeHostFunctionTrapped";
  const transaction = {
    ledgerSequence: LEDGER,
    operation: "invoke_host_function" as const,
    succeeded: code.endsWith("Success"),
    changesBefore: (given.changesBefore ?? []).map(
      (each) => ({ kind: "updated", type: 0, liveUntilLedger: null, ...each }) as const,
    ),
    operationChanges: [],
  };
  const footprint = given.footprint ?? [PERSISTENT];
  const found = new Map(Object.entries(given.before ?? {}));
  const at = (before: Before | undefined) => before && { before, ledger: 105 };
  const latestLedger = given.at ?? 110;
  return {
    transaction,
    operationCode: code,
    footprint,
    archivedKeyXdr: given.named ?? null,
    markedArchived: new Set(given.marked ?? []),
    own: readOwnChanges(transaction),
    ledger: { protocolVersion: 28, previous: null, own: null, genesisSettings: new Map() },
    folded: null,
    later: { find: (keyXdr) => at(found.get(keyXdr)), readTo: given.readTo ?? LEDGER - 1 },
    nodes: {
      find: (keyXdr) => ({ latestLedger, entry: entries.get(keyXdr) ?? null, origin: "a node" }),
      reason: "no node",
    },
    traced: new Map(),
  };
}

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

  test("had the value that a later ledger restores, and its TTL decides whether it was live", () => {
    const restored: Before = { kind: "archived", entryXdr: "then" };
    const given = { entries, before: { persistent: restored } };
    expect(entryOf(given)).toBe("ledger-scan: there");
    expect(ttlOf(given)).toBe("rpc-unchanged: 500 at most");
  });

  test("is likely what the transaction's own fee phase left, for its source account", () => {
    const { key: keyXdr, entry: entryXdr } = accountOf(1, LEDGER);
    const given = { entries: { [keyXdr]: [105, 0] as const }, footprint: [ACCOUNT] };
    expect(entryOf({ ...given, changesBefore: [{ keyXdr, entryXdr }] }, ACCOUNT)).toBe(
      "assumed: there",
    );
  });
});

describe("a time to live", () => {
  const entries = { persistent: [50, 500], other: [50, 500], temporary: [50, 120] } as const;

  test("that nothing changed up to the node's ledger is exact", () => {
    expect(ttlOf({ entries, readTo: 110 })).toBe("ledger-scan: 500");
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
    expect(ttlOf({ entries: expired, at: LEDGER, readTo: LEDGER })).toBe("archive: archived");
  });

  test("is open when the transaction meant to restore the entry and failed", () => {
    expect(ttlOf({ entries, marked: ["persistent"] })).toBe("assumed: 500");
  });

  test("had ended for the only entry that can be the archived one", () => {
    const code = "invokeHostFunctionEntryArchived";
    expect(ttlOf({ entries, code })).toBe("meta: archived");
    const footprint = [PERSISTENT, OTHER];
    expect(ttlOf({ entries, code, footprint })).toBe("assumed: 500");
    expect(ttlOf({ entries, code, footprint, marked: ["other"] })).toBe("meta: archived");
    expect(ttlOf({ entries, code, footprint, named: "persistent" })).toBe("meta: archived");
    expect(ttlOf({ entries, code, footprint, named: "other" })).toBe("rpc-unchanged: 500 at most");
  });
});
