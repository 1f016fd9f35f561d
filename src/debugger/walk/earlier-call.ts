// The call of an earlier transaction, and what a failed transaction's call has in common with it.

import type { FoundWrite } from "../../model/why.ts";
import type { EarlierChange } from "../../snapshot/gather/earlier-changes.ts";
import type { ContractCall } from "../../xdr/envelope/authorizations.ts";
import { type Envelope, openEnvelope } from "../../xdr/envelope/envelope.ts";

/** Null if the operation is not a call of a contract, or if the ledger's reader has no envelope. */
export function callOf(
  { transaction }: Pick<EarlierChange, "transaction">,
  networkPassphrase: string,
): ContractCall | null {
  if (!transaction.hasEnvelope) return null;
  return callIn(openEnvelope(transaction.envelopeXdr, networkPassphrase));
}

/**
 * Compares an earlier call with the one of an envelope. Null if they have no function in common.
 */
export function likeness(
  earlier: ContractCall | null,
  envelope: Pick<Envelope, "hostFunction">,
): FoundWrite["repeats"] {
  const call = callIn(envelope);
  if (earlier === null || call === null) return null;
  if (earlier.contract !== call.contract || earlier.function !== call.function) return null;
  const { argumentsXdr } = call;
  const isSame = earlier.argumentsXdr.every((argument, i) => argument === argumentsXdr[i]);
  return isSame && earlier.argumentsXdr.length === argumentsXdr.length ? "call" : "function";
}

function callIn({ hostFunction }: Pick<Envelope, "hostFunction">): ContractCall | null {
  return hostFunction?.kind === "invoke" ? hostFunction : null;
}
