// The authorizations in an envelope: who allows which calls (CAP-46-11, CAP-71).

import type {
  InvokeContractArgs,
  ScAddress,
  ScVal,
  SorobanAddressCredentials,
  SorobanAuthorizationEntry,
  SorobanAuthorizedInvocation,
  SorobanCredentials,
} from "@stellar/stellar-sdk/xdr";
import { readBase64 } from "../reader/cursor.ts";
import { readAddress } from "../values/value-text.ts";

export interface ContractCall {
  /** Strkey. */
  readonly contract: string;
  /** As in the envelope, not neutralised. */
  readonly function: string;
  /** ScVals. */
  readonly argumentsXdr: readonly string[];
}

export interface AuthorizedCall {
  /** Null, like the function, for the creation of a contract. */
  readonly contract: string | null;
  readonly function: string | null;
  readonly argumentsXdr: readonly string[];
  readonly calls: readonly AuthorizedCall[];
}

export interface AuthorizationFacts {
  /** Strkey; null: the source account, by signing the transaction. */
  readonly address: string | null;
  readonly expirationLedger: number | null;
  /** False when the signature is void. */
  readonly signed: boolean;
  /** ScVal; null for the source account. */
  readonly signatureXdr: string | null;
  readonly root: AuthorizedCall;
}

export function readAuthorization({
  credentials,
  rootInvocation,
}: SorobanAuthorizationEntry): AuthorizationFacts {
  const root = readCall(rootInvocation);
  const given = addressCredentials(credentials);
  if (given === null)
    return { address: null, expirationLedger: null, signed: true, signatureXdr: null, root };
  return {
    address: addressOf(given.address),
    expirationLedger: given.signatureExpirationLedger,
    signed: given.signature.type !== "scvVoid",
    signatureXdr: given.signature.toXdr("base64"),
    root,
  };
}

export function addressCredentials(
  credentials: SorobanCredentials,
): SorobanAddressCredentials | null {
  switch (credentials.type) {
    case "sorobanCredentialsSourceAccount":
      return null;
    case "sorobanCredentialsAddress":
      return credentials.address;
    case "sorobanCredentialsAddressV2":
      return credentials.addressV2;
    case "sorobanCredentialsAddressWithDelegates":
      return credentials.addressWithDelegates.addressCredentials;
  }
}

export function readContractCall({
  contractAddress,
  functionName,
  args,
}: InvokeContractArgs): ContractCall {
  return {
    contract: addressOf(contractAddress),
    function: functionName.toString(),
    argumentsXdr: xdrOf(args),
  };
}

function readCall(invocation: SorobanAuthorizedInvocation): AuthorizedCall {
  const called = invocation.function;
  const calls = invocation.subInvocations.map(readCall);
  switch (called.type) {
    case "sorobanAuthorizedFunctionTypeContractFn":
      return { ...readContractCall(called.contractFn), calls };
    case "sorobanAuthorizedFunctionTypeCreateContractHostFn":
      return { contract: null, function: null, argumentsXdr: [], calls };
    case "sorobanAuthorizedFunctionTypeCreateContractV2HostFn": {
      const argumentsXdr = xdrOf(called.createContractV2HostFn.constructorArgs);
      return { contract: null, function: null, argumentsXdr, calls };
    }
  }
}

export function xdrOf(values: readonly ScVal[]): string[] {
  return values.map((value) => value.toXdr("base64"));
}

export function addressOf(address: ScAddress): string {
  return readBase64(address.toXdr("base64"), "SCAddress", readAddress);
}
