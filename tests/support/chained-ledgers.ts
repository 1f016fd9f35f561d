// Ledgers with the hashes that their headers have, each following the one before: what was changed
// in recorded or made ledgers, a network would have signed so.

import type { LedgerBytes } from "../../src/sources/files/ledger-stream.ts";
import { readLedgerCloseMeta } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { sha256 } from "../../src/xdr/reader/hash.ts";

const HASH_SIZE = 32;
/** In a LedgerHeader, after the protocol version. */
const PREVIOUS_HASH_AT = 4;
const TRANSACTION_SET_HASH_AT = PREVIOUS_HASH_AT + HASH_SIZE;

export function chained(
  ledgers: readonly LedgerBytes[],
  beforeFirst: Uint8Array | null = null,
): LedgerBytes[] {
  let previous = beforeFirst;
  return ledgers.map(({ sequence, ledgerCloseMeta }) => {
    const bytes = new Uint8Array(ledgerCloseMeta);
    const { facts, transactionSet } = readLedgerCloseMeta(bytes, "");
    const { header } = facts;
    const start = header.byteOffset - bytes.byteOffset;
    if (transactionSet !== null) bytes.set(sha256(transactionSet), start + TRANSACTION_SET_HASH_AT);
    if (previous !== null) bytes.set(previous, start + PREVIOUS_HASH_AT);
    const hash = sha256(bytes.subarray(start, start + header.length));
    bytes.set(hash, start - HASH_SIZE);
    previous = hash;
    return { sequence, ledgerCloseMeta: bytes };
  });
}
