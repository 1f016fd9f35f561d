// Contracts that cannot sign: an address authorizes by a signature only where its contract has
// __check_auth (CAP-46-11); any other does so by what it calls.

import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";

/** A contract that is known to have no `__check_auth`. */
export function lacksCheckAuth(address: string | null, lookup: ContractLookup): boolean {
  const spec = lookup(address)?.spec ?? null;
  return spec !== null && !spec.functions.has("__check_auth");
}
