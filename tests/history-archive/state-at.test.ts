// A validator's archive of testnet: what is proven of the entries that its transactions used, and
// that no altered file makes another value proven.

import { afterAll, expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import {
  type ArchiveFiles,
  archiveDirectory,
  openArchiveFiles,
} from "../../src/history-archive/archive-files.ts";
import { openBucketStore } from "../../src/history-archive/bucket-store.ts";
import { openArchivedChain } from "../../src/history-archive/chain.ts";
import { StateReader } from "../../src/history-archive/state-at.ts";
import { NETWORKS } from "../../src/model/networks.ts";
import { hasEnoughSignatures } from "../../src/model/state/proven-state.ts";
import { readSorobanFacts } from "../../src/xdr/envelope/envelope-facts.ts";
import { settingKeyBytes } from "../../src/xdr/reader/keys.ts";
import { ARCHIVE, ofArchive } from "../support/archived-records.ts";

const { test } = ofArchive;
const { passphrase, validators } = NETWORKS.testnet;
const directory = mkdtempSync(join(tmpdir(), "svc-states-"));
afterAll(() => rmSync(directory, { recursive: true }));

async function open(files: ArchiveFiles) {
  const chain = openArchivedChain(await openArchiveFiles(files), validators, passphrase);
  const given = { chain, store: openBucketStore(directory), networkPassphrase: passphrase };
  return { chain, states: new StateReader({ ...given, allow: async () => {} }) };
}

/** Footprint keys with their ledgers: every `step`th Soroban transaction of the archive. */
async function footprintKeys(step: number) {
  const { chain } = await open(archiveDirectory(ARCHIVE));
  const found: { key: Uint8Array; ledger: number }[] = [];
  let count = 0;
  for (let ledger = 64; ledger < 5951; ledger += 1)
    for (const envelope of await chain.envelopes(ledger)) {
      const facts = readSorobanFacts(envelope);
      if (facts === null || count++ % step !== 0) continue;
      for (const key of [...facts.footprint.readOnly, ...facts.footprint.readWrite])
        found.push({ key: Uint8Array.fromBase64(key), ledger: ledger - 1 });
    }
  return found;
}

test("nine of ten footprint entries are proven by the validators, without a node", async () => {
  const { states } = await open(archiveDirectory(ARCHIVE));
  const keys = await footprintKeys(20);
  let proven = 0;
  for (const { key, ledger } of keys) {
    const { entry, liveUntil } = await states.at(key, ledger);
    if (entry.kind === "unknown") continue;
    proven += 1;
    expect(hasEnoughSignatures(entry.proof.signatures)).toBeTrue();
    // What exists has a TTL, and what does not has none.
    if (liveUntil !== null && liveUntil.kind !== "unknown") expect(liveUntil.kind).toBe(entry.kind);
  }
  expect(keys.length).toBeGreaterThan(150);
  expect(proven / keys.length).toBeGreaterThan(0.9);
}, 60_000);

test("without known validators nothing is called proven", async () => {
  const archive = await openArchiveFiles(archiveDirectory(ARCHIVE));
  const chain = openArchivedChain(
    archive,
    [["GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"]],
    passphrase,
  );
  expect(hasEnoughSignatures(await chain.signatures(5000))).toBeFalse();
  expect(
    hasEnoughSignatures(await openArchivedChain(archive, [], passphrase).signatures(5000)),
  ).toBeFalse();
  const otherNetwork = openArchivedChain(archive, validators, "another network");
  expect((await otherNetwork.signatures(5000))?.signers).toEqual([]);
});

test("a file with one bit changed, wherever, proves no other value", async () => {
  const files = archiveDirectory(ARCHIVE);
  const keys = await footprintKeys(100);
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.nat(),
      fc.nat(),
      fc.nat({ max: 7 }),
      async (which, file, at, bit) => {
        const { key, ledger } = keys[which % keys.length] as (typeof keys)[number];
        const read: string[] = [];
        const noted = await open({
          ...files,
          read(name) {
            read.push(name);
            return files.read(name);
          },
        });
        const right = await noted.states.at(key, ledger);
        const target = read[file % read.length];
        const altered = {
          ...files,
          async read(name: string) {
            const bytes = await files.read(name);
            if (bytes === null || name !== target) return bytes;
            // Below the compression, where the archive's own checksums do not help.
            const isPacked = name.endsWith(".gz");
            const plain = Buffer.from(
              isPacked ? Bun.gunzipSync(bytes as Uint8Array<ArrayBuffer>) : bytes,
            );
            const place = at % plain.length;
            plain[place] = (plain[place] ?? 0) ^ (1 << bit);
            return isPacked ? Bun.gzipSync(plain) : plain;
          },
        };
        const told = await open(altered)
          .then((opened) => opened.states.at(key, ledger))
          .catch((error) => error.code as string);
        if (typeof told === "string") expect(told).toMatch(/^(ARCHIVE_|XDR_)/);
        else if (told.entry.kind !== "unknown" && hasEnoughSignatures(told.entry.proof.signatures))
          expect({ ...told.entry, proof: null }).toEqual({ ...right.entry, proof: null } as never);
      },
    ),
    { numRuns: 60 },
  );
}, 60_000);

test("the first ledger of a network has no transactions, and no hash of their results", async () => {
  const { chain } = await open(archiveDirectory(ARCHIVE));
  expect((await chain.header(1)).resultSetHash).toBe("0".repeat(64));
  expect(await chain.transactions(1)).toEqual([]);
});

test("a setting is that of the checkpoint before, up to an upgrade of the network", async () => {
  const { chain, states } = await open(archiveDirectory(ARCHIVE));
  const upgrades: number[] = [];
  for (let ledger = 320; ledger <= 383; ledger += 1)
    if ((await chain.header(ledger)).upgradeCount > 0) upgrades.push(ledger);
  const [first = 0] = upgrades;
  expect(upgrades.length).toBeGreaterThan(1);
  const compute = settingKeyBytes(1);
  const kindAt = async (ledger: number) => (await states.at(compute, ledger)).entry;
  const at = await kindAt(first - 1);
  const checkpoint = await kindAt(319);
  expect(at).toMatchObject({ kind: "known", proof: { step: "untouched-since" } });
  expect(at.kind === "known" && at.value).toEqual(checkpoint.kind === "known" && checkpoint.value);
  expect((await kindAt(first)).kind).toBe("unknown");
  // Not one that changes without an upgrade.
  expect((await states.at(settingKeyBytes(13), first - 1)).entry.kind).toBe("unknown");
});
