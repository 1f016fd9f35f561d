// The contract whose names explain an error, from its specification alone.

import type { KnownContract } from "../explain/explain-answer.ts";
import { readContractSpec, readSpecEntries } from "../xdr/contract/contract-spec.ts";

/**
 * `source` is the wasm of the contract, or the entries of its specification as base64. Throws
 * XDR_INVALID.
 */
export function contractOfSpec(source: Uint8Array | readonly string[]): KnownContract {
  const spec = source instanceof Uint8Array ? readContractSpec(source) : readSpecEntries(source);
  return { contract: null, wasmHash: null, spec, token: null, of: "the specification" };
}
