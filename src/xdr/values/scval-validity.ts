// Finds flaws of an ScVal for which the host refuses it as an argument or in a storage key
// (rs-soroban-env, host/conversion.rs).

import { partsOfMuxed } from "../../base/text/strkey.ts";
import { ENTRY_TYPE } from "../reader/keys.ts";
import { SCV } from "../reader/scval-type.ts";
import { addressText } from "../reader/to-json.ts";
import { decode, utf8, type Value } from "../reader/value.ts";

/** The types of contract instances and nonces, which only ledger keys and entries may have. */
const LEDGER_ONLY: ReadonlySet<number> = new Set([SCV.instance, SCV.instanceKey, SCV.nonceKey]);
const DEEPEST = 200;
/** The types of addresses (ScAddressType) that only events may have (CAP-67). */
const NO_HOLDERS: Readonly<Record<number, string>> = {
  3: "claimable balance",
  4: "liquidity pool",
};
/** Why the host refuses a value. */
export interface ValueFlaw {
  /** A clause. */
  readonly why: string;
  /** The value has an address of a kind that only events may have. */
  readonly isAddress: boolean;
}

/** Returns null for a value that the host accepts. */
export function flawOf(scValXdr: string): ValueFlaw | null {
  try {
    return flaw(decode("ScVal", scValXdr), 0);
  } catch {
    return flawed("it is not an ScVal");
  }
}

function flawed(why: string): ValueFlaw {
  return { why, isAddress: false };
}

/**
 * Says why no ledger can have an entry with that LedgerKey, as a predicate such as `has …`. Null
 * means that no flaw was found. Throws XDR_INVALID.
 */
export function keyFlawOf(keyXdr: string): string | null {
  const key = decode("LedgerKey", keyXdr);
  if (key.type !== ENTRY_TYPE.contractData) return null;
  const { contract, key: name } = key.contractData;
  const address = addressText(contract);
  // The host keeps the nonces of an account with the account's address.
  if (contract.type > 1) return `has the address ${address}, which holds no contract data`;
  const muxed = muxedIn(name, 0);
  return muxed === null
    ? null
    : `has the muxed address ${muxed} in it, which the host refuses in storage keys: use ${partsOfMuxed(muxed)?.address}`;
}

/** Returns the first muxed address in a value. */
function muxedIn(value: Value<"ScVal">, depth: number): string | null {
  if (depth > DEEPEST) return null;
  if (value.type === SCV.address)
    return value.address.type === 2 || value.address.type === 5 ? addressText(value.address) : null;
  const within =
    value.type === SCV.vec
      ? (value.vec ?? [])
      : value.type === SCV.map
        ? (value.map ?? []).flatMap(({ key, val }) => [key, val])
        : [];
  for (const each of within) {
    const muxedAddress = muxedIn(each, depth + 1);
    if (muxedAddress !== null) return muxedAddress;
  }
  return null;
}

function flaw(value: Value<"ScVal">, depth: number): ValueFlaw | null {
  if (depth > DEEPEST) return flawed("it is nested too deeply");
  if (LEDGER_ONLY.has(value.type)) return flawed("its type is only allowed in ledger entries");
  if (value.type === SCV.vec) {
    if (value.vec === null) return flawed("it has a vector without a body");
    return firstFlaw(value.vec, depth);
  }
  if (value.type === SCV.map) {
    if (value.map === null) return flawed("it has a map without a body");
    return (
      orderFlaw(value.map) ??
      firstFlaw(
        value.map.flatMap(({ key, val }) => [key, val]),
        depth,
      )
    );
  }
  if (value.type === SCV.address) {
    const holders = NO_HOLDERS[value.address.type];
    return holders === undefined
      ? null
      : { why: `it has the address of a ${holders}`, isAddress: true };
  }
  if (value.type === SCV.symbol && !/^\w{0,32}$/.test(utf8(value.sym)))
    return flawed("it has a symbol with characters other than letters, digits and underscores");
  return null;
}

function firstFlaw(values: readonly Value<"ScVal">[], depth: number): ValueFlaw | null {
  for (const value of values) {
    const valueFlaw = flaw(value, depth + 1);
    if (valueFlaw !== null) return valueFlaw;
  }
  return null;
}

/** Compares only symbols, because structs have no other keys. */
function orderFlaw(entries: readonly Value<"ScMapEntry">[]): ValueFlaw | null {
  const names = entries.map(({ key }) => (key.type === SCV.symbol ? utf8(key.sym) : null));
  const at = names.findIndex((name, i) => {
    const before = names[i - 1];
    return name !== null && before !== null && before !== undefined && before >= name;
  });
  if (at < 0) return null;
  return flawed(
    `the keys of a map are not in ascending order ("${names[at]}" follows "${names[at - 1]}")`,
  );
}
