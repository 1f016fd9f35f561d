// Names the addresses in a report: a unique short form of each, and its name, which is the user's
// label or the asset whose contract it is.

import { addressesIn } from "../../base/text/found-by-form.ts";
import { neutralInSentence } from "../../base/text/neutralise.ts";
import { shortStrkey } from "../../base/text/strkey.ts";
import type { NamedAddress } from "../../model/explanation.ts";
import type { Labels } from "../../model/labels.ts";
import { namesOfAsset, type TokenLookup } from "../../xdr/contract/token-metadata.ts";
import { assetContract } from "../../xdr/values/asset-contract.ts";

const NATIVE = namesOfAsset("native");
const SHORTEST = 4;
const LONGEST = 24;

/** Names the addresses in all texts of `value`, in the order of first mention. */
export function nameAddresses(
  value: unknown,
  labels: Labels,
  tokenOf: TokenLookup,
  networkPassphrase: string,
): NamedAddress[] {
  const mentioned = new Set<string>();
  collect(value, mentioned);
  const addresses = [...mentioned];
  const native = assetContract("native", networkPassphrase);
  const assetOf = (address: string) => {
    const token = address === native ? NATIVE : tokenOf(address);
    return token?.asset ? `${token.symbol} asset` : "";
  };
  return addresses.map((address) => {
    const known = labels.get(address);
    const saved = known?.isSaved === true ? `@${known.name}` : "";
    const label = known?.isSaved === false ? known.name : `${assetOf(address)} ${saved}`.trim();
    return {
      address,
      short: shortForm(address, addresses),
      label: neutralInSentence(label) || null,
    };
  });
}

function collect(value: unknown, addresses: Set<string>): void {
  if (typeof value === "string") {
    for (const address of addressesIn(value)) addresses.add(address);
  } else if (typeof value === "object" && value !== null) {
    for (const each of Object.values(value)) collect(each, addresses);
  }
}

/** The shortest form that differs from all others; usually like `CARM…JDFF`. */
function shortForm(address: string, all: readonly string[]): string {
  for (let shown = SHORTEST; shown <= LONGEST; shown += 2) {
    const form = shortStrkey(address, shown);
    if (all.every((other) => other === address || shortStrkey(other, shown) !== form)) return form;
  }
  return address;
}
