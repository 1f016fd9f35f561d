// An entry as it was before a ledger, from the ledgers that changed it since, case by case.

import { describe, expect, test } from "bun:test";
import { traceBack } from "../../src/snapshot/gather/later-changes.ts";
import type { LedgerViews } from "../../src/snapshot/gather/ledger-views.ts";
import { readLedgerCloseMeta } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { dataKeyOf, dataOf } from "../support/ledger-entries.ts";
import {
  MADE_PASSPHRASE,
  type MadeChange,
  type MadeLedger,
  makeLedgers,
} from "../support/made-ledgers.ts";

const KEY = dataKeyOf("it");
/** The entry is wanted as it was before this ledger, and is now as the ledger NOW left it. */
const LEDGER = 100;
const NOW = 103;

function viewsOf(ledgers: readonly MadeLedger[], cut: string | null = null) {
  const made = new Map(makeLedgers(ledgers).map((each) => [each.sequence, each.ledgerCloseMeta]));
  async function view(sequence: number) {
    const bytes = made.get(sequence);
    return bytes === undefined ? null : readLedgerCloseMeta(bytes, MADE_PASSPHRASE);
  }
  return { cut, view } as LedgerViews;
}

/** A ledger that changes the entry which an earlier one left. */
function changing(sequence: number, earlier: number): MadeLedger {
  const changes: MadeChange[] = [
    ["state", dataOf(KEY, earlier, earlier)],
    ["updated", dataOf(KEY, sequence, sequence)],
  ];
  return { sequence, transactions: [{ changes }] };
}

const showing = (...changes: MadeChange[]): MadeLedger => ({
  sequence: NOW,
  transactions: [{ changes }],
});

describe("the trail of last-modified ledgers", () => {
  const cases: readonly {
    readonly what: string;
    readonly ledgers: readonly MadeLedger[];
    readonly cut?: string;
    readonly traced: object;
  }[] = [
    {
      what: "ends at the entry that a ledger before left",
      ledgers: [changing(103, 101), changing(101, 100), changing(100, 50)],
      traced: { kind: "entry", entryXdr: dataOf(KEY, 50, 50) },
    },
    {
      what: "needs no ledger between those that changed it",
      ledgers: [changing(103, 99)],
      traced: { kind: "entry", entryXdr: dataOf(KEY, 99, 99) },
    },
    {
      what: "ends where the entry came back, with the value that it had in the archive",
      ledgers: [
        changing(103, 102),
        { ...showing(["restored", dataOf(KEY, 7, 102)]), sequence: 102 },
      ],
      traced: { kind: "restored", ledger: 102, entryXdr: dataOf(KEY, 7, 102) },
    },
    {
      what: "is lost where no source has the ledger",
      ledgers: [changing(103, 101)],
      traced: {
        ledger: 101,
        reason: "changed in ledger 101, which no source has. A ledger lake keeps all ledgers",
      },
    },
    {
      what: "is lost where reading has ended, with the reason",
      ledgers: [],
      cut: "ten ledgers were read",
      traced: { ledger: 103, reason: "ledger 103 changed it, and ten ledgers were read" },
    },
    {
      what: "is lost where the entry was created: it may have been another one before",
      ledgers: [showing(["created", dataOf(KEY, 103, 103)])],
      traced: { ledger: 103, reason: "ledger 103 does not show its value before" },
    },
    {
      what: "is lost where a change comes without its STATE",
      ledgers: [showing(["updated", dataOf(KEY, 103, 103)])],
      traced: { ledger: 103, reason: "ledger 103 does not show its value before" },
    },
    {
      what: "is lost where the ledger does not change it",
      ledgers: [showing()],
      traced: { ledger: 103, reason: "ledger 103 does not show its value before" },
    },
    {
      what: "is lost where a ledger shows its own change as the one before",
      ledgers: [changing(103, 103)],
      traced: { ledger: 103, reason: "ledger 103 contradicts itself about it" },
    },
    {
      what: "is lost where a ledger shows a later one's change",
      ledgers: [changing(103, 104)],
      traced: { ledger: 103, reason: "ledger 103 contradicts itself about it" },
    },
  ];
  for (const { what, ledgers, cut, traced } of cases)
    test(what, async () => {
      const found = await traceBack(viewsOf(ledgers, cut), KEY, NOW, LEDGER);
      expect(found).toMatchObject("kind" in traced ? traced : { kind: "lost", ...traced });
    });

  test("is lost where it is longer than the limit", async () => {
    const views = viewsOf([changing(103, 102), changing(102, 101), changing(101, 99)]);
    expect(await traceBack(views, KEY, NOW, LEDGER, 3)).toMatchObject({ kind: "entry" });
    expect(await traceBack(views, KEY, NOW, LEDGER, 2)).toEqual({
      kind: "lost",
      ledger: 101,
      reason: "more than 2 ledgers have changed it since",
    });
  });
});
