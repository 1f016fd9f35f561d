// A fold that is saved and goes on in another process, after every ledger: what it knows, and which
// mismatches it finds, is what one fold over the whole knows and finds.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { openLedgerEngine } from "../../src/simulator/open-processes.ts";
import { type FoldOptions, LedgersFold } from "../../src/snapshot/stream/ledgers-fold.ts";
import type { KeptRow, StateChanges } from "../../src/snapshot/stream/saved-state.ts";
import { hasCorpus } from "../support/corpus.ts";
import { foldWhole, givenLedger } from "../support/folded-stream.ts";
import { MADE_PASSPHRASE, makeLedgers } from "../support/made-ledgers.ts";
import { type ChainOptions, type ModelChain, makeChain } from "../support/model-chain.ts";
import { needs } from "../support/needs.ts";
import { readStaleEntries, staleLedgers } from "../support/stale-entries.ts";

/** Each property, and each transaction, has a process or a long chain of ledgers. */
setDefaultTimeout(120_000);

const chains = fc
  .record({
    ledgers: fc.integer({ min: 2, max: 14 }),
    protocol: fc.constantFrom<ChainOptions["protocol"]>(28, 22),
    decisions: fc.uint8Array({ minLength: 400, maxLength: 400 }),
  })
  .map((options) => ({
    ...makeChain(options),
    [fc.toStringMethod]: () => JSON.stringify({ ...options, decisions: options.decisions.toHex() }),
  }));

type Ledgers = ModelChain["ledgers"];
type Limits = Pick<FoldOptions, "maximumBytes" | "keepsRecent">;

const engine = openLedgerEngine({ path: SIMULATOR_BINARY }, 1);
afterAll(() => engine[Symbol.asyncDispose]());

/** `resumes`: each ledger is folded by a fold of its own, from what the one before has saved. */
async function foldAll(ledgers: Ledgers, limits: Limits, resumes: boolean) {
  const mismatches: unknown[] = [];
  const snapshots: unknown[] = [];
  const options = { networkPassphrase: MADE_PASSPHRASE, keepsChanges: true, ...limits };
  let fold = new LedgersFold(engine, options);
  const kept = new Map<string, KeptRow>();
  for (const { ledgerCloseMeta } of ledgers) {
    const { folded, transactions } = await foldWhole(fold, ledgerCloseMeta);
    mismatches.push(...folded.mismatches);
    for (const { snapshot } of transactions) if (snapshot !== null) snapshots.push(snapshot);
    if (!resumes) continue;
    const { reset, facts, rows } = throughJson(folded.changes);
    if (reset) kept.clear();
    const { generation } = facts;
    for (const [key, value] of rows) {
      if (value === undefined) kept.delete(key);
      else kept.set(key, { key, value, generation });
    }
    fold = new LedgersFold(engine, options);
    const last = givenLedger(ledgerCloseMeta, MADE_PASSPHRASE);
    await fold.resume({ facts, rows: kept.values() }, last);
  }
  return { snapshots, mismatches };
}

function throughJson(changes: StateChanges | null): StateChanges {
  return JSON.parse(JSON.stringify(changes)) as StateChanges;
}

const begins = fc.nat({ max: 3 });
const limits = fc.option(fc.integer({ min: 1, max: 20_000 }), { nil: undefined });

test("knows the same of every chain, from genesis and from later, with a limit of memory and without", async () => {
  await fc.assert(
    fc.asyncProperty(chains, begins, limits, async ({ ledgers }, begin, maximumBytes) => {
      const some = ledgers.slice(Math.min(begin, ledgers.length - 1));
      const limit = maximumBytes === undefined ? {} : { maximumBytes };
      expect(await foldAll(some, limit, true)).toEqual(await foldAll(some, limit, false));
    }),
    { numRuns: 100, includeErrorInReport: true },
  );
});

const corpus = needs("../shared/corpus", hasCorpus("cap-0076"));

corpus.test("finds every stale entry of CAP-76 that it folded before it was saved", async () => {
  const stale = readStaleEntries();
  const { ledgers } = staleLedgers(stale, (entryXdr) => entryXdr);
  const made = makeLedgers(ledgers);
  const limit = { keepsRecent: true };
  const { mismatches } = await foldAll(made, limit, true);
  expect(mismatches).toEqual((await foldAll(made, limit, false)).mismatches);
  expect(mismatches).toHaveLength(84);
});
