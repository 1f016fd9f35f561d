// Pieces as a pure function of the whole and N, and their results put together.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Store } from "../../src/base/store/store.ts";
import { exitCodeOf } from "../../src/error-catalogue.ts";
import { Tally } from "../../src/model/verification/tally.ts";
import {
  type PieceJob,
  readPiece,
  type VerificationPiece,
} from "../../src/model/verification/verification-piece.ts";
import type { LedgerOutcome, NotExact } from "../../src/model/verification.ts";
import { mergePieces } from "../../src/verification/pieces/merge-pieces.ts";
import { pieceName } from "../../src/verification/pieces/verify-piece.ts";
import { splitRange } from "../../src/verify/split-range.ts";
import { splitStreams } from "../../src/verify/split-streams.ts";
import { failureOf } from "../support/failure.ts";

const HASH = "ab".repeat(32);

function all<T>(shards: number, piece: (shard: number) => T): T[] {
  return Array.from({ length: shards }, (_, index) => piece(index + 1));
}

describe("the pieces of a range", () => {
  const ranges = fc
    .record({
      first: fc.integer({ min: 1, max: 60_000_000 }),
      ledgers: fc.integer({ min: 1, max: 10_000_000 }),
      shards: fc.integer({ min: 1, max: 3000 }),
    })
    .filter(({ ledgers, shards }) => ledgers >= shards);

  test("are not empty, leave no ledger out and have none in common", () => {
    fc.assert(
      fc.property(ranges, ({ first, ledgers, shards }) => {
        const range = { first, last: first + ledgers - 1 };
        const pieces = all(shards, (shard) => splitRange(range, shard, shards));
        expect(pieces[0]?.first).toBe(first);
        expect(pieces.at(-1)?.last).toBe(range.last);
        for (const [index, piece] of pieces.entries()) {
          expect(piece.last).toBeGreaterThanOrEqual(piece.first);
          if (index > 0) expect(piece.first).toBe((pieces[index - 1]?.last ?? 0) + 1);
        }
      }),
    );
  });

  test("are even, and begin with an object of the lake where they are large", () => {
    fc.assert(
      fc.property(ranges, ({ first, ledgers, shards }) => {
        const even = ledgers / shards;
        for (const piece of all(shards, (shard) =>
          splitRange({ first, last: first + ledgers - 1 }, shard, shards),
        )) {
          expect(Math.abs(piece.last - piece.first + 1 - even)).toBeLessThanOrEqual(64);
          if (even >= 128 && piece.first !== first) expect(piece.first % 64).toBe(0);
        }
      }),
    );
  });
});

describe("the pieces of files", () => {
  const streams = fc.array(
    fc.record({ files: fc.integer({ min: 1, max: 6 }), ledgers: fc.integer({ min: 1, max: 9 }) }),
    { minLength: 1, maxLength: 12 },
  );

  test("have every file once, and fold only ledgers before what they count", () => {
    fc.assert(
      fc.property(
        streams,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 30 }),
        (shapes, wanted, warmUp) => {
          const found = shapes.map(({ files, ledgers }, stream) => ({
            files: all(files, (file) => `${stream}/${file}`),
            firstLedgers: all(files, (file) => 2 + (file - 1) * ledgers),
            fromGenesis: true,
            networkPassphrase: "x",
            bytes: all(files, (file) => (file * ledgers) % 7),
          }));
          const total = shapes.reduce((sum, { files }) => sum + files, 0);
          const shards = Math.min(wanted, total);
          const parts = all(shards, (shard) => splitStreams(found, shard, shards, warmUp)).flat();
          const every = found.flatMap(({ files }) => files);
          expect(parts.flatMap(({ counted }) => counted).sort()).toEqual([...every].sort());
          for (const { files, counted, foldFrom, countFrom, fromGenesis } of parts) {
            expect(files.slice(-counted.length)).toEqual([...counted]);
            if (countFrom === undefined) continue;
            expect(foldFrom).toBe(Math.max(0, countFrom - warmUp - 1));
            if (fromGenesis) expect(foldFrom).toBeLessThanOrEqual(2);
          }
        },
      ),
    );
  });
});

