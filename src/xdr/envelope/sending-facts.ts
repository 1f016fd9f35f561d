// The facts that matter for sending a TransactionEnvelope again: its sequence number, its expiry,
// and who has to sign it.

import { type MuxedAccount, TransactionEnvelope } from "@stellar/stellar-sdk/xdr";
import { decodeBase64 } from "../reader/cursor.ts";
import { encodeStrkey } from "../reader/strkey.ts";

export interface SendingFacts {
  /** An int64, decimal. */
  readonly sequenceNumber: string;
  /** Last second in which it is valid; null when there is no such bound. */
  readonly latestCloseTimeUnixSeconds: string | null;
  /** First ledger in which it is no longer valid; null when there is no such bound. */
  readonly expiresAtLedger: number | null;
  /** The fee of the transaction inside a fee-bump; null without a fee-bump. */
  readonly innerFeeStroops: string | null;
  /** Accounts (G…) whose signatures it needs, each once: source, operation's source, fee source. */
  readonly signers: readonly string[];
  /** Account (G…) that authorizes by signing the transaction: the operation's source. */
  readonly operationSource: string;
  /** Size of the (inner) envelope with signatures, which the network limits and charges for. */
  readonly sizeBytes: number;
}

type Envelope = ReturnType<typeof TransactionEnvelope.schema.decode>;
type Account = ReturnType<typeof MuxedAccount.schema.decode>;
type Transaction = Extract<Envelope, { type: 2 }>["v1"]["tx"];

/** `envelopeXdr`: a Soroban transaction that has been read before. */
export function readSendingFacts(envelopeXdr: string): SendingFacts {
  const envelope = TransactionEnvelope.schema.decode(
    decodeBase64(envelopeXdr, "TransactionEnvelope"),
  );
  if (envelope.type === 0) throw new Error("a Soroban transaction has the second format");
  const bump = envelope.type === 5 ? envelope.feeBump.tx : null;
  const v1 = envelope.type === 5 ? envelope.feeBump.tx.innerTx.v1 : envelope.v1;
  const { tx } = v1;
  const operationSource = tx.operations[0]?.sourceAccount ?? tx.sourceAccount;
  const sources = [
    tx.sourceAccount,
    ...tx.operations.flatMap(({ sourceAccount }) => sourceAccount ?? []),
    ...(bump === null ? [] : [bump.feeSource]),
  ];
  return {
    sequenceNumber: tx.seqNum.toString(),
    ...boundsOf(tx),
    innerFeeStroops: bump === null ? null : String(tx.fee),
    operationSource: accountOf(operationSource),
    signers: [...new Set(sources.map(accountOf))],
    sizeBytes: TransactionEnvelope.schema.encode({ type: 2, v1 }).length,
  };
}

function boundsOf({ cond }: Transaction) {
  const conditions =
    cond.type === 2
      ? cond.v2
      : { timeBounds: cond.type === 1 ? cond.timeBounds : null, ledgerBounds: null };
  const { timeBounds, ledgerBounds } = conditions;
  // Zero means no bound.
  return {
    latestCloseTimeUnixSeconds: timeBounds?.maxTime ? timeBounds.maxTime.toString() : null,
    expiresAtLedger: ledgerBounds?.maxLedger || null,
  };
}

function accountOf(account: Account): string {
  return encodeStrkey("account", account.type === 0 ? account.ed25519 : account.med25519.ed25519);
}
