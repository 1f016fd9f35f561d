// The places where the source of the code that ran can be found, in the words of its metadata
// (SEP-58).

import { cutVisibly } from "../../base/text/neutralise.ts";
import type { ExecutionTrace } from "../../model/travel.ts";
import { readContractMeta } from "../../xdr/contract/contract-meta.ts";

const SHOWN_CHARACTERS = 300;

/** One sentence for each code that names its source. */
export function sourceClaims(
  { codes }: Pick<ExecutionTrace, "codes">,
  wasm: ReadonlyMap<string, Uint8Array>,
): string[] {
  return codes.flatMap(({ hash }) => {
    const meta = readContractMeta(wasm.get(hash) ?? new Uint8Array());
    const named = ["source_uri", "source_sha256"].flatMap((key) => {
      const value = meta.get(key);
      return value === undefined
        ? []
        : [`${key} ${JSON.stringify(cutVisibly(value, SHOWN_CHARACTERS))}`];
    });
    if (named.length === 0) return [];
    return [
      `Wasm ${hash.slice(0, 8)}… names its source, which was not checked: ${named.join(", ")}.`,
    ];
  });
}