describe("the work of a piece of files", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 60 });
  const streamOf = (bytes: readonly number[], name: string) => ({
    files: bytes.map((_, file) => `${name}/${file}`),
    firstLedgers: bytes.map((_, file) => 2 + file),
    fromGenesis: true,
    networkPassphrase: "x",
    bytes,
  });
  const loadsOf = (streams: readonly ReturnType<typeof streamOf>[], shards: number) =>
    all(shards, (shard) =>
      splitStreams(streams, shard, shards, 0).reduce(
        (sum, { counted }) =>
          sum +
          streams
            .flatMap(({ files, bytes }) => files.map((path, i) => ({ path, bytes: bytes[i] ?? 0 })))
            .filter(({ path }) => counted.includes(path))
            .reduce((own, { bytes }) => own + bytes, 0),
        0,
      ),
    );

  test("is even but for the largest file, whatever their number", () => {
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 12 }), (bytes, wanted) => {
        const shards = Math.min(wanted, bytes.length);
        const share = bytes.reduce((sum, each) => sum + each, 0) / shards;
        const most = share + Math.max(...bytes);
        const apart = bytes.map((each, i) => streamOf([each], String(i)));
        for (const streams of [apart, [streamOf(bytes, "one")]])
          for (const load of loadsOf(streams, shards)) expect(load).toBeLessThanOrEqual(most);
      }),
    );
  });
});

describe("a tally", () => {
  const row = fc.record({
    hash: fc.constant(HASH),
    ledger: fc.integer({ min: 1, max: 30 }),
    protocolVersion: fc.constantFrom(22, 23),
    applicationOrder: fc.integer({ min: 1, max: 1000 }),
    source: fc.constantFrom("a", "b"),
    verdict: fc.constantFrom("equivalent" as const, "diverged" as const, "inconclusive" as const),
    cause: fc.constantFrom("one", "two", "three"),
    detail: fc.constant(""),
    contract: fc.constantFrom(null, "CA", "CB"),
    lacksHistory: fc.boolean(),
  });
  const rows = fc.uniqueArray(row, {
    selector: ({ source, ledger, applicationOrder }) => `${source} ${ledger} ${applicationOrder}`,
    maxLength: 60,
  });

  test("is the same in any order and any division of what is added", () => {
    fc.assert(
      fc.property(rows, fc.infiniteStream(fc.nat()), (list, chances) => {
        const inputs = ["b", "a"];
        const one = new Tally(7, inputs);
        for (const each of list) one.addLedger(ledgerWith(each));
        const parts = all(3, () => new Tally(7, inputs));
        const order = list.map((each) => ({ each, chance: chances.next().value }));
        for (const { each, chance } of order.sort((a, b) => a.chance - b.chance)) {
          parts[chance % 3]?.addLedger(ledgerWith(each));
        }
        const together = new Tally(7, inputs);
        for (const part of parts.reverse()) together.add(part.counts);
        expect(JSON.stringify(together.finish(inputs, 0))).toBe(
          JSON.stringify(one.finish(inputs, 0)),
        );
      }),
    );
  });
});

const NO_TRANSACTIONS: LedgerOutcome = {
  protocolVersion: 23,
  transactions: [],
  classicTransactions: 1,
  refusedTransactions: 0,
  mismatches: [],
  rehearsedProtocol: null,
};

/** With one transaction; null: it is exact. */
function ledgerWith(notExact: NotExact | null): LedgerOutcome {
  const { protocolVersion } = notExact ?? NO_TRANSACTIONS;
  const transactions = [{ notExact, unconfirmed: false, rehearsed: null }];
  return { ...NO_TRANSACTIONS, protocolVersion, transactions };
}

const JOB: PieceJob = {
  inputs: { kind: "range", first: 100, last: 199 },
  shards: 4,
  warmUpLedgers: 0,
  rehearseProtocol: null,
  networkPassphrase: "x",
  svc: "1.0.0 (abc)",
  simulator: "1.0.0",
  hosts: ["protocol 23: 23.0.1"],
};

function pieceOf(shard: number, job: PieceJob = JOB): VerificationPiece {
  const range = splitRange({ first: 100, last: 199 }, shard, job.shards);
  const tally = new Tally(10, []);
  for (let ledger = range.first; ledger <= range.last; ledger += 1)
    tally.addLedger(ledger === range.first ? ledgerWith(null) : NO_TRANSACTIONS);
  const { counts } = tally;
  const nodes = { networkPassphrase: "x", rpcUrls: [], ledgerLakeUrls: [] };
  const part = { kind: "range" as const, ...range };
  return { job, nodes, shard, part, counts, elapsedMilliseconds: 5 };
}

function storeOf(documents: Readonly<Record<string, string>>, name = "results"): Store {
  return {
    name,
    read: async (document) => documents[document] ?? null,
    write: async () => {},
    remove: async () => {},
    list: async () => Object.keys(documents).sort(),
  };
}

function documentOf(piece: VerificationPiece): string {
  return JSON.stringify({ kind: "svc verify piece", version: 3, piece });
}

