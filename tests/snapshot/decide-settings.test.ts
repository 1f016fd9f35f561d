// Which network settings a transaction ran under, and what the rent fee was computed from: before
// and after upgrades and samples of the state size, from ledgers and from nodes.

import { describe, expect, test } from "bun:test";
import { invokeHostFunctionCode, type SorobanCode } from "../../src/model/result-code.ts";
import { decideSettings, STATE_SIZE_WINDOW_KEY } from "../../src/snapshot/decide-settings.ts";
import type { Evidence, NodeState } from "../../src/snapshot/evidence.ts";
import { readOwnChanges } from "../../src/snapshot/own-changes.ts";
import { decidingSettingKeys } from "../../src/snapshot/settings/deciding-settings.ts";
import { NO_MENTIONS } from "../../src/snapshot/stream/first-mentions.ts";
import {
  type LedgerCloseMetaView,
  readLedgerCloseMeta,
} from "../../src/xdr/ledger/ledger-close-meta.ts";
import { settingKeyOf, stateSizeWindowOf } from "../../src/xdr/ledger/settings.ts";
import { ENTRY_TYPE, settingName } from "../../src/xdr/reader/keys.ts";
import { FoldedModel } from "../support/folded-model.ts";
import { withInitialSettings } from "../support/initial-settings.ts";
import { settingOf } from "../support/ledger-entries.ts";
import { MADE_PASSPHRASE, type MadeLedger, makeLedgers } from "../support/made-ledgers.ts";

const LEDGER = 101;
/** A multiple of the initial settings' sample period. */
const SAMPLING = 128;
const SETTING = settingKeyOf(4);

interface Given {
  readonly ledgerSequence?: number;
  readonly protocolVersion?: number;
  readonly succeeded?: boolean;
  readonly code?: SorobanCode;
  readonly previous?: LedgerCloseMetaView | null;
  readonly own?: LedgerCloseMetaView | null;
  /** Entries that gap-free ledgers left, by setting id. */
  readonly folded?: Readonly<Record<string, string>> | null;
  readonly genesis?: boolean;
  /** By LedgerKey. */
  readonly nodes?: Readonly<Record<string, Omit<NodeState, "origin">>>;
}

function evidence(given: Given): Evidence {
  const { ledgerSequence = LEDGER, protocolVersion = 28, succeeded = true } = given;
  const transaction = {
    ledgerSequence,
    operation: "invoke_host_function" as const,
    succeeded,
    changesBefore: [],
    operationChanges: [],
  };
  return {
    transaction,
    operationResult: invokeHostFunctionCode(given.code ?? "success"),
    footprint: [],
    archivedKeyXdr: null,
    markedArchived: new Set(),
    own: readOwnChanges(transaction),
    ledger: {
      protocolVersion,
      previous: given.previous ?? null,
      own: given.own ?? null,
    },
    folded: given.folded ? stateOf(given.folded) : null,
    // As of a stream that begins with a genesis of a Soroban protocol.
    later:
      given.genesis === false ? NO_MENTIONS : withInitialSettings(NO_MENTIONS, protocolVersion),
    nodes: {
      find: (keyXdr) => {
        const state = given.nodes?.[keyXdr];
        return state === undefined ? null : { ...state, origin: "a node" };
      },
      reason: "no node has it",
    },
    traced: new Map(),
  };
}

function stateOf(entries: Readonly<Record<string, string>>): FoldedModel {
  const state = new FoldedModel(false);
  state.beginLedger(LEDGER - 1);
  for (const [keyXdr, entryXdr] of Object.entries(entries)) {
    const type = ENTRY_TYPE.configSetting;
    state.applyOne({ kind: "updated", type, keyXdr, entryXdr, liveUntilLedger: null });
  }
  state.beginLedger(LEDGER);
  return state;
}

function ledger(made: MadeLedger): LedgerCloseMetaView {
  const [only] = makeLedgers([made]);
  return readLedgerCloseMeta(only?.ledgerCloseMeta ?? new Uint8Array(), MADE_PASSPHRASE);
}

const upgrades = [{ protocolVersion: 28, changes: [] }];

