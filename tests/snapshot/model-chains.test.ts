// Random chains whose state is known from their own making. However much of a chain was folded,
// whatever nodes add to it, and whatever was forgotten: what is called known is true.

import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import type { Snapshot, SnapshotEntry } from "../../src/model/snapshot.ts";
import { openLedgerEngine } from "../../src/simulator/open-processes.ts";
import { WINDOW } from "../../src/snapshot/decide-settings.ts";
import { decideSnapshot } from "../../src/snapshot/decide-snapshot.ts";
import type { Evidence, NodeStates } from "../../src/snapshot/evidence.ts";
import { collectFirstMentions, NO_MENTIONS } from "../../src/snapshot/stream/first-mentions.ts";
import { type FoldOptions, LedgersFold } from "../../src/snapshot/stream/ledgers-fold.ts";
import type { LedgerBytes } from "../../src/sources/files/ledger-stream.ts";
import {
  isSettingKey,
  isTemporaryKey,
  lastModifiedOf,
  sameData,
} from "../../src/xdr/reader/keys.ts";
import { givenLedger } from "../support/folded-stream.ts";
import { withInitialSettings } from "../support/initial-settings.ts";
import { MADE_PASSPHRASE } from "../support/made-ledgers.ts";
import {
  type ChainOptions,
  type ModelChain,
  makeChain,
  type TrueState,
  type TrueTransaction,
} from "../support/model-chain.ts";

/** Each property, and each transaction, has a process or a long chain of ledgers. */
setDefaultTimeout(120_000);

const chains = fc
  .record({
    ledgers: fc.integer({ min: 2, max: 14 }),
    protocol: fc.constantFrom<ChainOptions["protocol"]>(28, 28, 22),
    decisions: fc.uint8Array({ minLength: 400, maxLength: 400 }),
  })
  .map((options) => ({
    ...makeChain(options),
    // Bytes of ledgers say less than what made them.
    [fc.toStringMethod]: () => JSON.stringify({ ...options, decisions: options.decisions.toHex() }),
  }));
const RUNS = { numRuns: 60, includeErrorInReport: true };
/** Ledger 1 is made, not closed. */
const FIRST = 2;

interface Compared {
  readonly snapshot: Snapshot;
  readonly truth: TrueTransaction;
}

const engine = openLedgerEngine({ path: SIMULATOR_BINARY }, 1);
afterAll(() => engine[Symbol.asyncDispose]());

interface More {
  /** What the evidence gets beside the fold. */
  readonly nodes?: NodeStates;
  /** Gets those that the fold finds. */
  readonly mismatches?: unknown[];
}

async function replayed(
  chain: ModelChain,
  ledgers: readonly LedgerBytes[],
  { nodes, mismatches, ...options }: Partial<FoldOptions> & More = {},
): Promise<Compared[]> {
  const fold = new LedgersFold(engine, { networkPassphrase: MADE_PASSPHRASE, ...options });
  const compared: Compared[] = [];
  for (const { sequence, ledgerCloseMeta } of ledgers) {
    const transactions = chain.transactions.filter(({ ledger }) => ledger === sequence);
    const given = givenLedger(ledgerCloseMeta, MADE_PASSPHRASE);
    const folded = await fold.fold(given, "a chain", { run: false, want: true });
    mismatches?.push(...folded.mismatches);
    for (const { record, evidence } of folded.open) {
      const truth = transactions.find(({ order }) => order === record.applicationOrder);
      if (truth === undefined) throw new Error("every transaction ran");
      const more: Evidence = nodes === undefined ? evidence : { ...evidence, nodes };
      compared.push({ snapshot: decideSnapshot(more), truth });
    }
  }
  return compared;
}

async function mentionsOf(ledgers: readonly LedgerBytes[], maximumKeys?: number) {
  const options = { networkPassphrase: MADE_PASSPHRASE, settingsOnly: false };
  async function* inOrder() {
    yield* ledgers;
  }
  return collectFirstMentions(inOrder(), { ...options, ...(maximumKeys && { maximumKeys }) });
}

/** Ledger entries as a node answers when that ledger is its latest. */
function nodeAt(chain: ModelChain, latestLedger: number): NodeStates {
  const states = chain.after.get(latestLedger);
  return {
    reason: "the node was not asked",
    find(keyXdr) {
      const state = states?.get(keyXdr);
      if (state === undefined) return null;
      const { entryXdr, liveUntilLedger, archivedXdr } = state;
      const dead = liveUntilLedger !== null && liveUntilLedger < latestLedger;
      const shown = archivedXdr ?? (dead && isTemporaryKey(keyXdr) ? null : entryXdr);
      const archived = archivedXdr !== null || dead;
      const entry = shown && {
        keyXdr,
        entryXdr: shown,
        lastModifiedLedger: lastModifiedOf(shown),
        liveUntilLedger: archived ? null : liveUntilLedger,
        archived,
      };
      return { latestLedger, entry: entry || null, origin: "a node" };
    },
  };
}

