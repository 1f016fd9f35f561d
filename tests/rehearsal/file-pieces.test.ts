// Ledger files that are rehearsed in pieces have the document of one run: if each piece has complete
// streams, and if it begins in the middle of one. A piece is of one list of files, and of one job.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { RehearsedCall } from "../../src/rehearsal/rehearsal.ts";
import { readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import { svc, svcBinary } from "../cli/run-svc.ts";
import { codesIn } from "../support/archived-code.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { LATER_PROTOCOL, upgradedAt } from "../support/later-protocol.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { framed } from "../support/made-archive.ts";
import { needs } from "../support/needs.ts";
import { KITCHEN, recordedCode } from "../support/recorded-code.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";

setDefaultTimeout(300_000);

const directory = mkdtempSync(join(tmpdir(), "svc-file-pieces-"));
const STREAMS = join(import.meta.dir, "../fixtures/streams");
/** The one whose ledgers have all network settings, so that its calls are judged without a node. */
const WITH_SETTINGS = "318b008d239ea9d8.xdr.zst";
/** Contracts that several streams have, in the same ledgers, with other code and other state. */
const WRITER = "CBINMC5KSEB5K4UO4S4XUZBZTQ63SWJWNCTUYELBV3IJT2VBVOOQQ3JQ";
const CALLER = "CAA3QKIP2SNVXUJTB4HKOGF55JTSSMQGED3FZYNHMNSXYV3DRRMAWA3Y";
const BUILDS = [`${WRITER}=writer.wasm`, `${CALLER}=caller.wasm`];

beforeAll(async () => {
  svcBinary();
  const sample = readdirSync(STREAMS).filter((name) => name.endsWith(".xdr.zst"));
  const packed = sample.map((name) => readFileSync(join(STREAMS, name)));
  const codes = packed.flatMap((bytes) => [...codesIn(Buffer.from(Bun.zstdDecompressSync(bytes)))]);
  const write = (name: string, prefix: string) =>
    Bun.write(join(directory, name), codes.find(([hash]) => hash.startsWith(prefix))?.[1] ?? "");
  await write("writer.wasm", "4b931672");
  await write("caller.wasm", "752bffbd");
  await Bun.write(join(directory, "kitchen.wasm"), recordedCode("kitchen"));
  await Bun.write(join(directory, "err.wasm"), recordedCode("err"));
  for (const name of sample) {
    mkdirSync(join(directory, "whole"), { recursive: true });
    cpSync(join(STREAMS, name), join(directory, "whole", name));
  }
  await writeInFiles(join(directory, "cut"), join(STREAMS, WITH_SETTINGS), 1);
  const ledgers = recordedLedgers();
  for (const [at, ledger] of ledgers.entries())
    await Bun.write(join(directory, "recorded", `${at}.xdr`), framed([ledger]));
  // Each file repeats the last ledger of the file before it.
  for (const [at, ledger] of ledgers.entries())
    await Bun.write(
      join(directory, "repeated", `${at}.xdr`),
      framed([...ledgers.slice(Math.max(0, at - 1), at), ledger]),
    );
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Writes a stream into files of so many ledgers. */
async function writeInFiles(into: string, stream: string, ledgers: number): Promise<void> {
  const all: Uint8Array[] = [];
  for await (const { ledgerCloseMeta } of readLedgerFile(stream, { signal: NEVER_ABORTED }))
    all.push(ledgerCloseMeta);
  for (let at = 0; at < all.length; at += ledgers) {
    const name = `${basename(stream, ".xdr.zst")}-${String(at).padStart(4, "0")}.xdr`;
    await Bun.write(join(into, name), framed(all.slice(at, at + ledgers)));
  }
}

/** The ledgers of the recorded network, which do not begin with the first one that was closed. */
function recordedLedgers(): Uint8Array[] {
  const network = new RecordedNetwork();
  return network.sequences.flatMap((sequence) => network.ledgerBytes(sequence) ?? []);
}

async function documentOf(words: readonly string[]) {
  const { stdout, stderr, exitCode } = await svc([...words, "--json"], { directory });
  expect([stderr, [0, 6, 8].includes(exitCode)]).toEqual(["", true]);
  return stdout;
}

interface Divided {
  readonly builds: readonly string[];
  readonly files: string;
  readonly shards: number;
  readonly flags?: readonly string[];
}

/** The document of all pieces, which are done in another order. */
async function merged({ builds, files, shards, flags = [] }: Divided): Promise<string> {
  const result = mkdtempSync(join(directory, "results-"));
  const order = Array.from({ length: shards }, (_, index) => ((index + 1) % shards) + 1);
  for (const shard of order) {
    const words = ["rehearse", ...builds, files, ...flags, "--shard", `${shard}/${shards}`];
    const { stderr, exitCode } = await svc([...words, "--result", result], { directory });
    expect(stderr).toContain(`Stored rehearsal-${shard}-of-${shards}.json`);
    expect(exitCode).toBe(0);
  }
  return documentOf(["rehearse", "merge", result]);
}

test.each([
  ["whole streams", "whole", 2, BUILDS],
  ["a stream each", "whole", 5, BUILDS],
  ["parts of a stream", "cut", 6, BUILDS],
  ["a ledger each", "cut", 17, BUILDS],
  ["parts of a stream that begins later", "recorded", 4, [`${KITCHEN}=kitchen.wasm`]],
  ["files that repeat ledgers", "repeated", 5, [`${KITCHEN}=err.wasm`]],
])("pieces of files have the document of one run: %s", async (_, files, shards, builds) => {
  const one = await documentOf(["rehearse", ...builds, files]);
  const { calls, notJudged } = JSON.parse(one);
  expect(calls.length + notJudged.length).toBeGreaterThan(0);
  expect(await merged({ builds, files, shards })).toBe(one);
});

needs("../shared/corpus", hasCorpus("core-streams")).test(
  "pieces of the corpus have the document of one run",
  async () => {
    const files = corpusPath("core-streams/InvokeHostFunctionTests");
    const one = await documentOf(["rehearse", ...BUILDS, files]);
    expect(JSON.parse(one).calls.length).toBeGreaterThan(0);
    expect(await merged({ builds: BUILDS, files, shards: 7 })).toBe(one);
  },
);

test("the command of an example has the file, the build and the protocol, on one line", async () => {
  // However many files are passed, it is the one with the call.
  const file = join(directory, "whole", WITH_SETTINGS);
  cpSync(join(directory, "caller.wasm"), join(directory, "a caller.wasm"));
  const words = ["rehearse", `${CALLER}=a caller.wasm`, "whole"];
  const { stdout } = await svc(words, { directory });
  const lines = stdout.split("\n").filter((line) => line.includes("svc debug"));
  expect(lines.length).toBe(1);
  const network = "--network-passphrase '(V) (;,,;) (V)'";
  const build = `--override-wasm '${CALLER}=a caller.wasm' --override-protocol 27`;
  expect(lines[0]).toEndWith(` --ledger-file ${file} ${network} ${build}`);
  const { calls } = JSON.parse(await documentOf(words));
  expect(calls.map((call: RehearsedCall) => call.raisedProtocol)).toEqual([27, 27]);
  const [pasted, shown] = await pastedAs(lines[0] ?? "");
  expect([pasted, shown.includes(`has no function ${calls[0].reached[0].function}`)]).toEqual([
    0,
    true,
  ]);
});

test("a call in the middle of a stream has the files before it, of which few are named", async () => {
  const words = ["rehearse", `${CALLER}=caller.wasm`, "cut"];
  const { calls } = JSON.parse(await documentOf(words));
  const all = readdirSync(join(directory, "cut")).sort();
  expect(all.length).toBeGreaterThan(10);
  for (const { ledger, files } of calls as RehearsedCall[]) {
    if (files?.kind !== "ledgers") throw new Error("the call is in a file");
    const names = files.files.map((file) => basename(file));
    const last = all.indexOf(names.at(-1) ?? "");
    expect(names).toEqual(all.slice(last - 3, last + 1));
    const [own] = files.files.slice(-1);
    const sequences: number[] = [];
    for await (const each of readLedgerFile(own ?? "", { signal: NEVER_ABORTED }))
      sequences.push(each.sequence);
    expect(sequences).toContain(ledger);
  }
});

/** Runs a printed command in a shell. */
async function pastedAs(line: string): Promise<readonly [exitCode: number, stdout: string]> {
  const command = line.trim().replace(/^svc/, svcBinary());
  const env = { PATH: process.env.PATH ?? "", HOME: directory };
  const child = Bun.spawn(["sh", "-c", command], { cwd: directory, env, stderr: "ignore" });
  const stdout = await new Response(child.stdout).text();
  return [await child.exited, stdout.replaceAll(/\s+/g, " ")];
}

test("a ledger of a later protocol is said, after which none is read", async () => {
  const network = new RecordedNetwork();
  const ledgers = network.sequences
    .filter((sequence) => sequence >= 408 && sequence <= 417)
    .map((sequence) => ({
      sequence,
      ledgerCloseMeta: network.ledgerBytes(sequence) as Uint8Array,
    }));
  for (const { sequence, ledgerCloseMeta } of upgradedAt(ledgers, 414, "nothing else"))
    await Bun.write(join(directory, "later", `${sequence}.xdr`), framed([ledgerCloseMeta]));
  const builds = [`${KITCHEN}=kitchen.wasm`];
  const one = await documentOf(["rehearse", ...builds, "later"]);
  const laterProtocol = { ledger: 414, protocolVersion: LATER_PROTOCOL };
  expect(JSON.parse(one)).toMatchObject({ laterProtocol });
  expect(await merged({ builds, files: "later", shards: 3 })).toBe(one);
  const { stdout, exitCode } = await svc(["rehearse", ...builds, "later"], { directory });
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(
    `svc does not know protocol ${LATER_PROTOCOL} of ledger 414. The calls from there on were not`,
  );
  expect(exitCode).toBe(8);
});

test("the path of the build is not in the document", async () => {
  cpSync(join(directory, "writer.wasm"), join(directory, "elsewhere.wasm"));
  const files = "whole";
  const here = await documentOf(["rehearse", `${WRITER}=writer.wasm`, files]);
  const there = await merged({ builds: [`${WRITER}=elsewhere.wasm`], files, shards: 2 });
  expect(there).toBe(here);
});

test("with --warm-up, a piece knows only the ledgers of its warm-up", async () => {
  const one = JSON.parse(await documentOf(["rehearse", ...BUILDS, "cut"]));
  const flags = ["--warm-up", "0"];
  const less = JSON.parse(await merged({ builds: BUILDS, files: "cut", shards: 6, flags }));
  expect(less.calls.length).toBeLessThan(one.calls.length);
});

test("a piece of other files, or of another warm-up, is another run", async () => {
  const result = mkdtempSync(join(directory, "results-"));
  const words = ["rehearse", `${WRITER}=writer.wasm`];
  const shard = ["--shard", "1/2", "--result", result];
  expect((await svc([...words, "whole", ...shard], { directory })).exitCode).toBe(0);
  const others = await svc([...words, "cut", ...shard], { directory });
  expect([others.exitCode, others.stderr]).toEqual([2, expect.stringContaining("inputs is ")]);
  const warm = await svc([...words, "whole", "--warm-up", "3", ...shard], { directory });
  expect([warm.exitCode, warm.stderr]).toEqual([
    2,
    expect.stringContaining("warmUpLedgers is null, not 3."),
  ]);
});

test.each([
  [["whole", "--shard", "1/6"], "5 files cannot be divided into 6 pieces."],
  [["demo:contract-error", "--shard", "1/2"], "demo:contract-error is another input."],
  [["whole", "100-200", "--shard", "1/2"], ".xdr.zst is another input."],
])("a division that is not possible is refused by name: %j", async (words, message) => {
  const rest = ["--result", mkdtempSync(join(directory, "results-"))];
  const call = ["rehearse", `${WRITER}=writer.wasm`, ...words, ...rest];
  const { stderr, exitCode } = await svc(call, { directory });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});
