// Compares the in-place readers with the SDK's decoder on random values of the types.

import { describe, expect, test } from "bun:test";
import * as xdr from "@stellar/stellar-sdk/xdr";
import fc from "fast-check";
import { NEWEST_PROTOCOL } from "../../src/model/protocols.ts";
import type { ResultCode } from "../../src/model/result-code.ts";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { readEnvelopeFacts, readSorobanFacts } from "../../src/xdr/envelope/envelope-facts.ts";
import { readLedgerHeader } from "../../src/xdr/ledger/header.ts";
import { readTransactionMeta, sliceMetaChanges } from "../../src/xdr/outcome/meta.ts";
import { readTransactionResult } from "../../src/xdr/outcome/result.ts";
import { networkId, sha256 } from "../../src/xdr/reader/hash.ts";
import {
  isSorobanKey,
  isTemporaryKey,
  keyOfEntry,
  settingKeys,
  settingName,
  ttlKeyOf,
} from "../../src/xdr/reader/keys.ts";
import { arbitraryOf } from "../support/xdr-arbitrary.ts";

const RUNS = { numRuns: 400, seed: 7 };
const PASSPHRASE = "Test SDF Network ; September 2015";

interface SdkType {
  readonly schema: { encode(value: never): Uint8Array };
}

// biome-ignore lint/suspicious/noExplicitAny: decoded XDR of random types
type Wire = any;

function encode(type: SdkType, value: unknown): Uint8Array {
  return type.schema.encode(value as never);
}

function base64(type: SdkType, value: unknown): string {
  return encode(type, value).toBase64();
}

function forAll(type: SdkType, check: (value: Wire, xdr: string) => void): void {
  const property = fc.property(arbitraryOf(type), (value) => check(value, base64(type, value)));
  fc.assert(property, RUNS);
}

describe("the key of an entry", () => {
  const KEY_FIELDS: Record<string, readonly string[]> = {
    account: ["accountId"],
    trustLine: ["accountId", "asset"],
    offer: ["sellerId", "offerId"],
    data: ["accountId", "dataName"],
    claimableBalance: ["balanceId"],
    liquidityPool: ["liquidityPoolId"],
    contractData: ["contract", "key", "durability"],
    contractCode: ["hash"],
    ttl: ["keyHash"],
  };

  test("has the entry's key fields, for entries of every type", () => {
    const seen = new Set<string>();
    forAll(xdr.LedgerEntry, ({ data }, entryXdr) => {
      const [, arm] = Object.keys(data) as [string, string];
      seen.add(arm);
      const entry = data[arm];
      const fields =
        arm === "configSetting"
          ? { configSettingId: entry.configSettingID }
          : Object.fromEntries((KEY_FIELDS[arm] ?? []).map((name) => [name, entry[name]]));
      const key = base64(xdr.LedgerKey, { type: data.type, [arm]: fields });
      expect(keyOfEntry(entryXdr)).toBe(key);
    });
    expect(seen.size).toBe(10);
  });

  test("identifies Soroban and temporary entries", () => {
    forAll(xdr.LedgerKey, (key, keyXdr) => {
      expect(isSorobanKey(keyXdr)).toBe(key.type === 6 || key.type === 7);
      expect(isTemporaryKey(keyXdr)).toBe(key.type === 6 && key.contractData.durability === 0);
      if (key.type !== 6 && key.type !== 7) return;
      const keyHash = sha256(encode(xdr.LedgerKey, key));
      expect(ttlKeyOf(keyXdr)).toBe(base64(xdr.LedgerKey, { type: 9, ttl: { keyHash } }));
    });
  });

  test("names settings as the XDR does", () => {
    expect(settingKeys(20).map(settingName)).toContain("CONFIG_SETTING_STATE_ARCHIVAL");
    expect(settingKeys(22)).toHaveLength(14);
    expect(settingKeys(23).map(settingName)).toContain(
      "CONFIG_SETTING_CONTRACT_LEDGER_COST_EXT_V0",
    );
    expect(settingKeys(26).map(settingName)).toContain("CONFIG_SETTING_FROZEN_LEDGER_KEYS");
  });
});

