// The operations of an envelope that invoke a host function; the network accepts at most one.

import type {
  HostFunction,
  InvokeHostFunctionOp,
  SorobanAuthorizationEntry,
  TransactionEnvelope,
} from "@stellar/stellar-sdk/xdr";
import { type ContractCall, readContractCall, xdrOf } from "./authorizations.ts";
import { innerEnvelope } from "./envelope-terms.ts";

export type HostFunctionFacts =
  | (ContractCall & { readonly kind: "invoke" })
  /** `argumentsXdr`: of the constructor. */
  | { readonly kind: "create" | "upload"; readonly argumentsXdr: readonly string[] };

export function readHostFunction(envelope: TransactionEnvelope): HostFunctionFacts | null {
  const [operation] = hostFunctionOperations(envelope);
  return operation === undefined ? null : factsOf(operation.hostFunction);
}

export function authorizationEntries(envelope: TransactionEnvelope): SorobanAuthorizationEntry[] {
  return hostFunctionOperations(envelope).flatMap(({ auth }) => auth);
}

/** In the envelope's order; for a fee-bump, of the inner transaction. */
export function hostFunctionOperations(envelope: TransactionEnvelope): InvokeHostFunctionOp[] {
  return innerEnvelope(envelope).tx.operations.flatMap(({ body }) =>
    body.type === "invokeHostFunction" ? [body.invokeHostFunctionOp] : [],
  );
}

function factsOf(called: HostFunction): HostFunctionFacts {
  switch (called.type) {
    case "hostFunctionTypeInvokeContract":
      return { kind: "invoke", ...readContractCall(called.invokeContract) };
    case "hostFunctionTypeUploadContractWasm":
      return { kind: "upload", argumentsXdr: [] };
    case "hostFunctionTypeCreateContract":
      return { kind: "create", argumentsXdr: [] };
    case "hostFunctionTypeCreateContractV2":
      return { kind: "create", argumentsXdr: xdrOf(called.createContractV2.constructorArgs) };
  }
}
