// Account and code entries for tests, in the form of getLedgerEntries and of ledgers.

import { createHash } from "node:crypto";
import { genesisAccount } from "../../src/xdr/ledger/genesis.ts";

export interface MadeEntry {
  readonly key: string;
  /** LedgerEntryData. */
  readonly data: string;
  readonly entry: string;
}

const CONTRACT_CODE = 7;
const LAST_MODIFIED = 4;
const EXTENSION = 4;
/** Type, then PublicKey. */
const KEY_LENGTH = 4 + 36;

export function accountOf(number: number, lastModified = 1): MadeEntry {
  const bytes = Buffer.from(genesisAccount("a network for tests"));
  bytes.writeUInt32BE(lastModified);
  bytes.writeUInt32BE(number, LAST_MODIFIED + 8);
  const data = bytes.subarray(LAST_MODIFIED, bytes.length - EXTENSION);
  return {
    key: data.subarray(0, KEY_LENGTH).toString("base64"),
    data: data.toString("base64"),
    entry: bytes.toString("base64"),
  };
}

/** Contract code under the hash of `hashed`, which an honest node has equal to `code`. */
export function codeOf(code: string, hashed = code): MadeEntry {
  const type = number32(CONTRACT_CODE);
  const hash = createHash("sha256").update(hashed).digest();
  const padding = Buffer.alloc((4 - (code.length % 4)) % 4);
  const zero = number32(0);
  const opaque = [number32(code.length), Buffer.from(code), padding];
  const data = Buffer.concat([type, zero, hash, ...opaque]);
  return {
    key: Buffer.concat([type, hash]).toString("base64"),
    data: data.toString("base64"),
    entry: Buffer.concat([number32(1), data, zero]).toString("base64"),
  };
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
