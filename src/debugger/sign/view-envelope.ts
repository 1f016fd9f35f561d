// An envelope → the view that a person must see before the envelope is signed.

import { encodeStrkey } from "../../base/text/strkey.ts";
import { nameInvocation } from "../../explain/naming/authorizations.ts";
import type {
  SigningAuthorization,
  SigningInvocation,
  SigningView,
  ViewField,
} from "../../model/signing-view.ts";
import { type ContractLookup, contractLookup } from "../../xdr/contract/contract-specs.ts";
import { showTyped } from "../../xdr/contract/value-typed.ts";
import {
  addressCredentials,
  CREDENTIALS,
  readContractCall,
} from "../../xdr/envelope/authorizations.ts";
import {
  describeConditions,
  describeFields,
  describeOperations,
} from "../../xdr/envelope/describe-envelope.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { ENVELOPE_TYPE } from "../../xdr/envelope/envelope-facts.ts";
import { innerEnvelope } from "../../xdr/envelope/envelope-terms.ts";
import { judgeAuthorization } from "../../xdr/envelope/sign-authorization.ts";
import { INVOKE_HOST_FUNCTION } from "../../xdr/outcome/result.ts";
import { ENTRY_TYPE } from "../../xdr/reader/keys.ts";
import { addressText, toJson } from "../../xdr/reader/to-json.ts";
import { encode, type Value } from "../../xdr/reader/value.ts";
import { verifyEnvelope } from "./verify-envelope.ts";

/** `entriesXdr` has the ledger entries of the contracts that the envelope calls. */
export function viewEnvelope(envelope: Envelope, entriesXdr: Iterable<string>): SigningView {
  const lookup: ContractLookup = contractLookup(entriesXdr);
  const { decoded, networkPassphrase } = envelope;
  const { tx } = innerEnvelope(decoded);
  const soroban = tx.ext.v === 0 ? null : tx.ext.sorobanData;
  const bump = decoded.type === ENVELOPE_TYPE.feeBump ? decoded.feeBump.tx : null;
  const authorizationsOf = (body: Value<"OperationBody">) =>
    body.type === INVOKE_HOST_FUNCTION ? body.invokeHostFunctionOp.auth : [];
  return {
    hash: envelope.hash,
    networkPassphrase,
    feeSource: bump && String(toJson("MuxedAccount", bump.feeSource)),
    sourceAccount:
      "cond" in tx
        ? String(toJson("MuxedAccount", tx.sourceAccount))
        : encodeStrkey("account", tx.sourceAccountEd25519),
    sequenceNumber: String(envelope.terms.sequence),
    feeBidStroops: envelope.feeBidStroops,
    innerFeeStroops: bump && String(tx.fee),
    resourceFeeStroops: soroban && String(soroban.resourceFee),
    conditions: describeConditions(envelope),
    resources: soroban === null ? [] : resourceFields(soroban),
    operations: describeOperations(envelope).map(({ call, ...operation }, i) => ({
      ...operation,
      call: call && nameInvocation({ ...call, calls: [] }, lookup, EVERYTHING),
      authorizations: authorizationsOf((tx.operations[i] as Value<"Operation">).body).map((entry) =>
        viewAuthorization(entry, networkPassphrase, lookup),
      ),
    })),
    signatures: verifyEnvelope(envelope, []),
  };
}

function resourceFields({ resources, ext }: Value<"SorobanTransactionData">): ViewField[] {
  const { footprint, ...limits } = resources;
  const keys = (name: string, list: readonly Value<"LedgerKey">[]) =>
    list.map((key) => ({ name, value: keyInFull(key) }));
  return [
    ...Object.entries(limits).map(([name, value]) => ({
      name: LIMITS[name] ?? name,
      value: `${value}`,
    })),
    ...keys("reads", footprint.readOnly),
    ...keys("writes", footprint.readWrite),
    ...(ext.v === 0 ? [] : describeFields(toJson("SorobanResourcesExtV0", ext.resourceExt))),
  ];
}

const LIMITS: Readonly<Record<string, string>> = {
  instructions: "instructions",
  diskReadBytes: "bytes read",
  writeBytes: "bytes written",
};

function keyInFull(key: Value<"LedgerKey">): string {
  if (key.type === ENTRY_TYPE.contractCode) return `contract code ${key.contractCode.hash.toHex()}`;
  if (key.type !== ENTRY_TYPE.contractData) return JSON.stringify(toJson("LedgerKey", key));
  const { contract, key: name, durability } = key.contractData;
  const kind = durability === 0 ? "temporary" : "persistent";
  const shown = showTyped(encode("ScVal", name), null, null, EVERYTHING);
  return `${kind} data ${shown} of ${addressText(contract)}`;
}

/** There is no limit, because a signer must see all of a value, and its type. */
const EVERYTHING = Number.POSITIVE_INFINITY;

/** The view of the authorizations without the changes that signing will make. */
export function viewAuthorization(
  entry: Value<"SorobanAuthorizationEntry">,
  networkPassphrase: string,
  lookup: ContractLookup,
): SigningAuthorization {
  const credentials = addressCredentials(entry.credentials);
  return {
    signer: credentials && addressText(credentials.address),
    validUntilLedger: credentials?.signatureExpirationLedger ?? null,
    signatures: judgeAuthorization(entry, networkPassphrase),
    renewed: null,
    fields: credentials === null ? [] : credentialFields(entry.credentials, credentials),
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
