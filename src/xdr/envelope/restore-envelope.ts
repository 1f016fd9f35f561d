// Makes a RestoreFootprint transaction to send before another one. It restores archived entries
// that the other transaction cannot restore itself, as was always the case before protocol 23.

import { decode, encode } from "../reader/value.ts";
import { type Envelope, openEnvelope } from "./envelope.ts";

/**
 * `envelope` is the Soroban transaction that comes after. The source account, the sequence number,
 * the conditions and the signatures (for their size) are copied from it. Resources and fee are
 * zero.
 */
export function restoreEnvelope(envelope: Envelope, keysXdr: readonly string[]): Envelope {
  const decoded = envelope.decoded;
  if (decoded.type === 0) throw new Error("a Soroban transaction has the second format");
  const { tx, signatures } = decoded.type === 5 ? decoded.feeBump.tx.innerTx.v1 : decoded.v1;
  const readWrite = keysXdr.map((key) => decode("LedgerKey", key));
  const restore: typeof tx = {
    ...tx,
    fee: 0,
    memo: { type: 0 },
    operations: [
      {
        sourceAccount: null,
        body: { type: 26, restoreFootprintOp: { ext: { v: 0 } } },
      },
    ],
    ext: {
      v: 1,
      sorobanData: {
        ext: { v: 0 },
        resources: {
          footprint: { readOnly: [], readWrite },
          instructions: 0,
          diskReadBytes: 0,
          writeBytes: 0,
        },
        resourceFee: 0n,
      },
    },
  };
  const restoring = encode("TransactionEnvelope", { type: 2, v1: { tx: restore, signatures } });
  return openEnvelope(restoring, envelope.networkPassphrase);
}
