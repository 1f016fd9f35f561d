// What makes a ScVal one that no contract can be given: rs-soroban-env, host/conversion.rs.

import { type ScMapEntry, ScVal } from "@stellar/stellar-sdk/xdr";

/** Of contracts' instances and nonces: they stand in ledger keys and entries alone. */
const LEDGER_ONLY: ReadonlySet<string> = new Set([
  "scvContractInstance",
  "scvLedgerKeyContractInstance",
  "scvLedgerKeyNonce",
]);
const DEEPEST = 200;

/** A clause; null when nothing is known to be wrong with it. */
export function flawOf(scValXdr: string): string | null {
  try {
    return flaw(ScVal.fromXdr(scValXdr, "base64"), 0);
  } catch {
    return "it is no ScVal";
  }
}

function flaw(value: ScVal, depth: number): string | null {
  if (depth > DEEPEST) return "it is nested too deep";
  if (LEDGER_ONLY.has(value.type)) return "it is of a type that stands in ledger entries alone";
  if (value.type === "scvVec") {
    if (value.vec === null) return "it has a vector without a body";
    return firstFlaw(value.vec, depth);
  }
  if (value.type === "scvMap") {
    if (value.map === null) return "it has a map without a body";
    return (
      orderFlaw(value.map) ??
      firstFlaw(
        value.map.flatMap(({ key, val }) => [key, val]),
        depth,
      )
    );
  }
  if (value.type === "scvSymbol" && !/^\w{0,32}$/.test(value.sym.toString()))
    return "it has a symbol of other characters than letters, digits and underscores";
  return null;
}

function firstFlaw(values: readonly ScVal[], depth: number): string | null {
  for (const value of values) {
    const found = flaw(value, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** Symbols alone are compared: structs have no other keys. */
function orderFlaw(entries: readonly ScMapEntry[]): string | null {
  const names = entries.map(({ key }) => (key.type === "scvSymbol" ? key.sym.toString() : null));
  const at = names.findIndex((name, i) => {
    const before = names[i - 1];
    return name !== null && before !== null && before !== undefined && before >= name;
  });
  if (at < 0) return null;
  return `the keys of a map are not in ascending order (${names[at]} follows ${names[at - 1]})`;
}
