// A contract's metadata (SEP-46): claims of its wasm about itself, which nothing checks.

import { utf8 } from "../reader/value.ts";
import { valuesIn } from "./wasm-sections.ts";

const MAXIMUM_ENTRIES = 1000;

/** Returns the first value of each key, up to the first entry that cannot be read. */
export function readContractMeta(wasm: Uint8Array): ReadonlyMap<string, string> {
  const meta = new Map<string, string>();
  for (const { v0 } of valuesIn(wasm, "contractmetav0", "ScMetaEntry", MAXIMUM_ENTRIES)) {
    const key = utf8(v0.key);
    if (!meta.has(key)) meta.set(key, utf8(v0.val));
  }
  return meta;
}
