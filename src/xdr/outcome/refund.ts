// The refund of the Soroban resource fee, from the fee source's balance. Before protocol 23 the
// refund follows each transaction (the meta's txChangesAfter). From protocol 23 it comes after all
// of them (LedgerCloseMeta's postTxApplyFeeProcessing, and a fee event of the meta).

import type { ChainRecord } from "../../model/chain-record.ts";
import { decodeBase64 } from "../reader/cursor.ts";
import { ENTRY_TYPE, typeOfEntryBytes } from "../reader/keys.ts";
import { int64At } from "../reader/words.ts";
import { readFeeEvents } from "./fee-events.ts";
import { feeTakenBeforeRefund } from "./fees.ts";
import {
  type EntryChange,
  readEntryChanges,
  readTransactionMeta,
  type TransactionMetaFacts,
} from "./meta.ts";
import { readTransactionResult } from "./result.ts";

const REFUND_AFTER_ALL_PROTOCOL = 23;
/** lastModifiedLedgerSeq, type, account id; the balance follows. */
const BALANCE_OFFSET = 4 + 4 + 36;

/** Stroops; "0" when nothing was refunded, null when no source has it. Throws XDR_INVALID. */
export function refundGiven(
  protocolVersion: number,
  refundChangesXdr: string | null,
  meta: TransactionMetaFacts | null,
): string | null {
  if (protocolVersion < REFUND_AFTER_ALL_PROTOCOL) {
    return meta === null ? null : gain(meta.changesAfter).toString();
  }
  if (refundChangesXdr !== null) return gain(readEntryChanges(refundChangesXdr)).toString();
  return meta === null ? null : (readFeeEvents(meta.transactionEventsXdr)?.refunded ?? null);
}

/**
 * False when a refund was due but the fee source could not receive it: it was merged in the
 * meantime, or its liabilities left no room (stellar-core, TransactionFrame::refundSorobanFee).
 * Then the fee charged is the fee taken, and the refund phase paid nothing. A refund of zero looks
 * the same.
 */
export function refundIsPaid(record: ChainRecord): boolean {
  const { feeChargedStroops } = readTransactionResult(record.resultXdr);
  if (feeTakenBeforeRefund(record) !== feeChargedStroops) return true;
  const { resultMetaXdr, refundChangesXdr, ledger } = record;
  const meta = resultMetaXdr === null ? null : readTransactionMeta(resultMetaXdr);
  return refundGiven(ledger.protocolVersion, refundChangesXdr, meta) !== "0";
}

/** The sum of the changes of all accounts' balances. */
function gain(changes: readonly EntryChange[]): bigint {
  const before = new Map<string, bigint>();
  let gained = 0n;
  for (const { keyXdr, entryXdr } of changes) {
    if (entryXdr === null) continue;
    const entry = decodeBase64(entryXdr, "LedgerEntry");
    if (typeOfEntryBytes(entry) !== ENTRY_TYPE.account) continue;
    const balance = int64At(entry, BALANCE_OFFSET);
    const known = before.get(keyXdr);
    before.set(keyXdr, balance);
    if (known !== undefined) gained += balance - known;
  }
  return gained;
}
