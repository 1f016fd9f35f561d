// The ledger engine tells an entry once. The states that svc makes of numbers are those that the
// engine had, whatever changes between two of them.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { EngineCall } from "../../src/simulator/engine-messages.ts";
import { ToldEntries } from "../../src/snapshot/stream/told-entries.ts";

interface Entry {
  readonly keyXdr: string;
  readonly entryXdr: string | null;
}

/** Tells entries as src/svc-sim/src/engine/observed.rs does. */
class Teller {
  private readonly told = new Map<string, { number: number; entryXdr: string | null }>();

  private sinceCleared = 0;

  /** `most`: the number of entries that are told before all are told again. */
  constructor(private readonly most: number) {}

  tell(state: readonly Entry[]): EngineCall["entries"] {
    if (this.sinceCleared > this.most) this.told.clear();
    if (this.told.size === 0) this.sinceCleared = 0;
    return state.map(({ keyXdr, entryXdr }) => {
      const known = this.told.get(keyXdr);
      if (known?.entryXdr === entryXdr) return known.number;
      const number = known?.number ?? this.told.size;
      this.told.set(keyXdr, { number, entryXdr });
      this.sinceCleared += 1;
      return [number, keyXdr, entryXdr];
    });
  }
}

const values = fc.option(fc.constantFrom("one", "two", "three"), { nil: null });
const entry = fc.record({ keyXdr: fc.constantFrom(..."abcdef"), entryXdr: values });
const states = fc.array(fc.uniqueArray(entry, { selector: ({ keyXdr }) => keyXdr, maxLength: 4 }));

test("every state is the one that the engine had", () => {
  fc.assert(
    fc.property(states, fc.integer({ min: 4, max: 8 }), (all, most) => {
      const [teller, entries] = [new Teller(most), new ToldEntries()];
      for (const state of all) expect(entries.of(teller.tell(state))).toEqual(state);
    }),
  );
});

test("the same state is the same array as long as nothing is told anew", () => {
  const [teller, entries] = [new Teller(8), new ToldEntries()];
  const state = [{ keyXdr: "a", entryXdr: "one" }];
  const first = entries.of(teller.tell(state));
  expect(entries.of(teller.tell(state))).toBe(first);
  expect(entries.of(teller.tell([{ keyXdr: "a", entryXdr: "two" }]))).not.toBe(first);
  expect(first).toEqual(state);
});

test("a number that was not told is no entry", () => {
  expect(() => new ToldEntries().of([0])).toThrow("not told");
});
