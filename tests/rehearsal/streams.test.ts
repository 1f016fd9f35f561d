// The contracts of stellar-core's streams, rehearsed against themselves: every call is the same.
// Their ledgers do not have all network settings, so the state is folded with the initial ones, as
// the conformance tests do.

import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import type { Captured } from "../../src/debugger/walk/capture-transaction.ts";
import { type NewBuild, readBuild } from "../../src/rehearsal/new-builds.ts";
import { rehearseCaptured } from "../../src/rehearsal/read-traffic.ts";
import type { UpgradeRehearsal } from "../../src/rehearsal/rehearsal.ts";
import { Rehearser } from "../../src/rehearsal/rehearse-traffic.ts";
import { openReplayEngines, type ReplayEngines } from "../../src/verify/replay-transaction.ts";
import { lookupIn } from "../../src/xdr/contract/lookup-in.ts";
import { openRecord } from "../../src/xdr/envelope/opened-record.ts";
import { codesIn } from "../support/archived-code.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { foldedStream } from "../support/folded-stream.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { needs } from "../support/needs.ts";

setDefaultTimeout(300_000);

const SAMPLE = join(import.meta.dir, "../fixtures/streams");
/** The calls of contracts that have one code throughout, in the sample and in all streams. */
const [SAMPLE_CALLS, ALL_CALLS] = [33, 771];

beforeAll(ensureBuilt, 900_000);

/** Rehearses all contracts that a stream's transactions call, each with the code that it has. */
async function rehearsedWithOwnCode(
  engines: ReplayEngines,
  stream: string,
): Promise<Omit<UpgradeRehearsal, "searched">> {
  const codes = codesIn(Buffer.from(Bun.zstdDecompressSync(readFileSync(stream))));
  const captures: Captured[] = [];
  const hashes = new Map<string, Set<string>>();
  for await (const { record, snapshot } of foldedStream(stream)) {
    const captured = { ...openRecord(record), snapshot };
    captures.push(captured);
    const { hostFunction } = captured.envelope;
    if (snapshot === null || hostFunction?.kind !== "invoke") continue;
    const { contract } = hostFunction;
    const hash = lookupIn(snapshot.entries)(contract)?.wasmHash ?? null;
    if (hash !== null) hashes.set(contract, (hashes.get(contract) ?? new Set()).add(hash));
  }
  const own = [...hashes].flatMap(([contract, [hash = "", ...others]]) => {
    const bytes = codes.get(hash);
    // One that was upgraded meanwhile has no code of its own.
    const isOne = bytes !== undefined && others.length === 0;
    return isOne ? [[contract, readBuild({ file: "own.wasm", bytes })] as const] : [];
  });
  const builds: ReadonlyMap<string, NewBuild> = new Map(own);
  const choice = { function: null, everyPath: false, last: null, first: null, inSequence: false };
  const rehearser = new Rehearser({ ...engines, recorder: null }, builds, choice);
  const shared = { engines, rehearser, program: { path: SIMULATOR_BINARY }, jobs: 1 };
  const rest = { signal: NEVER_ABORTED, progress: () => {} };
  for (const each of captures) await rehearseCaptured({ ...shared, ...rest }, each, null);
  return rehearser.finish(rest);
}

/** Returns the number of calls that were judged. All of them have to be the same. */
async function countSame(directory: string, pattern: string): Promise<number> {
  const paths = [...new Bun.Glob(pattern).scanSync(directory)].sort();
  const others: unknown[] = [];
  const reasons = new Set<string>();
  let count = 0;
  await using engines = openReplayEngines({ path: SIMULATOR_BINARY }, 1);
  for (const path of paths) {
    const { calls, notJudged } = await rehearsedWithOwnCode(engines, join(directory, path));
    for (const { kind } of notJudged) reasons.add(kind);
    for (const { group, differences, hash } of calls)
      if (group !== "same") others.push({ path, hash, group, differences });
    count += calls.length;
  }
  expect(others).toEqual([]);
  // Nothing can be replaced in a transaction that creates the contract.
  expect([...reasons].sort()).toEqual(["no-code", "other-contract"]);
  return count;
}

test("every call of the sample is the same", async () => {
  expect(await countSame(SAMPLE, "*.xdr.zst")).toBe(SAMPLE_CALLS);
});

needs("../shared/corpus", hasCorpus("core-streams")).test(
  "every call of the corpus is the same",
  async () => {
    expect(await countSame(corpusPath("core-streams"), "*/*.xdr.zst")).toBe(ALL_CALLS);
  },
);
