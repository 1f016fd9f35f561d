// The entries that the ledger engine has told in the rows of observed transactions. It tells an
// entry once, and then names it by the number of its key.

import { ofMost } from "../../base/recently-used.ts";
import type { EngineCall } from "../../simulator/engine-messages.ts";

interface ToldEntry {
  readonly keyXdr: string;
  /** Null if it does not exist. */
  readonly entryXdr: string | null;
}

/** States of footprints that are the same in many transactions. */
const MOST_STATES = 64;

export class ToldEntries {
  /** By the number of the key. The engine bounds the numbers. */
  private readonly told: ToldEntry[] = [];
  private states = ofMost<string, readonly ToldEntry[]>(MOST_STATES);

  /** The state of a footprint. It is the same array as long as its entries are told by number. */
  of(entries: EngineCall["entries"]): readonly ToldEntry[] {
    for (const entry of entries) {
      if (typeof entry === "number") continue;
      const [number, keyXdr, entryXdr] = entry;
      this.told[number] = { keyXdr, entryXdr };
      this.states = ofMost(MOST_STATES);
    }
    const numbers = entries.map((entry) => (typeof entry === "number" ? entry : entry[0]));
    const name = numbers.join();
    const known = this.states.get(name);
    if (known !== undefined) return known;
    const state = numbers.map((number) => {
      const entry = this.told[number];
      if (entry === undefined) throw new Error("the engine names an entry that it has not told");
      return entry;
    });
    this.states.set(name, state);
    return state;
  }
}
