// The facts of a ledger header that the contract host and the fee rules read. A header holds the
// values after the ledger's upgrades; see facts-before-upgrades.ts.

import type { LedgerFacts } from "../../model/chain-record.ts";
import { decodeBase64, XdrCursor } from "../reader/cursor.ts";
import { HASH_SIZE, sha256 } from "../reader/hash.ts";
import { type Shape, shapeOf, xdrSource } from "../reader/shape.ts";
import type { Value } from "../reader/value.ts";
import { uint32s } from "../reader/words.ts";

export interface LedgerHeaderFacts extends LedgerFacts {
  /** Hex; null when only a LedgerHeader was given. */
  readonly hash: string | null;
  /** Hash of the previous ledger, hex. */
  readonly previousHash: string;
  /** Hash of the ledger's own transaction set, hex; a fork can seed a ledger with another. */
  readonly ownSetHash: string;
  /** Hash of the results of all transactions, hex. */
  readonly resultSetHash: string;
  /** Upgrades, which are applied after the ledger's transactions. */
  readonly upgradeCount: number;
  /** LedgerHeader, a range of the bytes that were read. */
  readonly header: Uint8Array;
}

/** A key that no validator has. */
const SEED_KEY = sha256(Buffer.from("svc fork: the seed of a network's ledger"));
/** The seed, and the shift in 4 bytes. */
const SEED_SIZE = HASH_SIZE + 4;
/** How a StellarValueExt with a signature of that key begins, up to the signature's bytes. */
const SEED_BEGINS = Buffer.concat([uint32s(1, 0), SEED_KEY, uint32s(SEED_SIZE)]);
const ledgerHeader = shapeOf("LedgerHeader");
const stellarValue = shapeOf("StellarValue");

export type Seed = Pick<LedgerFacts, "transactionSetHash" | "seedShift">;

/**
 * A fork's ledger says so in its header, where a validator's signature would be, with the seed of
 * its transactions: that of its own set, or of a network's ledger, which the header does not name.
 * The ledger engine does not know of it: what draws there is judged by a replay.
 */
export function seedExtension({
  transactionSetHash,
  seedShift = 0,
}: Seed): Value<"StellarValue">["ext"] {
  const nodeId = { type: 0, ed25519: SEED_KEY } as const;
  const signature = Buffer.concat([Buffer.from(transactionSetHash, "hex"), uint32s(seedShift)]);
  return { v: 1, lcValueSignature: { nodeId, signature } };
}

function forkIn(stellarValue: Uint8Array): (Seed & Pick<LedgerFacts, "isFork">) | null {
  const extension = stellarValue.subarray(-SEED_BEGINS.length - SEED_SIZE);
  if (!SEED_BEGINS.equals(extension.subarray(0, SEED_BEGINS.length))) return null;
  const seed = new XdrCursor(xdrSource(extension.subarray(SEED_BEGINS.length)));
  const transactionSetHash = seed.opaque(HASH_SIZE).toHex();
  const seedShift = seed.uint32();
  return { transactionSetHash, ...(seedShift > 0 && { seedShift }), isFork: true };
}

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
  const ownSetHash = cursor.opaque(HASH_SIZE).toHex();
  const closeTimeUnixSeconds = cursor.uint64().toString();
  const upgradeCount = cursor.length("upgrades");
  cursor.at = valueStart;
  const value = cursor.take(stellarValue);
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
    ownSetHash,
    ...(forkIn(value) ?? { transactionSetHash: ownSetHash }),
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
