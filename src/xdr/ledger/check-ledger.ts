// What hashes prove of a LedgerCloseMeta: its header has the hash beside it, and the header has the
// hash of all results (stellar-core, LedgerManagerImpl.cpp: `txSetResultHash`). Metas have no hash.

import { sha256 } from "../reader/hash.ts";
import type { LedgerCloseMetaView } from "./ledger-close-meta.ts";

/** What does not have its hash, as Stellar RPC's fields name it; null when all is as it should be. */
export function forgedPart(view: LedgerCloseMetaView): "header" | "results" | null {
  const { hash, header } = view.facts;
  if (hash !== null && sha256(header).toHex() !== hash) return "header";
  return hasItsResults(view) ? null : "results";
}

/** TransactionResultSet: the results of all transactions, in apply order. */
function hasItsResults({ facts, transactions }: LedgerCloseMetaView): boolean {
  const count = new Uint8Array(4);
  new DataView(count.buffer).setUint32(0, transactions.length);
  const results = transactions.flatMap(({ hash, result }) => [Uint8Array.fromHex(hash), result]);
  return sha256(count, ...results).toHex() === facts.resultSetHash;
}