describe("an envelope", () => {
  const hashOf = (type: number, body: Uint8Array) =>
    sha256(networkId(PASSPHRASE), new Uint8Array([0, 0, 0, type]), body).toHex();

  test("has the hash of its transaction, and its facts", () => {
    forAll(xdr.TransactionEnvelope, (envelope, envelopeXdr) => {
      const facts = openEnvelope(envelopeXdr, PASSPHRASE);
      const inner = envelope.feeBump?.tx.innerTx.v1 ?? envelope.v1 ?? envelope.v0;
      if (envelope.feeBump !== undefined) {
        const bump = encode(xdr.FeeBumpTransaction, envelope.feeBump.tx);
        expect(facts.hash).toBe(hashOf(5, bump));
        expect(facts.innerHash).toBe(hashOf(2, encode(xdr.Transaction, inner.tx)));
        expect(facts.feeBidStroops).toBe(String(envelope.feeBump.tx.fee));
      } else {
        expect(facts.innerHash).toBeNull();
        expect(facts.feeBidStroops).toBe(String(inner.tx.fee));
        if (envelope.v1) expect(facts.hash).toBe(hashOf(2, encode(xdr.Transaction, inner.tx)));
      }
      expect(facts.operationKinds).toHaveLength(inner.tx.operations.length);
      const bytes = Uint8Array.fromBase64(envelopeXdr);
      expect(readSorobanFacts(bytes)).toEqual(facts.soroban);
    });
  });

  test("of version 0 has the hash of the same envelope in version 1", () => {
    forAll(xdr.TransactionV0, (tx) => {
      const { sourceAccountEd25519, timeBounds, ...rest } = tx;
      const cond = timeBounds === null ? { type: 0 } : { type: 1, timeBounds };
      const sourceAccount = { type: 0, ed25519: sourceAccountEd25519 };
      const v0 = base64(xdr.TransactionEnvelope, { type: 0, v0: { tx, signatures: [] } });
      const v1 = base64(xdr.TransactionEnvelope, {
        type: 2,
        v1: { tx: { ...rest, sourceAccount, cond }, signatures: [] },
      });
      const [one, other] = [v0, v1].map((xdr) => openEnvelope(xdr, PASSPHRASE));
      expect([one?.hash, one?.innerHash]).toEqual([other?.hash, other?.innerHash]);
      const factsOf = (xdr: string) => readEnvelopeFacts(Uint8Array.fromBase64(xdr));
      expect(factsOf(v0)).toEqual(factsOf(v1));
      const { sizeBytes, ...terms } = { ...one?.terms };
      expect({ ...terms, sizeBytes: (sizeBytes ?? 0) + 4 }).toEqual({ ...other?.terms } as never);
    });
  });

  test("shows the Soroban footprint, resources and archived entries", () => {
    forAll(xdr.SorobanTransactionData, (data) => {
      const operations = [
        { sourceAccount: null, body: { type: 26, restoreFootprintOp: { ext: { v: 0 } } } },
      ];
      const sourceAccount = { type: 0, ed25519: new Uint8Array(32) };
      const tx = {
        sourceAccount,
        fee: 1,
        seqNum: 1n,
        cond: { type: 0 },
        memo: { type: 0 },
        operations,
        ext: { v: 1, sorobanData: data },
      };
      const envelope = base64(xdr.TransactionEnvelope, { type: 2, v1: { tx, signatures: [] } });
      const facts = openEnvelope(envelope, PASSPHRASE).soroban;
      const { footprint, instructions, diskReadBytes, writeBytes } = data.resources;
      const keys = (list: Wire[]) => list.map((key) => base64(xdr.LedgerKey, key));
      expect(facts).toEqual({
        operation: "restore_footprint",
        footprint: { readOnly: keys(footprint.readOnly), readWrite: keys(footprint.readWrite) },
        instructions,
        diskReadBytes,
        writeBytes,
        resourceFeeStroops: String(data.resourceFee),
        archivedEntryIndexes: data.ext.resourceExt?.archivedSorobanEntries ?? [],
      });
    });
  });
});

