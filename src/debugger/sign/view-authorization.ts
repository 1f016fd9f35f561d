// An authorization entry → what a person has to see before it is signed, by itself or within an
// envelope.

import { nameInvocation } from "../../explain/naming/authorizations.ts";
import type {
  SigningAuthorization,
  SigningInvocation,
  ViewField,
} from "../../model/signing-view.ts";
import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import { showTyped } from "../../xdr/contract/value-typed.ts";
import {
  addressCredentials,
  addressOf,
  CREDENTIALS,
  readContractCall,
} from "../../xdr/envelope/authorizations.ts";
import { describeFields } from "../../xdr/envelope/describe-envelope.ts";
import { judgeAuthorization } from "../../xdr/envelope/sign-authorization.ts";
import { toJson } from "../../xdr/reader/to-json.ts";
import { encode, type Value } from "../../xdr/reader/value.ts";

/** No limit: whoever signs must see all of a value, and its type. */
export const EVERYTHING = Number.POSITIVE_INFINITY;

/** Without what signing will change. */
export function viewAuthorization(
  entry: Value<"SorobanAuthorizationEntry">,
  networkPassphrase: string,
  lookup: ContractLookup,
): SigningAuthorization {
  const given = addressCredentials(entry.credentials);
  return {
    signer: given && addressOf(given.address),
    validUntilLedger: given?.signatureExpirationLedger ?? null,
    signatures: judgeAuthorization(entry, networkPassphrase),
    renewed: null,
    fields: given === null ? [] : credentialFields(entry.credentials, given),
    invocation: viewInvocation(entry.rootInvocation, lookup),
  };
}

function credentialFields(
  credentials: Value<"SorobanCredentials">,
  { nonce, signature }: Value<"SorobanAddressCredentials">,
): ViewField[] {
  const fields = [
    { name: "nonce", value: String(nonce) },
    { name: "signature", value: showTyped(encode("ScVal", signature), null, null, EVERYTHING) },
  ];
  if (credentials.type === CREDENTIALS.addressV2)
    fields.push({ name: "credentials", value: "address_v2" });
  if (credentials.type === CREDENTIALS.addressWithDelegates) {
    const { delegates } = credentials.addressWithDelegates;
    const shown = delegates.map((each) => toJson("SorobanDelegateSignature", each));
    fields.push(...describeFields({ delegates: shown }));
  }
  return fields;
}

function viewInvocation(
  { function: called, subInvocations }: Value<"SorobanAuthorizedInvocation">,
  lookup: ContractLookup,
): SigningInvocation {
  const calls = subInvocations.map((each) => viewInvocation(each, lookup));
  if (called.type === 0) {
    const facts = { ...readContractCall(called.contractFn), calls: [] };
    return { call: nameInvocation(facts, lookup, EVERYTHING), fields: [], calls };
  }
  const fields = describeFields(toJson("SorobanAuthorizedFunction", called));
  return { call: null, fields, calls };
}
