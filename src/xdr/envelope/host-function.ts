// The operations of an envelope that invoke a host function. The network accepts at most one.

import { INVOKE_HOST_FUNCTION } from "../outcome/result.ts";
import type { Value } from "../reader/value.ts";
import { type ContractCall, readContractCall, xdrOf } from "./authorizations.ts";
import { innerEnvelope } from "./envelope-terms.ts";

/** Values of HostFunctionType. */
export const HOST_FUNCTION = {
  invokeContract: 0,
  createContract: 1,
  uploadWasm: 2,
  createContractV2: 3,
} as const;

export type HostFunctionFacts =
  | (ContractCall & { readonly kind: "invoke" })
  /** `argumentsXdr` are the arguments of the constructor. */
  | { readonly kind: "create" | "upload"; readonly argumentsXdr: readonly string[] };

export function readHostFunction(envelope: Value<"TransactionEnvelope">): HostFunctionFacts | null {
  const [operation] = hostFunctionOperations(envelope);
  return operation === undefined ? null : factsOf(operation.hostFunction);
}

export function authorizationEntries(
  envelope: Value<"TransactionEnvelope">,
): Value<"SorobanAuthorizationEntry">[] {
  return hostFunctionOperations(envelope).flatMap(({ auth }) => auth);
}

/**
 * Returns the operations in the envelope's order. For a fee-bump, they are those of the inner
 * transaction.
 */
export function hostFunctionOperations(
  envelope: Value<"TransactionEnvelope">,
): Value<"InvokeHostFunctionOp">[] {
  return innerEnvelope(envelope).tx.operations.flatMap(({ body }) =>
    body.type === INVOKE_HOST_FUNCTION ? [body.invokeHostFunctionOp] : [],
  );
}

function factsOf(called: Value<"HostFunction">): HostFunctionFacts {
  switch (called.type) {
    case HOST_FUNCTION.invokeContract:
      return { kind: "invoke", ...readContractCall(called.invokeContract) };
    case HOST_FUNCTION.uploadWasm:
      return { kind: "upload", argumentsXdr: [] };
    case HOST_FUNCTION.createContract:
      return { kind: "create", argumentsXdr: [] };
    case HOST_FUNCTION.createContractV2:
      return { kind: "create", argumentsXdr: xdrOf(called.createContractV2.constructorArgs) };
  }
}
