// svc verify, with the built svc-sim: the recorded streams of stellar-core's tests, and what happens
// when a stream cannot be replayed.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt, SIMULATOR_BINARY, SVC_BINARY } from "../../scripts/ensure-built.ts";
import { SvcError } from "../../src/base/errors/errors.ts";
import { headlineOf } from "../../src/report/document/verification.ts";
import { readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import type { CurrentLedgerEntry, Source } from "../../src/sources/source.ts";
import { planStreams } from "../../src/verify/plan-streams.ts";
import {
  type VerifyDependencies,
  verifyLedgerFiles,
  verifyRange,
} from "../../src/verify/verify-ledgers.ts";
import { verifyCoreStreams } from "../support/core-streams.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { needs } from "../support/needs.ts";
import { RecordedNetwork, type RpcEntry } from "../support/recorded-network.ts";

const BUILD_MILLISECONDS = 900_000;
const signal = new AbortController().signal;
const directory = mkdtempSync(join(tmpdir(), "svc-verify-"));
afterAll(() => rmSync(directory, { recursive: true }));
beforeAll(ensureBuilt, BUILD_MILLISECONDS);

const network = new RecordedNetwork();
const STREAMS = hasCorpus("core-streams")
  ? [...new Bun.Glob("*/*.xdr.zst").scanSync(corpusPath("core-streams"))]
      .sort()
      .map((stream) => corpusPath("core-streams", stream))
  : [];

function dependencies(changes: Partial<VerifyDependencies> = {}): VerifyDependencies {
  return {
    program: { path: SIMULATOR_BINARY },
    networkPassphrase: null,
    jobs: 1,
    keepNotExact: 50,
    workerCommand: [SVC_BINARY, "verify-worker"],
    rehearseProtocol: null,
    progress: () => {},
    ...changes,
  };
}

function savedLedgers(name: string, sequences: readonly number[]): string {
  const frames = sequences.map((sequence) => {
    const metadata = network.ledger(sequence)?.rpc.result.ledgers[0]?.metadataXdr as string;
    const ledger = Buffer.from(metadata, "base64");
    const mark = Buffer.alloc(4);
    mark.writeUInt32BE(0x80000000 + ledger.length);
    return Buffer.concat([mark, ledger]);
  });
  const path = join(directory, name);
  writeFileSync(path, Buffer.concat(frames));
  return path;
}

const corpus = needs("../shared/corpus", STREAMS.length > 0);

corpus.describe("verifying streams from genesis", () => {
  test("replays every Soroban transaction, and nothing diverges", async () => {
    const reported: number[] = [];
    const progress = (transactions: number) => reported.push(transactions);
    const verification = await verifyCoreStreams(STREAMS, { signal, progress });
    expect(verification.transactions).toBe(2392);
    expect(verification.refusedTransactions).toBe(0);
    expect(verification.verdicts.diverged + verification.verdicts.inconclusive).toBe(0);
    expect(verification.notExact).toEqual([]);
    expect(verification.verdicts.exact).toBe(2392);
    expect(Object.keys(verification.byProtocol)).toEqual(["20", "21", "23", "26", "27"]);
    expect(reported.length).toBeGreaterThan(100);
  }, 60_000);

  test("counts the same with several jobs", async () => {
    const some = STREAMS.filter((_, i) => i % 10 === 0);
    const alone = await verifyLedgerFiles(dependencies(), some, { signal });
    const spread = await verifyLedgerFiles(dependencies({ jobs: 3 }), some, { signal });
    expect({ ...spread, elapsedMilliseconds: 0 }).toEqual({ ...alone, elapsedMilliseconds: 0 });
  }, 60_000);

  test("goes on over files that continue each other, in any order", async () => {
    const path = STREAMS.find((stream) => stream.includes("InvokeHostFunction")) as string;
    const ledgers = await Array.fromAsync(readLedgerFile(path, { signal }));
    const middle = Math.floor(ledgers.length / 2);
    const parts = [ledgers.slice(middle), ledgers.slice(0, middle)].map((part, i) => {
      const frames = part.map(({ ledgerCloseMeta }) => {
        const mark = Buffer.alloc(4);
        mark.writeUInt32BE(0x80000000 + ledgerCloseMeta.length);
        return Buffer.concat([mark, ledgerCloseMeta]);
      });
      const file = join(directory, `part-${i}.xdr`);
      writeFileSync(file, Buffer.concat(frames));
      return file;
    });
    const whole = await verifyLedgerFiles(dependencies(), [path], { signal });
    const pieced = await verifyLedgerFiles(dependencies(), parts, { signal });
    expect(pieced.verdicts).toEqual(whole.verdicts);
    expect(pieced.transactions).toBeGreaterThan(0);
  });
});

describe("verifying ledgers from the middle of history", () => {
  const sequences = network.sequences.filter((sequence) => sequence >= 379 && sequence <= 381);

  test("counts ledgers that a file holds again only once", async () => {
    const once = savedLedgers("once.xdr", sequences);
    const twice = savedLedgers("twice.xdr", [...sequences, ...sequences]);
    const counts = async (path: string) => {
      const { ledgers, verdicts } = await verifyLedgerFiles(dependencies(), [path], { signal });
      return { ledgers, verdicts };
    };
    expect(await counts(twice)).toEqual(await counts(once));
  });

  test("counts once what is there packed and unpacked, and both where they differ", async () => {
    const whole = savedLedgers("pair.xdr", sequences);
    const packed = `${whole}.zst`;
    const packedLedgers = (some: readonly number[]) =>
      writeFileSync(packed, Bun.zstdCompressSync(readFileSync(savedLedgers("some.xdr", some))));
    const ledgersOf = async (paths: readonly string[]) =>
      (await verifyLedgerFiles(dependencies(), paths, { signal })).ledgers;
    const once = await ledgersOf([whole]);
    packedLedgers(sequences);
    expect(await ledgersOf([packed, whole])).toBe(once);
    packedLedgers([...sequences, 382]);
    expect(await ledgersOf([whole, packed])).toBe(once + 1);
    packedLedgers(sequences.slice(0, 1));
    expect(await ledgersOf([whole, packed])).toBe(once);
    packedLedgers([379, 383]);
    expect(await ledgersOf([whole, packed])).toBe(once + 2);
  });

  test("names the file of a ledger that is damaged", async () => {
    const path = savedLedgers("damaged.xdr", sequences);
    const whole = readFileSync(path);
    const beginning = savedLedgers("damaged.xdr", sequences.slice(0, 1));
    const first = readFileSync(beginning).length;
    const places = Array.from({ length: 12 }, (_, i) => Math.floor((first * (i + 1)) / 13));
    const later = Array.from({ length: 11 }, (_, i) => Math.floor((whole.length * (i + 1)) / 12));
    for (const networkPassphrase of [network.passphrase, null])
      for (const at of [...places, ...later]) {
        const bytes = whole.with(at, 255).with(at + 1, 255);
        writeFileSync(path, bytes.with(at + 2, 255));
        const given = dependencies({ networkPassphrase });
        const found = await verifyLedgerFiles(given, [path], { signal }).catch((error) => error);
        if (!(found instanceof SvcError)) continue;
        expect([found.code, found.message.includes(path)]).toEqual(["FILE_INVALID", true]);
      }
  });

  test("is inconclusive where a state is not known, and names it", async () => {
    const path = savedLedgers("middle.xdr", sequences);
    const verification = await verifyLedgerFiles(dependencies(), [path], { signal });
    expect(verification.verdicts.inconclusive).toBe(verification.transactions);
    expect(verification.transactions).toBeGreaterThan(0);
    expect(verification.byCause).toEqual({
      "a ledger entry is unknown": verification.transactions,
    });
    expect(verification.notExact[0]?.detail).toMatch(/no ledger of the stream mentions it/);
  });

  test("finds out the network, and chains only files of one network", async () => {
    const first = savedLedgers("first.xdr", sequences.slice(0, 1));
    const rest = savedLedgers("rest.xdr", sequences.slice(1));
    const options = { signal, networkPassphrase: null };
    expect(await planStreams([rest, first], options)).toEqual([
      {
        files: [first, rest],
        fromGenesis: false,
        networkPassphrase: network.passphrase,
        firstLedgers: [sequences[0] as number, sequences[1] as number],
        bytes: [first, rest].map((path) => Bun.file(path).size),
      },
    ]);
  });

  test("says which passphrase is needed when the network is not known", async () => {
    const path = savedLedgers("other.xdr", sequences);
    const wrong = dependencies({ networkPassphrase: "Another Network" });
    const failure = await verifyLedgerFiles(wrong, [path], { signal }).catch((error) => error);
    expect((failure as SvcError).code).toBe("FILE_INVALID");
    expect((failure as SvcError).remedy).toContain("--network-passphrase");
  });
});

describe("verifying a range that a node serves", () => {
  const ledgerCloseMeta = (sequence: number) => {
    const metadata = network.ledger(sequence)?.rpc.result.ledgers[0]?.metadataXdr;
    return typeof metadata === "string" ? Uint8Array.fromBase64(metadata) : null;
  };

  /** A node whose latest ledger is `latestLedger`. */
  function nodeAt(latestLedger: number): Source {
    return {
      name: "node",
      fetchLedgerCloseMeta: async (sequence) => ledgerCloseMeta(sequence),
      async *fetchLedgerCloseMetas(first, last) {
        for (let sequence = first; sequence <= last; sequence += 1) {
          const ledger = ledgerCloseMeta(sequence);
          if (ledger === null) return;
          yield { sequence, ledgerCloseMeta: ledger };
        }
      },
      fetchLedgerEntries: async (keys) => {
        const found = network.entries(keys, latestLedger).map(
          (entry): CurrentLedgerEntry => ({
            keyXdr: entry.key,
            entryXdr: wholeEntry(entry),
            lastModifiedLedger: entry.lastModifiedLedgerSeq,
            liveUntilLedger: entry.liveUntilLedgerSeq || null,
            archived: entry.liveUntilLedgerSeq === 0,
          }),
        );
        return { latestLedger, entries: new Map(found.map((entry) => [entry.keyXdr, entry])) };
      },
    };
  }

  function wholeEntry({ lastModifiedLedgerSeq, xdr, extXdr }: RpcEntry): string {
    const lastModified = Buffer.alloc(4);
    lastModified.writeUInt32BE(lastModifiedLedgerSeq);
    const parts = [lastModified, Buffer.from(xdr, "base64"), Buffer.from(extXdr, "base64")];
    return Buffer.concat(parts).toString("base64");
  }

  const verify = (first: number, last: number, latest: number) =>
    verifyRange(
      {
        ...dependencies(),
        networkPassphrase: network.passphrase,
        sources: [nodeAt(latest)],
      },
      { first, last },
      { signal },
    );

  test("is exact as far as the node's own ledger", async () => {
    const found = await verify(408, 408, 408);
    const { verdicts, transactions } = found;
    expect(transactions).toBe(6);
    expect(found.exactUnconfirmed).toBe(6);
    expect(headlineOf(found)).toContain(
      "For 6 of the exact ones, some state was reported only by a node.",
    );
    expect(verdicts).toEqual({ exact: 6, equivalent: 0, diverged: 0, inconclusive: 0 });
  });

  test("is exact too where the node stands later and serves the ledgers since", async () => {
    const { verdicts, transactions } = await verify(408, 408, 453);
    expect(transactions).toBe(6);
    expect(verdicts).toEqual({ exact: 6, equivalent: 0, diverged: 0, inconclusive: 0 });
  });
});

describe("a verification that cannot go on", () => {
  const sequences = network.sequences.slice(0, 2);

  test("ends with the error of the file, from a worker too", async () => {
    const good = savedLedgers("good.xdr", sequences);
    const broken = join(directory, "broken.xdr");
    const bytes = new Uint8Array(await Bun.file(good).arrayBuffer());
    writeFileSync(broken, bytes.subarray(0, bytes.length - 3));
    for (const jobs of [1, 2]) {
      const given = dependencies({ jobs, networkPassphrase: network.passphrase });
      const run = verifyLedgerFiles(given, [good, broken, good], { signal });
      const failure = (await run.catch((error) => error)) as SvcError;
      expect(failure.code).toBe("FILE_INVALID");
      expect(failure.message).toContain("broken.xdr");
    }
  });

  test("ends with the error of the first stream that was given, whichever fails first", async () => {
    const all = network.sequences.slice(0, 12);
    const cut = (name: string, some: readonly number[]) => {
      const path = savedLedgers(name, some);
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.subarray(0, bytes.length - 3));
      return path;
    };
    // The shorter a file is, the sooner its end is read. Each is a stream of its own.
    const files = [12, 2, 3].map((count) => cut(`cut-${count}.xdr`, all.slice(0, count)));
    const orders = [files, files.toReversed(), files.toSorted()];
    for (const jobs of [1, 2, 3])
      for (const paths of orders) {
        const given = dependencies({ jobs, networkPassphrase: network.passphrase });
        const run = verifyLedgerFiles(given, paths, { signal });
        const failure = (await run.catch((error) => error)) as SvcError;
        expect([jobs, failure.code]).toEqual([jobs, "FILE_INVALID"]);
        expect(failure.message).toContain(paths[0] ?? "");
      }
  });

  test("ends when it is interrupted", async () => {
    const path = savedLedgers("interrupted.xdr", sequences);
    const controller = new AbortController();
    controller.abort(new Error("enough"));
    const run = verifyLedgerFiles(dependencies(), [path], { signal: controller.signal });
    await expect(run).rejects.toThrow("enough");
  });

  test("says that a worker died", async () => {
    const paths = [savedLedgers("one.xdr", sequences), savedLedgers("two.xdr", sequences)];
    const dead = dependencies({ jobs: 2, workerCommand: ["false"] });
    const failure = await verifyLedgerFiles(dead, paths, { signal }).catch((error) => error);
    expect((failure as SvcError).code).toBe("INTERNAL");
    expect((failure as SvcError).message).toContain("verify worker ended with exit code 1");
  });
});
