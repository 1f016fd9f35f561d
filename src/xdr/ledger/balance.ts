// Reads the balance of an account or a trustline.

import { encodeStrkey } from "../../base/text/strkey.ts";
import { ENTRY_TYPE } from "../reader/keys.ts";
import { dataOfEntry } from "../values/value-parts.ts";
import { assetText } from "../values/value-text.ts";

export interface Balance {
  /** Strkey. */
  readonly account: string;
  /** `XLM`, `CODE:ISSUER`, or a liquidity pool in words. */
  readonly asset: string;
  readonly stroops: bigint;
}

/** `entryXdr` is a LedgerEntry. Returns null if it is neither, or cannot be read. */
export function readBalance(entryXdr: string): Balance | null {
  const data = dataOfEntry(entryXdr);
  if (data?.type === ENTRY_TYPE.account) {
    const { accountId, balance } = data.account;
    return { account: encodeStrkey("account", accountId.ed25519), asset: "XLM", stroops: balance };
  }
  if (data?.type !== ENTRY_TYPE.trustline) return null;
  const { accountId, asset, balance } = data.trustLine;
  return {
    account: encodeStrkey("account", accountId.ed25519),
    asset: assetText(asset),
    stroops: balance,
  };
}
