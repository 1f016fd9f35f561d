// What the ledger engine finds equal by itself, on real ledgers: the judge finds it exact, and
// everything else is left to the judge, whichever byte of a meta is another.

import { beforeAll, describe, expect } from "bun:test";
import fc from "fast-check";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { SvcError } from "../../src/base/errors/errors.ts";
import { decideEntries, decideSnapshot } from "../../src/snapshot/decide-snapshot.ts";
import type { LaterChanges, NodeState, NodeStates } from "../../src/snapshot/evidence.ts";
import { NO_MENTIONS } from "../../src/snapshot/stream/first-mentions.ts";
import type { FoldedTransaction } from "../../src/snapshot/stream/fold-evidence.ts";
import { LedgersFold } from "../../src/snapshot/stream/ledgers-fold.ts";
import { readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import {
  judgeTransaction,
  openReplayEngines,
  type ReplayEngines,
} from "../../src/verify/replay-transaction.ts";
import { putsOf } from "../../src/verify/run-keys.ts";
import { ledgerFactsOf, readLedgerCloseMeta } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { readTransactionMeta } from "../../src/xdr/outcome/meta.ts";
import { lastModifiedOf } from "../../src/xdr/reader/keys.ts";
import { CORE_TEST_BINARY } from "../support/core-streams.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { CORE_TESTS_PASSPHRASE, firstMentionsOf, givenLedger } from "../support/folded-stream.ts";
import { withInitialSettings } from "../support/initial-settings.ts";
import { NEVER_ABORTED as signal } from "../support/loopback-walk.ts";
import { needs } from "../support/needs.ts";

/** Every so many streams: protocols 20 to 27, all three operations, successes and failures. */
const EVERY = 12;
const FLIPS = 12;
const BUILD_MILLISECONDS = 900_000;
const STREAMS = hasCorpus("core-streams")
  ? [...new Bun.Glob("*/*.xdr.zst").scanSync(corpusPath("core-streams"))]
      .sort()
      .filter((_, i) => i % EVERY === 0)
      .map((stream) => corpusPath("core-streams", stream))
  : [];
const corpus = needs("../shared/corpus", STREAMS.length > 0);

describe("what the engine finds equal", () => {
  beforeAll(ensureBuilt, BUILD_MILLISECONDS);

  corpus.test(
    "is exact to the judge, in every ledger and with any bit of a meta changed",
    async () => {
      await using engines = openReplayEngines({ path: SIMULATOR_BINARY }, 2);
      const sums = { equal: 0, judged: 0, flipped: 0, stillEqual: 0 };
      for (const path of STREAMS) {
        const ledgers: Uint8Array[] = [];
        for await (const { ledgerCloseMeta } of readLedgerFile(path, { signal }))
          ledgers.push(ledgerCloseMeta);
        const mentions = await mentionsOf(path);
        for (let at = 0; at < ledgers.length; at += 1) {
          const { equal } = await runIn(engines, mentions, ledgers, at, ledgers[at] as Uint8Array);
          if (equal.size === 0) continue;
          sums.equal += equal.size;
          // One of each ledger: the judge takes longer.
          const [order = 0] = equal;
          const found = await evidenceOf(engines, mentions, ledgers, at, order);
          expect(await isExact(engines, found)).toBe(true);
          sums.judged += 1;
          if (sums.judged % 8 !== 1) continue;
          for (const changed of flipped(ledgers[at] as Uint8Array, order)) {
            sums.flipped += 1;
            const still = await runIn(engines, mentions, ledgers, at, changed);
            if (!still.equal.has(order)) continue;
            sums.stillEqual += 1;
            const copy = ledgers.with(at, changed);
            const other = await evidenceOf(engines, mentions, copy, at, order);
            expect(await isExact(engines, other)).toBe(true);
          }
        }
      }
      expect(sums.equal).toBeGreaterThan(30);
      expect(sums.flipped).toBeGreaterThan(20);
      expect(sums.stillEqual).toBeLessThan(sums.flipped / 2);
    },
    300_000,
  );

  corpus.test(
    "is exact to the judge where a node shows the state before the first ledger",
    async () => {
      // It meters as what wrote these ledgers.
      await using engines = openReplayEngines({ path: CORE_TEST_BINARY }, 2);
      const sums = { equal: 0, open: 0, openWithoutPuts: 0 };
      for (const path of STREAMS) {
        const all = await Array.fromAsync(readLedgerFile(path, { signal }));
        const ledgers = all.map(({ ledgerCloseMeta }) => ledgerCloseMeta);
        const whole = await mentionsOf(path);
        for (const [at, bytes] of ledgers.entries()) {
          // A stream of this ledger and the one before.
          const two = ledgers.slice(at - 1, at + 1);
          if (at < 2) continue;
          const mentions = withInitialSettings(NO_MENTIONS, ledgerFactsOf(bytes).protocolVersion);
          const nodes = await nodesBefore(engines, whole, ledgers, at);
          const { equal, open } = await runIn(engines, mentions, two, 1, bytes, nodes);
          const withoutPuts = await runIn(engines, mentions, two, 1, bytes);
          expect(equal.isSupersetOf(withoutPuts.equal)).toBe(true);
          sums.equal += equal.size;
          sums.open += open;
          sums.openWithoutPuts += withoutPuts.open;
          for (const order of [...equal.difference(withoutPuts.equal)].slice(0, 2)) {
            const found = await evidenceOf(engines, whole, ledgers, at, order);
            expect(await isExact(engines, found)).toBe(true);
          }
        }
      }
      expect(sums.equal).toBeGreaterThan(50);
      expect(sums.open).toBeLessThan(sums.openWithoutPuts / 2);
    },
    300_000,
  );
});

/** A node that has what all ledgers before that one show of its transactions' keys. */
async function nodesBefore(
  engines: ReplayEngines,
  mentions: LaterChanges,
  ledgers: readonly Uint8Array[],
  at: number,
): Promise<NodeStates> {
  const fold = await foldTo(engines, mentions, ledgers, at);
  const given = givenLedger(ledgers[at] as Uint8Array, CORE_TESTS_PASSPHRASE);
  const { open } = await fold.fold(given, "", { run: false, want: true });
  const latestLedger = given.view.facts.sequence - 1;
  const states = new Map<string, NodeState>();
  for (const { folded, footprint } of open.map(({ evidence }) => evidence))
    for (const { keyXdr, ttlKeyXdr } of footprint) {
      const entryXdr = folded?.archived(keyXdr) ? undefined : folded?.entry(keyXdr);
      if (entryXdr === undefined || states.has(keyXdr)) continue;
      const liveUntilLedger = (ttlKeyXdr && folded?.liveUntilLedger(ttlKeyXdr)) || null;
      const entry = entryXdr && {
        ...{ keyXdr, entryXdr, liveUntilLedger, archived: false },
        lastModifiedLedger: lastModifiedOf(entryXdr),
      };
      states.set(keyXdr, { latestLedger, entry: entry || null, origin: "test" });
    }
  return { find: (keyXdr) => states.get(keyXdr) ?? null, reason: "not named" };
}

async function mentionsOf(path: string): Promise<LaterChanges> {
  const options = { networkPassphrase: CORE_TESTS_PASSPHRASE, settingsOnly: true };
  return firstMentionsOf(readLedgerFile(path, { signal }), options);
}

/** A fold of the ledgers before that one. */
async function foldTo(
  { ledgerEngine }: ReplayEngines,
  firstMentions: LaterChanges,
  ledgers: readonly Uint8Array[],
  at: number,
): Promise<LedgersFold> {
  const networkPassphrase = CORE_TESTS_PASSPHRASE;
  const fold = new LedgersFold(ledgerEngine, { networkPassphrase, firstMentions, asks: true });
  for (const bytes of ledgers.slice(0, at))
    await fold.foldOnly(givenLedger(bytes, networkPassphrase));
  return fold;
}

/**
 * The positions of the transactions that the engine finds equal by itself, and how many it leaves
 * to the caller.
 */
async function runIn(
  engines: ReplayEngines,
  mentions: LaterChanges,
  ledgers: readonly Uint8Array[],
  at: number,
  bytes: Uint8Array,
  nodes: NodeStates | null = null,
): Promise<{ readonly equal: Set<number>; readonly open: number }> {
  const fold = await foldTo(engines, mentions, ledgers, at);
  const given = givenLedger(bytes, CORE_TESTS_PASSPHRASE);
  const ran = [...fold.transactions(given, "")].filter((each) => each.ran);
  const evidence = await fold.beginning(given, nodes);
  const put = nodes ? putsOf([{ evidence, snapshot: decideEntries(evidence) }]) : [];
  const { open, verdicts } = await fold.fold(given, "", { run: true, want: false, put });
  const { equal, differ } = await verdicts;
  const others = new Set([...open, ...differ].map(({ order }) => order));
  const orders = ran.map(({ order }) => order).filter((order) => !others.has(order));
  expect(orders).toHaveLength(equal);
  return { equal: new Set(orders), open: open.length };
}

async function evidenceOf(
  engines: ReplayEngines,
  mentions: LaterChanges,
  ledgers: readonly Uint8Array[],
  at: number,
  order: number,
): Promise<FoldedTransaction> {
  const fold = await foldTo(engines, mentions, ledgers, at);
  const given = givenLedger(ledgers[at] as Uint8Array, CORE_TESTS_PASSPHRASE);
  const { open } = await fold.fold(given, "", { run: false, want: [order] });
  return open[0] as FoldedTransaction;
}

async function isExact(engines: ReplayEngines, found: FoldedTransaction): Promise<boolean> {
  const { record, evidence, settings } = found;
  const captured = { record, snapshot: decideSnapshot(evidence, settings) };
  const { notExact } = await judgeTransaction(engines, captured, { source: "test", signal });
  return notExact === null;
}

/** The ledger with one bit of the transaction's meta changed, where that is still valid XDR. */
function* flipped(ledger: Uint8Array, order: number): Generator<Uint8Array> {
  const view = readLedgerCloseMeta(ledger, CORE_TESTS_PASSPHRASE);
  const meta = view.transactions[order - 1]?.meta as Uint8Array;
  const start = meta.byteOffset - ledger.byteOffset;
  const places = fc.sample(fc.tuple(fc.nat(), fc.nat(7)), { numRuns: FLIPS, seed: 1 });
  for (const [at, bit] of places) {
    const bytes = Uint8Array.from(ledger);
    const place = start + (at % meta.length);
    bytes[place] = (bytes[place] as number) ^ (1 << bit);
    try {
      readTransactionMeta(bytes.slice(start, start + meta.length).toBase64());
      yield bytes;
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
    }
  }
}
