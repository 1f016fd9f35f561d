// The refund of the Soroban resource fee, from the fee source's balance. Before protocol 23 the
// refund follows each transaction (the meta's txChangesAfter). From protocol 23 it comes after all
// of them (LedgerCloseMeta's postTxApplyFeeProcessing, and a fee event of the meta).

import { decodeBase64 } from "../reader/cursor.ts";
import { readFeeEvents } from "./fee-events.ts";
import { balanceGain, gainOfPhase, type RecordedOutcome } from "./fees.ts";
import type { ChangeSlice, EntryChange, TransactionMetaFacts } from "./meta.ts";

export const REFUND_AFTER_ALL_PROTOCOL = 23;

/**
 * Returns stroops: "0" if nothing was refunded, null if no source has the refund. Throws
 * XDR_INVALID.
 */
export function refundGiven(
  protocolVersion: number,
  refundChangesXdr: string | null,
  meta: TransactionMetaFacts | null,
): string | null {
  if (protocolVersion < REFUND_AFTER_ALL_PROTOCOL) {
    return meta === null ? null : balanceGain(meta.changesAfter.map(toSlice)).toString();
  }
  if (refundChangesXdr !== null) {
    return gainOfPhase(decodeBase64(refundChangesXdr, "refund changes")).toString();
  }
  return meta === null ? null : (readFeeEvents(meta.transactionEventsXdr)?.refunded ?? null);
}

function toSlice({ kind, keyXdr, entryXdr }: EntryChange): ChangeSlice {
  return { kind, bytes: decodeBase64(entryXdr ?? keyXdr, "LedgerEntry") };
}

/**
 * False if a refund was due but the fee source could not receive it, because it was merged in the
 * meantime or its liabilities left no room (stellar-core, TransactionFrame::refundSorobanFee). The
 * fee charged is then the fee taken, and the refund phase paid nothing. A refund of zero looks the
 * same.
 */
export function isRefundPaid(
  chain: RecordedOutcome & {
    readonly feeTakenStroops: string | null;
    readonly protocolVersion: number;
  },
  refundChangesXdr: string | null,
): boolean {
  if (chain.feeTakenStroops === null) return true;
  if (chain.feeTakenStroops !== chain.result.feeChargedStroops) return true;
  return refundGiven(chain.protocolVersion, refundChangesXdr, chain.meta) !== "0";
}
