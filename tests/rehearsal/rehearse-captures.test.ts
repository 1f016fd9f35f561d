// A transaction that several words name is rehearsed once, and which of them it is taken from does
// not depend on which of them is read first.

import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import type { Captured } from "../../src/debugger/walk/capture-transaction.ts";
import { openCapsule } from "../../src/debugger/walk/open-capsule.ts";
import { readBuild } from "../../src/rehearsal/new-builds.ts";
import { rehearseCaptures } from "../../src/rehearsal/rehearse-captures.ts";
import { Rehearser } from "../../src/rehearsal/rehearse-traffic.ts";
import { openReplayEngines } from "../../src/verify/replay-transaction.ts";
import { ENTRY_TYPE, typeOfKey } from "../../src/xdr/reader/keys.ts";
import { codesIn } from "../support/archived-code.ts";
import { capsuleAt } from "../support/capsule-at.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";

setDefaultTimeout(60_000);
beforeAll(ensureBuilt, 900_000);

const FILE = join(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");
const captured = openCapsule(capsuleAt(FILE), null);
const { hash } = captured.record;
const isCode = ({ keyXdr }: { readonly keyXdr: string }) =>
  typeOfKey(keyXdr) === ENTRY_TYPE.contractCode;

/** The same transaction in a capsule in which the code is unknown, so that nothing is replayed. */
const unknown = withoutCode(captured);

function withoutCode({ snapshot, ...rest }: Captured): Captured {
  if (snapshot === null) throw new Error("the transaction ran");
  const lost = snapshot.entries.filter(isCode);
  const entries = snapshot.entries.filter((entry) => !isCode(entry));
  const reasons = lost.map(({ keyXdr }) => ({ keyXdr, reason: "no source has it" }));
  return { ...rest, snapshot: { ...snapshot, entries, unknown: reasons } };
}

/** The contract that is called, with the code that it has. */
function ownBuilds() {
  const { envelope, snapshot } = captured;
  const [code] = (snapshot?.entries ?? [])
    .filter(isCode)
    .flatMap(({ entryXdr }) => [...codesIn(Buffer.from(entryXdr ?? "", "base64")).values()]);
  if (envelope.hostFunction?.kind !== "invoke" || code === undefined)
    throw new Error("the transaction calls a contract");
  const build = readBuild({ file: "own.wasm", bytes: code });
  return new Map([[envelope.hostFunction.contract, build]]);
}

const PLACES: ReadonlyMap<string, Captured> = new Map([
  ["a.json", unknown],
  ["b.json", captured],
  ["c.json", unknown],
  ["d.json", captured],
  // The name of a transaction is its hash, and its nodes have it.
  [hash, captured],
]);

/** `arrivals`: the words in the order in which they can be read. */
async function rehearsed(
  words: readonly string[],
  arrivals: readonly string[],
  everyPath: boolean,
) {
  await using engines = openReplayEngines({ path: SIMULATOR_BINARY }, 2);
  const choice = { function: null, everyPath, last: null, first: null, inSequence: false };
  const rehearser = new Rehearser({ ...engines, recorder: null }, ownBuilds(), choice);
  const opened: string[] = [];
  const open = async (word: string) => {
    opened.push(word);
    for (let step = 0; step < arrivals.indexOf(word); step += 1) await Promise.resolve();
    const found = PLACES.get(word);
    if (found === undefined) throw new Error(`there is no ${word}`);
    return found;
  };
  const options = { signal: NEVER_ABORTED, progress: () => {} };
  const program = { path: SIMULATOR_BINARY };
  const captures = {
    capsules: words.filter((word) => word !== hash),
    hashes: words.filter((word) => word === hash),
    ...{ openCapsule: open, openHash: open },
  };
  const rehearsing = { engines, rehearser, program, jobs: 2, ...options };
  const judged = await rehearseCaptures(rehearsing, captures, null);
  const { calls, ...document } = await rehearser.finish(options);
  return { judged, opened, document: { ...document, calls: [...calls] } };
}

const all = [...PLACES.keys()];
const orders = fc.record({
  words: fc.shuffledSubarray(all, { minLength: 1 }),
  arrivals: fc.shuffledSubarray(all, { minLength: all.length }),
  everyPath: fc.boolean(),
});

test("it is taken from the first capsule with which it can be judged, else from the nodes", async () => {
  await fc.assert(
    fc.asyncProperty(orders, async ({ words, arrivals, everyPath }) => {
      const { judged, opened, document } = await rehearsed(words, arrivals, everyPath);
      const known = words.filter((word) => PLACES.get(word) === captured);
      const [capsule] = known.filter((word) => word !== hash).sort();
      const first = capsule ?? known[0] ?? null;
      const isOfCapsule = capsule !== undefined;
      const files = isOfCapsule ? { kind: "capsule", file: first } : null;
      expect(document.calls).toMatchObject(first === null ? [] : [{ hash, files }]);
      expect(document.notJudged).toMatchObject(first === null ? [{ calls: 1 }] : []);
      expect(document.repeated).toBe(everyPath ? 0 : null);
      expect([...judged]).toEqual(first === null ? [] : [hash]);
      // A node is asked only for what no capsule shows.
      expect(opened.includes(hash)).toBe(words.includes(hash) && !isOfCapsule);
    }),
    { numRuns: 40 },
  );
});

test("of several capsules that cannot be opened, the first one by name is named", async () => {
  const damaged = ["w.json", "x.json", "y.json"];
  const arrivals = fc.shuffledSubarray([...all, ...damaged], { minLength: all.length + 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray(damaged, { minLength: 1 }),
      arrivals,
      async (some, order) => {
        const [first] = some.toSorted();
        const run = rehearsed([...some, "b.json", "a.json"], order, false);
        await expect(run).rejects.toThrow(`there is no ${first}`);
      },
    ),
    { numRuns: 20 },
  );
});
