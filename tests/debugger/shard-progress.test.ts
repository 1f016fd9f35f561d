// A piece that ends in the middle goes on where its progress was saved, and what it finds is the
// same: nothing before it is read, folded or replayed again.

import { beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { unseal } from "../../src/base/store/sealed-json.ts";
import type { Store } from "../../src/base/store/store.ts";
import { type PieceInputs, verifyPiece } from "../../src/debugger/shard/verify-piece.ts";
import { PIECE, PROGRESS } from "../../src/model/verification-piece.ts";
import type { Source } from "../../src/sources/source.ts";
import { type LongChain, openLongChain } from "../support/long-chain.ts";

const BUILD_MILLISECONDS = 900_000;
const signal = new AbortController().signal;
beforeAll(ensureBuilt, BUILD_MILLISECONDS);

class Killed extends Error {}

/** Fails at the `killAt`-th writing of progress, like a process that is killed just before it. */
function memoryStore(killAt: number) {
  const documents = new Map<string, string>();
  let writes = 0;
  const store: Store = {
    name: "memory",
    read: async (name) => documents.get(name) ?? null,
    async write(name, text) {
      if (name.endsWith(".progress.json")) writes += 1;
      if (writes === killAt && name.endsWith(".progress.json")) throw new Killed();
      documents.set(name, text);
    },
    async remove(name) {
      documents.delete(name);
    },
    list: async () => [...documents.keys()],
  };
  return { store, documents };
}

/** `asked`: ranges that were asked for. */
function sourceOf(chain: LongChain, asked: [number, number][]): Source {
  return {
    name: "chain",
    fetchLedgerCloseMeta: async (sequence) =>
      sequence >= chain.first ? chain.bytes(sequence) : null,
    async *fetchLedgerCloseMetas(first, last) {
      asked.push([first, last]);
      for (let sequence = first; sequence <= last; sequence += 1) {
        yield { sequence, ledgerCloseMeta: chain.bytes(sequence) };
      }
    },
  };
}

async function run(store: Store, inputs: PieceInputs, warnings: string[] = []) {
  const first: number[] = [];
  const dependencies = {
    simulatorPath: SIMULATOR_BINARY,
    networkPassphrase: inputs.kind === "range" ? inputs.networkPassphrase : null,
    jobs: 1,
    keepNotExact: 50,
    workerCommand: null,
    nodes: { networkPassphrase: null, rpcUrls: [], ledgerLakeUrls: [] },
    progress: ({ ledgers }: { ledgers: number }) => void first.push(ledgers),
    store,
    warn: (text: string) => void warnings.push(text),
  };
  const choice = { shard: 2, shards: 2, warmUpLedgers: 2, checkpointLedgers: 4 };
  const { piece } = await verifyPiece(dependencies, inputs, choice, { signal });
  return { counts: piece.counts, firstLedgers: first[0] };
}

async function killedAndResumed(inputs: PieceInputs, killAt: number) {
  const uninterrupted = await run(memoryStore(-1).store, inputs);
  const { store, documents } = memoryStore(killAt);
  expect(await run(store, inputs).catch((error) => error)).toBeInstanceOf(Killed);
  const saved = unseal(PROGRESS, documents.get("piece-2-of-2.progress.json") ?? "");
  const resumed = await run(
    { ...store, write: async (...it) => void documents.set(...it) },
    inputs,
  );
  expect(resumed.counts).toEqual(uninterrupted.counts);
  expect([...documents.keys()]).toEqual(["piece-2-of-2.json"]);
  const piece = unseal(PIECE, documents.get("piece-2-of-2.json") ?? "");
  expect(piece.kind === "whole" && piece.body.counts).toEqual(uninterrupted.counts);
  if (saved.kind === "damaged") throw new Error(saved.reason);
  return { saved: saved.body, resumed };
}

const rangeOf = (chain: LongChain, asked: [number, number][] = []) => ({
  ...{ kind: "range" as const, first: 1001, last: 1040 },
  networkPassphrase: chain.passphrase,
  sources: [sourceOf(chain, asked)],
});

test("of a range: what was counted is not read, folded or replayed again", async () => {
  await using chain = openLongChain({ successes: 2, failures: 1 });
  const asked: [number, number][] = [];
  const { saved, resumed } = await killedAndResumed(rangeOf(chain, asked), 3);
  expect(saved).toMatchObject({ streams: 0, position: { next: 1029, mentionsTo: 1040 } });
  expect(resumed.firstLedgers).toBe(9);
  // The ledger before shows the protocol and the rent fee.
  const begins = [1019, 1019, 1028].map((first): [number, number] => [first, 1040]);
  expect(asked).toEqual(begins);
  expect(resumed.counts.ledgers).toBe(20);
  // No node has the entries from before the piece: the result says so.
  expect(resumed.counts.notExactWithoutHistory).toBe(60);
});

test("a piece whose saved state is damaged or missing is made again", async () => {
  await using chain = openLongChain({ successes: 2, failures: 1 });
  const inputs = rangeOf(chain);
  const uninterrupted = await run(memoryStore(-1).store, inputs);
  for (const damage of [(text: string) => text.replace('"rows":"', '"rows":"A'), () => null]) {
    const { store, documents } = memoryStore(4);
    expect(await run(store, inputs).catch((error) => error)).toBeInstanceOf(Killed);
    const name = "piece-2-of-2.folded-1.json";
    const damaged = damage(documents.get(name) ?? "");
    if (damaged === null) documents.delete(name);
    else documents.set(name, damaged);
    const warnings: string[] = [];
    const write = async (...it: [string, string]) => void documents.set(...it);
    const resumed = await run({ ...store, write }, inputs, warnings);
    expect(warnings.join()).toContain("is damaged in memory: the piece is made again");
    expect(resumed).toEqual(uninterrupted);
    expect([...documents.keys()]).toEqual(["piece-2-of-2.json"]);
  }
});

async function inFiles(
  action: (write: (index: number, ...ledgers: Uint8Array[]) => string) => Promise<void>,
) {
  const directory = mkdtempSync(join(tmpdir(), "svc-shard-"));
  try {
    await action((index, ...ledgers) => {
      const path = join(directory, `${String(index).padStart(3, "0")}.xdr`);
      writeFileSync(path, Buffer.concat(ledgers.map(framed)));
      return path;
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test("of files: streams that were counted are not read again", async () => {
  await using chain = openLongChain({ successes: 1, failures: 0 });
  await inFiles(async (write) => {
    // Each is a stream of its own.
    const paths = Array.from({ length: 68 }, (_, index) => write(index, chain.bytes(1000)));
    const { saved, resumed } = await killedAndResumed({ kind: "files", paths }, 3);
    expect(saved).toMatchObject({ streams: 7, position: { next: 1001 } });
    expect(resumed.firstLedgers).toBe(9);
  });
});

test("of files: inside a stream, ledgers that were counted are not folded again", async () => {
  await using chain = openLongChain({ successes: 2, failures: 1 });
  await inFiles(async (write) => {
    const paths = Array.from({ length: 4 }, (_, index) => {
      const ledgers = Array.from({ length: 10 }, (_, at) => chain.bytes(1001 + 10 * index + at));
      return write(index, ...ledgers);
    });
    const { saved, resumed } = await killedAndResumed({ kind: "files", paths }, 3);
    expect(saved).toMatchObject({ streams: 0, position: { next: 1029 } });
    expect(resumed.firstLedgers).toBe(9);
    expect(resumed.counts.ledgers).toBe(20);
  });
});

/** With a record mark, as stellar-core writes its meta stream (RFC 5531, section 11). */
function framed(ledgerCloseMeta: Uint8Array): Uint8Array {
  const mark = Buffer.alloc(4);
  mark.writeUInt32BE(ledgerCloseMeta.length + 0x80000000);
  return Buffer.concat([mark, ledgerCloseMeta]);
}
