// A piece that ends in the middle goes on where its progress was saved, and what it finds is the
// same: in what is counted, and in what was folded before.

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

function sourceOf(chain: LongChain): Source {
  return {
    name: "chain",
    fetchLedgerCloseMeta: async (sequence) =>
      sequence >= chain.first ? chain.bytes(sequence) : null,
    async *fetchLedgerCloseMetas(first, last) {
      for (let sequence = first; sequence <= last; sequence += 1) {
        yield { sequence, ledgerCloseMeta: chain.bytes(sequence) };
      }
    },
  };
}

async function run(store: Store, inputs: PieceInputs) {
  const first: number[] = [];
  const dependencies = {
    simulatorPath: SIMULATOR_BINARY,
    networkPassphrase: inputs.kind === "range" ? inputs.networkPassphrase : null,
    jobs: 1,
    keepNotExact: 50,
    workerCommand: null,
    progress: ({ ledgers }: { ledgers: number }) => void first.push(ledgers),
    store,
    warn: () => {},
  };
  const choice = { shard: 2, shards: 2, warmUpLedgers: 2, checkpointLedgers: 4 };
  const { piece } = await verifyPiece(dependencies, inputs, choice, { signal });
  return { counts: piece.counts, firstLedgers: first[0] };
}

async function killedAndResumed(inputs: PieceInputs, killAt: number) {
  const uninterrupted = await run(memoryStore(-1).store, inputs);
  const { store, documents } = memoryStore(killAt);
  expect(await run(store, inputs).catch((error) => error)).toBeInstanceOf(Killed);
  expect([...documents.keys()]).toEqual(["piece-2-of-2.progress.json"]);
  const saved = unseal(PROGRESS, [...documents.values()][0] ?? "");
  const resumed = await run(
    { ...store, write: async (...it) => void documents.set(...it) },
    inputs,
  );
  expect(resumed.counts).toEqual(uninterrupted.counts);
  expect([...documents.keys()]).toEqual(["piece-2-of-2.json"]);
  const piece = unseal(PIECE, documents.get("piece-2-of-2.json") ?? "");
  expect(piece.kind === "whole" && piece.body.counts).toEqual(uninterrupted.counts);
  return { saved, resumed };
}

test("of a range: what was counted is folded again and not replayed again", async () => {
  await using chain = openLongChain({ successes: 2, failures: 1 });
  const { passphrase: networkPassphrase } = chain;
  const range = { kind: "range" as const, first: 1001, last: 1040 };
  const inputs = { ...range, networkPassphrase, sources: [sourceOf(chain)] };
  const { saved, resumed } = await killedAndResumed(inputs, 3);
  expect(saved.kind === "whole" && saved.body.next).toBe(1029);
  expect(resumed.firstLedgers).toBe(9);
  expect(resumed.counts.ledgers).toBe(20);
  // No node has the entries from before the piece: the result says so.
  expect(resumed.counts.notExactWithoutHistory).toBe(60);
});

test("of files: the streams that were counted are not read again", async () => {
  const directory = mkdtempSync(join(tmpdir(), "svc-shard-"));
  await using chain = openLongChain({ successes: 1, failures: 0 });
  try {
    // Each is a stream of its own.
    const paths = Array.from({ length: 68 }, (_, index) => {
      const path = join(directory, `${String(index).padStart(3, "0")}.xdr`);
      writeFileSync(path, chain.bytes(1000));
      return path;
    });
    const { saved } = await killedAndResumed({ kind: "files", paths }, 2);
    expect(saved.kind === "whole" && saved.body.next).toBe(16);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
