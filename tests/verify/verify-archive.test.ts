// A validator's archive of testnet, replayed from itself alone, and what an altered file makes of it.

import { afterAll, beforeAll, describe, expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import {
  type ArchiveFiles,
  archiveDirectory,
  openArchiveFiles,
} from "../../src/history-archive/archive-files.ts";
import { readArchivedLedger } from "../../src/history-archive/archived-ledger.ts";
import { openBucketStore } from "../../src/history-archive/bucket-store.ts";
import { openArchivedChain } from "../../src/history-archive/chain.ts";
import { StateReader } from "../../src/history-archive/state-at.ts";
import { NETWORKS } from "../../src/model/networks.ts";
import { PeriodEnds } from "../../src/verify/period-ends.ts";
import { PeriodState } from "../../src/verify/period-state.ts";
import { openReplayEngines } from "../../src/verify/replay-transaction.ts";
import {
  type ArchivedReplay,
  verifyArchive,
  verifyPeriod,
} from "../../src/verify/verify-archive.ts";
import {
  ENTRY_TYPE,
  isTemporaryKey,
  typeOfKey,
  typeOfKeyBytes,
} from "../../src/xdr/reader/keys.ts";
import { ARCHIVE, ofArchive } from "../support/archived-records.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { needs } from "../support/needs.ts";
import { streamPeriod } from "../support/stream-period.ts";

const { test } = ofArchive;
const { passphrase: networkPassphrase, validators } = NETWORKS.testnet;
const files = archiveDirectory(ARCHIVE);
const cache = mkdtempSync(join(tmpdir(), "svc-verified-"));
afterAll(() => rmSync(cache, { recursive: true }));
beforeAll(ensureBuilt, 900_000);
const { signal } = new AbortController();

async function open(from: ArchiveFiles, known: typeof validators = validators, directory = cache) {
  const chain = openArchivedChain(await openArchiveFiles(from), known, networkPassphrase);
  const store = openBucketStore(directory);
  const states = new StateReader({ chain, store, networkPassphrase, allow: async () => {} });
  return { chain, states };
}

async function verify(
  first: number,
  last: number,
  { chain, states }: Awaited<ReturnType<typeof open>>,
) {
  const place = { name: "archive", chain, states };
  const ask = <T>(question: (from: typeof place) => Promise<T>) => question(place);
  const archive = { name: "archive", latestLedger: 5951, ask };
  const given = {
    networkPassphrase,
    program: { path: SIMULATOR_BINARY },
    jobs: 1,
    keepNotExact: 1000,
  };
  return verifyArchive({ ...given, archive, progress: () => {} }, { first, last }, { signal });
}

test("transactions give the results of the chain, and leave what the next checkpoints have", async () => {
  const found = await verify(640, 1600, await open(files));
  const { transactions, verdicts, exactChained, confirmedEntries, exactUnconfirmed } = found;
  expect(transactions).toBeGreaterThan(150);
  expect(verdicts.diverged + verdicts.equivalent).toBe(0);
  expect(verdicts.exact / transactions).toBeGreaterThan(0.97);
  expect((verdicts.exact - exactChained) / transactions).toBeGreaterThan(0.68);
  expect(confirmedEntries).toBeGreaterThan(300);
  expect(exactUnconfirmed).toBe(0);
  expect(found.stateMismatches).toBe(0);
  // Ledgers are counted once each, also those of a period that the range has only a part of.
  const parts = [
    await verify(650, 700, await open(files)),
    await verify(701, 703, await open(files)),
  ];
  const whole = await verify(650, 703, await open(files));
  expect(parts.reduce((sum, part) => sum + part.transactions, 0)).toBe(whole.transactions);
  expect(parts.reduce((sum, part) => sum + part.ledgers, 0)).toBe(whole.ledgers);
}, 120_000);

test("what the archive does not show is named: settings before an upgrade, opened accounts", async () => {
  const upgraded = await verify(320, 383, await open(files));
  expect(Object.keys(upgraded.byCause)).toContain(
    "a network setting may have changed since the checkpoint",
  );
  const opened = await verify(3776, 3839, await open(files));
  expect(opened.byCause).toEqual({ "an account or trustline may have changed": 4 });
  expect(opened.notExact.every(({ detail }) => /transaction [0-9a-f]{64}/.test(detail))).toBeTrue();
  // A trustline made, and a payment to it, before a contract takes from it.
  expect((await verify(512, 575, await open(files))).verdicts.inconclusive).toBe(0);
}, 60_000);

test("state that no known validator signed is exact by the archive's word alone", async () => {
  const stranger = "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ";
  const { verdicts, exactUnconfirmed } = await verify(900, 960, await open(files, [[stranger]]));
  expect(verdicts.exact).toBeGreaterThan(0);
  expect(exactUnconfirmed).toBe(verdicts.exact);
});

describe("what replays left", () => {
  async function period() {
    const { chain, states } = await open(files);
    const ledgers = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        readArchivedLedger(chain, 896 + index, networkPassphrase),
      ),
    );
    const ends = new PeriodEnds(states, await chain.header(895), await chain.header(959));
    const state = new PeriodState(ends, ledgers, new Map());
    await state.accounts.begin();
    const keys = ledgers.flatMap(({ transactions }) =>
      transactions.flatMap(({ envelope }) => envelope.soroban?.footprint.readWrite ?? []),
    );
    return { state, ends, ledgers, keys };
  }

  test("is refuted where the next checkpoint has another value, a byte away", async () => {
    const { state, ends, keys } = await period();
    const key = keys.find(
      (each) => typeOfKey(each) === ENTRY_TYPE.contractData && !isTemporaryKey(each),
    ) as string;
    const entry = (await ends.atLast(key)).entry as Uint8Array;
    const apply = (bytes: Uint8Array, hash: string) =>
      state.apply(hash, {
        ...{ kind: "updated", type: ENTRY_TYPE.contractData, keyXdr: key },
        ...{ entryXdr: bytes.toBase64(), liveUntilLedger: null },
      });
    apply(entry, "first");
    expect(await state.compareWritten()).toEqual({ equal: 1, wrong: [] });
    for (let at = 0; at < entry.length; at += 1) {
      const altered = Uint8Array.from(entry);
      altered[at] = (altered[at] ?? 0) ^ 1;
      apply(altered, "second");
      const { equal, wrong } = await state.compareWritten();
      expect([equal, wrong.map(({ writer }) => writer)]).toEqual([0, ["second"]]);
      expect(wrong[0]?.users).toEqual(new Set(["first", "second"]));
    }
  });

  test("of an account counts only where the next checkpoint has it alike", async () => {
    const { state, ledgers } = await period();
    const ledger = ledgers.find(({ transactions }) =>
      transactions.some(({ envelope }) =>
        envelope.soroban?.footprint.readWrite.some((key) => typeOfKey(key) === ENTRY_TYPE.account),
      ),
    );
    const transaction = ledger?.transactions.find(({ envelope }) => envelope.soroban !== null);
    if (ledger === undefined || transaction === undefined) throw new Error("no account is used");
    // Nothing was counted along.
    const { snapshot } = await state.inputsOf(ledger, transaction);
    const counted = snapshot.entries.filter(
      ({ provenance }) => provenance.kind === "archive-replay",
    );
    const found = await state.accounts.disagreements();
    expect([...found.keys()].sort()).toEqual(counted.map(({ keyXdr }) => keyXdr).sort());
    expect(found.size).toBeGreaterThan(0);
  });
});

