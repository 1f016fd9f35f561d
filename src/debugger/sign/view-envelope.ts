// An envelope → what a person has to see before it is signed.

import { nameAuthorizations, nameInvocation } from "../../explain/naming/authorizations.ts";
import type { SigningView } from "../../model/signing-view.ts";
import { type ContractLookup, contractLookup } from "../../xdr/contract/contract-specs.ts";
import { describeConditions, describeOperations } from "../../xdr/envelope/describe-envelope.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { verifyEnvelope } from "./verify-envelope.ts";

/** Whoever signs must see all of an argument, not its beginning. */
export const SHOWN_CHARACTERS = 100_000;

/** `entriesXdr`: ledger entries with the contracts that it calls. */
export function viewEnvelope(envelope: Envelope, entriesXdr: Iterable<string>): SigningView {
  const lookup: ContractLookup = contractLookup(entriesXdr);
  return {
    hash: envelope.hash,
    networkPassphrase: envelope.networkPassphrase,
    feeSource: envelope.feeSource,
    sourceAccount: envelope.sourceAccount,
    isFeeBump: envelope.isFeeBump,
    sequenceNumber: String(envelope.terms.sequence),
    feeBidStroops: envelope.feeBidStroops,
    resourceFeeStroops: envelope.soroban?.resourceFeeStroops ?? null,
    conditions: describeConditions(envelope),
    operations: describeOperations(envelope).map(({ call, ...operation }) => ({
      ...operation,
      call: call && nameInvocation({ ...call, calls: [] }, lookup, SHOWN_CHARACTERS),
    })),
    authorizations: nameAuthorizations(envelope.authorizations, lookup, SHOWN_CHARACTERS),
    signatures: verifyEnvelope(envelope, []),
  };
}