describe("the rent fee", () => {
  const reporting = (sequence: number, more: Partial<MadeLedger> = {}) =>
    ledger({ sequence, rentFeePer1KbStroops: 1234n, averageStateSizeBytes: 77n, ...more });
  /** As nodes wrote ledgers before they reported either. */
  const nothing = (sequence: number) => ({
    ...reporting(sequence),
    ...{ nextRentFeePer1KbStroops: null, averageStateSizeBytes: null },
  });
  const window = (averageBytes: string, before: number) => stateSizeWindowOf(averageBytes, before);
  const node = (latestLedger: number, lastModifiedLedger: number) => ({
    [STATE_SIZE_WINDOW_KEY]: {
      latestLedger,
      entry: {
        keyXdr: STATE_SIZE_WINDOW_KEY,
        entryXdr: window("5", 3),
        lastModifiedLedger,
        liveUntilLedger: null,
        archived: false,
      },
    },
  });
  const cases: readonly {
    readonly what: string;
    readonly given: Given;
    readonly fee: string | null;
    /** The window's entry, with how it is known. */
    readonly window?: readonly [entryXdr: string, kind: string];
  }[] = [
    {
      what: "is what the ledger before reports",
      given: { previous: reporting(LEDGER - 1), own: reporting(LEDGER) },
      fee: "1234",
      window: [window("77", LEDGER - 1), "ledger-scan"],
    },
    {
      what: "is not what the own ledger reports after an upgrade or a sample",
      given: {
        previous: reporting(LEDGER - 1),
        own: reporting(LEDGER, { rentFeePer1KbStroops: 9n, averageStateSizeBytes: 8n, upgrades }),
      },
      fee: "1234",
      window: [window("77", LEDGER - 1), "ledger-scan"],
    },
    {
      what: "is computed from the average where the ledger before reports no fee",
      given: { previous: reporting(LEDGER - 1, { rentFeePer1KbStroops: null }) },
      fee: null,
      window: [window("77", LEDGER - 1), "ledger-scan"],
    },
    {
      what: "is what the own ledger reports where it neither samples nor upgrades",
      given: { own: reporting(LEDGER) },
      fee: "1234",
      window: [window("77", LEDGER - 1), "ledger-scan"],
    },
    {
      what: "is the fee alone where the ledger before reports no average",
      given: { previous: { ...reporting(LEDGER - 1), averageStateSizeBytes: null } },
      fee: "1234",
    },
    {
      what: "is assumed where the own ledger's upgrade changes a setting",
      given: {
        own: reporting(LEDGER, {
          upgrades: [{ changes: [["updated", settingOf(4, LEDGER)]] }],
        }),
      },
      fee: "1234",
      window: [window("77", LEDGER - 1), "assumed"],
    },
    {
      what: "is unknown where neither ledger reports any",
      given: { previous: nothing(LEDGER - 1), own: nothing(LEDGER) },
      fee: null,
    },
    {
      what: "does not matter to a failure from protocol 23 on",
      given: {
        nodes: node(LEDGER + 9, LEDGER),
        protocolVersion: 23,
        succeeded: false,
        code: "trapped",
      },
      fee: null,
      window: [window("5", 3), "deduced"],
    },
    {
      what: "is what the own ledger reports where it upgrades something else",
      given: { own: reporting(LEDGER, { upgrades: [{ changes: [] }] }) },
      fee: "1234",
      window: [window("77", LEDGER - 1), "ledger-scan"],
    },
    {
      what: "is assumed where only the own ledger is there, and upgrades",
      given: { own: reporting(LEDGER, { upgrades }) },
      fee: "1234",
      window: [window("77", LEDGER - 1), "assumed"],
    },
    {
      what: "is assumed where only the own ledger is there, and samples the state size",
      given: { ledgerSequence: SAMPLING, own: reporting(SAMPLING) },
      fee: "1234",
      window: [window("77", SAMPLING - 1), "assumed"],
    },
    {
      what: "is computed from a node's window that nothing wrote since, whatever the own ledger left",
      given: {
        ledgerSequence: SAMPLING,
        own: reporting(SAMPLING),
        nodes: node(SAMPLING - 1, SAMPLING - 1),
      },
      fee: null,
      window: [window("5", 3), "rpc-unchanged"],
    },
    {
      what: "is known in the ledger after a sample",
      given: { ledgerSequence: SAMPLING + 1, own: reporting(SAMPLING + 1) },
      fee: "1234",
      window: [window("77", SAMPLING), "ledger-scan"],
    },
    {
      what: "is assumed where nothing says when the state size is sampled",
      given: { own: reporting(LEDGER), genesis: false },
      fee: "1234",
      window: [window("77", LEDGER - 1), "assumed"],
    },
    {
      what: "is computed from the window that an upgrade showed, before ledgers reported any",
      given: {
        previous: nothing(LEDGER - 1),
        folded: { [STATE_SIZE_WINDOW_KEY]: window("6", 9) },
      },
      fee: null,
      window: [window("6", 9), "ledger-scan"],
    },
    {
      what: "is not computed from a folded window where the ledger before is missing",
      given: { folded: { [STATE_SIZE_WINDOW_KEY]: window("6", 9) } },
      fee: null,
    },
    {
      what: "is computed from a node's window that nothing wrote since",
      given: { nodes: node(LEDGER + 9, LEDGER - 1) },
      fee: null,
      window: [window("5", 3), "rpc-unchanged"],
    },
    {
      what: "is computed from a node's window of the ledger before",
      given: { nodes: node(LEDGER - 1, LEDGER - 1) },
      fee: null,
      window: [window("5", 3), "rpc-unchanged"],
    },
    {
      what: "is assumed where the node stands further back",
      given: { nodes: node(LEDGER - 2, LEDGER - 2) },
      fee: null,
      window: [window("5", 3), "assumed"],
    },
    {
      what: "is assumed where the window was written since, and the transaction succeeded",
      given: { nodes: node(LEDGER + 9, LEDGER) },
      fee: null,
      window: [window("5", 3), "assumed"],
    },
    {
      what: "does not matter to a failure that paid no rent",
      given: {
        nodes: node(LEDGER + 9, LEDGER),
        succeeded: false,
        code: "trapped",
      },
      fee: null,
      window: [window("5", 3), "deduced"],
    },
    {
      what: "matters to a failure for lack of fee",
      given: {
        nodes: node(LEDGER + 9, LEDGER),
        succeeded: false,
        code: "insufficientRefundableFee",
      },
      fee: null,
      window: [window("5", 3), "assumed"],
    },
    {
      what: "matters to every failure before protocol 23",
      given: {
        nodes: node(LEDGER + 9, LEDGER),
        protocolVersion: 22,
        succeeded: false,
        code: "trapped",
      },
      fee: null,
      window: [window("5", 3), "assumed"],
    },
    { what: "is unknown without any source", given: {}, fee: null },
  ];
  for (const { what, given, fee, window: expected } of cases)
    test(what, () => {
      const found = decideSettings(evidence(given));
      expect(found.rentFeePer1KbStroops).toBe(fee);
      const name = settingName(STATE_SIZE_WINDOW_KEY);
      const shown = found.settings.find((each) => each.name === name);
      expect(shown && [shown.entryXdr, shown.provenance.kind]).toEqual(expected as never);
      const missing = found.unknown.some(({ keyXdr }) => keyXdr === STATE_SIZE_WINDOW_KEY);
      expect(missing).toBe(fee === null && expected === undefined);
    });

  for (const { what, given } of cases)
    test(`${what}: of the whole ledger only where no transaction has another`, () => {
      const others = [true, false].flatMap((succeeded) =>
        (["trapped", "insufficientRefundableFee"] as const).map((code) =>
          decideSettings(evidence({ ...given, succeeded, code })),
        ),
      );
      const found = decideSettings(evidence(given));
      if (found.ofLedger) for (const other of others) expect(other).toEqual(found);
      else expect(given.nodes ?? given.own ?? found.unknown[0]).toBeDefined();
    });
});

