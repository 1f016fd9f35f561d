// Tells whether an ScVal can have a type of a contract's specification, by its outermost kind.
// Contracts check only that before they run their own code.

import { decodeBase64 } from "../reader/cursor.ts";
import { SCV } from "../reader/scval-type.ts";
import { uint32At } from "../reader/words.ts";
import { holderOfMuxed } from "../values/value-parts.ts";
import type { ContractSpec, SpecType } from "./contract-spec.ts";

/** The SCValType of each plain specification type. */
const PLAIN_KINDS: Readonly<Record<string, number>> = SCV;
/** Stands for muxed addresses, which have a type of their own in the host (CAP-67). */
const MUXED_ADDRESS = -1;

/** Returns true also if the type is unknown. */
export function mayBe(scValXdr: string, type: SpecType, spec: ContractSpec | null): boolean {
  const kind =
    holderOfMuxed(scValXdr) === null ? uint32At(decodeBase64(scValXdr, "ScVal"), 0) : MUXED_ADDRESS;
  const kinds = kindsOf(type, spec);
  return kinds === null || kinds.includes(kind);
}

/** Returns null if any kind is possible. */
function kindsOf(type: SpecType, spec: ContractSpec | null): readonly number[] | null {
  switch (type.kind) {
    case "plain": {
      if (type.name === "muxed_address") return [SCV.address, MUXED_ADDRESS];
      const kind = PLAIN_KINDS[type.name];
      return kind === undefined ? null : [kind];
    }
    case "bytes":
      return [SCV.bytes];
    case "vec":
    case "tuple":
      return [SCV.vec];
    case "map":
      return [SCV.map];
    case "option": {
      const inner = kindsOf(type.element, spec);
      return inner === null ? null : [SCV.void, ...inner];
    }
    case "named": {
      const definition = spec?.types.get(type.name);
      return definition === undefined ? null : DEFINED_KINDS[definition.kind];
    }
    default:
      return null;
  }
}

const DEFINED_KINDS = {
  struct: [SCV.map, SCV.vec],
  union: [SCV.vec],
  enum: [SCV.u32],
  error: [SCV.error, SCV.u32],
};