test("a transaction that is replayed as before is seen again if it is needed", async () => {
  const [first, last] = [896, 959];
  const { chain, states } = await open(files);
  // The period is replayed without an account whose entry differs in the next checkpoint.
  const inCheckpoint: typeof states.inCheckpoint = async (key, checkpoint) => {
    const answer = await states.inCheckpoint(key, checkpoint);
    const { entry } = answer;
    if (entry === null || checkpoint !== last || typeOfKeyBytes(key) !== ENTRY_TYPE.account)
      return answer;
    const altered = Uint8Array.from(entry);
    altered[3] = (altered[3] ?? 0) ^ 1;
    return { ...answer, entry: altered };
  };
  const other = Object.assign(Object.create(states), { inCheckpoint });
  const place = { name: "archive", chain, states: other as typeof states };
  const ask = <T>(question: (from: typeof place) => Promise<T>) => question(place);
  const archive = { name: "archive", latestLedger: 5951, ask };
  const seenWith = async (needed: ReadonlySet<string>) => {
    const seen = new Map<string, boolean[]>();
    const given = { networkPassphrase, program: { path: SIMULATOR_BINARY }, jobs: 1 };
    const observing = {
      isNeededAgain: (hash: string) => needed.has(hash) && seen.get(hash)?.length === 1,
      async observeReplay({ record: { hash }, replayed }: ArchivedReplay) {
        seen.set(hash, [...(seen.get(hash) ?? []), replayed !== null]);
      },
    };
    await verifyArchive(
      { ...given, ...observing, archive, keepNotExact: 1, progress: () => {} },
      { first, last },
      { signal },
    );
    return seen;
  };
  const seen = await seenWith(new Set());
  // Transactions that used the account are not judged any more, and the others are as before.
  const [lost = [], kept = []] = [2, 1].map((times) =>
    [...seen].flatMap(([hash, { length }]) => (length === times ? hash : [])),
  );
  expect(lost.length).toBeGreaterThan(0);
  for (const hash of lost) expect(seen.get(hash)).toEqual([true, false]);
  expect(kept.length).toBeGreaterThan(0);
  const again = await seenWith(new Set(kept));
  for (const hash of kept) expect(again.get(hash)).toEqual([true, true]);
  for (const hash of lost) expect(again.get(hash)).toEqual([true, false]);
}, 60_000);