const ONLY_EXPIRED = "so it had expired; the exact ledger does not matter";
const isAssumed = ({ provenance }: Pick<SnapshotEntry, "provenance">) =>
  provenance.kind === "assumed";

/** What of a snapshot is known for sure and not so; empty when all of it is true. */
function falsehoods({ snapshot, truth }: Compared): string[] {
  const wrong: string[] = [];
  for (const entry of snapshot.entries) {
    const state = truth.footprint.get(entry.keyXdr);
    if (state === undefined) wrong.push("an entry that is not in the footprint");
    else wrong.push(...differences(entry, state, truth));
  }
  const setting = snapshot.settings.find(({ name }) => name.endsWith("CONTRACT_EVENTS"));
  if (setting && !isAssumed(setting) && setting.entryXdr !== truth.settingXdr)
    wrong.push("the setting");
  const fee = snapshot.rentFeePer1KbStroops;
  const window = snapshot.settings.find(({ name }) => name === WINDOW);
  const isClaimed = fee !== null && window !== undefined && !isAssumed(window);
  // The fee of a failure that pays none may be any.
  const isPaid = window?.provenance.kind !== "deduced";
  if (isClaimed && isPaid && fee !== truth.rentFeePer1KbStroops) wrong.push(`rent fee ${fee}`);
  return wrong;
}

function differences(entry: SnapshotEntry, state: TrueState, truth: TrueTransaction): string[] {
  const { keyXdr, entryXdr, liveUntilLedger, archived, codeCached, provenance } = entry;
  const expired = state.liveUntilLedger !== null && state.liveUntilLedger < truth.ledger;
  const dead = expired || state.archivedXdr !== null;
  const wrong: string[] = [];
  const note = (what: string) =>
    wrong.push(
      `${what} of ${keyXdr} by ${provenance.detail}: ${archived} ${liveUntilLedger} (${entry.ttlProvenance?.detail}); in truth ${state.archivedXdr !== null} ${state.liveUntilLedger}`,
    );
  if (!isAssumed(entry)) {
    const value = state.archivedXdr ?? state.entryXdr;
    const gone = entryXdr === null && dead && isTemporaryKey(keyXdr);
    // A restoration shows an entry with the ledger that it was restored in.
    const sameBytes = !dead && !provenance.detail.includes("restores it");
    const same = sameBytes ? entryXdr === value : sameData(entryXdr, value);
    if (!same && !gone) note("value");
  }
  const { ttlProvenance } = entry;
  const assumedTtl = ttlProvenance !== null && isAssumed({ provenance: ttlProvenance });
  const cacheKnown = codeCached !== null && !entry.maybeCached && !isAssumed(entry) && !assumedTtl;
  if (cacheKnown && codeCached !== truth.cachedCode.has(keyXdr)) note("module cache");
  if (assumedTtl) return wrong;
  if (ttlProvenance === null) {
    if (archived && !dead && !isAssumed(entry)) note("archival");
    return wrong;
  }
  // Where only a restoration shows that it had expired, the ledger is not known, nor does it matter.
  const least = ttlProvenance.detail.endsWith(ONLY_EXPIRED) ? truth.ledger - 1 : 0;
  const atLeast = (ledger: number | null) => Math.max(ledger ?? 0, least);
  if (archived !== dead && !(liveUntilLedger !== null && liveUntilLedger < truth.ledger))
    note("archival");
  else if (entry.provisional !== undefined) {
    if (dead || (liveUntilLedger ?? 0) < (state.liveUntilLedger ?? 0)) note("provisional TTL");
  } else if (!archived && atLeast(liveUntilLedger) !== atLeast(state.liveUntilLedger)) note("TTL");
  return wrong;
}

function expectTruth(compared: Compared): void {
  const where = `${compared.truth.ledger}/${compared.truth.order}`;
  expect({ where, wrong: falsehoods(compared) }).toEqual({ where, wrong: [] });
}

