// Keys of contract data with the names from the contract's specification. The specification does
// not state the type of a key. A union whose case and values fit the key only changes how it is
// shown.

import { readBase64 } from "../reader/cursor.ts";
import { ENTRY_TYPE, typeOfKey } from "../reader/keys.ts";
import { shapeOf } from "../reader/shape.ts";
import { describeKey } from "../values/value.ts";
import { isVector } from "../values/value-parts.ts";
import { readAddress } from "../values/value-text.ts";
import type { ContractSpec } from "./contract-spec.ts";
import type { ContractLookup } from "./contract-specs.ts";
import { showTyped } from "./value-typed.ts";

const scVal = shapeOf("ScVal");
const SHOWN_KEY = 80;

/** Like describeKey(), e.g. `persistent data Count(main) of contract C…`. */
export function describeTypedKey(keyXdr: string, lookup: ContractLookup): string {
  const described = describeKey(keyXdr);
  const parts = /^(?:persistent|temporary) data /.test(described) ? dataKeyOf(keyXdr) : null;
  if (parts === null || !isVector(parts.key)) return described;
  const { contract, key, durability } = parts;
  const shown = unionCase(key, lookup(contract)?.spec ?? null);
  return shown === null ? described : `${durability} data ${shown} of contract ${contract}`;
}

/** A contract's own key, ScVal, in at most `limitCharacters`. */
export function showDataKey(
  keyScValXdr: string,
  spec: ContractSpec | null,
  limitCharacters = SHOWN_KEY,
): string {
  const named = isVector(keyScValXdr) ? unionCase(keyScValXdr, spec, limitCharacters) : null;
  return named ?? showTyped(keyScValXdr, null, spec, limitCharacters);
}

function unionCase(
  keyScValXdr: string,
  spec: ContractSpec | null,
  limitCharacters = SHOWN_KEY,
): string | null {
  for (const { kind, name } of spec?.types.values() ?? []) {
    if (kind !== "union") continue;
    const shown = showTyped(keyScValXdr, { kind: "named", name }, spec, limitCharacters);
    // A key that does not fit is shown as a vector.
    if (!shown.startsWith("[")) return shown;
  }
  return null;
}

/** The nonce of an authorization, which is absent until it is used. */
export function isNonceKey(keyXdr: string): boolean {
  if (typeOfKey(keyXdr) !== ENTRY_TYPE.contractData) return false;
  return Buffer.from(dataKeyOf(keyXdr).key, "base64").readInt32BE(0) === NONCE;
}

/** Value of ScValType. */
const NONCE = 21;

/** The parts of a LedgerKey of contract data; `key` is an ScVal. */
export function dataKeyOf(keyXdr: string) {
  return readBase64(keyXdr, "LedgerKey", (cursor) => {
    if (cursor.int32() !== ENTRY_TYPE.contractData) cursor.noArm("LedgerKey", ENTRY_TYPE.ttl);
    const contract = readAddress(cursor);
    const key = cursor.takeBase64(scVal);
    return { contract, key, durability: cursor.int32() === 0 ? "temporary" : "persistent" };
  });
}
