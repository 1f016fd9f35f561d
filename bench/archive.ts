// The first pass over a bucket against gunzip and SHA-256 of the same bytes, and against these with
// zstd: no compressed copy takes less. Then the look-up of a key, the size of the fences, and the
// memory of it all: `bun bench/archive.ts [MiB] [directory]`. The buckets are made up: a large one
// and eight of an eighth each, with entries of 200 bytes as mainnet has them.

import { createReadStream, createWriteStream, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGunzip, createGzip } from "node:zlib";
import { archiveDirectory, openArchiveFiles } from "../src/history-archive/archive-files.ts";
import { openBucketStore } from "../src/history-archive/bucket-store.ts";
import { keyBytesOfEntry } from "../src/xdr/reader/keys.ts";
import { encodeBytes, type Value } from "../src/xdr/reader/value.ts";
import { line } from "./aims.ts";
import { median } from "./round-trip.ts";

const isChild = process.argv[2] === "--child";
const [size = "256", place = tmpdir()] = isChild ? [process.env.BENCH_MIB] : process.argv.slice(2);
const BYTES = Number(size) * 1024 * 1024;
const KEYS = 200;
/** Once is enough where it takes minutes. */
const ROUNDS = BYTES > 2 ** 29 ? 1 : 7;
const MOST_MEMORY_MIB = 256;

/** A record with the place of a number that sorts it, and of bytes that nothing compresses. */
interface Template {
  readonly record: Buffer;
  readonly number: number;
  readonly noise: readonly [at: number, length: number];
}

const MARKER = Buffer.from("0123456789abcdef0123456789abcdef");

function template(data: Value<"LedgerEntry">["data"], noise: Template["noise"]): Template {
  const entry = encodeBytes("LedgerEntry", { lastModifiedLedgerSeq: 1, data, ext: { v: 0 } });
  const record = Buffer.alloc(8 + entry.length);
  record.writeUInt32BE((0x80000000 | (entry.length + 4)) >>> 0);
  record.set(entry, 8);
  return { record, number: record.indexOf(MARKER), noise };
}

const account = { type: 0, ed25519: MARKER } as const;
const TEMPLATES = [
  template(
    {
      type: 3,
      data: {
        accountId: account,
        dataName: Buffer.alloc(60, "n"),
        dataValue: Buffer.alloc(60),
        ext: { v: 0 },
      },
    },
    [124, 40],
  ),
  template(
    {
      type: 6,
      contractData: {
        ext: { v: 0 },
        contract: { type: 1, contractId: MARKER },
        key: {
          type: 16,
          vec: [
            { type: 15, sym: Buffer.from("Balance") },
            { type: 5, u64: 1n },
          ],
        },
        durability: 1,
        val: { type: 13, bytes: Buffer.alloc(80) },
      },
    },
    [120, 50],
  ),
  template({ type: 9, ttl: { keyHash: MARKER, liveUntilLedgerSeq: 9 } }, [52, 0]),
];
/** As many of the bytes. */
const SHARES = [0.6, 0.3, 0.1];

function countOf(bytes: number, kind: number): number {
  return Math.floor((bytes * (SHARES[kind] ?? 0)) / (TEMPLATES[kind]?.record.length ?? 1));
}

/** Records of a bucket in parts of about a MiB; `step`: the distance of the numbers. */
function* records(bytes: number, step: number): Generator<Buffer> {
  const meta = Buffer.from("8000000cffffffff0000001700000000", "hex");
  yield meta;
  for (const [kind, { record, number, noise }] of TEMPLATES.entries()) {
    const count = countOf(bytes, kind);
    const inPart = Math.floor((1024 * 1024) / record.length);
    for (let from = 0; from < count; from += inPart) {
      const part = Buffer.alloc(Math.min(inPart, count - from) * record.length);
      const random = crypto.getRandomValues(new Uint8Array(64 * 1024));
      for (let at = 0, index = from; at < part.length; at += record.length, index += 1) {
        record.copy(part, at);
        part.writeUInt32BE(index * step, at + number);
        const begin = (index * 61) % (random.length - 64);
        part.set(random.subarray(begin, begin + noise[1]), at + noise[0]);
      }
      yield part;
    }
  }
}

/** The bucket's hash; the file is where an archive has it. */
async function makeBucket(directory: string, bytes: number, step: number): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  const unnamed = join(directory, "unnamed.gz");
  const gzip = createGzip({ level: 1 });
  const written = new Promise((done) => gzip.pipe(createWriteStream(unnamed)).on("close", done));
  for (const part of records(bytes, step)) {
    hasher.update(part);
    if (!gzip.write(part)) await new Promise((done) => gzip.once("drain", done));
  }
  gzip.end();
  await written;
  const hash = hasher.digest("hex");
  const folder = join(directory, "bucket", ...(hash.match(/../g)?.slice(0, 3) ?? []));
  await Bun.$`mkdir -p ${folder} && mv ${unnamed} ${join(folder, `bucket-${hash}.xdr.gz`)}`.quiet();
  return hash;
}

/** Milliseconds; `cpu` is the time of all threads together. */
interface Times {
  readonly wall: number;
  readonly cpu: number;
}

async function timesOf(work: () => Promise<unknown>): Promise<Times> {
  const begin = performance.now();
  const { user, system } = process.cpuUsage();
  await work();
  const cpu = process.cpuUsage();
  return {
    wall: performance.now() - begin,
    cpu: (cpu.user - user + cpu.system - system) / 1000,
  };
}

function fastest(all: readonly Times[]): Times {
  const least = (of: keyof Times) => Math.min(...all.map((each) => each[of]));
  return { wall: least("wall"), cpu: least("cpu") };
}

