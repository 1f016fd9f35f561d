// The names that authors of contracts give to the function that sets a contract up, and to the
// stored flag that says that it ran. Only the constructor has a meaning for the host. The others
// are conventions, so a statement that rests on them has to be a condition.

import { elementsOf, symbolOf } from "../values/value-parts.ts";
import { CONSTRUCTOR } from "./reserved-functions.ts";

const SETUP_FUNCTIONS: ReadonlySet<string> = new Set([
  CONSTRUCTOR,
  "init",
  "initialize",
  "initialise",
  "init_contract",
  "initialize_contract",
  "init_pool",
  "initialize_pool",
  "init_token",
  "initialize_token",
  "setup",
  "set_up",
]);

/** In lower case, without underscores. */
const SETUP_FLAGS: ReadonlySet<string> = new Set([
  "init",
  "initialized",
  "initialised",
  "isinit",
  "isinitialized",
  "isinitialised",
]);

/** Says whether a function has a name of functions that run once, to set a contract up. */
export function isSetupFunction(functionName: string): boolean {
  return SETUP_FUNCTIONS.has(functionName);
}

/** Says whether a storage key (ScVal), or its first element, has a name of such a flag. */
export function isSetupFlag(keyXdr: string): boolean {
  const name = symbolOf(keyXdr) ?? symbolOf(elementsOf(keyXdr)?.[0] ?? "");
  return name !== null && SETUP_FLAGS.has(name.toLowerCase().replaceAll("_", ""));
}
