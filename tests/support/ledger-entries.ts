// Ledger entries for tests, in the form of getLedgerEntries and of ledgers.

import { createHash } from "node:crypto";
import * as xdr from "@stellar/stellar-sdk/xdr";
import { genesisAccount } from "../../src/xdr/ledger/genesis.ts";
import { ttlKeyOf } from "../../src/xdr/reader/keys.ts";
import { initialSettings } from "./initial-settings.ts";

export interface MadeEntry {
  readonly key: string;
  /** LedgerEntryData. */
  readonly data: string;
  readonly entry: string;
}

const LAST_MODIFIED = 4;
const EXTENSION = 4;
/** Type, then PublicKey. */
const KEY_LENGTH = 4 + 36;
/** Last-modified ledger, then the key. */
const BALANCE_OFFSET = LAST_MODIFIED + KEY_LENGTH;
const NO_EXTENSION = { v: 0 };

export function accountOf(number: number, lastModified = 1, balanceStroops?: number): MadeEntry {
  const bytes = Buffer.from(genesisAccount("a network for tests"));
  bytes.writeUInt32BE(lastModified);
  bytes.writeUInt32BE(number, LAST_MODIFIED + 8);
  if (balanceStroops !== undefined) bytes.writeBigInt64BE(BigInt(balanceStroops), BALANCE_OFFSET);
  const data = bytes.subarray(LAST_MODIFIED, bytes.length - EXTENSION);
  return {
    key: data.subarray(0, KEY_LENGTH).toString("base64"),
    data: data.toString("base64"),
    entry: bytes.toString("base64"),
  };
}

/** LedgerKey of contract data. */
export function dataKeyOf(name: string, durability: "temporary" | "persistent" = "persistent") {
  return encode(xdr.LedgerKey, { type: 6, contractData: contractData(name, durability) });
}

/** The LedgerEntry of a key of `dataKeyOf`, whose value is a number. */
export function dataOf(keyXdr: string, value: number, lastModified = 1): string {
  const { contractData } = decode(xdr.LedgerKey, keyXdr);
  const data = { ext: NO_EXTENSION, ...contractData, val: { type: 3, u32: value } };
  return entryOf({ type: 6, contractData: data }, lastModified);
}

/** Contract code under the hash of `hashed`, which an honest node has equal to `code`. */
export function codeOf(code: string, hashed = code, lastModified = 1): MadeEntry {
  const hash = createHash("sha256").update(hashed).digest();
  const contractCode = { ext: NO_EXTENSION, hash, code: Buffer.from(code) };
  const entry = entryOf({ type: 7, contractCode }, lastModified);
  return {
    key: encode(xdr.LedgerKey, { type: 7, contractCode: { hash } }),
    data: Buffer.from(entry, "base64").subarray(LAST_MODIFIED, -EXTENSION).toString("base64"),
    entry,
  };
}

/** The TTL entry of a contract data or contract code key. */
export function ttlOf(keyXdr: string, liveUntilLedgerSeq: number, lastModified = 1): string {
  const { ttl } = decode(xdr.LedgerKey, ttlKeyOf(keyXdr));
  return entryOf({ type: 9, ttl: { ...ttl, liveUntilLedgerSeq } }, lastModified);
}

/** The setting as a genesis ledger of protocol 28 has it, last modified in that ledger. */
export function settingOf(id: number, lastModified = 1, protocol = 28): string {
  const bytes = Buffer.from(initialSettings(protocol).get(id) ?? "", "base64");
  bytes.writeUInt32BE(lastModified);
  return bytes.toString("base64");
}

function contractData(name: string, durability: "temporary" | "persistent") {
  return {
    contract: { type: 1, contractId: new Uint8Array(32) },
    key: { type: 15, sym: Buffer.from(name) },
    durability: durability === "persistent" ? 1 : 0,
  };
}

function entryOf(data: object, lastModifiedLedgerSeq: number): string {
  return encode(xdr.LedgerEntry, { lastModifiedLedgerSeq, data, ext: NO_EXTENSION });
}

function encode({ schema }: { readonly schema: unknown }, value: unknown): string {
  return (schema as { encode(value: unknown): Uint8Array }).encode(value).toBase64();
}

// biome-ignore lint/suspicious/noExplicitAny: XDR values, which the SDK checks when it encodes them.
function decode({ schema }: { readonly schema: unknown }, base64: string): any {
  const bytes = Uint8Array.fromBase64(base64);
  return (schema as { decode(bytes: Uint8Array): unknown }).decode(bytes);
}
