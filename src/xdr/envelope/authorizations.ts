// Reads the authorizations in an envelope: who allows which calls (CAP-46-11, CAP-71).

import { SCV } from "../reader/scval-type.ts";
import { addressText, escaped } from "../reader/to-json.ts";
import { encode, type Value } from "../reader/value.ts";

export interface ContractCall {
  /** Strkey. */
  readonly contract: string;
  /**
   * A function's name. The host refuses one with other characters than letters, digits and
   * underscores, which has the escapes of SEP-51 here. Words quote it.
   */
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
  /** Strkey. Null means the source account, which authorizes by signing the transaction. */
  readonly address: string | null;
  readonly expirationLedger: number | null;
  /** Decimal; null for the source account. */
  readonly nonce: string | null;
  /** False if the signature is void. */
  readonly signed: boolean;
  /** An ScVal; null for the source account. */
  readonly signatureXdr: string | null;
  readonly root: AuthorizedCall;
}

/** Values of SorobanCredentialsType. */
export const CREDENTIALS = {
  sourceAccount: 0,
  address: 1,
  addressV2: 2,
  addressWithDelegates: 3,
} as const;
/** Values of SorobanAuthorizedFunctionType. */
/** Values of SorobanAuthorizedFunctionType. */
export const AUTHORIZED_FUNCTION = { call: 0, createContract: 1, createContractV2: 2 } as const;

const NO_CREDENTIALS = {
  address: null,
  expirationLedger: null,
  nonce: null,
  signed: true,
  signatureXdr: null,
} as const;

export function readAuthorization({
  credentials,
  rootInvocation,
}: Value<"SorobanAuthorizationEntry">): AuthorizationFacts {
  const root = readCall(rootInvocation);
  const addressPart = addressCredentials(credentials);
  if (addressPart === null) return { ...NO_CREDENTIALS, root };
  return {
    address: addressText(addressPart.address),
    expirationLedger: addressPart.signatureExpirationLedger,
    nonce: String(addressPart.nonce),
    signed: addressPart.signature.type !== SCV.void,
    signatureXdr: encode("ScVal", addressPart.signature),
    root,
  };
}

export function addressCredentials(
  credentials: Value<"SorobanCredentials">,
): Value<"SorobanAddressCredentials"> | null {
  switch (credentials.type) {
    case CREDENTIALS.sourceAccount:
      return null;
    case CREDENTIALS.address:
      return credentials.address;
    case CREDENTIALS.addressV2:
      return credentials.addressV2;
    case CREDENTIALS.addressWithDelegates:
      return credentials.addressWithDelegates.addressCredentials;
  }
}

export function readContractCall({
  contractAddress,
  functionName,
  args,
}: Value<"InvokeContractArgs">): ContractCall {
  return {
    contract: addressText(contractAddress),
    function: escaped(functionName),
    argumentsXdr: xdrOf(args),
  };
}

function readCall(invocation: Value<"SorobanAuthorizedInvocation">): AuthorizedCall {
  const called = invocation.function;
  const calls = invocation.subInvocations.map(readCall);
  switch (called.type) {
    case AUTHORIZED_FUNCTION.call:
      return { ...readContractCall(called.contractFn), calls };
    case AUTHORIZED_FUNCTION.createContract:
      return { contract: null, function: null, argumentsXdr: [], calls };
    case AUTHORIZED_FUNCTION.createContractV2: {
      const argumentsXdr = xdrOf(called.createContractV2HostFn.constructorArgs);
      return { contract: null, function: null, argumentsXdr, calls };
    }
  }
}

export function xdrOf(values: readonly Value<"ScVal">[]): string[] {
  return values.map((value) => encode("ScVal", value));
}
