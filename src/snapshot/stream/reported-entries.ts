// The entries that the ledger engine reports in the rows of observed transactions. It reports an
// entry once, and then names it by the number of its key.

import { ofMost } from "../../base/recently-used.ts";
import type { KeyedEntry } from "../../model/snapshot.ts";
import type { EngineCall } from "../../simulator/engine-messages.ts";

/** The number of footprints' states that are kept. Many transactions have the same ones. */
const MOST_STATES = 64;

export class ReportedEntries {
  /** The entries, each at the number of its key. The engine bounds the numbers. */
  private readonly entries: KeyedEntry[] = [];
  private states = ofMost<string, readonly KeyedEntry[]>(MOST_STATES);

  /** Returns the state of a footprint: the same array as long as no entry is reported again. */
  of(row: EngineCall["entries"]): readonly KeyedEntry[] {
    for (const entry of row) {
      if (typeof entry === "number") continue;
      const [number, keyXdr, entryXdr] = entry;
      this.entries[number] = { keyXdr, entryXdr };
      this.states = ofMost(MOST_STATES);
    }
    const numbers = row.map((entry) => (typeof entry === "number" ? entry : entry[0]));
    return this.states.of(numbers.join(), () => numbers.map((number) => this.entryAt(number)));
  }

  private entryAt(number: number): KeyedEntry {
    const entry = this.entries[number];
    if (entry === undefined) throw new Error("the engine names an entry that it has not reported");
    return entry;
  }
}
