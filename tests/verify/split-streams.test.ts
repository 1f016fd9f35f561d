// A piece in the middle of a stream that knows all that the stream shows observes each transaction
// with the state that one run over the stream observes: what was before the piece, and what only a
// later ledger shows.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { Tally } from "../../src/model/verification/tally.ts";
import { readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import {
  type FoundStream,
  type PlannedStream,
  planStreams,
} from "../../src/verify/plan-streams.ts";
import { splitStreams } from "../../src/verify/split-streams.ts";
import { tallyStreams } from "../../src/verify/verify-ledgers.ts";
import { readSorobanFacts } from "../../src/xdr/envelope/envelope-facts.ts";
import { readLedgerCloseMeta } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { framed } from "../support/made-archive.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";

setDefaultTimeout(300_000);

const signal = NEVER_ABORTED;
const directory = mkdtempSync(join(tmpdir(), "svc-split-"));
afterAll(() => rmSync(directory, { recursive: true }));
beforeAll(ensureBuilt, 900_000);

/** The snapshot of each transaction, by its place and hash. */
async function observed(streams: readonly PlannedStream[]): Promise<Map<string, unknown>> {
  const seen = new Map<string, unknown>();
  const dependencies = {
    program: { path: SIMULATOR_BINARY },
    networkPassphrase: null,
    jobs: 1,
    keepNotExact: 0,
    workerCommand: null,
    rehearseProtocol: null,
    progress: () => {},
    observed: {
      transactions: { keys: await keysIn(streams), grows: false, only: null, again: false },
      observe: ({ record }: { readonly record: { readonly hash: string } }) => ({
        traced: false,
        async see(captured: { readonly snapshot: unknown } | null) {
          expect(seen.has(record.hash)).toBe(false);
          seen.set(record.hash, withoutDates(captured?.snapshot ?? null));
          return null;
        },
      }),
      see: () => expect.unreachable("the engine runs none by itself"),
    },
  };
  await tallyStreams(dependencies, { streams, inputs: [] }, new Tally(0, []), { signal });
  return seen;
}

/** The keys that the transactions name. */
async function keysIn(streams: readonly PlannedStream[]): Promise<string[]> {
  const keys = new Set<string>();
  for (const { files, networkPassphrase } of streams)
    for (const file of files)
      for await (const { ledgerCloseMeta } of readLedgerFile(file, { signal }))
        for (const { placed } of readLedgerCloseMeta(ledgerCloseMeta, networkPassphrase)
          .transactions) {
          const { readOnly, readWrite } = readSorobanFacts(placed.envelope)?.footprint ?? NO_KEYS;
          for (const key of [...readOnly, ...readWrite]) keys.add(key);
        }
  return [...keys];
}

const NO_KEYS = { readOnly: [], readWrite: [] };

/** No run sees the ledger in which the window of the state's size was last changed: svc makes it. */
function withoutDates(snapshot: unknown): unknown {
  return JSON.parse(JSON.stringify(snapshot), (_, value) =>
    value?.name === "CONFIG_SETTING_LIVE_SOROBAN_STATE_SIZE_WINDOW"
      ? { ...value, entryXdr: value.entryXdr?.slice(6) }
      : value,
  );
}

async function inFiles(name: string, ledgers: readonly Uint8Array[]): Promise<FoundStream[]> {
  const paths = ledgers.map((ledger, at) => {
    const path = join(directory, `${name}-${at}.xdr`);
    writeFileSync(path, framed([ledger]));
    return path;
  });
  const streams = await planStreams(paths, { signal, networkPassphrase: null });
  expect(streams.length).toBe(1);
  return streams;
}

async function expectSame(streams: FoundStream[], shards: number, least: number): Promise<void> {
  const one = await observed(streams);
  expect(one.size).toBeGreaterThan(least);
  const pieces = new Map<string, unknown>();
  for (let shard = 1; shard <= shards; shard += 1)
    for (const [hash, snapshot] of await observed(splitStreams(streams, shard, shards, null)))
      pieces.set(hash, snapshot);
  expect([...pieces.keys()].sort()).toEqual([...one.keys()].sort());
  for (const [hash, snapshot] of one) expect([hash, pieces.get(hash)]).toEqual([hash, snapshot]);
}

test("of a stream that begins later than the network", async () => {
  const network = new RecordedNetwork();
  const some = network.sequences.filter((sequence) => sequence >= 370);
  const ledgers = some.flatMap((sequence) => network.ledgerBytes(sequence) ?? []);
  await expectSame(await inFiles("later", ledgers), 5, 40);
});

test.each(["318b008d239ea9d8", "133235aeb624b4fb"])("of the stream %s", async (name) => {
  const path = join(import.meta.dir, `../fixtures/streams/${name}.xdr.zst`);
  const ledgers: Uint8Array[] = [];
  for await (const { ledgerCloseMeta } of readLedgerFile(path, { signal }))
    ledgers.push(ledgerCloseMeta);
  await expectSame(await inFiles(name, ledgers), 4, 5);
});
