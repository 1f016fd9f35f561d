// The outline of a transaction: the parts of its envelope and its result that can be decoded, each
// by itself.

import { SvcError } from "../../base/errors/errors.ts";
import { resultCodeName } from "../../model/result-code.ts";
import type { OutlinedOperation, TransactionOutline } from "../../model/transaction-outline.ts";
import { readTransactionResult } from "../outcome/result.ts";
import { toJson } from "../reader/to-json.ts";
import { showValue } from "../values/value.ts";
import { describeOperations } from "./describe-envelope.ts";
import { openEnvelope } from "./envelope.ts";

export interface Outlined {
  readonly envelopeXdr: string;
  readonly resultXdr: string;
  readonly ledgerSequence: number;
  /** What the node says about the success. */
  readonly succeeded?: boolean;
}

/** `hash` is the hash that the user asked for. */
export function outlineTransaction(
  { envelopeXdr, resultXdr, ledgerSequence, succeeded }: Outlined,
  hash: string,
  networkPassphrase: string,
): TransactionOutline {
  const envelope = ifDecoded(() => openEnvelope(envelopeXdr, networkPassphrase));
  const isOwn = envelope !== null && [envelope.hash, envelope.innerHash].includes(hash);
  const result = ifDecoded(() => readTransactionResult(resultXdr));
  return {
    hash: isOwn ? envelope.hash : hash,
    ledger: ledgerSequence,
    succeeded: result?.success ?? succeeded ?? null,
    result: result && {
      code: result.code,
      innerCode: result.innerCode,
      operationCodes: result.operationResults.map(resultCodeName),
      feeChargedStroops: result.feeChargedStroops,
    },
    envelope: isOwn
      ? ifDecoded(() => ({
          sourceAccount: envelope.sourceAccount,
          sequence: String(envelope.sequence),
          feeBidStroops: envelope.feeBidStroops,
          operations: describeOperations(envelope).map(outlinedOperation),
          json: toJson("TransactionEnvelope", envelope.decoded),
        }))
      : null,
  };
}

function outlinedOperation({
  kind,
  sourceAccount,
  fields,
  call,
}: ReturnType<typeof describeOperations>[number]): OutlinedOperation {
  if (call === null) return { kind, sourceAccount, fields };
  const { contract, function: name, argumentsXdr } = call;
  return {
    kind,
    sourceAccount,
    fields: [
      { name: "contract", value: contract },
      { name: "function", value: name },
      ...argumentsXdr.map((xdr, at) => ({ name: `argument ${at + 1}`, value: showValue(xdr) })),
    ],
  };
}

/** Returns null if a later protocol has another form of the value. */
function ifDecoded<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SvcError && error.code === "XDR_INVALID")) throw error;
    return null;
  }
}
