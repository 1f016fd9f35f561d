// Checks the hashes of a LedgerCloseMeta. The header must have the hash beside it, and it contains
// the hashes of the transaction set and of all results (stellar-core, TxSetFrame.cpp: the contents
// hash of a generalized set; LedgerManagerImpl.cpp: `txSetResultHash`). No hash covers the metas.
// If the validators voted a transaction set away, the header has no hash of a set (CAP-83). The set
// beside it was made by stellar-core: it has no transactions and names the ledger before.

import { XdrCursor } from "../reader/cursor.ts";
import { sha256 } from "../reader/hash.ts";
import { xdrSource } from "../reader/shape.ts";
import type { LedgerCloseMetaView } from "./ledger-close-meta.ts";
import { readGeneralizedSet } from "./transaction-set.ts";

/** The first protocol with CAP-83. */
const VOTED_AWAY_SINCE = 28;
const NO_HASH = "0".repeat(64);

/** Views that passed the check, so that nothing is hashed twice. */
const proven = new WeakSet<LedgerCloseMetaView>();

/**
 * Returns the part that does not have its hash, by the name of Stellar RPC's field, or null if
 * every part does.
 */
export function forgedPart(
  view: LedgerCloseMetaView,
): "header" | "transactions" | "results" | null {
  if (proven.has(view)) return null;
  const { hash, header } = view.facts;
  if (hash !== null && sha256(header).toHex() !== hash) return "header";
  if (!hasItsSet(view)) return "transactions";
  if (!hasItsResults(view)) return "results";
  proven.add(view);
  return null;
}

function hasItsSet({ facts, transactionSet }: LedgerCloseMetaView): boolean {
  const { ownSetHash, protocolVersion, previousHash } = facts;
  if (transactionSet === null) return true;
  if (ownSetHash !== NO_HASH || protocolVersion < VOTED_AWAY_SINCE)
    return sha256(transactionSet).toHex() === ownSetHash;
  // The hash of the previous ledger follows the version of the set.
  const ofLedger = transactionSet.subarray(4, 36).toHex();
  const envelopes = readGeneralizedSet(new XdrCursor(xdrSource(transactionSet)));
  return ofLedger === previousHash && envelopes.length === 0;
}

/** The hash covers a TransactionResultSet: the results of all transactions, in apply order. */
function hasItsResults({ facts, transactions }: LedgerCloseMetaView): boolean {
  const count = new Uint8Array(4);
  new DataView(count.buffer).setUint32(0, transactions.length);
  const results = transactions.flatMap(({ hash, result }) => [Uint8Array.fromHex(hash), result]);
  return sha256(count, ...results).toHex() === facts.resultSetHash;
}
