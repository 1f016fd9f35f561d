// Keeps the first changes of the ledgers after a requested one. If ledgers are requested in turn,
// those after them are then read only once.

import type { Before } from "../stream/ledger-changes.ts";

/** The value of each key before the ledger first changed it. */
export type FirstChanges = ReadonlyMap<string, Before>;

/** Ledgers beyond this limit are read again. */
const MAXIMUM_KEYS = 500_000;

export class ChangesAhead {
  private readonly ledgers = new Map<number, FirstChanges>();
  private keys = 0;

  constructor(private readonly maximumKeys = MAXIMUM_KEYS) {}

  /** Forgets the ledgers before `sequence`, which will not be requested again. */
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
