// What the transaction's ledger and those after it show of entries as they were before: an entry's
// first later change shows it. Two ways to find that change:
// - ledger after ledger without a gap, which also proves that there was none;
// - from the ledger an entry was last modified in back to the one before, by the last-modified
//   ledger in each STATE: a few ledgers, however long ago the transaction was.

import { inParallel } from "../../base/in-parallel.ts";
import type { LedgerCloseMetaView } from "../../xdr/ledger/ledger-close-meta.ts";
import { lastModifiedOf } from "../../xdr/reader/keys.ts";
import { decideEntry, isSure } from "../decide-entry.ts";
import type { Evidence, LaterChanges, Traced } from "../evidence.ts";
import type { FootprintKey } from "../footprint-keys.ts";
import { type Before, firstChangesIn } from "../stream/ledger-changes.ts";
import type { FirstChanges } from "./changes-ahead.ts";
import type { LedgerViews } from "./ledger-views.ts";

/** Reads ledger after ledger, for the keys that are still undecided. */
export class LaterReading implements LaterChanges {
  private readonly changes = new Map<string, { before: Before; ledger: number }>();
  private readonly missing: Set<string>;
  readTo: number;

  /** Begins a reading. `before` has what was already read. `first` is the transaction's ledger. */
  constructor(
    private readonly before: LaterChanges,
    keys: Iterable<string>,
    first: number,
  ) {
    this.missing = new Set(keys);
    this.readTo = Math.max(before.readTo, first - 1);
    for (const key of this.missing) if (before.find(key) !== undefined) this.missing.delete(key);
  }

  find(keyXdr: string) {
    return this.changes.get(keyXdr) ?? this.before.find(keyXdr);
  }

  get isDone(): boolean {
    return this.missing.size === 0;
  }

  /** Takes the ledger after `readTo`. */
  take(ledger: number, changes: FirstChanges): void {
    for (const keyXdr of this.missing) {
      const before = changes.get(keyXdr);
      if (before === undefined) continue;
      this.missing.delete(keyXdr);
      this.changes.set(keyXdr, { before, ledger });
    }
    this.readTo = ledger;
  }
}

/** A ledger of a public network has megabytes. */
const TRACED_AT_ONCE = 4;

/**
 * Follows entries that a node shows changed since back to their earlier values, several at once.
 */
export async function traceChanged(
  ledgers: LedgerViews,
  evidence: Evidence,
  keys: readonly FootprintKey[],
  traced: Map<string, Traced>,
): Promise<void> {
  const { ledgerSequence } = evidence.transaction;
  const changed = keys.flatMap((key) => {
    const now = evidence.nodes.find(key.keyXdr)?.entry ?? null;
    if (now === null || now.lastModifiedLedger < ledgerSequence || traced.has(key.keyXdr))
      return [];
    return isSure(decideEntry(evidence, key)) ? [] : [now];
  });
  const traces = await inParallel(changed, TRACED_AT_ONCE, ({ keyXdr, lastModifiedLedger }) =>
    traceBack(ledgers, keyXdr, lastModifiedLedger, ledgerSequence),
  );
  for (const [at, { keyXdr }] of changed.entries()) traced.set(keyXdr, traces[at] as Traced);
}

/**
 * Follows one entry back. `lastModified` is the ledger of the current entry, and not before
 * `ledgerSequence`.
 */
export async function traceBack(
  ledgers: LedgerViews,
  keyXdr: string,
  lastModified: number,
  ledgerSequence: number,
  maximumLedgers = 64,
): Promise<Traced> {
  let changedIn = lastModified;
  const lost = (reason: string): Traced => ({ kind: "lost", ledger: changedIn, reason });
  for (let step = 0; step < maximumLedgers; step += 1) {
    const view = await ledgers.view(changedIn);
    if (view === null) {
      if (ledgers.cut !== null) return lost(`ledger ${changedIn} changed it, and ${ledgers.cut}`);
      const advice = "A ledger lake keeps all ledgers";
      return lost(`changed in ledger ${changedIn}, which no source has. ${advice}`);
    }
    const before = firstChangeOf(view, keyXdr);
    if (before?.kind === "archived" && before.entryXdr !== null) {
      return { kind: "restored", ledger: changedIn, entryXdr: before.entryXdr };
    }
    if (before?.kind !== "entry" || before.entryXdr === null) {
      return lost(`ledger ${changedIn} does not show its value before`);
    }
    const earlier = lastModifiedOf(before.entryXdr);
    if (earlier < ledgerSequence) {
      const detail = `the ledger that changed it next, ${changedIn}, shows it as ledger ${earlier} left it`;
      return {
        kind: "entry",
        entryXdr: before.entryXdr,
        provenance: { kind: "ledger-scan", detail },
      };
    }
    // The STATE at a ledger's first change comes from an earlier ledger. Anything else is not a
    // valid history.
    if (earlier >= changedIn) {
      return lost(`ledger ${changedIn} contradicts itself about it`);
    }
    changedIn = earlier;
  }
  return lost(`more than ${maximumLedgers} ledgers have changed it since`);
}

function firstChangeOf(view: LedgerCloseMetaView, keyXdr: string): Before | null {
  for (const [key, before] of firstChangesIn(view)) if (key === keyXdr) return before;
  return null;
}
