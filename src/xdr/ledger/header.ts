// Reads the facts of a ledger header that the contract host and the fee rules use. A header holds
// the values after the ledger's upgrades; see facts-before-upgrades.ts.

import { concatBytes, sameBytes } from "../../base/bytes.ts";
import type { LedgerFacts } from "../../model/chain-record.ts";
import { decodeBase64, XdrCursor } from "../reader/cursor.ts";
import { HASH_SIZE } from "../reader/hash.ts";
import { invalidXdr, type Shape, shapeOf, xdrSource } from "../reader/shape.ts";
import type { Value } from "../reader/value.ts";
import { uint32s } from "../reader/words.ts";
import { secondOf } from "./close-time.ts";
import { refuseLaterHeader } from "./later-protocol.ts";

export interface LedgerHeaderFacts extends LedgerFacts {
  /** Hex; null if only a LedgerHeader was read. */
  readonly hash: string | null;
  /** The hash of the previous ledger, hex. */
  readonly previousHash: string;
  /** The hash of the ledger's own transaction set, hex. A fork can seed a ledger with another. */
  readonly ownSetHash: string;
  /** The hash of the results of all transactions, hex. */
  readonly resultSetHash: string;
  /** The number of upgrades, which apply after the ledger's transactions. */
  readonly upgradeCount: number;
  /** The LedgerHeader, a range of the bytes that were read. */
  readonly header: Uint8Array;
}

/** A key that no validator has: the SHA-256 of "svc fork: the seed of a network's ledger". */
const SEED_KEY = Uint8Array.fromHex(
  "009c47702709a774742d2bb27d95bb038a97eadfe123cee6b197b4f92565be50",
);
/** The seed, and the shift in 4 bytes. */
const SEED_SIZE = HASH_SIZE + 4;
/** The beginning of a LedgerCloseValueSignature of that key, up to the signature's bytes. */
const SEED_BEGINS = concatBytes([uint32s(0), SEED_KEY, uint32s(SEED_SIZE)]);
const ledgerHeader = shapeOf("LedgerHeader");
const upgradeType = shapeOf("UpgradeType");
const stellarValueExt = shapeOf("StellarValueExt");

/**
 * Values of StellarValueType. The last two have milliseconds (CAP-88), and the last is for a set
 * that was voted away (CAP-83).
 */
const VALUE = { signed: 1, signedMs: 3, emptySetMs: 4 } as const;
type ValueExtension = Value<"StellarValue">["ext"];

export type Seed = Pick<LedgerFacts, "transactionSetHash" | "seedShift">;

/** Returns the set that was proposed if the validators dropped it (CAP-83), or null. */
export function droppedSet({ v, ...ext }: ValueExtension) {
  if ("proposedValue" in ext) return ext.proposedValue;
  return "proposedMsValue" in ext ? ext.proposedMsValue : null;
}

/**
 * Marks the ledger of a fork in its header, in the place of a validator's signature. The mark has
 * the seed of the ledger's transactions: that of its own set, or that of a ledger of the network,
 * which the header does not name. The ledger engine does not know the mark, so a replay judges the
 * transactions that draw random numbers. `closeTimeMs` is null if the ledger has whole seconds.
 */
export function seedExtension(
  { transactionSetHash, seedShift = 0 }: Seed,
  closeTimeMs: bigint | null,
): ValueExtension {
  const nodeId = { type: 0, ed25519: SEED_KEY } as const;
  const signature = concatBytes([Uint8Array.fromHex(transactionSetHash), uint32s(seedShift)]);
  const lcValueSignature = { nodeId, signature };
  if (closeTimeMs === null) return { v: VALUE.signed, lcValueSignature };
  return { v: VALUE.signedMs, signedMsValue: { closeTimeMs, lcValueSignature } };
}

/** `signature` is a LedgerCloseValueSignature. */
function forkIn(signature: Uint8Array): (Seed & Pick<LedgerFacts, "isFork">) | null {
  const size = SEED_BEGINS.length + SEED_SIZE;
  if (signature.length !== size || !sameBytes(SEED_BEGINS, signature.subarray(0, -SEED_SIZE)))
    return null;
  const seed = new XdrCursor(xdrSource(signature.subarray(-SEED_SIZE)));
  const transactionSetHash = seed.opaque(HASH_SIZE).toHex();
  const seedShift = seed.uint32();
  return { transactionSetHash, ...(seedShift > 0 && { seedShift }), isFork: true };
}

