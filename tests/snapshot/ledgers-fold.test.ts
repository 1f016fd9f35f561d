// The fold of a run of ledgers, case by case: where it lets go of what it knows, what genesis tells
// it, and the facts and flags that each transaction gets from the ledgers around it.

import { afterAll, describe, expect, test } from "bun:test";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import type { Snapshot, SnapshotEntry } from "../../src/model/snapshot.ts";
import { openLedgerEngine } from "../../src/simulator/open-processes.ts";
import type { DecidedSettings } from "../../src/snapshot/decide-settings.ts";
import { NO_MENTIONS } from "../../src/snapshot/stream/first-mentions.ts";
import {
  type FoldedMismatch,
  type FoldOptions,
  LedgersFold,
} from "../../src/snapshot/stream/ledgers-fold.ts";
import { genesisAccount } from "../../src/xdr/ledger/genesis.ts";
import { settingKeyOf } from "../../src/xdr/ledger/settings.ts";
import { keyOfEntry, settingName, ttlKeyOf } from "../../src/xdr/reader/keys.ts";
import { foldLedgerBytes, foldWhole } from "../support/folded-stream.ts";
import { withInitialSettings } from "../support/initial-settings.ts";
import { codeOf, dataKeyOf, dataOf, settingOf, ttlOf } from "../support/ledger-entries.ts";
import {
  MADE_PASSPHRASE,
  type MadeChange,
  type MadeLedger,
  type MadeTransaction,
  makeLedgers,
} from "../support/made-ledgers.ts";

const GENESIS = 2;
const LATER = 100;
const DATA = dataKeyOf("it");
const EVENTS_SETTING = 4;

const engine = openLedgerEngine({ path: SIMULATOR_BINARY }, 1);
afterAll(() => engine[Symbol.asyncDispose]());

function foldOf(options: Partial<FoldOptions> = {}): LedgersFold {
  return new LedgersFold(engine, { networkPassphrase: MADE_PASSPHRASE, ...options });
}

/** Of each Soroban transaction of the ledgers; null where its operation did not run. */
async function snapshotsOf(
  made: readonly MadeLedger[],
  options: Partial<FoldOptions> = {},
): Promise<(Snapshot | null)[]> {
  const firstMentions = withInitialSettings(NO_MENTIONS, made[0]?.protocolVersion ?? 28);
  const given = made[0]?.sequence === GENESIS ? { firstMentions } : {};
  const fold = foldOf({ ...given, ...options });
  const snapshots: (Snapshot | null)[] = [];
  for (const { ledgerCloseMeta } of makeLedgers(made)) {
    const found = await foldLedgerBytes(fold, ledgerCloseMeta);
    snapshots.push(...found.map(({ snapshot }) => snapshot));
  }
  return snapshots;
}

const creating = (key = DATA): MadeTransaction => ({
  operation: "classic",
  changes: [
    ["created", dataOf(key, 1)],
    ["created", ttlOf(key, 10_000)],
  ],
});
const reading = (...keys: readonly string[]): MadeTransaction => ({ readOnly: keys });

/** `there`, `absent`, or `unknown` */
function stateOf(snapshot: Snapshot | null | undefined, key = DATA): string {
  const entry = entryOf(snapshot, key);
  if (entry === undefined) return "unknown";
  return entry.entryXdr === null ? "absent" : "there";
}

function entryOf(snapshot: Snapshot | null | undefined, key: string): SnapshotEntry | undefined {
  return snapshot?.entries.find(({ keyXdr }) => keyXdr === key);
}

function settingIn(snapshot: Snapshot | null | undefined, id: number): string | null {
  const name = settingName(settingKeyOf(id));
  return snapshot?.settings.find((each) => each.name === name)?.entryXdr ?? null;
}

