// An envelope → what a person has to see before it is signed.

import { nameAuthorizations, nameInvocation } from "../../explain/naming/authorizations.ts";
import type { SigningView } from "../../model/signing-view.ts";
import { type ContractLookup, contractLookup } from "../../xdr/contract/contract-specs.ts";
import { describeEnvelope } from "../../xdr/envelope/describe-envelope.ts";
import { readEnvelope } from "../../xdr/envelope/envelope.ts";
import { verifyEnvelope } from "./verify-envelope.ts";

/** Whoever signs must see all of an argument, not its beginning. */
export const SHOWN_CHARACTERS = 100_000;

/** `entriesXdr`: ledger entries with the contracts that it calls. Throws XDR_INVALID. */
export function viewEnvelope(
  envelopeXdr: string,
  networkPassphrase: string,
  entriesXdr: Iterable<string>,
): SigningView {
  const facts = readEnvelope(envelopeXdr, networkPassphrase);
  const described = describeEnvelope(envelopeXdr);
  const lookup: ContractLookup = contractLookup(entriesXdr);
  return {
    hash: facts.hash,
    networkPassphrase,
    feeSource: facts.feeSource,
    sourceAccount: facts.sourceAccount,
    isFeeBump: described.isFeeBump,
    sequenceNumber: described.sequenceNumber,
    feeBidStroops: facts.feeBidStroops,
    resourceFeeStroops: facts.soroban?.resourceFeeStroops ?? null,
    conditions: described.conditions,
    operations: described.operations.map((operation) => ({
      ...operation,
      call:
        operation.call === null ? null : nameInvocation(operation.call, lookup, SHOWN_CHARACTERS),
    })),
    authorizations: nameAuthorizations(envelopeXdr, lookup, SHOWN_CHARACTERS),
    signatures: verifyEnvelope(envelopeXdr, networkPassphrase, []),
  };
}
