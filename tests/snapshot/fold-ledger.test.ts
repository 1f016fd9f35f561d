// The order in which a ledger's changes take effect (stellar-core, LedgerManagerImpl.cpp,
// applyLedger), case by case: what each Soroban transaction's operation sees, and what is left.

import { afterAll, describe, expect, test } from "bun:test";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { openLedgerEngine } from "../../src/simulator/open-processes.ts";
import type { Folded as FoldedState } from "../../src/snapshot/folded.ts";
import { changesInLedger } from "../../src/snapshot/stream/ledger-changes.ts";
import { FIRST_CLOSED_LEDGER, LedgersFold } from "../../src/snapshot/stream/ledgers-fold.ts";
import { readLedgerCloseMeta } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { ttlKeyOf } from "../../src/xdr/reader/keys.ts";
import { accountOf, dataKeyOf, dataOf, ttlOf } from "../support/ledger-entries.ts";
import {
  MADE_PASSPHRASE,
  type MadeChange,
  type MadeLedger,
  type MadeTransaction,
  makeLedgers,
} from "../support/made-ledgers.ts";

const LEDGER = 100;
const DATA = dataKeyOf("it");
const TTL = ttlKeyOf(DATA);
const ACCOUNT = accountOf(1).key;

/** The account's balance says which change was the last one. */
const paid = (balance: number): MadeChange[] => [["updated", accountOf(1, 1, balance).entry]];
const balanceOf = (entryXdr: string | null | undefined) =>
  entryXdr ? Number(Buffer.from(entryXdr, "base64").readBigInt64BE(44)) : null;

interface Folded<T> {
  /** By Soroban transactions, in the order in which they run. */
  readonly seen: readonly T[];
  readonly left: T;
}

const engine = openLedgerEngine({ path: SIMULATOR_BINARY }, 1);
afterAll(() => engine[Symbol.asyncDispose]());

async function folded<T>(
  ledger: Omit<MadeLedger, "sequence">,
  before: readonly MadeChange[],
  look: (state: FoldedState) => T,
): Promise<Folded<T>> {
  const fold = new LedgersFold(engine, { networkPassphrase: MADE_PASSPHRASE });
  const made = [
    { sequence: FIRST_CLOSED_LEDGER, upgrades: [{ changes: before }] },
    { sequence: FIRST_CLOSED_LEDGER + 1, ...ledger },
    // One more transaction sees what is left.
    { sequence: FIRST_CLOSED_LEDGER + 2, transactions: [{}] },
  ];
  const found: T[][] = [];
  for (const { ledgerCloseMeta } of makeLedgers(made)) {
    const view = readLedgerCloseMeta(ledgerCloseMeta, MADE_PASSPHRASE);
    const choice = { run: false, want: true, keys: [ACCOUNT, DATA] };
    const { open } = await fold.fold({ ledgerCloseMeta, view }, "", choice);
    found.push(open.map(({ evidence }) => look(evidence.folded as FoldedState)));
  }
  const [, seen = [], [left] = []] = found;
  return { seen, left: left as T };
}