describe("what the ledgers before left", () => {
  const [first, second] = [{ transactions: [creating()] }, { transactions: [reading(DATA)] }];
  const cases: readonly {
    readonly what: string;
    readonly ledgers: readonly MadeLedger[];
    readonly state: string;
  }[] = [
    {
      what: "is known where each ledger follows the one before",
      ledgers: [
        { sequence: LATER, ...first },
        { sequence: LATER + 1 },
        { sequence: LATER + 2, ...second },
      ],
      state: "there",
    },
    {
      what: "is let go where a ledger is missing",
      ledgers: [
        { sequence: LATER, ...first },
        { sequence: LATER + 2, ...second },
      ],
      state: "unknown",
    },
    {
      what: "is let go where the hash of the ledger before is another",
      ledgers: [
        { sequence: LATER, ...first },
        { sequence: LATER + 1, follows: LATER + 9, ...second },
      ],
      state: "unknown",
    },
    {
      what: "is let go where the number of the ledger before is another",
      ledgers: [
        { sequence: LATER, ...first },
        { sequence: LATER + 2, follows: LATER, ...second },
      ],
      state: "unknown",
    },
    {
      what: "is let go where a ledger comes twice",
      ledgers: [
        { sequence: LATER, ...first },
        { sequence: LATER, ...second },
      ],
      state: "unknown",
    },
    {
      what: "is let go where ledgers go back",
      ledgers: [
        { sequence: LATER, ...first },
        { sequence: LATER - 1, ...second },
      ],
      state: "unknown",
    },
    {
      what: "is gathered anew after a gap",
      ledgers: [
        { sequence: LATER },
        { sequence: LATER + 2, ...first },
        { sequence: LATER + 3, ...second },
      ],
      state: "there",
    },
  ];
  for (const { what, ledgers, state } of cases)
    test(what, async () => expect(stateOf((await snapshotsOf(ledgers)).at(-1))).toBe(state));

  test("of later ledgers' first mentions nothing holds after a gap", async () => {
    const before = { kind: "entry", entryXdr: dataOf(DATA, 5), liveUntilLedger: null } as const;
    const find = (keyXdr: string) => (keyXdr === DATA ? { before, ledger: LATER + 9 } : undefined);
    const firstMentions = { find, readTo: LATER + 9 };
    const ledgers = [
      { sequence: LATER, ...second },
      { sequence: LATER + 2, ...second },
    ];
    const states = (await snapshotsOf(ledgers, { firstMentions })).map((each) => stateOf(each));
    expect(states).toEqual(["there", "unknown"]);
  });
});

describe("from genesis", () => {
  test("what no ledger mentions does not exist", async () => {
    const ledgers = [{ sequence: GENESIS }, { sequence: 3, transactions: [reading(DATA)] }];
    const [snapshot] = await snapshotsOf(ledgers);
    expect(stateOf(snapshot)).toBe("absent");
    expect(entryOf(snapshot, DATA)?.provenance.kind).toBe("ledger-scan");
  });

  test("from any later ledger on it is unknown", async () => {
    const ledgers = [{ sequence: 3 }, { sequence: 4, transactions: [reading(DATA)] }];
    const snapshots = await snapshotsOf(ledgers);
    expect(snapshots.map((each) => stateOf(each))).toEqual(["unknown"]);
  });

  test("the account with all lumens is there, in no ledger's meta", async () => {
    const entryXdr = genesisAccount(MADE_PASSPHRASE).toBase64();
    const key = keyOfEntry(entryXdr);
    const [snapshot] = await snapshotsOf([{ sequence: GENESIS, transactions: [reading(key)] }]);
    expect(entryOf(snapshot, key)?.entryXdr).toBe(entryXdr);
  });

  test("settings are the initial ones of the protocol, until an upgrade", async () => {
    const transactions = [reading(DATA)];
    const changes: MadeChange[] = [
      ["state", settingOf(EVENTS_SETTING)],
      ["updated", settingOf(EVENTS_SETTING, 3)],
    ];
    const snapshots = await snapshotsOf([
      { sequence: GENESIS, transactions },
      { sequence: 3, transactions, upgrades: [{ changes }] },
      { sequence: 4, transactions },
    ]);
    expect(snapshots.map((each) => settingIn(each, EVENTS_SETTING))).toEqual([
      settingOf(EVENTS_SETTING),
      settingOf(EVENTS_SETTING),
      settingOf(EVENTS_SETTING, 3),
    ]);
    expect(snapshots.map((each) => each?.unknown)).toEqual([[], [], []]);
  });

  for (const protocolVersion of [20, 22, 28])
    test(`of a network that begins with protocol ${protocolVersion}`, async () => {
      const ledger = { sequence: GENESIS, protocolVersion, transactions: [reading(DATA)] };
      const [snapshot] = await snapshotsOf([ledger]);
      expect(settingIn(snapshot, 6)).toBe(settingOf(6, 1, protocolVersion));
      // Protocol 23 brought a setting of its own.
      expect(settingIn(snapshot, 15) !== null).toBe(protocolVersion >= 23);
    });

  test("after a gap no initial setting is taken for today's", async () => {
    const transactions = [reading(DATA)];
    const snapshots = await snapshotsOf([
      { sequence: GENESIS, transactions },
      { sequence: 4, transactions },
    ]);
    expect(snapshots.map((each) => settingIn(each, EVENTS_SETTING) === null)).toEqual([
      false,
      true,
    ]);
  });
});

