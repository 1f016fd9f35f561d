// The addresses that a report mentions: a short form of each that no two of them share, and what
// they are called: by the user, or by the asset whose contract they are.

import type { Labels } from "../base/labels.ts";
import { neutralise } from "../base/neutralise.ts";
import type { NamedAddress } from "../model/explanation.ts";
import { assetContract } from "../xdr/asset-contract.ts";
import type { TokenMetadata } from "../xdr/token-metadata.ts";

const ADDRESS = /(?<![A-Za-z0-9])[GCMBL][A-Z2-7]{55,}(?![A-Za-z0-9])/g;
const SHORTEST = 4;
const LONGEST = 24;

/** Those in any text of `value`, in the order of their first mention. */
export function nameAddresses(
  value: unknown,
  labels: Labels,
  tokens: Iterable<TokenMetadata>,
  networkPassphrase: string,
): NamedAddress[] {
  const found = [...new Set(textsIn(value).flatMap((text) => text.match(ADDRESS) ?? []))];
  const derived = new Map<string, string>();
  for (const { contract, symbol, asset } of tokens)
    if (asset !== null) derived.set(contract, `${symbol} asset`);
  const native = assetContract("native", networkPassphrase);
  if (native !== null) derived.set(native, "XLM asset");
  return found.map((address) => ({
    address,
    short: shortForm(address, found),
    label: neutralise(labels.get(address) ?? derived.get(address) ?? "") || null,
  }));
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** As long as it takes to tell it from the others; `CARM…JDFF` mostly. */
function shortForm(address: string, all: readonly string[]): string {
  for (let shown = SHORTEST; shown <= LONGEST; shown += 2) {
    const form = formOf(address, shown);
    if (all.every((other) => other === address || formOf(other, shown) !== form)) return form;
  }
  return address;
}

function formOf(address: string, shown: number): string {
  return `${address.slice(0, shown)}…${address.slice(-shown)}`;
}