describe("a result", () => {
  test("has the names of its codes, and the success hash", () => {
    forAll(xdr.TransactionResult, (result, resultXdr) => {
      const facts = readTransactionResult(resultXdr);
      const pair = result.result.innerResultPair;
      const inner = pair?.result ?? result;
      expect(facts.feeChargedStroops).toBe(String(result.feeCharged));
      expect(facts.innerHash).toBe(pair?.transactionHash.toHex() ?? null);
      expect(facts.success).toBe(result.result.code === 0 || result.result.code === 1);
      const results: Wire[] = inner.result.results ?? [];
      expect(facts.operationResultsXdr).toEqual(
        results.map((each) => base64(xdr.OperationResult, each)),
      );
      for (const [i, each] of results.entries()) {
        const { operation, code } = facts.operationResults[i] as ResultCode;
        if (each.code !== 0) {
          expect(operation).toBeNull();
          expect(code).toStartWith("op");
        } else {
          expect(operation).not.toBeNull();
          expect(code).not.toStartWith("unknown");
        }
      }
    });
  });
});

describe("a transaction meta", () => {
  const entryOf = (change: Wire) => {
    const [, arm] = Object.keys(change) as [string, string];
    return arm === "removed" ? null : base64(xdr.LedgerEntry, change[arm]);
  };
  const entriesOf = (changes: Wire[]) => changes.map(entryOf);

  test("of every version has its changes, events and return value", () => {
    const versions = new Set<number>();
    forAll(xdr.TransactionMeta, (meta, metaXdr) => {
      const facts = readTransactionMeta(metaXdr);
      versions.add(meta.v);
      const body = meta[`v${meta.v}`] ?? { operations: meta.operations };
      const operations: Wire[] = body.operations;
      expect(facts.version).toBe(meta.v);
      expect(facts.changesBefore.map((change) => change.entryXdr)).toEqual(
        entriesOf(body.txChangesBefore ?? body.txChanges ?? []),
      );
      expect(facts.operationChanges.map((list) => list.map((change) => change.entryXdr))).toEqual(
        operations.map((operation) => entriesOf(operation.changes)),
      );
      expect(facts.changesAfter.map((change) => change.entryXdr)).toEqual(
        entriesOf(body.txChangesAfter ?? []),
      );
      const soroban = body.sorobanMeta ?? null;
      const events: Wire[] =
        meta.v === 4
          ? operations.flatMap((operation) => operation.events)
          : (soroban?.events ?? []);
      expect(facts.eventsXdr).toEqual(events.map((event) => base64(xdr.ContractEvent, event)));
      const returned = soroban?.returnValue ?? null;
      expect(facts.returnValueXdr).toBe(returned && base64(xdr.ScVal, returned));
      const diagnostics: Wire[] = (meta.v === 4 ? body : soroban)?.diagnosticEvents ?? [];
      expect(facts.diagnosticsXdr).toHaveLength(diagnostics.length);
    });
    expect([...versions].sort()).toEqual([0, 1, 2, 3, 4]);
  });

  test("has the same changes if only the changes are read", () => {
    forAll(xdr.TransactionMeta, (_, metaXdr) => {
      const facts = readTransactionMeta(metaXdr);
      const changes = sliceMetaChanges(Uint8Array.fromBase64(metaXdr));
      const count = (list: readonly unknown[]) => list.length;
      expect(changes.changesBefore).toHaveLength(facts.changesBefore.length);
      expect(changes.operationChanges.map(count)).toEqual(facts.operationChanges.map(count));
      expect(changes.changesAfter).toHaveLength(facts.changesAfter.length);
    });
  });
});

test("a ledger header is read by itself and from a history entry", () => {
  forAll(xdr.LedgerHeaderHistoryEntry, ({ hash, header: random, ext }) => {
    // svc names a later protocol and reads nothing more of it (tests/ledgers).
    const header = { ...random, ledgerVersion: random.ledgerVersion % (NEWEST_PROTOCOL + 1) };
    const entryXdr = base64(xdr.LedgerHeaderHistoryEntry, { hash, header, ext });
    const facts = readLedgerHeader(entryXdr);
    expect(facts.hash).toBe(hash.toHex());
    expect(facts).toMatchObject({
      sequence: header.ledgerSeq,
      protocolVersion: header.ledgerVersion,
      closeTimeUnixSeconds: String(header.scpValue.closeTime),
      baseFeeStroops: header.baseFee,
      baseReserveStroops: header.baseReserve,
      transactionSetHash: header.scpValue.txSetHash.toHex(),
      previousHash: header.previousLedgerHash.toHex(),
      upgradeCount: header.scpValue.upgrades.length,
    });
    expect(readLedgerHeader(base64(xdr.LedgerHeader, header))).toEqual({ ...facts, hash: null });
  });
});
