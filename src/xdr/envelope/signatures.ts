// Reads, checks and adds the decorated signatures of an envelope. The bytes of the transaction
// itself do not change.

import { isSignatureOf } from "../../base/ed25519.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { decodeBase64, readBase64, XdrCursor } from "../reader/cursor.ts";
import { xdrSource } from "../reader/shape.ts";
import { endOfTransaction, startOfInnerEnvelope } from "./envelope.ts";

export interface DecoratedSignature {
  /** The last 4 bytes of the public key. */
  readonly hint: Uint8Array;
  /** 64 bytes of an ed25519 signature, or a hash preimage of up to 64 bytes. */
  readonly signature: Uint8Array;
}

export interface SignedEnvelope {
  readonly envelopeXdr: string;
  /** False when the same key had already signed, and nothing was added. */
  readonly added: boolean;
}

const HINT_LENGTH = 4;
const MAXIMUM_SIGNATURES = 20;
const MAXIMUM_SIGNATURE_LENGTH = 64;

/** For a fee-bump, the signatures of the outer transaction. Throws XDR_INVALID. */
export function readSignatures(envelopeXdr: string): DecoratedSignature[] {
  return read(envelopeXdr).signatures;
}

/** The signatures inside a fee-bump; empty for any other envelope. Throws XDR_INVALID. */
export function readInnerSignatures(envelopeXdr: string): DecoratedSignature[] {
  const bytes = decodeBase64(envelopeXdr, "TransactionEnvelope");
  const start = startOfInnerEnvelope(bytes);
  if (start === null) return [];
  const inner = bytes.subarray(start);
  const cursor = new XdrCursor(xdrSource(inner));
  cursor.at = endOfTransaction(inner, cursor.peekInt32());
  return readList(cursor);
}

/**
 * Signs `hash`, which is the envelope's hash, and adds the signature after the existing ones. A key
 * that has already signed does not sign again, because the network refuses extra signatures.
 */
export function addSignature(
  envelopeXdr: string,
  hash: Uint8Array,
  signer: { readonly publicKey: Uint8Array; sign(message: Uint8Array): Uint8Array },
): SignedEnvelope {
  const { bytes, end, signatures } = read(envelopeXdr);
  const hint = hintOf(signer.publicKey);
  const already = signatures.some(
    (each) => equal(each.hint, hint) && isSignatureOf(signer.publicKey, hash, each.signature),
  );
  if (already) return { envelopeXdr, added: false };
  if (signatures.length >= MAXIMUM_SIGNATURES)
    throw new SvcError("FILE_INVALID", {
      message: `The envelope has ${signatures.length} signatures, which is the maximum.`,
      remedy: "Remove signatures that the transaction does not need.",
    });
  const all = [...signatures, { hint, signature: signer.sign(hash) }];
  const parts = [bytes.subarray(0, end), uint32(all.length)];
  for (const each of all) parts.push(each.hint, ...opaque(each.signature));
  return { envelopeXdr: Buffer.concat(parts).toString("base64"), added: true };
}

export function hintOf(publicKey: Uint8Array): Uint8Array {
  return publicKey.subarray(-HINT_LENGTH);
}

function read(envelopeXdr: string) {
  return readBase64(envelopeXdr, "TransactionEnvelope", (cursor) => {
    const { bytes } = cursor.source;
    const end = endOfTransaction(bytes, new XdrCursor(xdrSource(bytes)).int32());
    cursor.at = end;
    return { bytes, end, signatures: readList(cursor) };
  });
}

function readList(cursor: XdrCursor): DecoratedSignature[] {
  const count = cursor.length("signatures");
  const signatures: DecoratedSignature[] = [];
  for (let i = 0; i < count; i += 1) {
    const hint = cursor.opaque(HINT_LENGTH);
    const length = cursor.uint32();
    if (length > MAXIMUM_SIGNATURE_LENGTH) cursor.noArm("a signature's length", length);
    signatures.push({ hint, signature: cursor.opaque(length) });
    cursor.opaque(padding(length));
  }
  return signatures;
}

function opaque(bytes: Uint8Array): Uint8Array[] {
  return [uint32(bytes.length), bytes, new Uint8Array(padding(bytes.length))];
}

function padding(length: number): number {
  return (4 - (length % 4)) % 4;
}

function uint32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function equal(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
