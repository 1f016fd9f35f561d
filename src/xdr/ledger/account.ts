// An account from its AccountEntry: what it can pay, and who can sign for it.

import { ENTRY_TYPE } from "../reader/keys.ts";
import { encodeStrkey } from "../reader/strkey.ts";
import { decode, type Value } from "../reader/value.ts";

export interface AccountSigner {
  /** `hash`: a preimage of the key signs; `transaction`: the key is the hash of one, unsigned. */
  readonly kind: "ed25519" | "hash" | "transaction";
  /** 32 bytes. */
  readonly key: Uint8Array;
  /** What it signs instead of the transaction's hash (CAP-40); null for any other. */
  readonly signs: Uint8Array | null;
  /** Hex; null where the key alone does not show it. */
  readonly hint: string | null;
  readonly weight: number;
}

export interface AccountFacts {
  /** Strkey. */
  readonly address: string;
  readonly balanceStroops: bigint;
  readonly sellingLiabilitiesStroops: bigint;
  readonly sequence: bigint;
  /** Number of reserves it pays, including its own two. */
  readonly reserves: bigint;
  /** Signers with a weight, the account's own key first. */
  readonly signers: readonly AccountSigner[];
  /** Low, medium, high. */
  readonly thresholds: readonly [number, number, number];
}

const OWN_RESERVES = 2;
const HINT_BYTES = 4;

/** `entryXdr`: a LedgerEntry; null when it is not an account or cannot be read. */
export function readAccount(entryXdr: string): AccountFacts | null {
  const account = accountOf(entryXdr);
  if (account === null) return null;
  const key = account.accountId.ed25519;
  const extension = account.ext.v === 1 ? account.ext.v1 : null;
  const sponsorship = extension?.ext.v === 2 ? extension.ext.v2 : null;
  const [master = 0, low = 0, medium = 0, high = 0] = account.thresholds;
  const reserves =
    OWN_RESERVES +
    account.numSubEntries +
    (sponsorship?.numSponsoring ?? 0) -
    (sponsorship?.numSponsored ?? 0);
  const signers = [signerWith("ed25519", key, master), ...account.signers.map(signerOf)];
  return {
    address: encodeStrkey("account", key),
    balanceStroops: account.balance,
    sellingLiabilitiesStroops: extension?.liabilities.selling ?? 0n,
    sequence: account.seqNum,
    reserves: BigInt(reserves),
    signers: signers.filter(({ weight }) => weight > 0),
    thresholds: [low, medium, high],
  };
}

function accountOf(entryXdr: string) {
  try {
    const { data } = decode("LedgerEntry", entryXdr);
    return data.type === ENTRY_TYPE.account ? data.account : null;
  } catch {
    // Another stage reports the invalid entry.
    return null;
  }
}

/** By SignerKeyType. */
function signerOf({ key: signer, weight }: Value<"Signer">): AccountSigner {
  switch (signer.type) {
    case 0:
      return signerWith("ed25519", signer.ed25519, weight);
    case 2:
      return signerWith("hash", signer.hashX, weight);
    case 1:
      return { ...signerWith("transaction", signer.preAuthTx, weight), hint: null };
    case 3: {
      const { ed25519, payload } = signer.ed25519SignedPayload;
      return { ...signerWith("ed25519", ed25519, weight), hint: null, signs: payload };
    }
  }
}

function signerWith(kind: AccountSigner["kind"], key: Uint8Array, weight: number): AccountSigner {
  return { kind, key, signs: null, hint: hintOf(key), weight };
}

function hintOf(key: Uint8Array): string {
  return key.subarray(key.length - HINT_BYTES).toHex();
}