describe("an account that every phase charges", () => {
  const cases: readonly {
    readonly what: string;
    readonly ledger: Omit<MadeLedger, "sequence">;
    readonly seen: readonly number[];
    readonly left: number;
  }[] = [
    {
      what: "the fees of all transactions come before the first",
      ledger: { transactions: [{ fees: paid(1) }, { fees: paid(2) }] },
      seen: [2, 2],
      left: 2,
    },
    {
      what: "one after the other: sequence number, operation, refund",
      ledger: {
        version: 1,
        transactions: [
          { fees: paid(1), before: paid(3), changes: paid(4), after: paid(5) },
          { fees: paid(2), before: paid(6), changes: paid(7), after: paid(8) },
        ],
      },
      seen: [3, 6],
      left: 8,
    },
    {
      what: "a refund of the sequential phase is seen by the next transaction",
      ledger: { version: 1, transactions: [{ after: paid(5) }, {}] },
      seen: [0, 5],
      left: 5,
    },
    {
      what: "in parallel: all sequence numbers, then all operations, then all refunds",
      ledger: {
        transactions: [
          { place: [0, 0], fees: paid(1), before: paid(3), after: paid(5), refunds: paid(7) },
          { place: [0, 1], fees: paid(2), before: paid(4), after: paid(6), refunds: paid(8) },
        ],
      },
      seen: [4, 4],
      left: 8,
    },
    {
      what: "a change of an earlier operation is seen in the same cluster and in the next stage",
      ledger: {
        transactions: [
          { place: [0, 0], changes: paid(3) },
          { place: [0, 0] },
          { place: [1, 0], changes: paid(4) },
          { place: [1, 0] },
        ],
      },
      seen: [0, 3, 3, 4],
      left: 4,
    },
    {
      what: "the sequential phase comes before the parallel one",
      ledger: {
        transactions: [
          { before: paid(1), changes: paid(2) },
          { place: [0, 0], before: paid(3) },
        ],
      },
      seen: [1, 3],
      left: 3,
    },
    {
      what: "in parallel: changes after an operation wait for the last stage",
      ledger: {
        transactions: [
          { place: [0, 0], after: paid(6) },
          { place: [1, 0], after: paid(5) },
        ],
      },
      seen: [0, 0],
      left: 5,
    },
    {
      what: "changes after an operation count before any refund of the refund phase",
      ledger: {
        transactions: [
          { place: [0, 0], after: paid(6), refunds: paid(7) },
          { place: [0, 1], after: paid(5) },
        ],
      },
      seen: [0, 0],
      left: 7,
    },
    {
      what: "a transaction that failed has paid and used its sequence number",
      ledger: {
        transactions: [{ result: "trapped", fees: paid(1), before: paid(2) }, { before: paid(3) }],
      },
      seen: [2, 3],
      left: 3,
    },
    {
      what: "a classic transaction changes what the next one sees, and is not shown itself",
      ledger: {
        transactions: [{ operation: "classic", changes: paid(1) }, {}, { operation: "classic" }],
      },
      seen: [1],
      left: 1,
    },
    {
      what: "upgrades come after everything",
      ledger: {
        transactions: [{ place: [0, 0], refunds: paid(1) }],
        upgrades: [{ changes: paid(2) }, { changes: paid(3) }],
      },
      seen: [0],
      left: 3,
    },
    { what: "a ledger without transactions", ledger: {}, seen: [], left: 0 },
  ];
  for (const { what, ledger, seen, left } of cases)
    test(what, async () => {
      const before: MadeChange[] = [["created", accountOf(1, 1, 0).entry]];
      const look = (state: FoldedState) => balanceOf(state.entry(ACCOUNT));
      expect(await folded(ledger, before, look)).toEqual({ seen, left });
    });
});

