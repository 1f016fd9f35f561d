// The balance of an account or a trustline.

import { LedgerEntry } from "@stellar/stellar-sdk/xdr";
import { readBase64 } from "../reader/cursor.ts";
import { readAccountId, readAsset } from "../values/value-text.ts";

export interface Holding {
  /** Strkey. */
  readonly account: string;
  /** `XLM`, `CODE:ISSUER`, or a liquidity pool in words. */
  readonly asset: string;
  readonly stroops: bigint;
}

/** `entryXdr`: a LedgerEntry; null when it is neither, or cannot be read. */
export function readHolding(entryXdr: string): Holding | null {
  const data = dataOf(entryXdr);
  if (data?.type === "account") {
    const { accountId, balance } = data.account;
    const account = readBase64(accountId.toXdr("base64"), "AccountID", readAccountId);
    return { account, asset: "XLM", stroops: balance };
  }
  if (data?.type !== "trustline") return null;
  const { accountId, asset, balance } = data.trustLine;
  return {
    account: readBase64(accountId.toXdr("base64"), "AccountID", readAccountId),
    asset: readBase64(asset.toXdr("base64"), "TrustLineAsset", readAsset),
    stroops: balance,
  };
}

function dataOf(entryXdr: string) {
  try {
    return LedgerEntry.fromXdr(entryXdr, "base64").data;
  } catch {
    // Another stage reports the invalid entry.
    return null;
  }
}
