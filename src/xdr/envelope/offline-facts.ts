// Facts that an envelope proves by itself, without a network: for which network its signatures were
// made and by whom, whose signatures are missing, and what the network will refuse in any case.

import { isSignatureOf } from "../../base/ed25519.ts";
import { decodeAccountKey, encodeStrkey } from "../../base/text/strkey.ts";
import { SOROBAN_OPERATIONS } from "../../model/result-code.ts";
import { encode, type Value } from "../reader/value.ts";
import { unorderedKeys } from "../values/map-order.ts";
import { type Envelope, openEnvelope } from "./envelope.ts";
import { accountOf, type DecoratedSignature, innerEnvelope } from "./envelope-terms.ts";
import { HOST_FUNCTION, hostFunctionOperations } from "./host-function.ts";

/** A place of an envelope at which an account stands. */
export type AccountRole =
  | "source"
  | "operation-source"
  | "fee-source"
  | "destination"
  | "issuer"
  | "authorizer"
  | "argument"
  | "other";

export interface OfflineSignature {
  /** The last four bytes of the key, hex. */
  readonly hint: string;
  /** Null: no key in the envelope made it, for none of the networks. */
  readonly by: { readonly address: string; readonly networkPassphrase: string } | null;
  /** Accounts of the envelope whose keys end so, although none of them made it. */
  readonly sameHint: readonly string[];
}

/** One transaction: that of the envelope, or the one inside a fee-bump. */
export interface OfflineSigning {
  readonly part: "whole" | "inner";
  /** Accounts that have to sign it, themselves or by other signers of theirs. */
  readonly required: readonly string[];
  readonly signatures: readonly OfflineSignature[];
}

export interface OfflineFacts {
  readonly envelope: Envelope;
  /** For each network that was tried, its hash of the envelope. */
  readonly hashes: readonly { readonly networkPassphrase: string; readonly hash: string }[];
  /** Networks for which at least one signature is valid. */
  readonly signedFor: readonly string[];
  /** The whole envelope first, then the inner transaction of a fee-bump. */
  readonly signings: readonly OfflineSigning[];
  readonly roles: ReadonlyMap<string, readonly AccountRole[]>;
  /** It runs in the contract host, and declares nothing for that: it was not simulated. */
  readonly lacksSorobanData: boolean;
  /** Maps in arguments whose keys are not in order; `argument` from 1. */
  readonly unorderedMaps: readonly {
    readonly argument: number;
    readonly keysXdr: readonly string[];
  }[];
}

/** `networkPassphrases`: the networks to try. Throws XDR_INVALID when it is not an envelope. */
export function readOfflineFacts(xdr: string, networkPassphrases: readonly string[]): OfflineFacts {
  const opened = networkPassphrases.map((passphrase) => openEnvelope(xdr, passphrase));
  const envelope = opened[0] ?? openEnvelope(xdr, "");
  const roles = rolesOf(envelope);
  const { terms } = envelope;
  const signings: OfflineSigning[] = [
    {
      part: "whole",
      required: envelope.isFeeBump ? [terms.payer] : signersOfInner(envelope),
      signatures: terms.signatures.map((signature) =>
        signatureFacts(signature, opened, (each) => each.hash, roles),
      ),
    },
  ];
  if (envelope.isFeeBump)
    signings.push({
      part: "inner",
      required: signersOfInner(envelope),
      signatures: terms.innerSignatures.map((signature) =>
        signatureFacts(signature, opened, (each) => each.innerHash ?? "", roles),
      ),
    });
  const valid = signings.flatMap(({ signatures }) => signatures.flatMap(({ by }) => by ?? []));
  return {
    envelope,
    hashes: opened.map(({ networkPassphrase, hash }) => ({ networkPassphrase, hash })),
    signedFor: [...new Set(valid.map(({ networkPassphrase }) => networkPassphrase))],
    signings,
    roles,
    lacksSorobanData:
      envelope.soroban === null &&
      envelope.operationKinds.some((kind) => SOROBAN_OPERATIONS.has(kind)),
    unorderedMaps: unorderedMapsOf(envelope),
  };
}

