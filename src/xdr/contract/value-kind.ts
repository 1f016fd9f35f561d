// Whether an ScVal can have a type of a contract's specification, as far as its outermost kind
// shows. Contracts check only that before they run their own code.

import { readBase64 } from "../reader/cursor.ts";
import type { ContractSpec, SpecType } from "./contract-spec.ts";

const SCV_VEC = 16;
const SCV_MAP = 17;
const SCV_BYTES = 13;
const SCV_VOID = 1;
const SCV_U32 = 3;
const SCV_ERROR = 2;

/** Specification type → SCValType. */
const PLAIN_KINDS: Readonly<Record<string, number>> = {
  bool: 0,
  void: SCV_VOID,
  error: SCV_ERROR,
  u32: SCV_U32,
  i32: 4,
  u64: 5,
  i64: 6,
  timepoint: 7,
  duration: 8,
  u128: 9,
  i128: 10,
  u256: 11,
  i256: 12,
  bytes: SCV_BYTES,
  string: 14,
  symbol: 15,
  address: 18,
  muxed_address: 18,
};

/** True when it is unknown. */
export function mayBe(scValXdr: string, type: SpecType, spec: ContractSpec | null): boolean {
  const kind = readBase64(scValXdr, "ScVal", (cursor) => {
    const found = cursor.int32();
    cursor.at = cursor.source.end;
    return found;
  });
  const kinds = kindsOf(type, spec);
  return kinds === null || kinds.includes(kind);
}

/** Null for any kind. */
function kindsOf(type: SpecType, spec: ContractSpec | null): readonly number[] | null {
  switch (type.kind) {
    case "plain": {
      const kind = PLAIN_KINDS[type.name];
      return kind === undefined ? null : [kind];
    }
    case "bytes":
      return [SCV_BYTES];
    case "vec":
    case "tuple":
      return [SCV_VEC];
    case "map":
      return [SCV_MAP];
    case "option": {
      const inner = kindsOf(type.element, spec);
      return inner === null ? null : [SCV_VOID, ...inner];
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
  struct: [SCV_MAP, SCV_VEC],
  union: [SCV_VEC],
  enum: [SCV_U32],
  error: [SCV_ERROR, SCV_U32],
};
