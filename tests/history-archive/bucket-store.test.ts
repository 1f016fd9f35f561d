// Buckets that a test makes of recorded entries: every key is found, and nothing that is altered is
// kept.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { openBucketStore } from "../../src/history-archive/bucket-store.ts";
import { compareKeys } from "../../src/history-archive/key-order.ts";
import { sha256 } from "../../src/xdr/reader/hash.ts";
import { keyBytesOfEntry } from "../../src/xdr/reader/keys.ts";
import { encodeBytes, type Value } from "../../src/xdr/reader/value.ts";

const STORE = join(import.meta.dir, "../../src/history-archive/bucket-store.ts");
const directory = mkdtempSync(join(tmpdir(), "svc-buckets-"));
afterAll(() => rmSync(directory, { recursive: true }));

const symbol = fc.stringMatching(/^[a-z]{1,12}$/).map((text) => Buffer.from(text));
const scVal: fc.Arbitrary<Value<"ScVal">> = fc.oneof(
  symbol.map((sym) => ({ type: 15, sym })),
  fc.integer().map((i32) => ({ type: 4, i32 })),
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map((i64) => ({ type: 6, i64 })),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => ({ type: 13, bytes })),
  fc
    .array(
      symbol.map((sym) => ({ type: 15, sym }) as const),
      { maxLength: 3 },
    )
    .map((vec) => ({
      type: 16,
      vec,
    })),
) as fc.Arbitrary<Value<"ScVal">>;
const entry = fc
  .record({
    contract: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    key: scVal,
    ledger: fc.nat(),
  })
  .map(({ contract, key, ledger }) =>
    encodeBytes("LedgerEntry", {
      lastModifiedLedgerSeq: ledger,
      data: {
        type: 6,
        contractData: {
          ext: { v: 0 },
          contract: { type: 1, contractId: contract },
          key,
          durability: 1,
          val: key,
        },
      },
      ext: { v: 0 },
    } as Value<"LedgerEntry">),
  );
/** Entries by their keys, and whether a bucket has the entry or its removal. */
const contents = fc
  .uniqueArray(fc.tuple(entry, fc.boolean()), {
    minLength: 1,
    maxLength: 40,
    selector: ([bytes]) => keyBytesOfEntry(bytes).toBase64(),
  })
  .map((all) =>
    all
      .map(([bytes, removed]) => ({ key: keyBytesOfEntry(bytes), bytes, removed }))
      .sort((one, other) => compareKeys(one.key, other.key)),
  );

type Contents = ReadonlyArray<{ key: Uint8Array; bytes: Uint8Array; removed: boolean }>;

function framed(type: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE((0x80000000 | (body.length + 4)) >>> 0, 0);
  head.writeInt32BE(type, 4);
  return Buffer.concat([head, body]);
}

