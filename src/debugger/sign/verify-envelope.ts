// Checks each signature of an envelope against the keys that the envelope names, and against
// further ones. The other signers of an account are in the ledger, not in the envelope. For a
// signature of one of them, the result reports that its signer is unknown.

import { compareBytes } from "../../base/bytes.ts";
import { isSignatureOf } from "../../base/ed25519.ts";
import { decodeAccountKey, encodeStrkey } from "../../base/text/strkey.ts";
import type { PayloadSignature } from "../../model/payload-signature.ts";
import type { JudgedSignature } from "../../model/signing-view.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import type { DecoratedSignature } from "../../xdr/envelope/envelope-terms.ts";
import { hintOf } from "../../xdr/envelope/signatures.ts";
import { sha256 } from "../../xdr/reader/hash.ts";

/** `accounts` are further addresses (G…). */
export function verifyEnvelope(
  { hash, innerHash, terms }: Envelope,
  accounts: readonly string[],
): JudgedSignature[] {
  const keys = [...terms.signers, ...accounts].flatMap(
    (account) => decodeAccountKey(account) ?? [],
  );
  const judgeAll = (
    transaction: JudgedSignature["transaction"],
    hex: string,
    signatures: readonly DecoratedSignature[],
  ) =>
    signatures.map((signature) => ({
      transaction,
      ...judge(signature, Uint8Array.fromHex(hex), keys),
    }));
  const outer = judgeAll("outer", hash, terms.signatures);
  if (innerHash === null) return outer;
  return [...outer, ...judgeAll("inner", innerHash, terms.innerSignatures)];
}

function judge(
  { hint, signature }: DecoratedSignature,
  hash: Uint8Array,
  keys: readonly Uint8Array[],
): Omit<JudgedSignature, "transaction"> {
  const encoded = { hint: hint.toHex(), signature: signature.toBase64() };
  const meant = keys.filter((key) => compareBytes(hintOf(key), hint) === 0);
  const signer = meant.find((key) => isSignatureOf(key, hash, signature));
  if (signer !== undefined)
    return { ...encoded, signer: encodeStrkey("account", signer), holds: true };
  return { ...encoded, signer: null, holds: meant.length === 0 ? null : false };
}

export function verifyPayload(made: PayloadSignature, payload: Uint8Array): boolean {
  const key = decodeAccountKey(made.signer);
  return (
    key !== null &&
    key.toHex() === made.publicKey &&
    made.payloadBytes === payload.length &&
    sha256(payload).toHex() === made.payloadSha256 &&
    isSignatureOf(key, payload, Uint8Array.fromBase64(made.signature))
  );
}
