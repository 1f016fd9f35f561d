// One interface for the state at a moment: a holder knows an entry, or says why not, and never both.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { type SnapshotEntry, snapshotState } from "../../src/model/snapshot.ts";
import { isKnown, knownIn, withEntries } from "../../src/model/state/entry-state.ts";

const entryXdr = fc.option(fc.constantFrom("AAAA", "BBBB"), { nil: null });

function entryOf(keyXdr: string, xdr: string | null): SnapshotEntry {
  return {
    keyXdr,
    entryXdr: xdr,
    liveUntilLedger: null,
    archived: false,
    codeCached: null,
    provenance: { kind: "meta", detail: "as before" },
    ttlProvenance: null,
  };
}

/** A snapshot of a few keys: the first ones are known, and the others are not. */
const snapshots = fc
  .uniqueArray(fc.string({ maxLength: 3 }), { minLength: 1, maxLength: 12 })
  .chain((keys) =>
    fc.record({
      values: fc.array(entryXdr, { minLength: keys.length, maxLength: keys.length }),
      known: fc.nat(keys.length),
      keys: fc.constant(keys),
    }),
  )
  .map(({ keys, values, known }) => ({
    entries: keys.slice(0, known).map((key, at) => entryOf(key, values[at] ?? null)),
    unknown: keys.slice(known).map((keyXdr) => ({ keyXdr, reason: `no source has ${keyXdr}` })),
  }));

test("a snapshot's state has each of its entries, and the reason for each unknown one", () => {
  fc.assert(
    fc.property(snapshots, fc.string({ maxLength: 3 }), (snapshot, other) => {
      const state = snapshotState(snapshot);
      for (const entry of snapshot.entries) expect(state.get(entry.keyXdr)).toBe(entry);
      for (const { keyXdr, reason } of snapshot.unknown) {
        const found = state.get(keyXdr);
        expect(isKnown(found)).toBe(false);
        expect(found).toMatchObject({ reason });
        expect(knownIn(state, keyXdr)).toBeNull();
      }
      const keys = [...snapshot.entries, ...snapshot.unknown].map(({ keyXdr }) => keyXdr);
      if (!keys.includes(other))
        expect(state.get(other)).toEqual({ reason: "the transaction does not name it" });
    }),
  );
});

test("other entries take the place of a state's own, and of unknown ones", () => {
  fc.assert(
    fc.property(snapshots, snapshots, (one, two) => {
      const below = snapshotState(one);
      const over = new Map(two.entries.map((entry) => [entry.keyXdr, entry]));
      const state = withEntries(below, over);
      for (const { keyXdr } of [...one.entries, ...one.unknown, ...two.entries])
        expect(state.get(keyXdr)).toBe(over.get(keyXdr) ?? below.get(keyXdr));
    }),
  );
});
