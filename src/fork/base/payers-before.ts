// The accounts that a transaction charged, as they were before it. A snapshot has them as its
// operation saw them: after the fee, and with the sequence number used.

import type { Captured } from "../../debugger/walk/capture-transaction.ts";
import { readAccount } from "../../xdr/ledger/account.ts";
import { firstOfEachKey } from "../../xdr/ledger/keyed-change.ts";
import { modifiedIn, withBalance } from "../../xdr/ledger/patch-entry.ts";
import { readEntryChanges, readTransactionMeta } from "../../xdr/outcome/meta.ts";
import { lastModifiedOf } from "../../xdr/reader/keys.ts";
import type { ForkEntry } from "../ledger/chain.ts";

/** The accounts by LedgerKey; empty if the chain record does not show them. */
export function payersBefore({ record }: Captured): ReadonlyMap<string, ForkEntry> {
  const { feeChangesXdr, resultMetaXdr } = record;
  const fees = readEntryChanges(feeChangesXdr);
  const own = resultMetaXdr === null ? [] : readTransactionMeta(resultMetaXdr).changesBefore;
  const states = [...own, ...fees].filter(({ kind }) => kind === "state");
  const payerOfKey = new Map<string, ForkEntry>();
  for (const [keyXdr, { entryXdr }] of firstOfEachKey(states)) {
    if (entryXdr === null) continue;
    const charged = fees.filter((change) => change.keyXdr === keyXdr);
    const before = charged.find((change) => change.kind === "state")?.entryXdr ?? null;
    const after = charged.find((change) => change.kind === "updated")?.entryXdr ?? null;
    const provenance = { kind: "meta", detail: "in the transaction's own meta" } as const;
    const uncharged = withFee(entryXdr, before, after);
    payerOfKey.set(keyXdr, {
      entryXdr: uncharged,
      liveUntilLedger: null,
      archived: false,
      provenance,
    });
  }
  return payerOfKey;
}

/** The account with the fee that the fee phase took from it, whatever happened between. */
function withFee(entryXdr: string, before: string | null, after: string | null): string {
  const accountBefore = before === null ? null : readAccount(before);
  const other = after === null ? null : readAccount(after);
  const now = readAccount(entryXdr);
  if (before === null || entryXdr === before || !accountBefore || !other || !now) return entryXdr;
  const fee = accountBefore.balanceStroops - other.balanceStroops;
  const uncharged = withBalance(entryXdr, String(now.balanceStroops + fee)) ?? entryXdr;
  return modifiedIn(uncharged, lastModifiedOf(before));
}