describe("at a limit of memory", () => {
  const transactions = [reading(DATA, dataKeyOf("never"))];
  const ledgers: MadeLedger[] = [
    { sequence: GENESIS, transactions: [creating()] },
    { sequence: 3, transactions },
    { sequence: 4, transactions },
    { sequence: 5, transactions: [creating()] },
    { sequence: 6, transactions },
  ];
  const states = async (maximumBytes: number) =>
    (await snapshotsOf(ledgers, { maximumBytes })).map((snapshot) => [
      stateOf(snapshot),
      stateOf(snapshot, dataKeyOf("never")),
    ]);

  test("nothing is forgotten below it", async () => {
    const known = ["there", "absent"];
    expect(await states(100_000)).toEqual([known, known, known]);
  });

  test("all is forgotten beyond it: what is not mentioned anew is unknown, not absent", async () => {
    // The genesis account alone is more than this.
    const unknown = ["unknown", "unknown"];
    expect(await states(1)).toEqual([unknown, unknown, unknown]);
  });

  test("what is written again and again counts once", async () => {
    const rewritten = Array.from({ length: 40 }, (_, i) => ({
      sequence: 4 + i,
      transactions: [{ changes: [["updated", dataOf(DATA, i)]] as const }],
    }));
    const made = [...ledgers.slice(0, 1), { sequence: 3 }, ...rewritten];
    const [snapshot] = (
      await snapshotsOf([...made, { sequence: 44, transactions }], {
        maximumBytes: 1500,
      })
    ).slice(-1);
    expect(stateOf(snapshot)).toBe("there");
  });

  test("TTLs and the archive are forgotten with the entries", async () => {
    const archived = dataKeyOf("archived");
    const both = reading(DATA, archived);
    const snapshots = await snapshotsOf(
      [
        { sequence: GENESIS, transactions: [creating(), creating(archived)], evicted: [archived] },
        { sequence: 3, transactions: [{ changes: [["updated", dataOf(DATA, 2)]] }, both] },
      ],
      { maximumBytes: 1 },
    );
    const snapshot = snapshots.at(-1);
    expect(stateOf(snapshot, archived)).toBe("unknown");
    // Ledger 3 shows the entry again, and its TTL no more.
    expect(entryOf(snapshot, DATA)).toMatchObject({ entryXdr: dataOf(DATA, 2) });
    expect(entryOf(snapshot, DATA)?.provisional).toBe("ttl-unchanged");
  });

  test("settings stay, with what upgrades made of them", async () => {
    const upgrade: MadeChange[] = [["updated", settingOf(EVENTS_SETTING, 2)]];
    const [snapshot] = await snapshotsOf(
      [
        { sequence: GENESIS, upgrades: [{ changes: upgrade }] },
        { sequence: 3, transactions },
      ],
      { maximumBytes: 1 },
    );
    expect(settingIn(snapshot, EVENTS_SETTING)).toBe(settingOf(EVENTS_SETTING, 2));
    // The others are still those of genesis: their changes would have been seen.
    expect(settingIn(snapshot, 6)).toBe(settingOf(6));
  });
});