describe("a time to live in the parallel phase", () => {
  const extended = (from: number, to: number): MadeChange[] => [
    ["state", ttlOf(DATA, from)],
    ["updated", ttlOf(DATA, to)],
  ];
  const reader = (cluster: number, to: number, stage = 0): MadeTransaction => ({
    place: [stage, cluster],
    readOnly: [DATA],
    changes: extended(200, to),
  });
  const looks = (cluster: number, stage = 0): MadeTransaction => ({
    place: [stage, cluster],
    readOnly: [DATA],
  });
  const writer = (cluster: number, to?: number): MadeTransaction => ({
    place: [0, cluster],
    readWrite: [DATA],
    ...(to === undefined ? {} : { changes: extended(200, to) }),
  });
  const cases: readonly {
    readonly what: string;
    readonly transactions: readonly MadeTransaction[];
    readonly seen: readonly number[];
    readonly left: number;
  }[] = [
    {
      what: "an extension by a reader is seen by no reader of its stage",
      transactions: [reader(0, 300), looks(0), looks(1)],
      seen: [200, 200, 200],
      left: 300,
    },
    {
      what: "and by all of the next stage",
      transactions: [reader(0, 300), looks(0, 1), looks(1, 1)],
      seen: [200, 300, 300],
      left: 300,
    },
    {
      what: "the highest of a stage stays",
      transactions: [reader(0, 300), reader(0, 250), reader(1, 400), reader(2, 350)],
      seen: [200, 200, 200, 200],
      left: 400,
    },
    {
      what: "the highest of a cluster stays",
      transactions: [reader(0, 300), reader(0, 250)],
      seen: [200, 200],
      left: 300,
    },
    {
      what: "what a writer of the same cluster removes and makes anew has nothing of it",
      transactions: [
        reader(0, 300),
        {
          ...writer(0),
          changes: [
            ["removed", DATA],
            ["removed", TTL],
            ["created", dataOf(DATA, 2)],
            ["created", ttlOf(DATA, 250)],
          ],
        },
        looks(0),
      ],
      seen: [200, 300, 250],
      left: 250,
    },
    {
      what: "a writer of the same cluster sees it",
      transactions: [reader(0, 300), writer(0), looks(0)],
      seen: [200, 300, 300],
      left: 300,
    },
    {
      what: "so does one that fails, and those after it",
      transactions: [reader(0, 300), { ...writer(0), result: "trapped" }, looks(0)],
      seen: [200, 300, 300],
      left: 300,
    },
    {
      what: "an extension by a writer is seen at once",
      transactions: [writer(0, 300), looks(0)],
      seen: [200, 300],
      left: 300,
    },
    {
      what: "an extension after a writer's waits for the end of the stage again",
      transactions: [
        reader(0, 300),
        writer(0, 500),
        { ...looks(0), changes: extended(500, 600) },
        looks(0),
      ],
      seen: [200, 300, 500, 500],
      left: 600,
    },
    {
      what: "stages that are not numbered one by one",
      transactions: [reader(0, 300, 0), looks(0, 2)],
      seen: [200, 300],
      left: 300,
    },
  ];
  for (const { what, transactions, seen, left } of cases)
    test(what, async () => {
      const before: MadeChange[] = [
        ["created", dataOf(DATA, 1)],
        ["created", ttlOf(DATA, 200)],
      ];
      const look = (state: FoldedState) => state.liveUntilLedger(TTL);
      expect(await folded({ transactions }, before, look)).toEqual({ seen, left });
    });

  test("in the sequential phase an extension by a reader is seen at once", async () => {
    const transactions = [{ readOnly: [DATA], changes: extended(200, 300) }, { readOnly: [DATA] }];
    const before: MadeChange[] = [["created", ttlOf(DATA, 200)]];
    const look = (state: FoldedState) => state.liveUntilLedger(TTL);
    expect(await folded({ transactions }, before, look)).toEqual({ seen: [200, 300], left: 300 });
  });
});

describe("evictions", () => {
  const created: MadeChange[] = [
    ["created", dataOf(DATA, 1)],
    ["created", ttlOf(DATA, 99)],
  ];
  const look = (state: FoldedState) => ({
    entry: state.entry(DATA),
    live: state.liveUntilLedger(TTL),
    archived: state.archived(DATA),
  });
  const gone = (archived: string | null) => ({ entry: null, live: null, archived });

  test("come last: transactions see the entry, and the archive gets what they made of it", async () => {
    const changes: MadeChange[] = [["updated", dataOf(DATA, 2)]];
    const found = await folded(
      { transactions: [{ place: [0, 0], changes }], evicted: [DATA] },
      created,
      look,
    );
    expect(found.seen).toEqual([{ entry: dataOf(DATA, 1), live: 99, archived: null }]);
    expect(found.left).toEqual(gone(dataOf(DATA, 2)));
  });

  test("come after upgrades, too", async () => {
    const upgrades = [{ changes: [["updated", dataOf(DATA, 3)]] as const }];
    expect((await folded({ upgrades, evicted: [DATA] }, created, look)).left).toEqual(
      gone(dataOf(DATA, 3)),
    );
  });
});

test("the changes of a ledger are listed in the order in which they take effect", () => {
  const transactions: MadeTransaction[] = [
    { fees: paid(1), before: paid(3), changes: paid(4), after: paid(5), refunds: paid(9) },
    { fees: paid(2), before: paid(6), changes: paid(7), after: paid(8), refunds: paid(10) },
  ];
  const upgrades = [{ changes: paid(11) }, { changes: paid(12) }];
  const [made] = makeLedgers([{ sequence: LEDGER, transactions, upgrades }]);
  const view = readLedgerCloseMeta(made?.ledgerCloseMeta ?? new Uint8Array(), MADE_PASSPHRASE);
  const balances = [...changesInLedger(view)].flat().map(({ entryXdr }) => balanceOf(entryXdr));
  expect(balances).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});