/**
 * Reads a LedgerHeader or a LedgerHeaderHistoryEntry. `hash` (hex) is the header's hash, if it is
 * known from elsewhere. Throws XDR_INVALID, and PROTOCOL_UNKNOWN for a later protocol.
 */
export function readLedgerHeader(headerXdr: string, hash?: string | null): LedgerHeaderFacts {
  const source = xdrSource(decodeBase64(headerXdr, "LedgerHeader"));
  const plain = new XdrCursor(source);
  if (endsAt(source.end, plain, ledgerHeader)) {
    refuseLaterHeader(source, 0, null);
    plain.at = 0;
    return { ...readHeader(plain), hash: null };
  }
  const cursor = new XdrCursor(source);
  try {
    const facts = readHeaderHistoryEntry(cursor);
    cursor.done("LedgerHeader");
    return facts;
  } catch (error) {
    refuseLaterHeader(source, 0, hash ? Uint8Array.fromHex(hash) : null);
    throw error;
  }
}

/** Reads a LedgerHeaderHistoryEntry: hash, header, extension. Throws as `readLedgerHeader` does. */
export function readHeaderHistoryEntry(cursor: XdrCursor): LedgerHeaderFacts {
  const bytes = cursor.opaque(HASH_SIZE);
  refuseLaterHeader(cursor.source, cursor.at, bytes);
  const hash = bytes.toHex();
  const facts = readHeader(cursor);
  cursor.noExtension("LedgerHeaderHistoryEntryExt");
  return { ...facts, hash };
}

function readHeader(cursor: XdrCursor): Omit<LedgerHeaderFacts, "hash"> {
  const start = cursor.at;
  const protocolVersion = cursor.uint32();
  const previousHash = cursor.opaque(HASH_SIZE).toHex();
  const { ownSetHash, upgradeCount, fork, ...closeTime } = readValue(cursor);
  const resultSetHash = cursor.opaque(HASH_SIZE).toHex();
  cursor.opaque(HASH_SIZE);
  const sequence = cursor.uint32();
  // These are totalCoins, feePool, inflationSeq and idPool.
  cursor.opaque(8 + 8 + 4 + 8);
  const baseFeeStroops = cursor.uint32();
  const baseReserveStroops = cursor.uint32();
  cursor.at = start;
  const header = cursor.take(ledgerHeader);
  return {
    header,
    sequence,
    protocolVersion,
    ...closeTime,
    baseFeeStroops,
    baseReserveStroops,
    ownSetHash,
    ...(fork ?? { transactionSetHash: ownSetHash }),
    previousHash,
    resultSetHash,
    upgradeCount,
  };
}

/** Reads a StellarValue. Throws XDR_INVALID if its two close times differ. */
function readValue(cursor: XdrCursor) {
  const ownSetHash = cursor.opaque(HASH_SIZE).toHex();
  const seconds = cursor.uint64();
  const upgradeCount = cursor.array("upgrades", () => cursor.skip(upgradeType)).length;
  const start = cursor.at;
  const arm = cursor.int32();
  const hasMilliseconds = arm === VALUE.signedMs || arm === VALUE.emptySetMs;
  const milliseconds = hasMilliseconds ? cursor.uint64() : null;
  const signatureStart = cursor.at;
  cursor.at = start;
  cursor.skip(stellarValueExt);
  // stellar-core stores no such header (LedgerHeaderUtils.cpp).
  if (milliseconds !== null && secondOf(milliseconds) !== seconds)
    throw invalidXdr("LedgerHeader", start, `closeTimeMs ${milliseconds} is not in ${seconds} s`);
  const isSigned = arm === VALUE.signed || arm === VALUE.signedMs;
  return {
    ownSetHash,
    upgradeCount,
    closeTimeUnixSeconds: seconds.toString(),
    ...(milliseconds !== null && { closeTimeUnixMilliseconds: milliseconds.toString() }),
    fork: isSigned ? forkIn(cursor.source.bytes.subarray(signatureStart, cursor.at)) : null,
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