describe("a ledger's facts", () => {
  const upgraded = { protocolVersion: 28, upgrades: [{ protocolVersion: 28, changes: [] }] };
  const factsOf = async (made: readonly MadeLedger[]) => {
    const fold = foldOf();
    const found: (readonly [number, number])[] = [];
    for (const { ledgerCloseMeta } of makeLedgers(made)) {
      for (const { record } of await foldLedgerBytes(fold, ledgerCloseMeta))
        found.push([record.ledger.protocolVersion, record.assumedFacts?.length ?? 0]);
    }
    return found;
  };
  const transactions = [{}];

  test("are those before its own upgrade", async () => {
    expect(
      await factsOf([
        { sequence: LATER, protocolVersion: 27, transactions },
        { sequence: LATER + 1, ...upgraded, transactions },
        { sequence: LATER + 2, transactions },
      ]),
    ).toEqual([
      [27, 0],
      [27, 0],
      [28, 0],
    ]);
  });

  test("are assumed where the ledger before is not there", async () => {
    expect(await factsOf([{ sequence: LATER, ...upgraded, transactions }])).toEqual([[28, 1]]);
    const gap = [{ sequence: LATER, protocolVersion: 27 }];
    expect(await factsOf([...gap, { sequence: LATER + 2, ...upgraded, transactions }])).toEqual([
      [28, 1],
    ]);
  });
});

describe("transactions", () => {
  test("that were refused before their operation ran have no state", async () => {
    const transactions: MadeTransaction[] = [
      { result: "refused", ...reading(DATA) },
      { result: "trapped", ...reading(DATA) },
      { operation: "classic" },
      reading(DATA),
    ];
    const snapshots = await snapshotsOf([{ sequence: LATER, transactions }]);
    expect(snapshots.map((each) => each !== null)).toEqual([false, true, true]);
  });

  test("share the decided settings until one changes", async () => {
    const firstMentions = withInitialSettings(NO_MENTIONS, 28);
    const fold = foldOf({ firstMentions });
    const upgrades = [{ changes: [["updated", settingOf(EVENTS_SETTING, 4)]] as const }];
    const transactions = [{}, {}];
    const made = [
      { sequence: GENESIS, transactions },
      { sequence: 3, transactions },
      { sequence: 4, transactions, upgrades },
      { sequence: 5, transactions, rentFeePer1KbStroops: 2000n },
      { sequence: 6, transactions, averageStateSizeBytes: 9n, rentFeePer1KbStroops: 2000n },
      { sequence: 7, transactions },
      { sequence: 9, transactions },
      { sequence: 10, transactions },
    ];
    const decided: DecidedSettings[] = [];
    for (const { ledgerCloseMeta } of makeLedgers(made)) {
      const { folded } = await foldWhole(fold, ledgerCloseMeta);
      decided.push(...folded.open.map(({ settings }) => settings));
    }
    const same = decided.map((each) => decided.indexOf(each));
    // Nothing reports the rent fee of the first ledger but that ledger itself.
    expect(same.slice(0, 8)).toEqual([0, 0, 2, 2, 2, 2, 6, 6]);
    // A fee, and a state size, that are reported anew hold from the next ledger on.
    expect(same.slice(8, 12)).toEqual([8, 8, 10, 10]);
    // Ledger 8 is missing, and with it what the ledgers before it said: whether the rent fee that
    // ledger 9 reports matters depends on each transaction.
    expect(same.slice(12)).toEqual([12, 13, 14, 14]);
    expect(decided.map((each) => each?.unknown.length === 0)).toEqual([
      ...Array.from({ length: 12 }, () => true),
      ...Array.from({ length: 4 }, () => false),
    ]);
  });
});

