// Contracts that cannot sign. A contract can authorize with a signature only if it has __check_auth
// (CAP-46-11). Any other contract authorizes only what it calls.

import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";

/** True when the specification is known and has no `__check_auth`. */
export function lacksCheckAuth(address: string | null, lookup: ContractLookup): boolean {
  const spec = lookup(address)?.spec ?? null;
  return spec !== null && !spec.functions.has("__check_auth");
}
