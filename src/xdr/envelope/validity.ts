// When a transaction is valid: its time and ledger bounds.

import { type Preconditions, TransactionEnvelope } from "@stellar/stellar-sdk/xdr";
import { decodeBase64 } from "../reader/cursor.ts";

export interface Validity {
  /** Unix seconds; 0 when there is no bound. */
  readonly fromSeconds: bigint;
  readonly untilSeconds: bigint;
  readonly fromLedger: number;
  /** The first ledger in which it is no longer valid; 0 when there is no bound. */
  readonly beforeLedger: number;
}

/** For a fee-bump, that of the inner transaction. The envelope has been read before. */
export function readValidity(envelopeXdr: string): Validity {
  const envelope = TransactionEnvelope.fromXdr(decodeBase64(envelopeXdr, "TransactionEnvelope"));
  switch (envelope.type) {
    case "envelopeTypeTxV0":
      return boundsOf(envelope.v0.tx.timeBounds, null);
    case "envelopeTypeTx":
      return validityOf(envelope.v1.tx.cond);
    case "envelopeTypeTxFeeBump":
      return validityOf(envelope.feeBump.tx.innerTx.v1.tx.cond);
  }
}

function validityOf(conditions: Preconditions): Validity {
  if (conditions.type === "precondTime") return boundsOf(conditions.timeBounds, null);
  if (conditions.type === "precondV2")
    return boundsOf(conditions.v2.timeBounds, conditions.v2.ledgerBounds);
  return boundsOf(null, null);
}

function boundsOf(
  time: { readonly minTime: bigint; readonly maxTime: bigint } | null,
  ledgers: { readonly minLedger: number; readonly maxLedger: number } | null,
): Validity {
  return {
    fromSeconds: time?.minTime ?? 0n,
    untilSeconds: time?.maxTime ?? 0n,
    fromLedger: ledgers?.minLedger ?? 0,
    beforeLedger: ledgers?.maxLedger ?? 0,
  };
}
