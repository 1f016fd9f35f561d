// Changes and creates LedgerEntries, base64 to base64. Null means that the entry does not have the
// type that the change is for.

import { ContractCodeEntryExt, LedgerEntry, LedgerKey, ScVal } from "@stellar/stellar-sdk/xdr";
import { decodeBase64, XdrCursor } from "../reader/cursor.ts";
import { ENTRY_TYPE, typeOfKey } from "../reader/keys.ts";
import { shapeOf, xdrSource } from "../reader/shape.ts";
import { setUint32 } from "../reader/words.ts";

/** For an account or a trustline; `stroops` is an int64. */
export function withBalance(entryXdr: string, stroops: string): string | null {
  const entry = decode(entryXdr);
  const balance = BigInt(stroops);
  const { data } = entry;
  if (data.type === ENTRY_TYPE.account)
    return encode({ ...entry, data: { ...data, account: { ...data.account, balance } } });
  if (data.type === ENTRY_TYPE.trustline)
    return encode({ ...entry, data: { ...data, trustLine: { ...data.trustLine, balance } } });
  return null;
}

/** `keyXdr`: a key of contract data; `valueXdr`: an ScVal. */
export function contractDataEntry(
  keyXdr: string,
  valueXdr: string,
  lastModifiedLedger: number,
): string | null {
  const key = LedgerKey.schema.decode(decodeBase64(keyXdr, "LedgerKey"));
  if (key.type !== ENTRY_TYPE.contractData) return null;
  const val = ScVal.schema.decode(decodeBase64(valueXdr, "ScVal"));
  const contractData = { ...key.contractData, ext: { v: 0 as const }, val };
  return encode({
    lastModifiedLedgerSeq: lastModifiedLedger,
    data: { type: ENTRY_TYPE.contractData, contractData },
    ext: { v: 0 },
  });
}

/** Makes a contract's instance run the code with that hash (hex); its storage stays. */
export function withExecutable(instanceEntryXdr: string, wasmHash: string): string | null {
  const entry = decode(instanceEntryXdr);
  const { data } = entry;
  if (data.type !== ENTRY_TYPE.contractData) return null;
  const { contractData } = data;
  if (contractData.val.type !== SCV_INSTANCE) return null;
  const executable = { type: EXECUTABLE_WASM, wasmHash: Buffer.from(wasmHash, "hex") } as const;
  const val = { ...contractData.val, instance: { ...contractData.val.instance, executable } };
  return encode({ ...entry, data: { ...data, contractData: { ...contractData, val } } });
}

/**
 * The smallest LedgerEntry that a key can have: contract data of no value, an account or a
 * trustline without anything. Null for contract code, which is what its hash says, and for other
 * types.
 */
export function smallestEntry(keyXdr: string, lastModifiedLedger: number): string | null {
  const type = typeOfKey(keyXdr);
  if (type === ENTRY_TYPE.contractData) return contractDataEntry(keyXdr, VOID, lastModifiedLedger);
  const written = LedgerKey.fromXdr(keyXdr, "base64").toJson() as Record<string, object>;
  const [key] = Object.values(written);
  const nothing = { balance: "0", flags: 0, ext: "v0" };
  const data =
    type === ENTRY_TYPE.account
      ? { account: { ...EMPTY_ACCOUNT, ...nothing, ...key } }
      : { trustline: { limit: "1", ...nothing, ...key } };
  if (type !== ENTRY_TYPE.account && type !== ENTRY_TYPE.trustline) return null;
  const entry = { last_modified_ledger_seq: lastModifiedLedger, data, ext: "v0" };
  return LedgerEntry.fromJson(entry as never).toXdr("base64");
}

const EMPTY_ACCOUNT = {
  seq_num: "0",
  num_sub_entries: 0,
  inflation_dest: null,
  home_domain: "",
  thresholds: "00000000",
  signers: [],
};

/** Sets the last-modified ledger. */
export function modifiedIn(entryXdr: string, ledger: number): string {
  const entry = decodeBase64(entryXdr, "LedgerEntry").slice();
  setUint32(entry, 0, ledger);
  return entry.toBase64();
}

/** LedgerKey of contract code by its hash, hex. */
export function contractCodeKey(wasmHash: string): string {
  const key = new Uint8Array(4 + 32);
  setUint32(key, 0, ENTRY_TYPE.contractCode);
  key.set(Buffer.from(wasmHash, "hex"), 4);
  return key.toBase64();
}

/** ScVal. */
const VOID = "AAAAAQ==";
const SCV_INSTANCE = 19;
const EXECUTABLE_WASM = 0;

function decode(entryXdr: string) {
  return LedgerEntry.schema.decode(decodeBase64(entryXdr, "LedgerEntry"));
}

function encode(entry: Parameters<typeof LedgerEntry.schema.encode>[0]): string {
  return LedgerEntry.schema.encode(entry).toBase64();
}

/** A ContractCode LedgerEntry as uploads before protocol 21 wrote it (CAP-54). */
export function withoutCostInputs(codeEntryXdr: string): string {
  const entry = decodeBase64(codeEntryXdr, "LedgerEntry");
  const cursor = new XdrCursor(xdrSource(entry));
  cursor.opaque(HEAD_BYTES);
  cursor.skip(codeExtension);
  const older = new Uint8Array(4);
  return Buffer.concat([entry.subarray(0, HEAD_BYTES), older, entry.subarray(cursor.at)]).toString(
    "base64",
  );
}

const codeExtension = shapeOf(ContractCodeEntryExt);
/** The ledger that last modified it, and the type. */
const HEAD_BYTES = 8;