function bucketOf(all: Contents): Buffer {
  const description = framed(-1, Buffer.from("0000001600000000", "hex"));
  const records = all.map(({ key, bytes, removed }) =>
    framed(removed ? 1 : 0, removed ? key : bytes),
  );
  return Buffer.concat([description, ...records]);
}

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe("a bucket", () => {
  test("gives each of its keys, read in pieces of any size, and no other", async () => {
    await fc.assert(
      fc.asyncProperty(
        contents,
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 2000 }),
        entry,
        async (all, size, blockBytes, other) => {
          const bytes = bucketOf(all);
          const hash = sha256(bytes).toHex();
          const store = openBucketStore(directory, { blockBytes });
          await store.add(hash, inPieces(bytes, size));
          for (const { key, bytes: value, removed } of all) {
            const word = await store.find(hash, "live", key);
            expect(word?.kind).toBe(removed ? "gone" : "entry");
            if (word?.kind === "entry") expect(word.entry.toBase64()).toBe(value.toBase64());
          }
          const absent = keyBytesOfEntry(other);
          if (!all.some(({ key }) => key.toBase64() === absent.toBase64()))
            expect(await store.find(hash, "live", absent)).toBeNull();
        },
      ),
      { numRuns: 150 },
    );
  });

  test("with one bit changed, or cut off, is refused and leaves nothing", async () => {
    await fc.assert(
      fc.asyncProperty(
        contents,
        fc.nat(),
        fc.nat({ max: 7 }),
        fc.boolean(),
        async (all, at, bit, cut) => {
          const bytes = bucketOf(all);
          const hash = sha256(bytes).toHex();
          const place = at % bytes.length;
          const other = Buffer.from(bytes);
          other[place] = (other[place] ?? 0) ^ (1 << bit);
          const empty = mkdtempSync(join(directory, "altered-"));
          const adding = openBucketStore(empty).add(
            hash,
            inPieces(cut ? bytes.subarray(0, place) : other, 64),
          );
          const code = await adding.then(
            () => "kept",
            (error) => error.code,
          );
          expect(code).toBe("ARCHIVE_DAMAGED");
          expect(readdirSync(empty)).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  });

  test("that unpacks to more than any bucket has is refused before its end", async () => {
    const all = fc.sample(contents, { numRuns: 1, seed: 5 })[0] ?? [];
    const bytes = bucketOf(all);
    const empty = mkdtempSync(join(directory, "bomb-"));
    let pieces = 0;
    const endless = async function* () {
      for (; ; pieces += 1) yield bytes;
    };
    const store = openBucketStore(empty, { mostBytes: 100 * bytes.length });
    const adding = store.add(sha256(bytes).toHex(), endless());
    expect(await adding.catch((error) => error.code)).toBe("ARCHIVE_DAMAGED");
    expect([pieces < 1000, readdirSync(empty)]).toEqual([true, []]);
  });

  test("is kept whole by two writers at once", async () => {
    await fc.assert(
      fc.asyncProperty(contents, async (all) => {
        const bytes = bucketOf(all);
        const hash = sha256(bytes).toHex();
        const shared = mkdtempSync(join(directory, "shared-"));
        const stores = [openBucketStore(shared), openBucketStore(shared)];
        let read = 0;
        const counted = async function* () {
          read += 1;
          yield* inPieces(bytes, 100);
        };
        const failing = async function* (): AsyncGenerator<Uint8Array> {
          yield bytes.subarray(0, 1);
          throw new Error("interrupted");
        };
        const failed = stores[0]?.add(hash, failing()).catch(() => {});
        const writers = [...stores, ...stores].map((store) => store.add(hash, counted()));
        await Promise.all([failed, ...writers]);
        // Each store reads it once: whoever comes later waits, or goes on where another failed.
        expect(read).toBe(2);
        expect(readdirSync(shared)).toEqual([`${hash}.1.bucket`]);
        for (const { key } of all) expect(await stores[0]?.find(hash, "live", key)).not.toBeNull();
      }),
      { numRuns: 20 },
    );
  });

  test("that a killed writer left unfinished is read by nobody, and written anew", async () => {
    const kept = mkdtempSync(join(directory, "killed-"));
    const bytes = bucketOf(fc.sample(contents, { numRuns: 1, seed: 2 })[0] ?? []);
    const hash = sha256(bytes).toHex();
    const program = `
      const { openBucketStore } = await import(${JSON.stringify(STORE)});
      const pieces = async function* () {
        yield Buffer.from("${bytes.subarray(0, -20).toHex()}", "hex");
        console.log("half");
        await new Promise(() => setInterval(() => {}, 1000));
      };
      await openBucketStore(${JSON.stringify(kept)}, { blockBytes: 16 }).add("${hash}", pieces());`;
    const writer = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
    await writer.stdout.getReader().read();
    writer.kill("SIGKILL");
    await writer.exited;
    const store = openBucketStore(kept);
    const [left = ""] = readdirSync(kept);
    expect(left).toEndWith(".part");
    const key = keyBytesOfEntry(fc.sample(entry, { numRuns: 1, seed: 3 })[0] ?? new Uint8Array());
    expect(store.has(hash, key)).toBeFalse();
    utimesSync(join(kept, left), new Date(0), new Date(0));
    await store.add(hash, inPieces(bytes, 64));
    expect(readdirSync(kept)).toEqual([`${hash}.1.bucket`]);
  });

  test("whose kept copy is altered, cut off or another's gives nothing else, and goes", async () => {
    await fc.assert(
      fc.asyncProperty(
        contents,
        contents,
        fc.nat(),
        fc.constantFrom("bit", "cut", "other"),
        async (all, others, at, how) => {
          const kept = mkdtempSync(join(directory, "kept-"));
          const path = (hash: string) => join(kept, `${hash}.1.bucket`);
          const [bytes, otherBytes] = [bucketOf(all), bucketOf(others)];
          const [hash, otherHash] = [sha256(bytes).toHex(), sha256(otherBytes).toHex()];
          const store = openBucketStore(kept, { blockBytes: 200 });
          await store.add(hash, inPieces(bytes, 500));
          await store.add(otherHash, inPieces(otherBytes, 500));
          const file = readFileSync(path(how === "other" ? otherHash : hash));
          const place = at % file.length;
          if (how === "bit") file[place] = (file[place] ?? 0) ^ (1 << (at & 7));
          writeFileSync(path(hash), how === "cut" ? file.subarray(0, place) : file);
          for (const { key, bytes: value, removed } of all) {
            const word = await store.find(hash, "live", key).catch((error) => error.code);
            if (word === "ARCHIVE_COPY_DAMAGED") return expect(store.has(hash, key)).toBeFalse();
            expect(word?.kind).toBe(removed ? "gone" : "entry");
            if (!removed) expect(word.entry.toBase64()).toBe(value.toBase64());
          }
          expect(how === "bit" || hash === otherHash).toBeTrue();
        },
      ),
      { numRuns: 100 },
    );
  });

  test("that another process wrote anew with other blocks is read as it is now", async () => {
    await fc.assert(
      fc.asyncProperty(contents, fc.integer({ min: 1, max: 2000 }), async (all, blockBytes) => {
        const kept = mkdtempSync(join(directory, "anew-"));
        const bytes = bucketOf(all);
        const hash = sha256(bytes).toHex();
        const store = openBucketStore(kept, { blockBytes: 200 });
        await store.add(hash, inPieces(bytes, 500));
        for (const { key } of all) await store.find(hash, "live", key);
        await openBucketStore(kept, { blockBytes }).add(hash, inPieces(bytes, 300));
        for (const { key, removed } of all.toReversed())
          expect((await store.find(hash, "live", key))?.kind).toBe(removed ? "gone" : "entry");
      }),
      { numRuns: 50 },
    );
  });

  test("in the format of another svc is not there, and goes when that svc is not used", async () => {
    const kept = mkdtempSync(join(directory, "formats-"));
    const [bytes, other] = fc.sample(contents, { numRuns: 2, seed: 4 }).map(bucketOf);
    const hash = sha256(bytes ?? bucketOf([])).toHex();
    const key = keyBytesOfEntry(fc.sample(entry, { numRuns: 1, seed: 3 })[0] ?? new Uint8Array());
    const names = [`${hash}.bucket`, `${hash}.2.bucket`, `${hash}.soroban.bucket`];
    for (const name of names) writeFileSync(join(kept, name), "another format");
    const store = openBucketStore(kept);
    expect(store.has(hash, key)).toBeFalse();
    await store.add(hash, inPieces(bytes ?? bucketOf([]), 64));
    expect(readdirSync(kept).toSorted()).toEqual([`${hash}.1.bucket`, ...names].toSorted());
    for (const name of readdirSync(kept)) utimesSync(join(kept, name), new Date(0), new Date(0));
    const otherHash = sha256(other ?? bucketOf([])).toHex();
    await store.add(otherHash, inPieces(other ?? bucketOf([]), 64));
    const left = [`${hash}.1.bucket`, `${otherHash}.1.bucket`];
    expect(readdirSync(kept).toSorted()).toEqual(left.toSorted());
  });

  test("kept for contracts alone gives those, and says of others that it is not there", async () => {
    const account = encodeBytes("LedgerEntry", {
      lastModifiedLedgerSeq: 1,
      data: {
        type: 3,
        data: {
          accountId: { type: 0, ed25519: new Uint8Array(32) },
          ...{ dataName: Buffer.from("name"), dataValue: Buffer.from("value"), ext: { v: 0 } },
        },
      },
      ext: { v: 0 },
    });
    const classic = keyBytesOfEntry(account);
    await fc.assert(
      fc.asyncProperty(contents, fc.boolean(), async (all, removed) => {
        const bytes = bucketOf([{ key: classic, bytes: account, removed }, ...all]);
        const hash = sha256(bytes).toHex();
        const kept = mkdtempSync(join(directory, "tail-"));
        const store = openBucketStore(kept, { sorobanOnly: true });
        await store.add(hash, inPieces(bytes, 100));
        for (const { key, removed } of all)
          expect((await store.find(hash, "live", key))?.kind).toBe(removed ? "gone" : "entry");
        expect(store.has(hash, classic)).toBeFalse();
        await openBucketStore(kept).add(hash, inPieces(bytes, 100));
        expect(store.has(hash, classic)).toBeTrue();
      }),
      { numRuns: 20 },
    );
  });

  test("makes room by what nobody used for longest, and sweeps what was left behind", async () => {
    const kept = mkdtempSync(join(directory, "full-"));
    const store = openBucketStore(kept, { limitBytes: 1 });
    const buckets = fc.sample(contents, { numRuns: 4, seed: 1 }).map(bucketOf);
    const hashes = buckets.map((bytes) => sha256(bytes).toHex());
    const add = (at: number) =>
      store.add(hashes[at] ?? "", inPieces(buckets[at] ?? bucketOf([]), 64));
    const path = (name: string) => join(kept, name);
    const longAgo = (name: string) => utimesSync(path(name), new Date(0), new Date(0));
    await add(0);
    await add(1);
    // Both were used within the hour.
    expect(readdirSync(kept)).toHaveLength(2);
    const left = [`${hashes[2]}.bucket.x.part`, `${hashes[2]}.mark.0.piece`, "someone-else's.txt"];
    for (const name of left) writeFileSync(path(name), "left behind");
    longAgo(`${hashes[0]}.1.bucket`);
    longAgo(left[0] ?? "");
    await add(3);
    const now = readdirSync(kept).toSorted();
    expect(now).toEqual(
      [`${hashes[1]}.1.bucket`, `${hashes[3]}.1.bucket`, ...left.slice(1)].toSorted(),
    );
    // What is complete needs its parts no more.
    await add(2);
    expect(readdirSync(kept)).not.toContain(left[1]);
  });

  test("that cannot be kept is said so", async () => {
    const file = join(directory, "no-directory");
    writeFileSync(file, "");
    const adding = openBucketStore(file).add("00".repeat(32), inPieces(bucketOf([]), 10));
    expect(await adding.catch((error) => error.code)).toBe("OUTPUT_UNWRITABLE");
  });
});
