// The facts of a ledger header that the contract host and the fee rules read. A header holds the
// values after the ledger's upgrades; see facts-before-upgrades.ts.

import type { LedgerFacts } from "../../model/chain-record.ts";
import { decodeBase64, XdrCursor } from "../reader/cursor.ts";
import { type Shape, shapeOf, xdrSource } from "../reader/shape.ts";

export interface LedgerHeaderFacts extends LedgerFacts {
  /** Hex; null when only a LedgerHeader was given. */
  readonly hash: string | null;
  /** Hash of the previous ledger, hex. */
  readonly previousHash: string;
  /** Hash of the results of all transactions, hex. */
  readonly resultSetHash: string;
  /** Upgrades, which are applied after the ledger's transactions. */
  readonly upgradeCount: number;
  /** LedgerHeader, a range of the bytes that were read. */
  readonly header: Uint8Array;
}

const HASH_SIZE = 32;
const ledgerHeader = shapeOf("LedgerHeader");
const stellarValue = shapeOf("StellarValue");

/** LedgerHeader or LedgerHeaderHistoryEntry. Throws XDR_INVALID. */
export function readLedgerHeader(headerXdr: string): LedgerHeaderFacts {
  const source = xdrSource(decodeBase64(headerXdr, "LedgerHeader"));
  const plain = new XdrCursor(source);
  if (endsAt(source.end, plain, ledgerHeader)) {
    plain.at = 0;
    return { ...readHeader(plain), hash: null };
  }
  const cursor = new XdrCursor(source);
  const facts = readHeaderHistoryEntry(cursor);
  cursor.done("LedgerHeader");
  return facts;
}

/** LedgerHeaderHistoryEntry: hash, header, extension. */
export function readHeaderHistoryEntry(cursor: XdrCursor): LedgerHeaderFacts {
  const hash = cursor.opaque(HASH_SIZE).toHex();
  const facts = readHeader(cursor);
  cursor.noExtension("LedgerHeaderHistoryEntryExt");
  return { ...facts, hash };
}

function readHeader(cursor: XdrCursor): Omit<LedgerHeaderFacts, "hash"> {
  const start = cursor.at;
  const protocolVersion = cursor.uint32();
  const previousHash = cursor.opaque(HASH_SIZE).toHex();
  const valueStart = cursor.at;
  const transactionSetHash = cursor.opaque(HASH_SIZE).toHex();
  const closeTimeUnixSeconds = cursor.uint64().toString();
  const upgradeCount = cursor.length("upgrades");
  cursor.at = valueStart;
  cursor.skip(stellarValue);
  const resultSetHash = cursor.opaque(HASH_SIZE).toHex();
  cursor.opaque(HASH_SIZE);
  const sequence = cursor.uint32();
  // totalCoins, feePool, inflationSeq, idPool
  cursor.opaque(8 + 8 + 4 + 8);
  const baseFeeStroops = cursor.uint32();
  const baseReserveStroops = cursor.uint32();
  cursor.at = start;
  const header = cursor.take(ledgerHeader);
  return {
    header,
    sequence,
    protocolVersion,
    closeTimeUnixSeconds,
    baseFeeStroops,
    baseReserveStroops,
    transactionSetHash,
    previousHash,
    resultSetHash,
    upgradeCount,
  };
}

function endsAt(end: number, cursor: XdrCursor, shape: Shape): boolean {
  try {
    cursor.skip(shape);
    return cursor.at === end;
  } catch {
    return false;
  }
}
