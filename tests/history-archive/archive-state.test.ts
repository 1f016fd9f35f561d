// The list hashes of known archive states, of both versions.

import { expect } from "bun:test";
import { readArchiveState } from "../../src/history-archive/archive-state.ts";
import { hasCorpus, readCorpusJson } from "../support/corpus.ts";
import { needs } from "../support/needs.ts";

const FORMATS = ["history-archive", "canonical-formats"] as const;
const { test } = needs("the history archive of the corpus", hasCorpus(...FORMATS));
const stateOf = (name: string) => readArchiveState(readCorpusJson(...FORMATS, name), name);

test("the hash of mainnet's list at ledger 24088895", () => {
  const state = stateOf("mainnet-24088895-history.json");
  expect(state.bucketListHash).toBe(
    "fc5fe47af3f5a9b18b278f2a7edbbc641e1934bf68131d9aa5ab7aebb4aa8aa3",
  );
  expect(state.hot).toBeNull();
});

test("with a hot archive, the hash of both lists", () => {
  const state = stateOf("with-hot-archive-history.json");
  expect(state.bucketListHash).toBe(
    "136fa2ef979150e7d5fdbeeaf36f61c9af6016fe5b0f34ebc842301dfca95ebc",
  );
  expect(state.hot?.length).toBeGreaterThan(0);
});

test("a state with a level too few, or a hash that is none, is damaged", () => {
  const json = readCorpusJson(...FORMATS, "mainnet-24088895-history.json") as {
    currentBuckets: { curr: string }[];
  };
  const [first, ...rest] = json.currentBuckets;
  for (const currentBuckets of [rest, [{ ...first, curr: "00" }, ...rest]])
    expect(() => readArchiveState({ ...json, currentBuckets }, "x")).toThrow(/damaged or forged/);
});

test("merges that are not finished change neither the hash nor the buckets", () => {
  const name = "with-hot-archive-history.json";
  const json = readCorpusJson(...FORMATS, name) as { currentBuckets: object[] };
  const hash = "ab".repeat(32);
  for (const next of [
    { state: 1, output: hash },
    { state: 2, curr: hash, snap: hash },
  ]) {
    const currentBuckets = json.currentBuckets.map((level) => ({ ...level, next }));
    expect(readArchiveState({ ...json, currentBuckets }, name)).toEqual(stateOf(name));
  }
});