function signersOfInner({ decoded, terms }: Envelope): string[] {
  const { tx } = innerEnvelope(decoded);
  const ofOperations = tx.operations.map(({ sourceAccount }) =>
    sourceAccount === null ? terms.source : accountOf(sourceAccount),
  );
  return [...new Set([terms.source, ...ofOperations])];
}

function signatureFacts(
  { hint, signature }: DecoratedSignature,
  opened: readonly Envelope[],
  hashOf: (envelope: Envelope) => string,
  roles: OfflineFacts["roles"],
): OfflineSignature {
  const hex = hint.toHex();
  const alike = [...roles.keys()].filter((address) =>
    decodeAccountKey(address)?.toHex().endsWith(hex),
  );
  for (const address of alike) {
    const key = decodeAccountKey(address);
    for (const envelope of opened)
      if (key !== null && isSignatureOf(key, Uint8Array.fromHex(hashOf(envelope)), signature))
        return {
          hint: hex,
          by: { address, networkPassphrase: envelope.networkPassphrase },
          sameHint: [],
        };
  }
  return { hint: hex, by: null, sameHint: alike };
}

/** Names of fields that an account stands at, and what it is there. */
const ROLES: Readonly<Record<string, AccountRole>> = {
  feeSource: "fee-source",
  destination: "destination",
  issuer: "issuer",
};

/** Every account that the envelope names, with its roles. */
function rolesOf({ decoded }: Envelope): Map<string, AccountRole[]> {
  const roles = new Map<string, AccountRole[]>();
  const add = (key: Uint8Array, role: AccountRole) => {
    const address = encodeStrkey("account", key);
    const own = roles.get(address) ?? [];
    if (!own.includes(role)) roles.set(address, [...own, role]);
  };
  const visit = (value: unknown, path: readonly string[]): void => {
    if (value instanceof Uint8Array) {
      const name = path.at(-1) ?? "";
      if (value.length === 32 && /ed25519$/i.test(name)) add(value, roleAt(path));
      return;
    }
    if (typeof value !== "object" || value === null) return;
    for (const [name, each] of Object.entries(value)) visit(each, [...path, name]);
  };
  visit(decoded, []);
  return roles;
}

function roleAt(path: readonly string[]): AccountRole {
  const isOfOperation = path.includes("operations");
  if (path.includes("credentials")) return "authorizer";
  if (path.includes("hostFunction") || path.includes("rootInvocation")) return "argument";
  for (const name of path.toReversed()) {
    const role = ROLES[name];
    if (role !== undefined) return role;
    if (name === "sourceAccount") return isOfOperation ? "operation-source" : "source";
    if (name === "sourceAccountEd25519") return "source";
  }
  return "other";
}

function unorderedMapsOf({ decoded }: Envelope): OfflineFacts["unorderedMaps"] {
  return hostFunctionOperations(decoded).flatMap(({ hostFunction }) => {
    const values: readonly Value<"ScVal">[] =
      hostFunction.type === HOST_FUNCTION.invokeContract
        ? hostFunction.invokeContract.args
        : hostFunction.type === HOST_FUNCTION.createContractV2
          ? hostFunction.createContractV2.constructorArgs
          : [];
    return values.flatMap((value, index) => {
      const keys = unorderedKeys(value);
      return keys === null
        ? []
        : [{ argument: index + 1, keysXdr: keys.map((key) => encode("ScVal", key)) }];
    });
  });
}

/** Accounts that must sign and whose own keys have not. Their other signers are not known here. */
export function missingSigners({ required, signatures }: OfflineSigning): string[] {
  // A key that the envelope does not name may be another signer of any of them.
  if (signatures.some(({ by, sameHint }) => by === null && sameHint.length === 0)) return [];
  // A signature in the name of an account may be valid on a network that has no name here.
  const signed = new Set(signatures.flatMap(({ by, sameHint }) => by?.address ?? sameHint));
  return required.filter((address) => !signed.has(address));
}
