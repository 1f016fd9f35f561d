// A ledger of a later protocol than svc knows is refused by its header, before anything else of it
// is read: the protocol is the header's first field, whatever the rest looks like.
// Invariant: only a header that has its hash names a later protocol, where the hash is known. Bytes
// that are no header do not.

import { sameBytes } from "../../base/bytes.ts";
import { crypto } from "../../base/crypto.ts";
import { isLaterProtocol, protocolUnknown } from "../../model/protocols.ts";
import { HASH_SIZE } from "../reader/hash.ts";
import { shapeOf, type XdrSource, xdrSource } from "../reader/shape.ts";
import { uint32At } from "../reader/words.ts";

/** Protocol and hash of the ledger before; its close and its upgrades follow. */
const VALUE_AT = 4 + HASH_SIZE;
const SMALLEST_HEADER = 256;
const LARGEST_HEADER = 4096;
/** The headers of LedgerCloseMetas begin before this. */
const LARGEST_PREFIX = 256;
/** Bytes without a hash that name a later one are taken for garbage. */
const LATEST_PLAUSIBLE = 1000;

const stellarValue = shapeOf("StellarValue");

/**
 * `at`: where the header begins. `hash`: of the header; null where it is not known. Throws
 * PROTOCOL_UNKNOWN.
 */
export function refuseLaterHeader(source: XdrSource, at: number, hash: Uint8Array | null): void {
  if (at + VALUE_AT > source.end) return;
  const protocolVersion = uint32At(source.bytes, at);
  if (!isLaterProtocol(protocolVersion) || protocolVersion > LATEST_PLAUSIBLE) return;
  const isHeader = hash === null || sizeOfHeader(source, at, hash) !== null;
  if (isHeader) throw protocolUnknown({ protocolVersion, ledger: sequenceOf(source, at) });
}

/** A LedgerCloseMeta of a form that svc does not know may have a header of a later protocol. */
export function refuseLaterLedger(bytes: Uint8Array): void {
  const source = xdrSource(bytes);
  for (let at = 4; at < LARGEST_PREFIX; at += 4)
    refuseLaterHeader(source, at + HASH_SIZE, bytes.subarray(at, at + HASH_SIZE));
}

/** Null: no bytes from there on have the hash. */
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

/** Null: the value that validators agreed on, which comes before it, has a form of its own. */
function sequenceOf(source: XdrSource, at: number): number | null {
  try {
    // The hashes of the results and of the state are between them.
    const sequenceAt = stellarValue.skip(source, at + VALUE_AT, 0) + 2 * HASH_SIZE;
    return sequenceAt + 4 > source.end ? null : uint32At(source.bytes, sequenceAt);
  } catch {
    return null;
  }
}