describe("contract code in the module cache", () => {
  const CODE = codeOf("code").key;
  const created = (until: number): MadeTransaction => ({
    operation: "classic",
    changes: [
      ["created", codeOf("code").entry],
      ["created", ttlOf(CODE, until)],
    ],
  });
  const restored = (lastModified: number): MadeTransaction => ({
    operation: "restore",
    readWrite: [CODE],
    changes: [
      ["restored", codeOf("code", "code", lastModified).entry],
      ["restored", ttlOf(CODE, 500)],
    ],
  });
  const looks = reading(CODE);
  const cases: readonly {
    readonly what: string;
    readonly ledgers: readonly MadeLedger[];
    readonly cached: boolean | null;
    readonly maybe?: true;
  }[] = [
    {
      what: "uploaded in an earlier ledger: in it",
      ledgers: [
        { sequence: GENESIS, transactions: [created(300)] },
        { sequence: 3, transactions: [looks] },
      ],
      cached: true,
    },
    {
      what: "uploaded in the same ledger: not in it",
      ledgers: [{ sequence: GENESIS, transactions: [created(300), looks] }],
      cached: false,
    },
    {
      what: "never uploaded: not in it",
      ledgers: [{ sequence: GENESIS, transactions: [looks] }],
      cached: false,
    },
    {
      what: "evicted and restored in the same ledger: not in it",
      ledgers: [
        { sequence: GENESIS, transactions: [created(GENESIS)] },
        { sequence: 3, evicted: [CODE] },
        { sequence: 4, transactions: [restored(4), looks] },
      ],
      cached: false,
    },
    {
      what: "restored in an earlier ledger: in it again",
      ledgers: [
        { sequence: GENESIS, transactions: [created(GENESIS)] },
        { sequence: 3, evicted: [CODE] },
        { sequence: 4, transactions: [restored(4)] },
        { sequence: 5, transactions: [looks] },
      ],
      cached: true,
    },
    {
      what: "expired, not evicted, and restored in the same ledger: it never left",
      ledgers: [
        { sequence: GENESIS, transactions: [created(GENESIS)] },
        { sequence: 4 - 1 },
        { sequence: 4, transactions: [restored(1), looks] },
      ],
      cached: true,
    },
    {
      what: "expired, not evicted, and restored by the transaction itself: it never left",
      ledgers: [
        { sequence: GENESIS, transactions: [created(GENESIS)] },
        { sequence: 3 },
        { sequence: 4, transactions: [{ ...restored(4), operation: "invoke", archived: [0] }] },
      ],
      cached: true,
    },
    {
      what: "restored by the transaction itself, from the archive",
      ledgers: [
        { sequence: GENESIS, transactions: [created(GENESIS)] },
        { sequence: 3, evicted: [CODE] },
        { sequence: 4, transactions: [{ ...restored(4), operation: "invoke", archived: [0] }] },
      ],
      cached: false,
    },
    {
      what: "restored by the transaction itself, and no ledger before is there: open",
      ledgers: [
        {
          sequence: LATER,
          transactions: [{ ...restored(LATER), operation: "invoke", archived: [0] }],
        },
      ],
      cached: false,
      maybe: true,
    },
    {
      what: "evicted and not restored: not in it",
      ledgers: [
        { sequence: GENESIS, transactions: [created(GENESIS)] },
        { sequence: 3, evicted: [CODE] },
        { sequence: 4, transactions: [looks] },
      ],
      cached: false,
    },
    {
      what: "known only since the ledgers that were folded: its last-modified ledger decides",
      ledgers: [
        { sequence: LATER, transactions: [created(300)] },
        { sequence: LATER + 1, transactions: [looks] },
      ],
      cached: null,
    },
    {
      what: "uploaded in the same ledger, whatever came before",
      ledgers: [{ sequence: LATER, transactions: [created(300), looks] }],
      cached: false,
    },
    {
      what: "restored in the same ledger by an operation that left its last-modified ledger",
      ledgers: [{ sequence: LATER, transactions: [restored(50), looks] }],
      cached: null,
    },
    {
      what: "restored in the same ledger, from the archive or in place: open",
      ledgers: [{ sequence: LATER, transactions: [restored(LATER), looks] }],
      cached: false,
      maybe: true,
    },
    {
      what: "restored in an earlier ledger than that: its last-modified ledger decides",
      ledgers: [
        { sequence: LATER, transactions: [restored(LATER)] },
        { sequence: LATER + 1, transactions: [looks] },
      ],
      cached: null,
    },
    {
      what: "evicted by a folded ledger with a value that none shows, and restored: open",
      ledgers: [
        { sequence: LATER, evicted: [CODE] },
        { sequence: LATER + 1, transactions: [restored(LATER + 1), looks] },
      ],
      cached: false,
      maybe: true,
    },
    {
      what: "before protocol 23 there is none",
      ledgers: [
        { sequence: GENESIS, protocolVersion: 22, transactions: [created(300)] },
        { sequence: 3, protocolVersion: 22, transactions: [looks] },
      ],
      cached: null,
    },
  ];
  for (const { what, ledgers, cached, maybe } of cases)
    test(what, async () => {
      const entry = entryOf((await snapshotsOf(ledgers)).at(-1), CODE);
      expect([entry?.codeCached, entry?.maybeCached]).toEqual([cached, maybe]);
    });
});

