// Account entries for tests, in the form of getLedgerEntries and of ledgers.

import { genesisAccount } from "../../src/xdr/ledger/genesis.ts";

export interface MadeAccount {
  readonly key: string;
  /** LedgerEntryData. */
  readonly data: string;
  readonly entry: string;
}

const LAST_MODIFIED = 4;
const EXTENSION = 4;
/** Type, then PublicKey. */
const KEY_LENGTH = 4 + 36;

export function accountOf(number: number, lastModified = 1): MadeAccount {
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