describe("a setting", () => {
  const upgraded = settingOf(4, 90);
  const node = (latestLedger: number, lastModifiedLedger: number | null) => ({
    [SETTING]: {
      latestLedger,
      entry:
        lastModifiedLedger === null
          ? null
          : {
              keyXdr: SETTING,
              entryXdr: settingOf(4, lastModifiedLedger),
              lastModifiedLedger,
              liveUntilLedger: null,
              archived: false,
            },
    },
  });
  const cases: readonly {
    readonly what: string;
    readonly given: Given;
    /** Last-modified ledger, and how it is known; or why it is not. */
    readonly found: readonly [lastModifiedLedger: number, kind: string] | RegExp;
  }[] = [
    {
      what: "is what folded ledgers left, rather than that of genesis",
      given: { folded: { [SETTING]: upgraded } },
      found: [90, "ledger-scan"],
    },
    {
      what: "is that of genesis where every ledger was folded and none changed it",
      given: { folded: {} },
      found: [1, "ledger-scan"],
    },
    {
      what: "is that of genesis, whatever a node has now",
      given: { folded: {}, nodes: node(LEDGER + 9, LEDGER + 5) },
      found: [1, "ledger-scan"],
    },
    {
      what: "is a node's that nothing changed since",
      given: { genesis: false, nodes: node(LEDGER + 9, 80) },
      found: [80, "rpc-unchanged"],
    },
    {
      what: "is that of a node in the ledger before",
      given: { genesis: false, nodes: node(LEDGER - 1, LEDGER - 1) },
      found: [LEDGER - 1, "rpc-unchanged"],
    },
    {
      what: "is assumed where a later upgrade changed it",
      given: { genesis: false, nodes: node(LEDGER + 9, LEDGER + 5) },
      found: [LEDGER + 5, "assumed"],
    },
    {
      what: "is assumed where the own ledger's upgrade changed it",
      given: { genesis: false, nodes: node(LEDGER, LEDGER) },
      found: [LEDGER, "assumed"],
    },
    {
      what: "is assumed where the node stands further back, and ledgers are missing",
      given: { genesis: false, nodes: node(LEDGER - 5, 80) },
      found: [80, "assumed"],
    },
    {
      what: "is unknown where the node does not have it",
      given: { genesis: false, nodes: node(LEDGER + 9, null) },
      found: /a node does not have this setting/,
    },
    {
      what: "is unknown without any source",
      given: { genesis: false },
      found: /no node has it/,
    },
  ];
  for (const { what, given, found } of cases)
    test(what, () => {
      const { settings, unknown } = decideSettings(evidence(given));
      const setting = settings.find(({ name }) => name === settingName(SETTING));
      if (found instanceof RegExp) {
        expect(unknown.find(({ keyXdr }) => keyXdr === SETTING)?.reason).toMatch(found);
        expect(setting).toBeUndefined();
        return;
      }
      const [lastModifiedLedger, kind] = found;
      expect(setting?.entryXdr).toBe(settingOf(4, lastModifiedLedger));
      expect(setting?.provenance.kind).toBe(kind as never);
    });

  test("is asked for by the protocol of the ledger, not by today's", () => {
    const namesIn = (protocolVersion: number) =>
      decideSettings(evidence({ protocolVersion })).settings.map(({ name }) => name);
    const since23 = settingName(settingKeyOf(15));
    expect([22, 23].map((protocol) => namesIn(protocol).includes(since23))).toEqual([false, true]);
  });

  test("is one of those that decide, and nothing else is in the list", () => {
    const reporting = ledger({ sequence: LEDGER - 1, rentFeePer1KbStroops: 1234n });
    const { settings, unknown, ofLedger } = decideSettings(evidence({ previous: reporting }));
    const names = decidingSettingKeys(28).map(settingName);
    expect(settings.map(({ name }) => name)).toEqual([
      ...names,
      settingName(STATE_SIZE_WINDOW_KEY),
    ]);
    expect([unknown, ofLedger]).toEqual([[], true]);
    const own = ledger({ sequence: LEDGER, rentFeePer1KbStroops: 1234n });
    expect(decideSettings(evidence({ own })).ofLedger).toBe(true);
    const none = decideSettings(evidence({ genesis: false }));
    expect([none.settings, none.ofLedger]).toEqual([[], false]);
    expect(none.unknown).toEqual(
      [...decidingSettingKeys(28), STATE_SIZE_WINDOW_KEY].map((keyXdr) => ({
        keyXdr,
        reason:
          keyXdr === STATE_SIZE_WINDOW_KEY
            ? "no source has the state-size window"
            : "no node has it",
      })),
    );
  });

  test("has the words of its evidence", () => {
    const of = (given: Given, more: Partial<Evidence> = {}) => {
      const { settings } = decideSettings({ ...evidence({ genesis: false, ...given }), ...more });
      const { provenance } = settings.find(({ name }) => name === settingName(SETTING)) ?? {};
      expect(settings.every(({ entryXdr }) => entryXdr !== null)).toBe(true);
      return [provenance?.kind, provenance?.detail];
    };
    expect(of({ nodes: node(LEDGER - 1, LEDGER - 1) })).toEqual([
      ...["rpc-unchanged", `its value in ledger ${LEDGER - 1}, according to a node`],
    ]);
    expect(of({ nodes: node(LEDGER + 9, LEDGER + 5) })).toEqual([
      "assumed",
      `its value in ledger ${LEDGER + 9}: it changed after ledger ${LEDGER}, and no source has the change`,
    ]);
    // A ledger says that there was none, and the node has one: its value, as the ledger has it.
    const absent = { before: { kind: "absent" }, ledger: LEDGER + 5 } as const;
    const later = {
      find: (keyXdr: string) => (keyXdr === SETTING ? absent : undefined),
      readTo: 0,
    };
    expect(of({ nodes: node(LEDGER + 9, LEDGER + 5) }, { later })).toEqual([
      ...["ledger-scan", `its first change in ledgers ${LEDGER} to ${LEDGER + 5} creates it`],
    ]);
  });
});
