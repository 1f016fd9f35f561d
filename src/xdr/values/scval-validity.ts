// Flaws of an ScVal for which the host refuses it as an argument: rs-soroban-env,
// host/conversion.rs.

import { type ScMapEntry, ScVal } from "@stellar/stellar-sdk/xdr";

/** Types of contract instances and nonces, which are only allowed in ledger keys and entries. */
const LEDGER_ONLY: ReadonlySet<string> = new Set([
  "scvContractInstance",
  "scvLedgerKeyContractInstance",
  "scvLedgerKeyNonce",
]);
const DEEPEST = 200;

/** A clause; null when no flaw is found. */
export function flawOf(scValXdr: string): string | null {
  try {
    return flaw(ScVal.fromXdr(scValXdr, "base64"), 0);
  } catch {
    return "it is not an ScVal";
  }
}

function flaw(value: ScVal, depth: number): string | null {
  if (depth > DEEPEST) return "it is nested too deeply";
  if (LEDGER_ONLY.has(value.type)) return "its type is only allowed in ledger entries";
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
    return "it has a symbol with characters other than letters, digits and underscores";
  return null;
}

function firstFlaw(values: readonly ScVal[], depth: number): string | null {
  for (const value of values) {
    const found = flaw(value, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** Compares only symbols: structs have no other keys. */
function orderFlaw(entries: readonly ScMapEntry[]): string | null {
  const names = entries.map(({ key }) => (key.type === "scvSymbol" ? key.sym.toString() : null));
  const at = names.findIndex((name, i) => {
    const before = names[i - 1];
    return name !== null && before !== null && before !== undefined && before >= name;
  });
  if (at < 0) return null;
  return `the keys of a map are not in ascending order (${names[at]} follows ${names[at - 1]})`;
}
