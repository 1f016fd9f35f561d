// Signs SorobanAuthorizationEntries in the form that the host's account contract checks: a vector
// of maps with a public key and a signature each, in the order of the keys (CAP-46-11). The
// signature is over a hash of the allowed calls, the network and the expiration ledger, and with
// the credentials of CAP-71 also of the address.

import { compareBytes, utf8Bytes } from "../../base/bytes.ts";
import { isSignatureOf } from "../../base/ed25519.ts";
import { encodeStrkey } from "../../base/text/strkey.ts";
import type { Signer, SigningAuthorization } from "../../model/signing-view.ts";
import { networkId, sha256 } from "../reader/hash.ts";
import { SCV } from "../reader/scval-type.ts";
import { addressText } from "../reader/to-json.ts";
import { decode, encode, encodeBytes, utf8, type Value } from "../reader/value.ts";
import { addressCredentials, CREDENTIALS } from "./authorizations.ts";

export interface AuthorizationTerms {
  readonly networkPassphrase: string;
  /** Strkey of the address whose authorizations are signed. */
  readonly address: string;
  /** Null keeps the expiration ledger of the entry. */
  readonly validUntilLedger: number | null;
}

type AuthorizationEntry = Value<"SorobanAuthorizationEntry">;
type Credentials = Value<"SorobanAddressCredentials">;

/**
 * Checks the signatures of an account's entry, each against the key that it names. The list is
 * empty if the entry has no signature. Null means another form of signature, such as one that an
 * account contract defines.
 */
export function judgeAuthorization(
  entry: AuthorizationEntry,
  networkPassphrase: string,
): SigningAuthorization["signatures"] {
  const addressPart = addressCredentials(entry.credentials);
  if (addressPart === null || addressPart.signature.type === SCV.void) return [];
  const { signatureExpirationLedger: until, signature } = addressPart;
  const signatures = signaturesOf(signature);
  const elements = signature.type === SCV.vec ? (signature.vec ?? []).length : 0;
  if (signatures.length === 0 || signatures.length !== elements) return null;
  const payload = payloadOf(entry, addressPart, until, networkPassphrase);
  return signatures.map((each) => ({
    signer: encodeStrkey("account", each.publicKey),
    holds: isSignatureOf(each.publicKey, payload, each.signature),
  }));
}

/**
 * Signs an entry and keeps the signatures of other keys. Returns null if the entry is not for the
 * address in `terms`.
 */
export function signAuthorization(
  entryXdr: string,
  terms: AuthorizationTerms,
  signer: Pick<Signer, "publicKey" | "sign">,
): string | null {
  const entry = decode("SorobanAuthorizationEntry", entryXdr);
  const addressPart = addressCredentials(entry.credentials);
  if (addressPart === null || addressText(addressPart.address) !== terms.address) return null;
  const until = terms.validUntilLedger ?? addressPart.signatureExpirationLedger;
  const signature = signer.sign(payloadOf(entry, addressPart, until, terms.networkPassphrase));
  // A new expiration ledger changes the payload, which makes earlier signatures invalid.
  const kept =
    until === addressPart.signatureExpirationLedger ? signaturesOf(addressPart.signature) : [];
  const others = kept.filter(({ publicKey }) => compareBytes(publicKey, signer.publicKey) !== 0);
  const all = [...others, { publicKey: signer.publicKey, signature }];
  all.sort((left, right) => compareBytes(left.publicKey, right.publicKey));
  const signatureOfAll = { type: SCV.vec, vec: all.map(signatureValue) };
  const signed = { ...addressPart, signatureExpirationLedger: until, signature: signatureOfAll };
  const credentials = withCredentials(entry.credentials, signed);
  return encode("SorobanAuthorizationEntry", { ...entry, credentials });
}

function payloadOf(
  { credentials, rootInvocation: invocation }: AuthorizationEntry,
  { nonce, address }: Credentials,
  signatureExpirationLedger: number,
  networkPassphrase: string,
): Uint8Array {
  const network = networkId(networkPassphrase);
  const allowed = { networkId: network, nonce, invocation, signatureExpirationLedger };
  const preimage: Value<"HashIdPreimage"> =
    credentials.type === CREDENTIALS.address
      ? { type: PREIMAGE_TYPE.authorization, sorobanAuthorization: allowed }
      : {
          type: PREIMAGE_TYPE.authorizationWithAddress,
          sorobanAuthorizationWithAddress: { ...allowed, address },
        };
  return sha256(encodeBytes("HashIdPreimage", preimage));
}

/** Values of EnvelopeType for the preimages that are signed. */
const PREIMAGE_TYPE = { authorization: 9, authorizationWithAddress: 10 } as const;

const KEY_BYTES = 32;

interface KeySignature {
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
}

function signatureValue({ publicKey, signature }: KeySignature): Value<"ScVal"> {
  const entry = (name: string, bytes: Uint8Array) => ({
    key: { type: SCV.symbol, sym: utf8Bytes(name) },
    val: { type: SCV.bytes, bytes },
  });
  const map = [entry("public_key", publicKey), entry("signature", signature)];
  return { type: SCV.map, map };
}

/** Returns an empty list if there is no signature yet, or one of another form. */
function signaturesOf(value: Value<"ScVal">): KeySignature[] {
  if (value.type !== SCV.vec) return [];
  return (value.vec ?? []).flatMap((each) => {
    const fields = new Map<string, Uint8Array>();
    for (const { key, val } of each.type === SCV.map ? (each.map ?? []) : [])
      if (key.type === SCV.symbol && val.type === SCV.bytes) fields.set(utf8(key.sym), val.bytes);
    const publicKey = fields.get("public_key");
    const signature = fields.get("signature");
    return publicKey?.length === KEY_BYTES && signature ? [{ publicKey, signature }] : [];
  });
}

function withCredentials(
  before: Value<"SorobanCredentials">,
  credentials: Credentials,
): Value<"SorobanCredentials"> {
  switch (before.type) {
    case CREDENTIALS.sourceAccount:
      return before;
    case CREDENTIALS.address:
      return { ...before, address: credentials };
    case CREDENTIALS.addressV2:
      return { ...before, addressV2: credentials };
    case CREDENTIALS.addressWithDelegates: {
      const { delegates } = before.addressWithDelegates;
      const addressWithDelegates = { addressCredentials: credentials, delegates };
      return { ...before, addressWithDelegates };
    }
  }
}