/** Compresses the bytes as well, in blocks as the store has them; `level` null: it does not. */
async function gunzipAndHash(directory: string, hash: string, level: number | null): Promise<void> {
  const folders = hash.match(/../g)?.slice(0, 3).join("/");
  const path = join(directory, "bucket", folders ?? "", `bucket-${hash}.xdr.gz`);
  const hasher = new Bun.CryptoHasher("sha256");
  const options = { highWaterMark: 1024 * 1024 };
  const plain = createReadStream(path, options).pipe(createGunzip({ chunkSize: 512 * 1024 }));
  const packing: Promise<unknown>[] = [];
  for await (const piece of plain) {
    hasher.update(piece as Uint8Array);
    for (let at = 0; level !== null && at < piece.length; at += 256 * 1024)
      packing.push(Bun.zstdCompress(piece.subarray(at, at + 256 * 1024), { level }));
    while (packing.length > 4) await packing.shift();
  }
  await Promise.all(packing);
  if (hasher.digest("hex") !== hash) throw new Error("another bucket");
}

/** In a process of its own, whose memory is what is measured. */
async function measure(directory: string, kept: string, hashes: readonly string[]) {
  const archive = await openArchiveFiles(archiveDirectory(directory), { latestCheckpoint: 63 });
  const store = openBucketStore(kept);
  const [large = "", ...others] = hashes;
  const add = async (hash: string) => {
    const pieces = archive.bucket(hash);
    if (pieces !== null) await store.add(hash, pieces);
  };
  // Other programs make some rounds slow: the fastest of each counts.
  const works = {
    plain: () => gunzipAndHash(directory, large, null),
    least: () => gunzipAndHash(directory, large, 1),
    pass: () => add(large),
  };
  const times = Object.entries(works).map(([name, work]) => ({ name, work, all: [] as Times[] }));
  for (let round = 0; round < ROUNDS; round += 1) {
    rmSync(kept, { recursive: true, force: true });
    for (const { work, all } of times) all.push(await timesOf(work));
  }
  const best = Object.fromEntries(times.map(({ name, all }) => [name, fastest(all)]));
  for (const hash of others) await add(hash);
  const looks: number[] = [];
  for (let round = 0; round < KEYS; round += 1) {
    const kind = 1 + (round % 2);
    const { record, number } = TEMPLATES[kind] as Template;
    const entry = Buffer.from(record.subarray(8));
    // An entry of the large bucket, or of none.
    const index = Math.floor(Math.random() * countOf(BYTES, kind)) * 9 + (round % 3);
    entry.writeUInt32BE(index, number - 8);
    const key = keyBytesOfEntry(entry);
    const look = async () => {
      for (const hash of hashes) await store.find(hash, "live", key);
    };
    looks.push((await timesOf(look)).wall);
  }
  const memory = process.resourceUsage().maxRSS / 1024;
  return { ...best, key: median(looks), most: Math.max(...looks), memory };
}

if (isChild) {
  const [, , , directory = "", kept = "", ...hashes] = process.argv;
  process.stdout.write(JSON.stringify(await measure(directory, kept, hashes)));
} else {
  const directory = mkdtempSync(join(place, "svc-archive-"));
  try {
    const hashes = [await makeBucket(directory, BYTES, 9)];
    for (let at = 0; at < 8; at += 1) hashes.push(await makeBucket(directory, BYTES / 8, 11 + at));
    const [large = ""] = hashes;
    const kept = join(directory, "kept");
    const words = [import.meta.path, "--child", directory, kept, ...hashes];
    const env = { ...process.env, BENCH_MIB: size };
    const child = Bun.spawnSync([process.execPath, ...words], { stderr: "inherit", env });
    const { plain, least, pass, key, most, memory } = JSON.parse(child.stdout.toString());
    const name = readdirSync(kept).find((each) => each.startsWith(large)) ?? "";
    const file = Bun.file(join(kept, name));
    const fences = Buffer.from(await file.slice(file.size - 8).bytes()).readUInt32BE(0);
    const of = (one: Times, other: Times, by: keyof Times) => one[by] / other[by];
    line(`gunzip and SHA-256 of ${size} MiB`, plain.wall / 1000, "s");
    const bound = { value: of(least, plain, "wall"), of: "that" };
    line("these and zstd of the same", least.wall / 1000, "s", bound);
    const ratio = { value: of(pass, plain, "wall"), of: "gunzip and SHA-256", atMost: 1.3 };
    line("first pass over the same", pass.wall / 1000, "s", ratio);
    line("CPU time of gunzip, SHA-256 and zstd", of(least, plain, "cpu"), "× without zstd");
    line("CPU time of the first pass", of(pass, plain, "cpu"), "× without zstd");
    line("a key in 9 buckets, median", key, "ms", { value: key / 50, of: "50 ms", atMost: 1 });
    line("a key in 9 buckets, slowest", most, "ms");
    const share = { value: (1000 * fences) / BYTES, of: "0.1 % of it", atMost: 1 };
    line("fences of the bucket", fences / 1024, "KiB", share);
    const room = { value: memory / MOST_MEMORY_MIB, of: `${MOST_MEMORY_MIB} MiB`, atMost: 1 };
    line("memory, at the most", memory, "MiB", room);
    line("kept, of the bucket's bytes", (file.size / BYTES) * 100, "%");
    if (readdirSync(kept).some((name) => name.endsWith(".part"))) process.exitCode = 1;
  } finally {
    rmSync(directory, { recursive: true });
  }
}
