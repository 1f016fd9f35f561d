// Refuses a ledger of a later protocol than svc knows by its header, before anything else in it is
// read. The protocol is the header's first field, whatever the rest looks like.
// Invariant: if the hash is known, only a header with that hash can name a later protocol. Bytes
// that are not a header cannot.

import { sameBytes } from "../../base/bytes.ts";
import { crypto } from "../../base/crypto.ts";
import { isLaterProtocol, protocolUnknown } from "../../model/protocols.ts";
import { HASH_SIZE } from "../reader/hash.ts";
import { shapeOf, type XdrSource, xdrSource } from "../reader/shape.ts";
import { uint32At } from "../reader/words.ts";

/**
 * The protocol and the hash of the ledger before come first. The close value with its upgrades
 * follows.
 */
const VALUE_AT = 4 + HASH_SIZE;
const SMALLEST_HEADER = 256;
const LARGEST_HEADER = 4096;
/** The header of a LedgerCloseMeta begins before this offset. */
const LARGEST_PREFIX = 256;
/** Without a hash, bytes that name a later protocol than this are taken for garbage. */
const LATEST_PLAUSIBLE = 1000;

const stellarValue = shapeOf("StellarValue");

/**
 * `at` is the offset of the header. `hash` is its hash, or null if it is unknown. Throws
 * PROTOCOL_UNKNOWN.
 */
export function refuseLaterHeader(source: XdrSource, at: number, hash: Uint8Array | null): void {
  if (at + VALUE_AT > source.end) return;
  const protocolVersion = uint32At(source.bytes, at);
  if (!isLaterProtocol(protocolVersion) || protocolVersion > LATEST_PLAUSIBLE) return;
  const isHeader = hash === null || sizeOfHeader(source, at, hash) !== null;
  if (isHeader) throw protocolUnknown({ protocolVersion, ledger: sequenceOf(source, at) });
}

/** Looks for a header of a later protocol in a LedgerCloseMeta whose form svc does not know. */
export function refuseLaterLedger(bytes: Uint8Array): void {
  const source = xdrSource(bytes);
  for (let at = 4; at < LARGEST_PREFIX; at += 4)
    refuseLaterHeader(source, at + HASH_SIZE, bytes.subarray(at, at + HASH_SIZE));
}

/** Returns null if no bytes from `at` on have the hash. */
function sizeOfHeader(source: XdrSource, at: number, hash: Uint8Array): number | null {
  const { bytes, end } = source;
  const hasher = crypto().openSha256();
  const least = Math.min(at + SMALLEST_HEADER, end);
  hasher.update(bytes.subarray(at, least));
  const most = Math.min(at + LARGEST_HEADER, end);
  for (let next = least; ; next += 4) {
    if (sameBytes(hash, hasher.soFar())) return next - at;
    if (next + 4 > most) return null;
    hasher.update(bytes.subarray(next, next + 4));
  }
}

/**
 * Returns null if the value that the validators agreed on, which comes before it, has an unknown
 * form.
 */
function sequenceOf(source: XdrSource, at: number): number | null {
  try {
    // The hashes of the results and of the state are in between.
    const sequenceAt = stellarValue.skip(source, at + VALUE_AT, 0) + 2 * HASH_SIZE;
    return sequenceAt + 4 > source.end ? null : uint32At(source.bytes, sequenceAt);
  } catch {
    return null;
  }
}
