// What the ledgers after one that is asked about change first: kept where ledgers are asked about
// in turn, so that those after them are read once, and not once for each.

import type { Before } from "../stream/ledger-changes.ts";

/** What each key was before the ledger first changed it. */
export type FirstChanges = ReadonlyMap<string, Before>;

/** What does not fit is read again. */
const MAXIMUM_KEYS = 500_000;

export class ChangesAhead {
  private readonly ledgers = new Map<number, FirstChanges>();
  private keys = 0;

  constructor(private readonly maximumKeys = MAXIMUM_KEYS) {}

  /** Ledgers before `sequence` are not asked about any more. */
  forgetBefore(sequence: number): void {
    for (const [ledger, { size }] of this.ledgers) {
      if (ledger >= sequence) continue;
      this.ledgers.delete(ledger);
      this.keys -= size;
    }
  }

  get(sequence: number): FirstChanges | undefined {
    return this.ledgers.get(sequence);
  }

  keep(sequence: number, changes: FirstChanges): void {
    if (this.ledgers.has(sequence) || this.keys + changes.size > this.maximumKeys) return;
    this.ledgers.set(sequence, changes);
    this.keys += changes.size;
  }
}
