// Which signatures of a transaction count, as stellar-core decides it (SignatureChecker.cpp): a
// signature counts with its hint, each signer once, and none that is left over once the weight is
// reached, for which the network refuses the transaction.

import { compareBytes } from "../../base/bytes.ts";
import { isSignatureOf } from "../../base/ed25519.ts";
import { sha256 } from "../reader/hash.ts";
import type { AccountSigner } from "../values/signer.ts";
import type { DecoratedSignature } from "./envelope-terms.ts";

/** The kinds in the order in which signatures are looked for. */
const KINDS: readonly ((signer: AccountSigner) => boolean)[] = [
  ({ kind }) => kind === "hash",
  ({ kind, signs }) => kind === "ed25519" && signs === null,
  ({ kind, signs }) => kind === "ed25519" && signs !== null,
];

const MOST_WEIGHT = 255;

export interface SignatureChecker {
  /** The weight of the signatures that count; it goes no further once `needed` is reached. */
  weigh(signers: readonly AccountSigner[], needed: number): number;
  /** Signatures that counted in no weighing so far. */
  unused(): readonly DecoratedSignature[];
}

/** The checker of one transaction's signatures; `hash` in hex. */
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
