// Decides which signatures of a transaction count, as stellar-core does (SignatureChecker.cpp). A
// signature counts if its hint fits, and each signer counts once. A signature that is left over
// after the weight is reached makes the network refuse the transaction.

import { compareBytes } from "../../base/bytes.ts";
import { isSignatureOf } from "../../base/ed25519.ts";
import { sha256 } from "../reader/hash.ts";
import type { AccountSigner } from "../values/signer.ts";
import type { DecoratedSignature } from "./envelope-terms.ts";

/** The kinds of signers in the order in which signatures are looked for. */
const KINDS: readonly ((signer: AccountSigner) => boolean)[] = [
  ({ kind }) => kind === "hash",
  ({ kind, signs }) => kind === "ed25519" && signs === null,
  ({ kind, signs }) => kind === "ed25519" && signs !== null,
];

const MOST_WEIGHT = 255;

export interface SignatureChecker {
  /** Returns the weight of the signatures that count. It stops as soon as `needed` is reached. */
  weigh(signers: readonly AccountSigner[], needed: number): number;
  /** Returns the signatures that have counted in no weighing so far. */
  unused(): readonly DecoratedSignature[];
}

/** Makes the checker of one transaction's signatures. `hash` is in hex. */
export function signatureChecker(
  hash: string,
  signatures: readonly DecoratedSignature[],
): SignatureChecker {
  const hashBytes = Uint8Array.fromHex(hash);
  const used = new Set<DecoratedSignature>();
  const isBy = ({ hint, signature }: DecoratedSignature, signer: AccountSigner) =>
    hint.toHex() === signer.hint &&
    (signer.kind === "hash"
      ? compareBytes(sha256(signature), signer.key) === 0
      : isSignatureOf(signer.key, signer.signs ?? hashBytes, signature));
  return {
    weigh(signers, needed) {
      let weight = 0;
      for (const { kind, key, weight: own } of signers)
        if (kind === "transaction" && compareBytes(key, hashBytes) === 0) {
          weight += Math.min(own, MOST_WEIGHT);
          if (weight >= needed) return weight;
        }
      for (const isOfKind of KINDS) {
        const left = signers.filter(isOfKind);
        for (const signature of signatures) {
          const at = left.findIndex((signer) => isBy(signature, signer));
          const [signer] = at === -1 ? [] : left.splice(at, 1);
          if (signer === undefined) continue;
          used.add(signature);
          weight += Math.min(signer.weight, MOST_WEIGHT);
          if (weight >= needed) return weight;
        }
      }
      return weight;
    },
    unused: () => signatures.filter((signature) => !used.has(signature)),
  };
}
