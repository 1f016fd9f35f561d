// The ledger engine opens ledger files by itself. What it counts, and what svc then judges, is what
// svc finds when it reads the same files, in every layout and packing; and a file that cannot be
// read has the same error.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { SvcError } from "../../src/base/errors/errors.ts";
import { NEWEST_PROTOCOL } from "../../src/model/protocols.ts";
import { readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import { verifyLedgerFiles } from "../../src/verify/verify-ledgers.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { framed } from "../support/made-archive.ts";
import { needs } from "../support/needs.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";

const BUILD_MILLISECONDS = 900_000;
const { signal } = new AbortController();
const directory = mkdtempSync(join(tmpdir(), "svc-opened-"));
afterAll(() => rmSync(directory, { recursive: true }));
beforeAll(ensureBuilt, BUILD_MILLISECONDS);

const network = new RecordedNetwork();
const LEDGERS = network.sequences
  .filter((sequence) => sequence >= 370 && sequence <= 385)
  .map((sequence) => new Uint8Array(network.ledgerBytes(sequence) ?? []));

/** A protocol for which each transaction runs once more, so that svc reads the files by itself. */
const READ_BY_SVC = NEWEST_PROTOCOL;

async function verified(
  paths: readonly string[],
  rehearseProtocol: number | null = null,
  program = SIMULATOR_BINARY,
) {
  const dependencies = {
    program: { path: program },
    networkPassphrase: null,
    jobs: 1,
    keepNotExact: 1_000,
    workerCommand: null,
    rehearseProtocol,
    progress: () => {},
  };
  try {
    const found = await verifyLedgerFiles(dependencies, paths, { signal });
    return { ...found, elapsedMilliseconds: 0, rehearsal: null };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const { code, message, remedy, details } = error;
    return { code, message, remedy, details };
  }
}

async function expectAlike(paths: readonly string[]) {
  const byEngine = await verified(paths);
  expect(byEngine).toEqual(await verified(paths, READ_BY_SVC));
  return byEngine;
}

function made(name: string, bytes: Uint8Array): string {
  const path = join(directory, name);
  writeFileSync(path, bytes);
  return path;
}

function batch(ledgers: readonly Uint8Array[], first: number): Uint8Array {
  const head = Buffer.alloc(12);
  for (const [at, word] of [first, first + ledgers.length - 1, ledgers.length].entries())
    head.writeUInt32BE(word, 4 * at);
  return Buffer.concat([head, ...ledgers]);
}

const PACKINGS = {
  plain: (bytes: Uint8Array) => bytes,
  gzip: (bytes: Uint8Array) => new Uint8Array(gzipSync(bytes)),
  zstd: (bytes: Uint8Array) => new Uint8Array(Bun.zstdCompressSync(new Uint8Array(bytes))),
};

describe("ledgers from the middle of history", () => {
  const layouts = {
    framed: framed(LEDGERS),
    batch: batch(LEDGERS.slice(0, 3), network.sequences.find((each) => each >= 370) ?? 0),
    bare: LEDGERS[5] ?? new Uint8Array(),
  };
  for (const [layout, bytes] of Object.entries(layouts)) {
    for (const [packing, pack] of Object.entries(PACKINGS)) {
      test(`are counted alike, ${layout} and ${packing}`, async () => {
        const found = await expectAlike([made(`${layout}.${packing}`, pack(bytes))]);
        expect(found).toHaveProperty("ledgers");
      });
    }
  }

  test("are counted alike where files follow each other with a gap", async () => {
    const parts = [LEDGERS.slice(0, 5), LEDGERS.slice(5, 9), LEDGERS.slice(11)];
    await expectAlike(parts.map((part, at) => made(`part-${at}`, framed(part))));
  });

  test("are counted alike where a file has them again", async () => {
    const again = [...LEDGERS.slice(0, 6), ...LEDGERS.slice(3)];
    await expectAlike([made("again", framed(again))]);
  });
});

describe("a file that cannot be read", () => {
  const whole = framed(LEDGERS);
  const forged = LEDGERS.map((ledger) => new Uint8Array(ledger));
  forged[4]?.set([1, 2, 3, 4], 100);
  const files: Readonly<Record<string, Uint8Array>> = {
    "is cut": whole.subarray(0, whole.length - 10),
    "is cut in its packing": PACKINGS.zstd(whole).subarray(0, 2_000),
    "goes on after gzip": Buffer.concat([PACKINGS.gzip(whole), Buffer.from("more")]),
    "has a mark of another size": framed([...LEDGERS.slice(0, 2), new Uint8Array(7)]),
    "has a forged header": framed(forged),
    "has a later place for a ledger": batch(LEDGERS.slice(1, 3), 370),
    "has bytes after its batch": Buffer.concat([
      batch(LEDGERS.slice(0, 1), 370),
      new Uint8Array(4),
    ]),
  };
  for (const [name, bytes] of Object.entries(files)) {
    test(`has the same error where it ${name}`, async () => {
      const good = made("good", framed(LEDGERS.slice(0, 2)));
      const found = await expectAlike([good, made(name.replaceAll(" ", "-"), bytes)]);
      expect(found).toHaveProperty("code");
    });
  }
});

test("a file that only svc can read is an error that says so", async () => {
  const path = made("whole", framed(LEDGERS.slice(0, 2)));
  const unread = { file: 0, next: 0, last: false, problem: "the window is too large" };
  const program = made(
    "svc-sim",
    Buffer.from(answering([{ unread }, { ended: { forged: null } }])),
  );
  chmodSync(program, 0o755);
  const error = await verified([path], undefined, program);
  expect(error).toMatchObject({ code: "FILE_INVALID", details: { file: path } });
  expect(error).toHaveProperty("message", expect.stringContaining("the window is too large"));
});

/** A program that answers its first line with these, and reads on. */
function answering(answers: readonly object[]): string {
  const lines = answers.map((answer) => `printf '%s\\n' '${JSON.stringify(answer)}'`);
  return ["#!/bin/sh", "read -r line", ...lines, "exec cat > /dev/null", ""].join("\n");
}

const corpus = needs("../shared/corpus", hasCorpus("core-streams"));
const EVERY = 12;

corpus.describe("streams of stellar-core", () => {
  const names = hasCorpus("core-streams")
    ? [...new Bun.Glob("*/*.xdr.zst").scanSync(corpusPath("core-streams"))].sort()
    : [];
  const some = names.filter((_, at) => at % EVERY === 0);

  test("are counted alike from their beginning", async () => {
    const paths = some.map((name) => corpusPath("core-streams", name));
    await expectAlike(paths);
  }, 120_000);

  test("are counted alike from their middle, where later ledgers show what was", async () => {
    const paths: string[] = [];
    for (const [at, name] of some.entries()) {
      const path = corpusPath("core-streams", name);
      const ledgers = await Array.fromAsync(readLedgerFile(path, { signal }));
      const rest = ledgers.slice(Math.ceil(ledgers.length / 2));
      const bytes = framed(rest.map(({ ledgerCloseMeta }) => ledgerCloseMeta));
      paths.push(made(`middle-${at}.xdr`, bytes));
    }
    await expectAlike(paths);
  }, 120_000);
});
