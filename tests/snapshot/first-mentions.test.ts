// What ledgers say of a key when they first change it, case by case, and where reading ends.

import { describe, expect, test } from "bun:test";
import type { LaterChanges } from "../../src/snapshot/evidence.ts";
import { collectFirstMentions } from "../../src/snapshot/stream/first-mentions.ts";
import { firstChangesIn } from "../../src/snapshot/stream/ledger-changes.ts";
import { openOnce, readLedgerCloseMeta } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { settingKeyOf } from "../../src/xdr/ledger/settings.ts";
import { ttlKeyOf } from "../../src/xdr/reader/keys.ts";
import { dataKeyOf, dataOf, settingOf, ttlOf } from "../support/ledger-entries.ts";
import { MADE_PASSPHRASE, type MadeLedger, makeLedgers } from "../support/made-ledgers.ts";

const FIRST = 100;
const ONE = dataKeyOf("one");
const OTHER = dataKeyOf("other");
const SETTING = settingKeyOf(4);

interface Options {
  readonly settingsOnly?: boolean;
  readonly maximumKeys?: number;
}

/** `made`: ledgers 100, 101, …, unless they say otherwise. */
async function mentions(made: readonly Partial<MadeLedger>[], options: Options = {}) {
  const ledgers = makeLedgers(made.map((ledger, i) => ({ sequence: FIRST + i, ...ledger })));
  let read = 0;
  async function* counted() {
    for (const ledger of ledgers) {
      read += 1;
      yield ledger;
    }
  }
  const given = { networkPassphrase: MADE_PASSPHRASE, settingsOnly: false, ...options };
  const found: LaterChanges = await collectFirstMentions(counted(), given);
  return { find: found.find, readTo: found.readTo, read };
}

const value = (number: number) => dataOf(ONE, number);
const creates = (key: string) => ({ changes: [["created", dataOf(key, 1)]] as const });

describe("the first change of a key shows what it was before", () => {
  const entry = (entryXdr: string) => ({ kind: "entry", entryXdr, liveUntilLedger: null });
  const cases: readonly {
    readonly what: string;
    readonly ledger: Partial<MadeLedger>;
    readonly before: object | undefined;
    readonly key?: string;
  }[] = [
    {
      what: "a STATE: just that",
      ledger: {
        transactions: [
          {
            changes: [
              ["state", value(1)],
              ["updated", value(2)],
            ],
          },
        ],
      },
      before: entry(value(1)),
    },
    {
      what: "the STATE of a TTL: its live-until ledger",
      ledger: {
        transactions: [
          {
            changes: [
              ["state", ttlOf(ONE, 300)],
              ["updated", ttlOf(ONE, 400)],
            ],
          },
        ],
      },
      before: { kind: "entry", entryXdr: null, liveUntilLedger: 300 },
      key: ttlKeyOf(ONE),
    },
    {
      what: "a creation: nothing",
      ledger: { transactions: [creates(ONE)] },
      before: { kind: "absent" },
    },
    {
      what: "a restoration: archived, or expired, with that value",
      ledger: { transactions: [{ changes: [["restored", value(1)]] }] },
      before: { kind: "archived", entryXdr: value(1) },
    },
    {
      what: "a TTL that is restored and then extended: the one that had ended",
      ledger: {
        transactions: [
          {
            changes: [
              ["restored", ttlOf(ONE, 98)],
              ["updated", ttlOf(ONE, 400)],
            ],
          },
        ],
      },
      before: { kind: "entry", entryXdr: null, liveUntilLedger: 98 },
      key: ttlKeyOf(ONE),
    },
    {
      what: "an eviction: it is gone, with a value that nothing shows",
      ledger: { evicted: [ONE] },
      before: { kind: "evicted" },
    },
    {
      what: "a change without its STATE: something else",
      ledger: { transactions: [{ changes: [["updated", value(2)]] }] },
      before: { kind: "unclear" },
    },
    {
      what: "a removal without its STATE: something",
      ledger: { transactions: [{ changes: [["removed", ONE]] }] },
      before: { kind: "unclear" },
    },
    {
      what: "a change and then an eviction: what it was before the change",
      ledger: { transactions: [{ changes: [["state", value(1)]] }], evicted: [ONE] },
      before: entry(value(1)),
    },
    {
      what: "fees come before operations of earlier transactions",
      ledger: {
        transactions: [
          { changes: [["state", value(2)]] },
          { fees: [["state", value(1)]], changes: [["state", value(3)]] },
        ],
      },
      before: entry(value(1)),
    },
    {
      what: "upgrades come after refunds",
      ledger: {
        transactions: [{ place: [0, 0], refunds: [["state", value(1)]] }],
        upgrades: [{ changes: [["state", value(2)]] }],
      },
      before: entry(value(1)),
    },
    { what: "a key that no ledger changes: unknown", ledger: {}, before: undefined },
  ];
  for (const { what, ledger, before, key = ONE } of cases)
    test(what, async () => {
      const { find, readTo } = await mentions([{}, ledger, {}]);
      const found = find(key);
      expect(found).toEqual(before && ({ before, ledger: FIRST + 1 } as never));
      expect(readTo).toBe(FIRST + 2);
    });

  test("later changes of the key do not count", async () => {
    const { find } = await mentions([{}, { evicted: [ONE] }, { transactions: [creates(ONE)] }]);
    expect(find(ONE)).toEqual({ before: { kind: "evicted" }, ledger: FIRST + 1 });
  });
});

