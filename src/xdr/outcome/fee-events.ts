// The fee events of a meta V4: the fee taken from the fee source before all transactions, and the
// refund after them (CAP-67; stellar-core, TxEventManager::newFeeEvent). Not every node emits them,
// and an amount of zero has no event.

import { ContractEvent } from "@stellar/stellar-sdk/xdr";
import { readBase64 } from "../reader/cursor.ts";
import { shapeOf } from "../reader/shape.ts";
import { amountOf, isSymbol } from "../values/value-parts.ts";
import { readContractEvent } from "./diagnostics.ts";

export interface FeeEvents {
  /** Stroops. */
  readonly taken: string;
  readonly refunded: string;
}

const contractEvent = shapeOf(ContractEvent);
const BEFORE_ALL_TRANSACTIONS = 0;

/** Null when the node emits no fee events. `transactionEventsXdr`: TransactionEvents. */
export function readFeeEvents(transactionEventsXdr: readonly string[]): FeeEvents | null {
  let taken: bigint | null = null;
  let refunded = 0n;
  for (const xdr of transactionEventsXdr) {
    const { stage, eventXdr } = readBase64(xdr, "TransactionEvent", (cursor) => ({
      stage: cursor.int32(),
      eventXdr: cursor.takeBase64(contractEvent),
    }));
    const { topicsXdr, dataXdr } = readContractEvent(eventXdr);
    const amount = amountOf(dataXdr);
    if (topicsXdr[0] === undefined || !isSymbol(topicsXdr[0], "fee") || amount === null) continue;
    if (stage === BEFORE_ALL_TRANSACTIONS) taken = (taken ?? 0n) + amount;
    else refunded -= amount;
  }
  return taken === null ? null : { taken: taken.toString(), refunded: refunded.toString() };
}