describe("an entry that an earlier transaction of the ledger brought back and removed", () => {
  const back = (lastModified: number): MadeTransaction => ({
    readWrite: [DATA],
    archived: [0],
    changes: [
      ["restored", dataOf(DATA, 1, lastModified)],
      ["restored", ttlOf(DATA, 500)],
      ["removed", DATA],
      ["removed", ttlKeyOf(DATA)],
    ],
  });
  const until = (ledger: number): MadeTransaction => ({
    operation: "classic",
    changes: [
      ["created", dataOf(DATA, 1)],
      ["created", ttlOf(DATA, ledger)],
    ],
  });
  for (const [what, evicted, marked] of [
    ["from the archive: it is marked", [DATA], true],
    ["in place: it is not", [], undefined],
  ] as const)
    test(what, async () => {
      const snapshots = await snapshotsOf([
        { sequence: GENESIS, transactions: [until(GENESIS)] },
        { sequence: 3, evicted },
        { sequence: 4, transactions: [back(4), reading(DATA)] },
      ]);
      const entry = entryOf(snapshots.at(-1), DATA);
      expect([entry?.entryXdr, entry?.restoredEarlier]).toEqual([null, marked]);
    });

  test("by one of an earlier ledger: it is not", async () => {
    const snapshots = await snapshotsOf([
      { sequence: GENESIS, transactions: [until(GENESIS)] },
      { sequence: 3, evicted: [DATA] },
      { sequence: 4, transactions: [back(4)] },
      { sequence: 5, transactions: [reading(DATA)] },
    ]);
    const entry = entryOf(snapshots.at(-1), DATA);
    expect([entry?.entryXdr, entry?.restoredEarlier]).toEqual([null, undefined]);
  });
});