test("each key of a ledger is shown once, with its first change", () => {
  const changes = [
    ["state", value(1)],
    ["updated", value(2)],
  ] as const;
  const transactions = [{ changes }, { changes }];
  const [made] = makeLedgers([{ sequence: FIRST, transactions, evicted: [ONE, OTHER] }]);
  const view = readLedgerCloseMeta(made?.ledgerCloseMeta ?? new Uint8Array(), MADE_PASSPHRASE);
  const kinds = [...firstChangesIn(view)].map(([key, { kind }]) => [key, kind]);
  expect(kinds).toEqual([
    [ONE, "entry"],
    [OTHER, "evicted"],
  ]);
});

describe("reading ends", () => {
  const ledgers = [
    { transactions: [creates(ONE)] },
    { transactions: [creates(OTHER)] },
    { transactions: [creates(dataKeyOf("third"))] },
  ];

  test("at the end of the ledgers", async () => {
    const { find, readTo, read } = await mentions(ledgers);
    expect([readTo, read]).toEqual([FIRST + 2, 3]);
    expect(find(dataKeyOf("third"))).toBeDefined();
  });

  test("nowhere, without any", async () => {
    expect(await mentions([])).toMatchObject({ readTo: 0, read: 0 });
  });

  for (const [what, gap] of [
    ["where a ledger is missing", { sequence: FIRST + 7 }],
    ["where a ledger follows another one than that before it", { follows: FIRST + 7 }],
  ] as const)
    test(what, async () => {
      const [one, other, third] = ledgers;
      const { find, readTo } = await mentions([{ ...one }, { ...other, ...gap }, { ...third }]);
      expect(readTo).toBe(FIRST);
      expect([find(ONE) === undefined, find(OTHER) === undefined]).toEqual([false, true]);
    });

  test("with the ledger that brings more keys than are kept", async () => {
    for (const [maximumKeys, readTo] of [
      [1, FIRST],
      [2, FIRST + 1],
      [3, FIRST + 2],
    ] as const) {
      const found = await mentions(ledgers, { maximumKeys });
      expect([maximumKeys, found.readTo]).toEqual([maximumKeys, readTo]);
      expect(found.read).toBe(Math.min(maximumKeys + 1, 3));
    }
  });

  test("with the ledger whose only key is one too many: what was read before stays", async () => {
    const { find, readTo } = await mentions(ledgers, { maximumKeys: 1 });
    expect(find(ONE)).toEqual({ before: { kind: "absent" }, ledger: FIRST });
    expect(readTo).toBe(FIRST);
  });
});

describe("settings alone", () => {
  const upgraded = (from: number, to: number): Partial<MadeLedger> => ({
    upgrades: [
      {
        changes: [
          ["state", settingOf(4, from)],
          ["updated", settingOf(4, to)],
        ],
      },
    ],
  });

  test("are read from upgrades, and nothing else is", async () => {
    const made = [{ transactions: [creates(ONE)] }, upgraded(1, 5), upgraded(5, 6)];
    const { find, readTo } = await mentions(made, { settingsOnly: true });
    const before = { kind: "entry", entryXdr: settingOf(4, 1), liveUntilLedger: null } as const;
    expect(find(SETTING)).toEqual({ before, ledger: FIRST + 1 });
    expect(find(ONE)).toBeUndefined();
    // An entry that was not found may have changed all the same.
    expect(readTo).toBe(0);
  });

  test("end at a gap, too", async () => {
    const made = [{}, { ...upgraded(1, 5), follows: FIRST + 7 }];
    expect((await mentions(made, { settingsOnly: true })).find(SETTING)).toBeUndefined();
  });
});

test("a ledger that was looked at ahead is at hand for the fold", () => {
  const [one, other] = makeLedgers([{ sequence: FIRST }, { sequence: FIRST }]);
  const open = openOnce();
  const bytes = one?.ledgerCloseMeta ?? new Uint8Array();
  const view = open(bytes, MADE_PASSPHRASE);
  expect(open(bytes, MADE_PASSPHRASE)).toBe(view);
  expect(view).toEqual(readLedgerCloseMeta(bytes, MADE_PASSPHRASE));
  expect(open(other?.ledgerCloseMeta ?? bytes, MADE_PASSPHRASE)).not.toBe(view);
});