test("with one bit changed in any file, nothing diverges and nothing else is exact", async () => {
  const [first, last] = [896, 959];
  const names: string[] = [];
  const noted = {
    ...files,
    read(name: string) {
      names.push(name);
      return files.read(name);
    },
  };
  const right = await verify(first, last, await open(noted));
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat(), fc.nat({ max: 7 }), async (which, at, bit) => {
      const target = names[which % names.length] as string;
      const altered = {
        ...files,
        async read(name: string) {
          const bytes = await files.read(name);
          if (bytes === null || name !== target) return bytes;
          const isPacked = name.endsWith(".gz");
          const plain = Buffer.from(isPacked ? Bun.gunzipSync(Buffer.from(bytes)) : bytes);
          const place = at % plain.length;
          plain[place] = (plain[place] ?? 0) ^ (1 << bit);
          return isPacked ? Bun.gzipSync(plain) : plain;
        },
      };
      const told = await open(altered)
        .then((opened) => verify(first, last, opened))
        .catch((error) => error.code as string);
      if (typeof told === "string") expect(told).toMatch(/^(ARCHIVE_|XDR_)/);
      else {
        expect(told.verdicts).toEqual(right.verdicts);
        // A signature that was damaged does not count.
        expect(told.exactUnconfirmed).toBeOneOf([0, told.verdicts.exact]);
      }
    }),
    { numRuns: 40 },
  );
}, 120_000);

describe("ledgers of later protocols, shown as an archive shows them", () => {
  const corpus = needs("the core streams of the corpus", hasCorpus("core-streams"));
  corpus.test(
    "give the results of the chain in parallel phases, with restored entries",
    async () => {
      const paths = [...new Bun.Glob("*/*.xdr.zst").scanSync(corpusPath("core-streams"))].sort();
      await using engines = openReplayEngines({ path: SIMULATOR_BINARY }, 2);
      const counts: Record<string, number> = {};
      let confirmed = 0;
      for (const name of paths) {
        const period = await streamPeriod(corpusPath("core-streams", name));
        if (period === null) continue;
        const range = { first: 0, last: Number.MAX_SAFE_INTEGER };
        const given = { source: name, ...period, isSigned: true, range, engines, signal };
        for (const outcome of await verifyPeriod(given)) {
          confirmed += outcome.confirmedEntries ?? 0;
          for (const { notExact } of outcome.transactions) {
            const kind = `${outcome.protocolVersion} ${notExact?.verdict ?? "exact"}`;
            counts[kind] = (counts[kind] ?? 0) + 1;
            expect([name, notExact?.verdict ?? "exact", notExact?.cause]).not.toContain("diverged");
          }
        }
      }
      expect(confirmed).toBeGreaterThan(1_000);
      expect(counts["23 exact"]).toBeGreaterThan(50);
      expect(counts["26 exact"]).toBeGreaterThan(950);
      expect(counts["27 exact"]).toBeGreaterThan(100);
      expect(Object.keys(counts).filter((kind) => /diverged|equivalent/.test(kind))).toEqual([]);
    },
    120_000,
  );
});
