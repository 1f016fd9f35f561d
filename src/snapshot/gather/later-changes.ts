// What the transaction's ledger and those after it say of entries as they were before: an entry's
// first later change shows it. Two ways to find that change:
// - ledger after ledger without a gap, which also proves that there was none;
// - from the ledger an entry was last modified in back to the one before, by the last-modified
//   ledger in each STATE: a few ledgers, however long ago the transaction was.

import type { Provenance } from "../../model/snapshot.ts";
import { lastModifiedOf } from "../../xdr/reader/keys.ts";
import { type Before, firstChangesIn } from "./first-change.ts";
import type { LedgerViews } from "./ledger-views.ts";

export interface LaterChanges {
  /** By key: what it was before its first change. */
  readonly before: ReadonlyMap<string, { readonly before: Before; readonly ledger: number }>;
  /** Every change up to and with this ledger was seen; one less than the first when none was. */
  readonly readTo: number;
}

export interface ReadAhead {
  readonly wanted: ReadonlySet<string>;
  readonly first: number;
  readonly last: number;
  readonly progress: (text: string) => void;
}

/** Stops where a ledger is missing, or when every wanted key was found. */
export async function readLaterChanges(
  ledgers: LedgerViews,
  { wanted, first, last, progress }: ReadAhead,
): Promise<LaterChanges> {
  const before = new Map<string, { before: Before; ledger: number }>();
  const missing = new Set(wanted);
  let readTo = first - 1;
  if (missing.size === 0) return { before, readTo };
  for await (const view of ledgers.run(first, last)) {
    const ledger = view.facts.sequence;
    for (const [keyXdr, found] of firstChangesIn(view, missing)) {
      before.set(keyXdr, { before: found, ledger });
      missing.delete(keyXdr);
    }
    readTo = ledger;
    if (missing.size === 0) break;
    progress(`reading ledger ${ledger} of ${first} to ${last}`);
  }
  return { before, readTo };
}

export type Traced =
  | { readonly kind: "entry"; readonly entryXdr: string; readonly provenance: Provenance }
  /** `ledger` is where the trail ends. */
  | { readonly kind: "lost"; readonly ledger: number; readonly reason: string };

const MAXIMUM_STEPS = 64;

/** `lastModified`: of the entry as it is now; not before `ledgerSequence`. */
export async function traceBack(
  ledgers: LedgerViews,
  keyXdr: string,
  lastModified: number,
  ledgerSequence: number,
): Promise<Traced> {
  const wanted = new Set([keyXdr]);
  let changedIn = lastModified;
  const lost = (reason: string): Traced => ({ kind: "lost", ledger: changedIn, reason });
  for (let step = 0; step < MAXIMUM_STEPS; step += 1) {
    const view = await ledgers.view(changedIn);
    if (view === null) {
      const why = ledgers.cut ?? "no source has that";
      return lost(`ledger ${changedIn} changed it, and ${why}`);
    }
    const before = firstChangesIn(view, wanted).get(keyXdr);
    if (before?.kind !== "entry" || before.entryXdr === null) {
      return lost(`ledger ${changedIn} does not show what it was before`);
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
    // The STATE at a ledger's first change is from an earlier ledger; anything else is no history.
    if (earlier >= changedIn) {
      return lost(`ledger ${changedIn} contradicts itself about it`);
    }
    changedIn = earlier;
  }
  return lost(`more than ${MAXIMUM_STEPS} ledgers have changed it since`);
}
