// An account from its AccountEntry: what it can pay, and who can sign for it.

import { LedgerEntry, type Signer } from "@stellar/stellar-sdk/xdr";
import { encodeStrkey } from "../reader/strkey.ts";

export interface AccountFacts {
  /** Strkey. */
  readonly address: string;
  readonly balanceStroops: bigint;
  readonly sellingLiabilitiesStroops: bigint;
  readonly sequence: bigint;
  /** Number of reserves it pays, including its own two. */
  readonly reserves: bigint;
  /** Signers with a weight; of other kinds of keys, only those that have a hint. */
  readonly signers: readonly { readonly hint: string; readonly weight: number }[];
  /** Low, medium, high. */
  readonly thresholds: readonly [number, number, number];
}

const OWN_RESERVES = 2;
const HINT_BYTES = 4;

/** `entryXdr`: a LedgerEntry; null when it is not an account or cannot be read. */
export function readAccount(entryXdr: string): AccountFacts | null {
  const account = accountOf(entryXdr);
  if (account === null) return null;
  const key = account.accountId.value.toBytes();
  const extension = account.ext.type === "v1" ? account.ext.v1 : null;
  const sponsorship = extension?.ext.type === "v2" ? extension.ext.v2 : null;
  const [master = 0, low = 0, medium = 0, high = 0] = account.thresholds.toBytes();
  const reserves =
    OWN_RESERVES +
    account.numSubEntries +
    (sponsorship?.numSponsoring ?? 0) -
    (sponsorship?.numSponsored ?? 0);
  const signers = [{ hint: hintOf(key), weight: master }, ...account.signers.flatMap(signerOf)];
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
    const { data } = LedgerEntry.fromXdr(entryXdr, "base64");
    return data.type === "account" ? data.account : null;
  } catch {
    // Another stage reports the invalid entry.
    return null;
  }
}

/** A pre-authorized transaction has no signature; other kinds have a hint from their key. */
function signerOf({ key, weight }: Signer) {
  switch (key.type) {
    case "signerKeyTypeEd25519":
      return [{ hint: hintOf(key.ed25519.toBytes()), weight }];
    case "signerKeyTypeHashX":
      return [{ hint: hintOf(key.hashX.toBytes()), weight }];
    default:
      return [];
  }
}

function hintOf(key: Uint8Array): string {
  return key.subarray(key.length - HINT_BYTES).toHex();
}