function documentsOf(pieces: readonly VerificationPiece[]): Record<string, string> {
  return Object.fromEntries(
    pieces.map((piece) => [pieceName(piece.shard, piece.job.shards), documentOf(piece)]),
  );
}

describe("putting pieces together", () => {
  const whole = documentsOf(all(4, (shard) => pieceOf(shard)));
  const problemsOf = async (...stores: readonly Store[]): Promise<readonly string[]> => {
    const failure = await failureOf(mergePieces(stores, 10));
    expect(failure.code).toBe("PIECES_INCOMPLETE");
    expect(exitCodeOf(failure)).toBe(6);
    return failure.details.problems as readonly string[];
  };

  test("adds up what is whole, from one store or several, and looks at nothing else", async () => {
    const one = await mergePieces([storeOf({ ...whole, "notes.txt": "x" })], 10);
    expect(one.verification.ledgers).toBe(100);
    expect(one.verification.transactions).toBe(4);
    expect(one.verification.inputs).toEqual(["ledgers 100 to 199"]);
    const entries = Object.entries(whole);
    const first = storeOf(Object.fromEntries(entries.slice(0, 1)));
    const rest = storeOf(Object.fromEntries(entries.slice(1)), "rest");
    expect(await mergePieces([rest, first], 10)).toEqual(one);
  });

  test("names what is missing", async () => {
    const { "piece-2-of-4.json": _, "piece-3-of-4.json": __, ...others } = whole;
    expect(await problemsOf(storeOf(others))).toEqual(["missing: 2-3 of 4"]);
    expect(await problemsOf(storeOf({}))).toEqual(["no piece is complete"]);
  });

  test("names what is there twice", async () => {
    const again = storeOf({ "piece-2-of-4.json": whole["piece-2-of-4.json"] ?? "" }, "again");
    expect(await problemsOf(storeOf(whole), again)).toEqual([
      "overlapping: piece-2-of-4.json in again and piece-2-of-4.json in results are both piece 2",
    ]);
  });

  test("names what is of another run, with what differs", async () => {
    const foreign = {
      ...whole,
      "piece-2-of-4.json": documentOf(pieceOf(2, { ...JOB, svc: "2.0.0 (def)" })),
    };
    expect(await problemsOf(storeOf(foreign))).toEqual([
      'foreign: piece-2-of-4.json in results: svc is "2.0.0 (def)", not "1.0.0 (abc)"',
      "missing: 2 of 4",
    ]);
  });

  test("names a piece that has other ledgers than its place, or not all of them", async () => {
    const moved = { ...pieceOf(2), part: pieceOf(3).part };
    const partly = pieceOf(2);
    const fewer = { ...partly, counts: { ...partly.counts, ledgers: 24 } };
    for (const [piece, reason] of [
      [moved, "piece 2 is ledgers 125 to 149, not ledgers 150 to 174"],
      [fewer, "it counts 24 of its 25 ledgers"],
    ] as const) {
      const problems = await problemsOf(storeOf({ ...whole, ...documentsOf([piece]) }));
      expect(problems[0]).toBe(`damaged: piece-2-of-4.json in results: ${reason}`);
    }
  });

  test("takes no document that was cut off, or is of another version", async () => {
    const text = whole["piece-2-of-4.json"] ?? "";
    for (let length = 0; length < text.length - 1; length += 7) {
      expect(readPiece(text.slice(0, length)).kind).toBe("damaged");
    }
    const cut = storeOf({ ...whole, "piece-2-of-4.json": text.slice(0, 200) });
    expect((await problemsOf(cut))[0]).toBe(
      "damaged: piece-2-of-4.json in results is cut off or is not JSON",
    );
    const other = text.replace('"version":3', '"version":2');
    expect(readPiece(other)).toEqual({ kind: "damaged", reason: "has no valid version" });
  });

  test("says which pieces lack what was before them", async () => {
    const piece = pieceOf(3);
    const row: NotExact = {
      hash: HASH,
      ledger: 151,
      protocolVersion: 23,
      applicationOrder: 1,
      source: "lake",
      verdict: "inconclusive",
      cause: "a ledger entry is unknown",
      detail: "",
      contract: null,
      lacksHistory: true,
    };
    const tally = new Tally(10, []);
    tally.add(piece.counts);
    tally.addLedger(ledgerWith(row));
    const { ledgers } = piece.counts;
    const lacking = { ...piece, counts: { ...tally.counts, ledgers } };
    const merged = await mergePieces([storeOf({ ...whole, ...documentsOf([lacking]) })], 10);
    expect(merged.withoutHistory).toEqual([{ shard: 3, transactions: 1 }]);
    expect(merged.verification.notExactWithoutHistory).toBe(1);
  });
});
