// Of more entries than are looked at, the same ones count in whatever order the calls are replayed,
// and in whatever pieces they are rehearsed.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { SnapshotEntry } from "../../src/model/snapshot.ts";
import { BoundedEntries } from "../../src/rehearsal/bounded-entries.ts";
import { KnownContracts, mergeSeen } from "../../src/rehearsal/known-contracts.ts";
import { readBuild } from "../../src/rehearsal/new-builds.ts";
import type { RehearsedContract } from "../../src/rehearsal/rehearsal.ts";
import { lookupIn } from "../../src/xdr/contract/lookup-in.ts";
import { sha256 } from "../../src/xdr/reader/hash.ts";
import { SCV } from "../../src/xdr/reader/scval-type.ts";
import { decode, encode, type Value } from "../../src/xdr/reader/value.ts";
import { contractEntries, entryOf } from "../support/executed.ts";
import { ownContract } from "../support/other-code.ts";

const names = fc.uniqueArray(fc.string({ maxLength: 6 }), { maxLength: 60 });

test("the kept entries are those with the lowest hashes, in any order and in any pieces", () => {
  fc.assert(
    fc.property(names, fc.integer({ min: 1, max: 20 }), fc.nat(60), (keys, most, cut) => {
      const of = (some: readonly string[]) => {
        const entries = new BoundedEntries<string>(most);
        for (const key of some) entries.set(key, `of ${key}`);
        return entries;
      };
      const sorted = (entries: ReadonlyMap<string, string>) => [...entries].sort();
      const hash = (key: string) => sha256(new TextEncoder().encode(key)).toHex();
      const lowest = keys.toSorted((left, right) => (hash(left) < hash(right) ? -1 : 1));
      const expected = lowest.slice(0, most).map((key): [string, string] => [key, `of ${key}`]);
      const one = of(keys);
      expect(sorted(one.all())).toEqual(expected.sort());
      expect(one.isBounded).toBe(keys.length > most);
      expect(sorted(of(keys.toReversed()).all())).toEqual(sorted(one.all()));
      const pieces = [keys.slice(0, cut), keys.slice(cut)].map((some) => [
        ...of(some).all().keys(),
      ]);
      expect(sorted(of(pieces.flat()).all())).toEqual(sorted(one.all()));
    }),
  );
});

const { contract, entries } = contractEntries(ownContract("upgrade.wasm"), 1);
const own = entries.map(entryOf);
const build = readBuild({ file: "new.wasm", bytes: ownContract("upgrade-types.wasm") });
const MOST = 5;

/** A counter of the contract. With a limit, its value has the type `Config` of the code. */
function stored(number: number, limit: number | null): SnapshotEntry {
  const [instance] = own;
  if (instance?.entryXdr == null) throw new Error("the contract has an instance");
  const { data } = decode("LedgerEntry", instance.entryXdr);
  if (data.type !== 6) throw new Error("it is contract data");
  const { contract: address, durability } = data.contractData;
  const symbol = (text: string): Value<"ScVal"> => ({
    type: SCV.symbol,
    sym: new TextEncoder().encode(text),
  });
  const count: Value<"ScVal"> = { type: SCV.u32, u32: limit ?? 7 };
  const config: Value<"ScVal"> = {
    type: SCV.map,
    map: [
      { key: symbol("admin"), val: { type: SCV.address, address } },
      { key: symbol("limit"), val: count },
    ],
  };
  const key: Value<"ScVal"> = { type: SCV.vec, vec: [symbol("Count"), symbol(`k${number}`)] };
  const contractData = { contract: address, key, durability };
  const val = limit === null ? count : config;
  const entryXdr = encode("LedgerEntry", {
    lastModifiedLedgerSeq: 1,
    data: { type: 6, contractData: { ext: { v: 0 }, ...contractData, val } },
    ext: { v: 0 },
  });
  const keyXdr = encode("LedgerKey", { type: 6, contractData });
  return { ...instance, keyXdr, entryXdr };
}

interface Met {
  readonly place: number;
  readonly entries: readonly SnapshotEntry[];
}

const met: fc.Arbitrary<readonly Met[]> = fc.array(
  fc.record({
    place: fc.integer({ min: 1, max: 8 }),
    entries: fc.uniqueArray(
      fc.tuple(fc.nat(11), fc.option(fc.nat(2))).map(([number, limit]) => stored(number, limit)),
      { maxLength: 4, selector: ({ keyXdr }) => keyXdr },
    ),
  }),
  { minLength: 1, maxLength: 12 },
);

function pieceOf(calls: readonly Met[]) {
  const known = new KnownContracts(new Map([[contract, build]]), MOST);
  for (const { place, entries: more } of calls) {
    const all = [...own, ...more];
    known.note(all, lookupIn(all), place);
  }
  return { rehearsal: { contracts: known.all() }, seen: known.seen() };
}

const ofTypes = ([first]: readonly RehearsedContract[]) => [first?.stored, first?.isStoredBounded];

test("stored types are those of one run in order, whatever the order and the pieces", () => {
  let [bounded, misfits] = [0, 0];
  fc.assert(
    fc.property(met, fc.nat(12), (calls, cut) => {
      const inOrder = calls.toSorted((left, right) => left.place - right.place);
      const one = pieceOf(inOrder);
      const expected = ofTypes(one.rehearsal.contracts);
      if (one.rehearsal.contracts[0]?.isStoredBounded) bounded += 1;
      if (one.rehearsal.contracts[0]?.stored.some((each) => each.misfits > 0)) misfits += 1;
      expect(ofTypes(pieceOf(inOrder.toReversed()).rehearsal.contracts)).toEqual(expected);
      expect(ofTypes(pieceOf(calls).rehearsal.contracts)).toEqual(expected);
      const pieces = [calls.slice(0, cut), calls.slice(cut)].map(pieceOf);
      const filled = pieces.filter(({ seen }) => seen.length > 0);
      expect(ofTypes(mergeSeen(filled, MOST))).toEqual(expected);
    }),
  );
  expect(Math.min(bounded, misfits)).toBeGreaterThan(10);
});
