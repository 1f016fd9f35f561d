// Signatures of SorobanAuthorizationEntries in the form that the host's account contract checks: a
// vector of maps with a public key and a signature each, in the order of the keys (CAP-46-11). The
// signature is over a hash of the allowed calls, the network and the expiration ledger; with the
// credentials of CAP-71 also of the address.

import {
  HashIdPreimage,
  HashIdPreimageSorobanAuthorization,
  HashIdPreimageSorobanAuthorizationWithAddress,
  ScMapEntry,
  ScVal,
  SorobanAddressCredentials,
  SorobanAddressCredentialsWithDelegates,
  SorobanAuthorizationEntry,
  SorobanCredentials,
} from "@stellar/stellar-sdk/xdr";
import { decodeSdk } from "../reader/decode-sdk.ts";
import { networkId, sha256 } from "../reader/hash.ts";
import { addressCredentials, addressOf } from "./authorizations.ts";

export interface AuthorizationTerms {
  readonly networkPassphrase: string;
  /** Strkey: the address whose authorizations are signed. */
  readonly address: string;
  /** Null: keep the expiration ledger of the entry. */
  readonly validUntilLedger: number | null;
}

type Signing = { readonly publicKey: Uint8Array; sign(message: Uint8Array): Uint8Array };

export function decodeAuthorization(entryXdr: string): SorobanAuthorizationEntry {
  const decode = () => SorobanAuthorizationEntry.fromXdr(entryXdr, "base64");
  return decodeSdk(decode, "SorobanAuthorizationEntry", "the entry");
}

/** Null when the entry is not for that address. Keeps the signatures of other keys. */
export function signAuthorization(
  entryXdr: string,
  terms: AuthorizationTerms,
  signer: Signing,
): string | null {
  const entry = decodeAuthorization(entryXdr);
  const given = addressCredentials(entry.credentials);
  if (given === null || addressOf(given.address) !== terms.address) return null;
  const until = terms.validUntilLedger ?? given.signatureExpirationLedger;
  const signature = signer.sign(payloadOf(entry, given, until, terms.networkPassphrase));
  // A new expiration ledger changes the payload, so earlier signatures are no longer valid.
  const kept = until === given.signatureExpirationLedger ? signaturesOf(given.signature) : [];
  const others = kept.filter(({ publicKey }) => Buffer.compare(publicKey, signer.publicKey) !== 0);
  const all = [...others, { publicKey: signer.publicKey, signature }];
  all.sort((one, other) => Buffer.compare(one.publicKey, other.publicKey));
  const credentials = new SorobanAddressCredentials({
    address: given.address,
    nonce: given.nonce,
    signatureExpirationLedger: until,
    signature: ScVal.scvVec(all.map(signatureValue)),
  });
  return new SorobanAuthorizationEntry({
    credentials: withCredentials(entry.credentials, credentials),
    rootInvocation: entry.rootInvocation,
  }).toXdr("base64");
}

function payloadOf(
  { credentials, rootInvocation: invocation }: SorobanAuthorizationEntry,
  { nonce, address }: SorobanAddressCredentials,
  signatureExpirationLedger: number,
  networkPassphrase: string,
): Uint8Array {
  const common = { networkId: networkId(networkPassphrase), nonce, invocation };
  const preimage =
    credentials.type === "sorobanCredentialsAddress"
      ? HashIdPreimage.envelopeTypeSorobanAuthorization(
          new HashIdPreimageSorobanAuthorization({ ...common, signatureExpirationLedger }),
        )
      : HashIdPreimage.envelopeTypeSorobanAuthorizationWithAddress(
          new HashIdPreimageSorobanAuthorizationWithAddress({
            ...common,
            address,
            signatureExpirationLedger,
          }),
        );
  return sha256(preimage.toXdr());
}

interface KeySignature {
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
}

function signatureValue({ publicKey, signature }: KeySignature): ScVal {
  const entry = (name: string, bytes: Uint8Array) =>
    new ScMapEntry({ key: ScVal.scvSymbol(name), val: ScVal.scvBytes(bytes) });
  return ScVal.scvMap([entry("public_key", publicKey), entry("signature", signature)]);
}

/** Empty when there is no signature yet, or one of another form. */
function signaturesOf(value: ScVal): KeySignature[] {
  if (value.type !== "scvVec") return [];
  return (value.vec ?? []).flatMap((each) => {
    const fields = new Map<string, Uint8Array>();
    for (const { key, val } of each.type === "scvMap" ? (each.map ?? []) : [])
      if (key.type === "scvSymbol" && val.type === "scvBytes")
        fields.set(key.sym.toString(), val.bytes.toBytes());
    const publicKey = fields.get("public_key");
    const signature = fields.get("signature");
    return publicKey && signature ? [{ publicKey, signature }] : [];
  });
}

function withCredentials(
  before: SorobanCredentials,
  credentials: SorobanAddressCredentials,
): SorobanCredentials {
  switch (before.type) {
    case "sorobanCredentialsSourceAccount":
      return before;
    case "sorobanCredentialsAddress":
      return SorobanCredentials.sorobanCredentialsAddress(credentials);
    case "sorobanCredentialsAddressV2":
      return SorobanCredentials.sorobanCredentialsAddressV2(credentials);
    case "sorobanCredentialsAddressWithDelegates": {
      const { delegates } = before.addressWithDelegates;
      return SorobanCredentials.sorobanCredentialsAddressWithDelegates(
        new SorobanAddressCredentialsWithDelegates({ addressCredentials: credentials, delegates }),
      );
    }
  }
}
