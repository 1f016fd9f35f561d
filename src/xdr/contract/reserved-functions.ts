// The functions of contracts that only the host calls. Their names begin with two underscores, and
// calling one from a transaction or a contract is an error (rs-soroban-env,
// soroban-env-host/src/host/frame.rs).

export const CONSTRUCTOR = "__constructor";
/** The check of an authorization of a contract account. */
export const CHECK_AUTH = "__check_auth";

const RESERVED_PREFIX = "__";

/** Says whether only the host may call a function with this name. */
export function isReserved(functionName: string): boolean {
  return functionName.startsWith(RESERVED_PREFIX);
}
