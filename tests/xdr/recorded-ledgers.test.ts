// Full recorded ledgers of every available protocol: the view slices them where the SDK's decoder
// does, and each slice is, byte for byte, what the decoder would encode.

import { expect, test } from "bun:test";
import { StrKey } from "@stellar/stellar-sdk/base";
import * as xdr from "@stellar/stellar-sdk/xdr";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import { readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import {
  readLedgerCloseMeta,
  transactionInLedger,
} from "../../src/xdr/ledger/ledger-close-meta.ts";
import { shapeOf, xdrSource } from "../../src/xdr/reader/shape.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { needs } from "../support/needs.ts";

const context = { signal: new AbortController().signal };
const PUBLIC = "Public Global Stellar Network ; September 2015";
const TESTNET = "Test SDF Network ; September 2015";
const CORE_TESTS = "(V) (;,,;) (V)";

interface SdkType {
  readonly schema: { decode(bytes: Uint8Array): unknown; encode(value: never): Uint8Array };
}

function expectSame(type: SdkType, slice: Uint8Array): void {
  expect(type.schema.encode(type.schema.decode(slice) as never).toBase64()).toBe(slice.toBase64());
}

/** Every part of the ledger, decoded and encoded again. */
function checkLedger(bytes: Uint8Array, passphrase: string): void {
  expect(shapeOf("LedgerCloseMeta").skip(xdrSource(bytes), 0, 0)).toBe(bytes.length);
  const wire = xdr.LedgerCloseMeta.schema.decode(bytes);
  const decoded = wire.v === 0 ? wire.v0 : wire.v === 1 ? wire.v1 : wire.v2;
  const view = readLedgerCloseMeta(bytes, passphrase);
  expect(view.facts.sequence).toBe(decoded.ledgerHeader.header.ledgerSeq);
  expect(view.facts.hash).toBe(decoded.ledgerHeader.hash.toHex());
  expect(view.transactions).toHaveLength(decoded.txProcessing.length);
  expect(view.upgrades).toHaveLength(decoded.upgradesProcessing.length);
  for (const [i, transaction] of view.transactions.entries()) {
    expect(transaction.order).toBe(i + 1);
    expect(transaction.hash).toBe(decoded.txProcessing[i]?.result.transactionHash.toHex() ?? "");
    expectSame(xdr.TransactionEnvelope, transaction.placed.envelope);
    expectSame(xdr.TransactionResult, transaction.result);
    expectSame(xdr.TransactionMeta, transaction.meta);
  }
}

async function checkFile(path: string, passphrase: string): Promise<number> {
  let ledgers = 0;
  for await (const { ledgerCloseMeta } of readLedgerFile(path, context)) {
    checkLedger(ledgerCloseMeta, passphrase);
    ledgers += 1;
  }
  return ledgers;
}

const corpus = needs("../shared/corpus", hasCorpus("mainnet-ledgers"));

corpus.describe("a recorded ledger", () => {
  test.each([
    ["mainnet, protocol 21, batch, zstd", "pubnet-FCD285FF--53312000.xdr.zstd", PUBLIC, 53312000],
    ["mainnet, protocol 22, gzip", "pubnet-57500008.xdr.gz", PUBLIC, 57500008],
    ["mainnet, protocol 27, gzip", "pubnet-63719136.xdr.gz", PUBLIC, 63719136],
    ["testnet", "testnet-3880146.xdr.gz", TESTNET, 3880146],
  ])("of %s is cut as the SDK decodes it", async (_, file, passphrase, sequence) => {
    const path = corpusPath("mainnet-ledgers", file);
    for await (const ledger of readLedgerFile(path, context)) {
      expect(ledger.sequence).toBe(sequence);
    }
    expect(await checkFile(path, passphrase)).toBe(1);
  });

  test("finds a transaction by its outer and its inner hash", async () => {
    const path = corpusPath("mainnet-ledgers", "pubnet-63719136.xdr.gz");
    for await (const { ledgerCloseMeta } of readLedgerFile(path, context)) {
      const view = readLedgerCloseMeta(ledgerCloseMeta, PUBLIC);
      const bump = view.transactions.find((transaction) => transaction.innerHash !== null);
      const byOuter = transactionInLedger(view, bump?.hash ?? "");
      expect(byOuter?.applicationOrder).toBe(bump?.order ?? -1);
      expect(transactionInLedger(view, bump?.innerHash ?? "")).toEqual(byOuter);
      expect(transactionInLedger(view, "0".repeat(64))).toBeNull();
    }
  });

  test("of another network is refused, naming the passphrase", async () => {
    const path = corpusPath("mainnet-ledgers", "testnet-3880146.xdr.gz");
    for await (const { ledgerCloseMeta } of readLedgerFile(path, context)) {
      const view = readLedgerCloseMeta(ledgerCloseMeta, PUBLIC);
      expect(view.transactions[0]?.hasEnvelope).toBe(false);
      expect(() => view.transactions[0]?.envelopeXdr).toThrow("under the passphrase");
    }
  });
});

const corpus2 = needs("../shared/corpus", hasCorpus("core-streams"));

corpus2.test("streams of stellar-core's tests are cut so too", async () => {
  const streams = [...new Bun.Glob("*/*.xdr.zst").scanSync(corpusPath("core-streams"))].sort();
  let ledgers = 0;
  for (const stream of streams.filter((_, i) => i % 10 === 0)) {
    ledgers += await checkFile(corpusPath("core-streams", stream), CORE_TESTS);
  }
  expect(ledgers).toBeGreaterThan(300);
});

test("strkeys are the SDK's", () => {
  const key = Uint8Array.from({ length: 32 }, (_, i) => i * 7);
  expect(encodeStrkey("account", key)).toBe(StrKey.encodeEd25519PublicKey(Buffer.from(key)));
  expect(encodeStrkey("contract", key)).toBe(StrKey.encodeContract(Buffer.from(key)));
  const muxed = Buffer.concat([key, Buffer.from([0, 0, 0, 0, 0, 0, 4, 210])]);
  expect(encodeStrkey("muxed", muxed)).toBe(StrKey.encodeMed25519PublicKey(muxed));
});
