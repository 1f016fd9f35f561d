// The authorizations of the envelope, with the names from each contract's specification.

import type { NamedAuthorization, NamedInvocation } from "../../model/authorizations.ts";
import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import { showTyped } from "../../xdr/contract/value-typed.ts";
import type { AuthorizationFacts, AuthorizedCall } from "../../xdr/envelope/authorizations.ts";
import { showFunction } from "./named-calls.ts";
import { argumentInTokens } from "./token-amount.ts";

export function nameAuthorization(
  { address, signed, expirationLedger, root }: AuthorizationFacts,
  lookup: ContractLookup,
): NamedAuthorization {
  return {
    signer: address,
    signed,
    validUntilLedger: expirationLedger,
    invocation: nameInvocation(root, lookup),
  };
}

/** Returns a call without the names of its contract's specification, such as `f(1) of contract C…`. */
export function authorizedCallInWords(call: AuthorizedCall, limitCharacters?: number): string {
  if (call.function === null) return "the creation of a contract";
  const named = nameInvocation({ ...call, calls: [] }, () => null, limitCharacters);
  return `${showFunction(call.function)}(${named.arguments.join(", ")}) of contract ${call.contract}`;
}

export function nameInvocation(
  facts: AuthorizedCall,
  lookup: ContractLookup,
  limitCharacters?: number,
): NamedInvocation {
  const { contract, argumentsXdr } = facts;
  const known = lookup(contract);
  const spec = known?.spec ?? null;
  const inputs = (facts.function === null ? null : spec?.functions.get(facts.function))?.inputs;
  // With the wrong number of arguments, it is unknown which is which.
  const named = inputs?.length === argumentsXdr.length ? inputs : null;
  return {
    contract,
    function: facts.function === null ? null : showFunction(facts.function),
    arguments: argumentsXdr.map((xdr, i) => {
      const shown = showTyped(xdr, named?.[i]?.type ?? null, spec, limitCharacters);
      const called = { function: facts.function, argument: named?.[i]?.name };
      return shown + argumentInTokens(called, xdr, known?.token ?? null);
    }),
    argumentNames: named?.map(({ name }) => name) ?? null,
    calls: facts.calls.map((call) => nameInvocation(call, lookup, limitCharacters)),
  };
}
