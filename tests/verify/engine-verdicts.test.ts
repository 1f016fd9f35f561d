// What the ledger engine finds equal by itself, on real ledgers: the judge finds it exact, and
// everything else is left to the judge, whichever byte of a meta is another.

import { beforeAll, describe, expect } from "bun:test";
import fc from "fast-check";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { SvcError } from "../../src/base/errors/errors.ts";
import { decideSnapshot } from "../../src/snapshot/decide-snapshot.ts";
import type { LaterChanges } from "../../src/snapshot/evidence.ts";
import { type FoldedTransaction, LedgersFold } from "../../src/snapshot/stream/ledgers-fold.ts";
import { readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import {
  judgeTransaction,
  type OpenEngines,
  openEngines,
} from "../../src/verify/replay-transaction.ts";
import { readLedgerCloseMeta } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { readTransactionMeta } from "../../src/xdr/outcome/meta.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { CORE_TESTS_PASSPHRASE, firstMentionsOf, givenLedger } from "../support/folded-stream.ts";
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
      await using engines = openEngines(SIMULATOR_BINARY, 2);
      const sums = { equal: 0, judged: 0, flipped: 0, stillEqual: 0 };
      for (const path of STREAMS) {
        const ledgers: Uint8Array[] = [];
        for await (const { ledgerCloseMeta } of readLedgerFile(path, { signal }))
          ledgers.push(ledgerCloseMeta);
        const mentions = await mentionsOf(path);
        for (let at = 0; at < ledgers.length; at += 1) {
          const equal = await equalIn(engines, mentions, ledgers, at, ledgers[at] as Uint8Array);
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
            const still = await equalIn(engines, mentions, ledgers, at, changed);
            if (!still.has(order)) continue;
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
});

async function mentionsOf(path: string): Promise<LaterChanges> {
  const options = { networkPassphrase: CORE_TESTS_PASSPHRASE, settingsOnly: true };
  return firstMentionsOf(readLedgerFile(path, { signal }), options);
}

/** A fold of the ledgers before that one. */
async function foldTo(
  { ledgerEngine }: OpenEngines,
  firstMentions: LaterChanges,
  ledgers: readonly Uint8Array[],
  at: number,
): Promise<LedgersFold> {
  const networkPassphrase = CORE_TESTS_PASSPHRASE;
  const fold = new LedgersFold(ledgerEngine, { networkPassphrase, firstMentions });
  for (const bytes of ledgers.slice(0, at))
    await fold.foldOnly(givenLedger(bytes, networkPassphrase));
  return fold;
}

/** The positions of the transactions that the engine finds equal by itself. */
async function equalIn(
  engines: OpenEngines,
  mentions: LaterChanges,
  ledgers: readonly Uint8Array[],
  at: number,
  bytes: Uint8Array,
): Promise<ReadonlySet<number>> {
  const fold = await foldTo(engines, mentions, ledgers, at);
  const given = givenLedger(bytes, CORE_TESTS_PASSPHRASE);
  const ran = [...fold.transactions(given, "")].filter((each) => each.ran);
  const { open, verdicts } = await fold.fold(given, "", { run: true, want: false });
  const { equal, differ } = await verdicts;
  const others = new Set([...open, ...differ].map(({ order }) => order));
  const orders = ran.map(({ order }) => order).filter((order) => !others.has(order));
  expect(orders).toHaveLength(equal);
  return new Set(orders);
}

async function evidenceOf(
  engines: OpenEngines,
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

async function isExact(engines: OpenEngines, found: FoldedTransaction): Promise<boolean> {
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