describe("a chain folded from genesis", () => {
  test("is known in full: every entry, TTL and setting, and no STATE differs", async () => {
    await fc.assert(
      fc.asyncProperty(chains, async (chain) => {
        const mismatches: unknown[] = [];
        const firstMentions = withInitialSettings(NO_MENTIONS, 28);
        const folded = await replayed(chain, chain.ledgers, { firstMentions, mismatches });
        let count = 0;
        for (const each of folded) {
          count += 1;
          expectTruth(each);
          const { entries, settings, unknown } = each.snapshot;
          expect(unknown).toEqual([]);
          expect(entries.map(({ keyXdr }) => keyXdr)).toEqual([...each.truth.footprint.keys()]);
          expect([...entries, ...settings].filter(isAssumed)).toEqual([]);
          for (const { ttlProvenance } of entries) {
            expect(ttlProvenance?.kind).not.toBe("assumed");
            expect(ttlProvenance?.detail).not.toEndWith(ONLY_EXPIRED);
          }
        }
        expect(count).toBe(chain.transactions.length);
        expect(mismatches).toEqual([]);
      }),
      RUNS,
    );
  });

  test("is forgotten at a limit of memory, and what is known after that is true", async () => {
    await fc.assert(
      fc.asyncProperty(chains, fc.integer({ min: 1, max: 20_000 }), async (chain, maximumBytes) => {
        for (const each of await replayed(chain, chain.ledgers, { maximumBytes }))
          expectTruth(each);
      }),
      RUNS,
    );
  });
});

describe("a chain folded from a cut on", () => {
  /** The ledgers after the first few, and how many those are. */
  const cuts = fc
    .tuple(chains, fc.double({ min: 0, max: 0.999, noNaN: true }))
    .map(([chain, place]) => {
      const skipped = 1 + Math.floor(place * (chain.ledgers.length - 1));
      return { chain, ledgers: chain.ledgers.slice(skipped), lastSkipped: 1 + skipped };
    });

  test("knows less than the whole, and nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(cuts, async ({ chain, ledgers }) => {
        for (const each of await replayed(chain, ledgers)) expectTruth(each);
      }),
      RUNS,
    );
  });

  test("with what later ledgers show of keys, however many are kept of those", async () => {
    await fc.assert(
      fc.asyncProperty(cuts, fc.integer({ min: 1, max: 12 }), async ({ chain, ledgers }, most) => {
        for (const maximumKeys of [most, 1000]) {
          const firstMentions = await mentionsOf(ledgers, maximumKeys);
          for (const each of await replayed(chain, ledgers, { firstMentions })) expectTruth(each);
        }
      }),
      RUNS,
    );
  });

  test("with a node that stands at the last ledger before the cut: everything is known", async () => {
    await fc.assert(
      fc.asyncProperty(cuts, async ({ chain, ledgers, lastSkipped }) => {
        const nodes = nodeAt(chain, lastSkipped);
        for (const each of await replayed(chain, ledgers, { nodes })) {
          expectTruth(each);
          const { entries, unknown } = each.snapshot;
          expect(unknown.filter(({ keyXdr }) => !isSettingKey(keyXdr))).toEqual([]);
          expect(entries.filter(isAssumed)).toEqual([]);
        }
      }),
      RUNS,
    );
  });

  test("with a node that stands anywhere, before or after, and what ledgers show", async () => {
    await fc.assert(
      fc.asyncProperty(cuts, fc.nat(), async ({ chain, ledgers }, at) => {
        const nodes = nodeAt(chain, FIRST + (at % chain.ledgers.length));
        const firstMentions = await mentionsOf(ledgers);
        for (const each of await replayed(chain, ledgers, { nodes, firstMentions }))
          expectTruth(each);
        for (const each of await replayed(chain, ledgers, { nodes })) expectTruth(each);
      }),
      RUNS,
    );
  });
});

describe("a chain of which only what was used lately is kept", () => {
  const limits = { maximumBytes: fc.integer({ min: 1, max: 20_000 }) };

  test("from genesis on: what is known after that is true", async () => {
    await fc.assert(
      fc.asyncProperty(chains, limits.maximumBytes, async (chain, maximumBytes) => {
        const options = { maximumBytes, keepsRecent: true };
        for (const each of await replayed(chain, chain.ledgers, options)) expectTruth(each);
      }),
      RUNS,
    );
  });

  test("with a node that stands anywhere: what the fold forgot is not taken from before", async () => {
    await fc.assert(
      fc.asyncProperty(chains, limits.maximumBytes, fc.nat(), async (chain, maximumBytes, at) => {
        const nodes = nodeAt(chain, FIRST + (at % chain.ledgers.length));
        const options = { maximumBytes, keepsRecent: true, nodes };
        for (const ledgers of [chain.ledgers, chain.ledgers.slice(1)])
          for (const each of await replayed(chain, ledgers, options)) expectTruth(each);
      }),
      { ...RUNS, numRuns: 200 },
    );
  });
});

describe("a chain with a gap", () => {
  test("is folded anew after it: nothing from before is taken for the state after", async () => {
    await fc.assert(
      fc.asyncProperty(chains, fc.nat(), async (chain, at) => {
        const missing = at % chain.ledgers.length;
        const ledgers = chain.ledgers.filter((_, i) => i !== missing);
        const firstMentions = await mentionsOf(ledgers);
        for (const each of await replayed(chain, ledgers, { firstMentions })) expectTruth(each);
      }),
      RUNS,
    );
  });
});
