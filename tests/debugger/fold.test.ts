// The fold of whole streams. What stellar-core says it loaded (STATE) must be what was folded.

import { afterAll, expect, test } from "bun:test";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import { openLedgerEngine } from "../../src/simulator/open-processes.ts";
import { collectFirstMentions, NO_MENTIONS } from "../../src/snapshot/stream/first-mentions.ts";
import { LedgersFold } from "../../src/snapshot/stream/ledgers-fold.ts";
import { readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import type { LedgerBytes } from "../../src/sources/files/ledger-stream.ts";
import { ledgerFactsOf } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { settingKeyOf } from "../../src/xdr/ledger/settings.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import {
  type FoldedSnapshot,
  firstMentionsOf,
  foldLedgerBytes,
  foldWhole,
} from "../support/folded-stream.ts";
import { initialSettings, withInitialSettings } from "../support/initial-settings.ts";
import { needs } from "../support/needs.ts";

const CORE_TESTS = "(V) (;,,;) (V)";
const context = { signal: new AbortController().signal };
const STREAMS = hasCorpus("core-streams")
  ? [...new Bun.Glob("*/*.xdr.zst").scanSync(corpusPath("core-streams"))].sort()
  : [];

async function ledgersOf(stream: string): Promise<LedgerBytes[]> {
  const path = corpusPath("core-streams", stream);
  return Array.fromAsync(readLedgerFile(path, context));
}

async function* inOrder(ledgers: readonly LedgerBytes[]): AsyncGenerator<LedgerBytes> {
  yield* ledgers;
}

const engine = openLedgerEngine({ path: SIMULATOR_BINARY }, 1);
afterAll(() => engine[Symbol.asyncDispose]());

interface Folded {
  /** Entries that stellar-core loaded with another value than the fold had. */
  readonly mismatches: number;
  readonly transactions: readonly FoldedSnapshot[];
}

async function foldAll(ledgers: readonly LedgerBytes[], settingsOnly: boolean): Promise<Folded> {
  const options = { networkPassphrase: CORE_TESTS, settingsOnly };
  const firstMentions = await firstMentionsOf(inOrder(ledgers), options);
  const fold = new LedgersFold(engine, { networkPassphrase: CORE_TESTS, firstMentions });
  const transactions: FoldedSnapshot[] = [];
  let mismatches = 0;
  for (const { ledgerCloseMeta } of ledgers) {
    const found = await foldWhole(fold, ledgerCloseMeta);
    transactions.push(...found.transactions);
    mismatches += found.folded.mismatches.length;
  }
  return { mismatches, transactions };
}

const corpus = needs("../shared/corpus", STREAMS.length > 0);

corpus.describe("the fold of a stream from genesis", () => {
  test("expects every STATE that stellar-core loaded, and knows every footprint", async () => {
    const sums = { transactions: 0, mismatches: 0, unknown: 0, assumed: 0 };
    for (const stream of STREAMS) {
      const { mismatches, transactions } = await foldAll(await ledgersOf(stream), true);
      sums.transactions += transactions.length;
      sums.mismatches += mismatches;
      for (const { snapshot } of transactions) {
        sums.unknown += snapshot?.unknown.length ?? 1;
        sums.assumed += snapshot === null ? 0 : assumptionsIn(snapshot);
      }
    }
    expect(sums).toEqual({
      transactions: 2392,
      mismatches: 0,
      unknown: 0,
      assumed: 0,
    });
  });

  test("begins with the settings that later upgrades show", async () => {
    const compared = { same: 0, overridden: 0 };
    for (const stream of STREAMS) {
      const ledgers = await ledgersOf(stream);
      const protocol = ledgerFactsOf((ledgers[0] as LedgerBytes).ledgerCloseMeta).protocolVersion;
      const options = { networkPassphrase: CORE_TESTS, settingsOnly: true };
      const mentions = await collectFirstMentions(inOrder(ledgers), options);
      for (const [id, initial] of initialSettings(protocol)) {
        const before = mentions.find(settingKeyOf(id))?.before;
        if (before?.kind !== "entry") continue;
        compared[before.entryXdr === initial ? "same" : "overridden"] += 1;
      }
    }
    // Two of core's tests begin with higher limits, two more with other archival settings.
    expect(compared.same).toBeGreaterThan(2800);
    expect(compared.overridden).toBe(22);
  });

  test("gives a ledger's transactions the protocol from before its upgrade", async () => {
    for (const stream of STREAMS) {
      const ledgers = await ledgersOf(stream);
      const upgraded = ledgers.find(({ sequence, ledgerCloseMeta }) => {
        const facts = ledgerFactsOf(ledgerCloseMeta);
        return sequence > 2 && facts.upgradeCount > 0 && facts.protocolVersion === 21;
      });
      if (upgraded === undefined) continue;
      const { transactions } = await foldAll(ledgers, true);
      for (const { record } of transactions) {
        const before = record.ledger.sequence <= upgraded.sequence;
        expect(record.ledger.protocolVersion).toBe(before ? 20 : 21);
      }
      return;
    }
    expect.unreachable();
  });
});

