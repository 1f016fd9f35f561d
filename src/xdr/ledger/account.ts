// Reads an account from its AccountEntry: what it can pay, and who can sign for it.

import { encodeStrkey } from "../../base/text/strkey.ts";
import { ENTRY_TYPE } from "../reader/keys.ts";
import { type AccountSigner, readSigner, signerWith } from "../values/signer.ts";
import { dataOfEntry } from "../values/value-parts.ts";

export interface AccountFacts {
  /** Strkey. */
  readonly address: string;
  readonly balanceStroops: bigint;
  readonly sellingLiabilitiesStroops: bigint;
  readonly sequence: bigint;
  /** The ledger in which the sequence number was last used; 0 if none was recorded. */
  readonly sequenceLedger: number;
  readonly sequenceSeconds: bigint;
  /** The number of reserves that the account pays, including its own two. */
  readonly reserves: bigint;
  /** The signers with a weight, the account's own key first. */
  readonly signers: readonly AccountSigner[];
  /** Low, medium, high. */
  readonly thresholds: readonly [number, number, number];
}

const OWN_RESERVES = 2;

/** `entryXdr` is a LedgerEntry. Returns null if it is not an account or cannot be read. */
export function readAccount(entryXdr: string): AccountFacts | null {
  const data = dataOfEntry(entryXdr);
  if (data?.type !== ENTRY_TYPE.account) return null;
  const { account } = data;
  const key = account.accountId.ed25519;
  const extension = account.ext.v === 1 ? account.ext.v1 : null;
  const sponsorship = extension?.ext.v === 2 ? extension.ext.v2 : null;
  const [master = 0, low = 0, medium = 0, high = 0] = account.thresholds;
  const reserves =
    OWN_RESERVES +
    account.numSubEntries +
    (sponsorship?.numSponsoring ?? 0) -
    (sponsorship?.numSponsored ?? 0);
  const used = sponsorship?.ext.v === 3 ? sponsorship.ext.v3 : null;
  const others = account.signers.map((signer) => readSigner(signer.key, signer.weight));
  const signers = [signerWith("ed25519", key, master), ...others];
  return {
    address: encodeStrkey("account", key),
    balanceStroops: account.balance,
    sellingLiabilitiesStroops: extension?.liabilities.selling ?? 0n,
    sequence: account.seqNum,
    sequenceLedger: used?.seqLedger ?? 0,
    sequenceSeconds: used?.seqTime ?? 0n,
    reserves: BigInt(reserves),
    signers: signers.filter(({ weight }) => weight > 0),
    thresholds: [low, medium, high],
  };
}
