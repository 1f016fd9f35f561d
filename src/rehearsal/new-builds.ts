// The new builds of contracts, each read once.

import type { OverriddenWasm } from "../model/overrides.ts";
import { type ContractSpec, readContractSpec } from "../xdr/contract/contract-spec.ts";
import { sha256 } from "../xdr/reader/hash.ts";
import { protocolOf } from "./interface-difference.ts";

export interface NewBuild extends OverriddenWasm {
  /** Hex. */
  readonly hash: string;
  /** Null if it has none that can be read. */
  readonly spec: ContractSpec | null;
  /** The protocol that it needs; null if it does not say. */
  readonly protocol: number | null;
}

/** The new builds by contract (strkey). */
export type NewBuilds = ReadonlyMap<string, NewBuild>;

export function readBuild(wasm: OverriddenWasm): NewBuild {
  const { bytes } = wasm;
  const [spec, protocol] = [readContractSpec(bytes), protocolOf(bytes)];
  return { ...wasm, hash: sha256(bytes).toHex(), spec, protocol };
}