describe("what the chain loads or restores, and the fold has otherwise, is reported", () => {
  const TTL = ttlKeyOf(DATA);
  const begins: MadeLedger = { sequence: GENESIS, transactions: [creating()] };
  const evicts: MadeLedger = { sequence: 3, evicted: [DATA] };
  const then = (sequence: number, ...changes: readonly MadeChange[]): MadeLedger => ({
    sequence,
    transactions: [{ operation: "restore", changes }],
  });
  const cases: readonly {
    readonly what: string;
    readonly ledgers: readonly MadeLedger[];
    readonly mismatches: readonly FoldedMismatch[];
  }[] = [
    {
      what: "a STATE that is what was folded is not",
      ledgers: [begins, then(3, ["state", dataOf(DATA, 1)], ["state", ttlOf(DATA, 10_000)])],
      mismatches: [],
    },
    {
      what: "a STATE with another value",
      ledgers: [begins, then(3, ["state", dataOf(DATA, 2)])],
      mismatches: [
        {
          kind: "state",
          ledger: 3,
          keyXdr: DATA,
          folded: dataOf(DATA, 1),
          onChain: dataOf(DATA, 2),
        },
      ],
    },
    {
      what: "a STATE of what should not exist",
      ledgers: [{ sequence: GENESIS }, then(3, ["state", dataOf(DATA, 2)])],
      mismatches: [
        { kind: "state", ledger: 3, keyXdr: DATA, folded: null, onChain: dataOf(DATA, 2) },
      ],
    },
    {
      what: "a STATE of a TTL with another ledger",
      ledgers: [begins, then(3, ["state", ttlOf(DATA, 9_000)])],
      mismatches: [{ kind: "state", ledger: 3, keyXdr: TTL, folded: "10000", onChain: "9000" }],
    },
    {
      what: "a STATE of what no folded ledger shows is not",
      ledgers: [{ sequence: LATER }, then(LATER + 1, ["state", dataOf(DATA, 2)])],
      mismatches: [],
    },
    {
      what: "a restoration with the archived value is not",
      ledgers: [begins, evicts, then(4, ["restored", dataOf(DATA, 1, 4)])],
      mismatches: [],
    },
    {
      what: "a restoration with the archived value and its last-modified ledger is not",
      ledgers: [begins, evicts, then(4, ["restored", dataOf(DATA, 1)])],
      mismatches: [],
    },
    {
      what: "a restoration with an older value",
      ledgers: [begins, evicts, then(4, ["restored", dataOf(DATA, 7, 4)])],
      mismatches: [
        {
          kind: "restored",
          ledger: 4,
          keyXdr: DATA,
          folded: dataOf(DATA, 1),
          onChain: dataOf(DATA, 7, 4),
        },
      ],
    },
    {
      what: "a restoration with the last-modified ledger of neither",
      ledgers: [begins, evicts, then(4, ["restored", dataOf(DATA, 1, 3)])],
      mismatches: [
        {
          kind: "restored",
          ledger: 4,
          keyXdr: DATA,
          folded: dataOf(DATA, 1),
          onChain: dataOf(DATA, 1, 3),
        },
      ],
    },
    {
      what: "a restoration in place with another value",
      ledgers: [begins, then(3, ["restored", dataOf(DATA, 7)])],
      mismatches: [
        {
          kind: "restored",
          ledger: 3,
          keyXdr: DATA,
          folded: dataOf(DATA, 1),
          onChain: dataOf(DATA, 7),
        },
      ],
    },
    {
      what: "a restoration of what no ledger since genesis created",
      ledgers: [{ sequence: GENESIS }, then(3, ["restored", dataOf(DATA, 7)])],
      mismatches: [
        { kind: "restored", ledger: 3, keyXdr: DATA, folded: null, onChain: dataOf(DATA, 7) },
      ],
    },
    {
      what: "a restoration of what was evicted with a value that no ledger shows is not",
      ledgers: [
        { sequence: LATER, evicted: [DATA] },
        then(LATER + 1, ["restored", dataOf(DATA, 7)]),
      ],
      mismatches: [],
    },
    {
      what: "the TTL that a restoration sets is not",
      ledgers: [begins, evicts, then(4, ["restored", ttlOf(DATA, 500)])],
      mismatches: [],
    },
  ];
  for (const { what, ledgers, mismatches } of cases)
    test(what, async () => {
      const found: FoldedMismatch[] = [];
      const fold = foldOf();
      for (const { ledgerCloseMeta } of makeLedgers(ledgers))
        found.push(...(await foldWhole(fold, ledgerCloseMeta)).folded.mismatches);
      expect(found).toEqual([...mismatches]);
    });
});
