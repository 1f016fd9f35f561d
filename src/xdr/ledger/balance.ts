// The balance of an account or a trustline.

import { readBase64 } from "../reader/cursor.ts";
import { ENTRY_TYPE } from "../reader/keys.ts";
import { encodeStrkey } from "../reader/strkey.ts";
import { decode, encode } from "../reader/value.ts";
import { readAsset } from "../values/value-text.ts";

export interface Balance {
  /** Strkey. */
  readonly account: string;
  /** `XLM`, `CODE:ISSUER`, or a liquidity pool in words. */
  readonly asset: string;
  readonly stroops: bigint;
}

/** `entryXdr`: a LedgerEntry; null when it is neither, or cannot be read. */
export function readBalance(entryXdr: string): Balance | null {
  const data = dataOf(entryXdr);
  if (data?.type === ENTRY_TYPE.account) {
    const { accountId, balance } = data.account;
    return { account: encodeStrkey("account", accountId.ed25519), asset: "XLM", stroops: balance };
  }
  if (data?.type !== ENTRY_TYPE.trustline) return null;
  const { accountId, asset, balance } = data.trustLine;
  return {
    account: encodeStrkey("account", accountId.ed25519),
    asset: readBase64(encode("TrustLineAsset", asset), "TrustLineAsset", readAsset),
    stroops: balance,
  };
}

function dataOf(entryXdr: string) {
  try {
    return decode("LedgerEntry", entryXdr).data;
  } catch {
    // Another stage reports the invalid entry.
    return null;
  }
}
