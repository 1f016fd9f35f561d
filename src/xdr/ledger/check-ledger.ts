// What hashes prove of a LedgerCloseMeta: its header has the hash beside it, and the header has the
// hashes of the transaction set and of all results (stellar-core, TxSetFrame.cpp: the contents hash
// of a generalized set; LedgerManagerImpl.cpp: `txSetResultHash`). Metas have no hash.

import { sha256 } from "../reader/hash.ts";
import type { LedgerCloseMetaView } from "./ledger-close-meta.ts";

/** What does not have its hash, as Stellar RPC's fields name it; null when all is as it should be. */
export function forgedPart(
  view: LedgerCloseMetaView,
): "header" | "transactions" | "results" | null {
  const { facts, transactionSet } = view;
  const { hash, header, transactionSetHash } = facts;
  if (hash !== null && sha256(header).toHex() !== hash) return "header";
  if (transactionSet !== null && sha256(transactionSet).toHex() !== transactionSetHash)
    return "transactions";
  return hasItsResults(view) ? null : "results";
}

/** TransactionResultSet: the results of all transactions, in apply order. */
function hasItsResults({ facts, transactions }: LedgerCloseMetaView): boolean {
  const count = new Uint8Array(4);
  new DataView(count.buffer).setUint32(0, transactions.length);
  const results = transactions.flatMap(({ hash, result }) => [Uint8Array.fromHex(hash), result]);
  return sha256(count, ...results).toHex() === facts.resultSetHash;
}
