// The ledger engine reports an entry once. The states that svc makes of numbers are those that the
// engine had, whatever changes between two of them.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { EngineCall } from "../../src/simulator/engine-messages.ts";
import { ReportedEntries } from "../../src/snapshot/stream/reported-entries.ts";

interface Entry {
  readonly keyXdr: string;
  readonly entryXdr: string | null;
}

/** Reports entries as src/svc-sim/src/engine/observed.rs does. */
class Reporter {
  private readonly reported = new Map<string, { number: number; entryXdr: string | null }>();

  private sinceCleared = 0;

  /** `most`: the number of entries that are reported before all are reported again. */
  constructor(private readonly most: number) {}

  report(state: readonly Entry[]): EngineCall["entries"] {
    if (this.sinceCleared > this.most) this.reported.clear();
    if (this.reported.size === 0) this.sinceCleared = 0;
    return state.map(({ keyXdr, entryXdr }) => {
      const known = this.reported.get(keyXdr);
      if (known?.entryXdr === entryXdr) return known.number;
      const number = known?.number ?? this.reported.size;
      this.reported.set(keyXdr, { number, entryXdr });
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
      const [reporter, entries] = [new Reporter(most), new ReportedEntries()];
      for (const state of all) expect(entries.of(reporter.report(state))).toEqual(state);
    }),
  );
});

test("the same state is the same array as long as nothing is reported anew", () => {
  const [reporter, entries] = [new Reporter(8), new ReportedEntries()];
  const state = [{ keyXdr: "a", entryXdr: "one" }];
  const first = entries.of(reporter.report(state));
  expect(entries.of(reporter.report(state))).toBe(first);
  expect(entries.of(reporter.report([{ keyXdr: "a", entryXdr: "two" }]))).not.toBe(first);
  expect(first).toEqual(state);
});

test("a number that was not reported is no entry", () => {
  expect(() => new ReportedEntries().of([0])).toThrow("not reported");
});