corpus.describe("the fold of a stream that begins in the middle", () => {
  test("knows less than the whole one, and nothing else", async () => {
    let known = 0;
    let unknown = 0;
    for (const stream of STREAMS.filter((_, i) => i % 7 === 0)) {
      const ledgers = await ledgersOf(stream);
      const whole = await foldAll(ledgers, true);
      for (const skipped of [1, Math.floor(ledgers.length / 2)]) {
        const part = await foldAll(ledgers.slice(skipped), false);
        const offset = whole.transactions.length - part.transactions.length;
        for (const [i, { record, snapshot }] of part.transactions.entries()) {
          const full = whole.transactions[offset + i] as FoldedSnapshot;
          expect(record).toEqual(full.record);
          known += expectNothingElse(snapshot as Snapshot, full.snapshot as Snapshot);
          unknown += snapshot?.unknown.length ?? 0;
        }
      }
    }
    expect(known).toBeGreaterThan(400);
    expect(unknown).toBeGreaterThan(400);
  });

  test("lets go of everything at a gap", async () => {
    let after = 0;
    for (const stream of STREAMS.slice(0, 20)) {
      const ledgers = await ledgersOf(stream);
      const gap = Math.floor(ledgers.length / 2);
      const { protocolVersion } = ledgerFactsOf((ledgers[0] as LedgerBytes).ledgerCloseMeta);
      const firstMentions = withInitialSettings(NO_MENTIONS, protocolVersion);
      const fold = new LedgersFold(engine, { networkPassphrase: CORE_TESTS, firstMentions });
      const before = await replayed(fold, ledgers.slice(0, gap));
      expect(before.flatMap((snapshot) => snapshot.unknown)).toEqual([]);
      for (const snapshot of await replayed(fold, ledgers.slice(gap + 1))) {
        // The settings at least are not known any more.
        expect(snapshot.unknown.length).toBeGreaterThan(0);
        after += 1;
      }
    }
    expect(after).toBeGreaterThan(10);
  });
});

async function replayed(fold: LedgersFold, ledgers: readonly LedgerBytes[]): Promise<Snapshot[]> {
  const snapshots: Snapshot[] = [];
  for (const { ledgerCloseMeta } of ledgers) {
    const found = await foldLedgerBytes(fold, ledgerCloseMeta);
    snapshots.push(...found.map(({ snapshot }) => snapshot as Snapshot));
  }
  return snapshots;
}

function assumptionsIn({ entries, settings }: Snapshot): number {
  const kinds = [
    ...entries.flatMap((entry) => [entry.provenance.kind, entry.ttlProvenance?.kind]),
    ...settings.map((setting) => setting.provenance.kind),
  ];
  return kinds.filter((kind) => kind === "assumed").length;
}

/** How many entries the part knows, each of them as the whole does. */
function expectNothingElse(part: Snapshot, whole: Snapshot): number {
  const entries = new Map(whole.entries.map((entry) => [entry.keyXdr, entry]));
  for (const entry of part.entries) {
    const full = entries.get(entry.keyXdr);
    // A restoration shows the entry with the ledger it was restored in, not the one it came from.
    if (!entry.archived) expect(entry.entryXdr).toBe(full?.entryXdr ?? null);
    if (entry.codeCached !== null)
      expect<boolean | null>(entry.codeCached).toBe(full?.codeCached ?? null);
    const certain = entry.provisional === undefined && entry.ttlProvenance?.kind !== "assumed";
    if (certain && !entry.archived) {
      expect(entry.liveUntilLedger).toBe(full?.liveUntilLedger ?? null);
    }
  }
  const settings = new Map(whole.settings.map((setting) => [setting.name, setting.entryXdr]));
  for (const { name, entryXdr } of part.settings) {
    if (name !== "CONFIG_SETTING_LIVE_SOROBAN_STATE_SIZE_WINDOW") {
      expect(entryXdr).toBe(settings.get(name) ?? "");
    }
  }
  return part.entries.length;
}
