// Shows keys of contract data with the names from the contract's specification. The specification
// does not state the type of a key. If a union has a case that fits the key, only the way it is
// shown changes.

import { withShortAddresses } from "../../base/text/found-by-form.ts";
import { ENTRY_TYPE } from "../reader/keys.ts";
import { SCV } from "../reader/scval-type.ts";
import { invalidXdr } from "../reader/shape.ts";
import { addressText } from "../reader/to-json.ts";
import { decode, encode, type Value } from "../reader/value.ts";
import { describeData, describeKey } from "../values/value.ts";
import { isVector } from "../values/value-parts.ts";
import type { ContractSpec, SpecCase } from "./contract-spec.ts";
import type { ContractLookup } from "./contract-specs.ts";
import { showFitting, showTyped } from "./value-typed.ts";

/** Room for a name and 32 bytes. */
const SHOWN_KEY = 100;

/**
 * Describes a LedgerKey as describeKey() does, for example `persistent data Count(main) of contract
 * C…`.
 */
export function describeTypedKey(keyXdr: string, lookup: ContractLookup): string {
  const own = ownKey(keyXdr);
  const named = own && dataInWords(own, lookup);
  return named === null ? describeKey(keyXdr) : `${own?.durability} ${named}`;
}

/**
 * Describes a key that the host reported without its durability, as a part of a sentence: `data
 * Count(main) of contract C…`, `the instance of contract C…`.
 */
export function describeNeededKey(keyXdr: string, lookup: ContractLookup): string {
  const own = ownKey(keyXdr);
  if (own?.durability === "persistent") return dataInWords(own, lookup) ?? describeData(keyXdr);
  const described = describeTypedKey(keyXdr, lookup);
  return own === null && isOneOfItsKind(keyXdr) ? `the ${described}` : described;
}

type DataKey = ReturnType<typeof dataKeyOf>;

/** Returns null if it is no key of a contract's own data, or cannot be decoded. */
function ownKey(keyXdr: string): DataKey | null {
  const decoded = decodedKey(keyXdr);
  if (decoded?.type !== ENTRY_TYPE.contractData) return null;
  const { type } = decoded.contractData.key;
  return type === SCV.instanceKey || type === SCV.nonceKey ? null : dataKeyOf(keyXdr);
}

/** The key with the name of its case, without its durability. Returns null if no case fits. */
function dataInWords({ contract, key }: DataKey, lookup: ContractLookup): string | null {
  const shown = isVector(key) ? unionCase(key, lookup(contract)?.spec ?? null) : null;
  return shown === null ? null : `data ${shown} of contract ${contract}`;
}

/** True for a key that a sentence names with an article. */
function isOneOfItsKind(keyXdr: string): boolean {
  const type = decodedKey(keyXdr)?.type;
  return type === ENTRY_TYPE.contractData || type === ENTRY_TYPE.trustline;
}

function decodedKey(keyXdr: string): Value<"LedgerKey"> | null {
  try {
    return decode("LedgerKey", keyXdr);
  } catch {
    return null;
  }
}

/** One key of a contract. `durability` is `persistent`, `temporary` or `instance`. */
export interface StorageKey {
  readonly contract: string;
  readonly durability: string;
  /** An ScVal. */
  readonly keyXdr: string;
}

/** Returns a text that identifies the key, as in a data breakpoint. */
export function storageName({ contract, durability, keyXdr }: StorageKey): string {
  return `${contract} ${durability} ${keyXdr}`;
}

/** The inverse of `storageName`. Returns null for any other text. */
export function storageNamed(text: string): StorageKey | null {
  const [contract, durability, keyXdr] = text.split(" ");
  if (contract === undefined || durability === undefined || keyXdr === undefined) return null;
  return { contract, durability, keyXdr };
}

/** Shows a contract's own key, an ScVal, in at most `limitCharacters`. */
export function showDataKey(
  keyScValXdr: string,
  spec: ContractSpec | null,
  limitCharacters = SHOWN_KEY,
): string {
  const named = isVector(keyScValXdr) ? unionCase(keyScValXdr, spec, limitCharacters) : null;
  return (
    named ??
    variantShown(keyScValXdr, spec, limitCharacters) ??
    showTyped(keyScValXdr, null, spec, limitCharacters)
  );
}

/**
 * Contracts encode the cases of their keys as vectors that begin with a symbol, also where no
 * specification has them: `Balance(G…)`. A tuple that begins with such a case is `(Balance, G…)`. Null
 * for any other value, and for one that is too long.
 */
function variantShown(
  keyScValXdr: string,
  spec: ContractSpec | null,
  limitCharacters: number,
): string | null {
  const shownPart = (part: Value<"ScVal">): string =>
    variantOf(part) ?? showTyped(encode("ScVal", part), null, spec, limitCharacters);
  const variantOf = (value: Value<"ScVal">): string | null => {
    const [first, ...parts] = (value.type === SCV.vec && value.vec) || [];
    if (first?.type === SCV.symbol) {
      const name = shownPart(first);
      if (name === "") return null;
      return parts.length === 0 ? name : `${name}(${parts.map(shownPart).join(", ")})`;
    }
    const begin = first && variantOf(first);
    return begin ? `(${[begin, ...parts.map(shownPart)].join(", ")})` : null;
  };
  const shown = variantOf(decode("ScVal", keyScValXdr));
  return shown !== null && withShortAddresses(shown).length <= limitCharacters ? shown : null;
}

/**
 * Returns the case that a key of type u32 is. Contracts whose keys are numbers declare one enum of
 * them, and name it as the SDK's examples do: `DataKey`. Null if there is none, or more than one.
 */
export function keyCaseOf(keyScValXdr: string, spec: ContractSpec | null): SpecCase | null {
  const key = decode("ScVal", keyScValXdr);
  if (key.type !== SCV.u32) return null;
  const enums = [...(spec?.types.values() ?? [])].flatMap((type) =>
    type.kind === "enum" && type.name.endsWith(KEY_ENUM) ? [type] : [],
  );
  const [only, ...others] = enums;
  if (only === undefined || others.length > 0) return null;
  return only.cases.find(({ value }) => value === key.u32) ?? null;
}

const KEY_ENUM = "Key";

function unionCase(
  keyScValXdr: string,
  spec: ContractSpec | null,
  limitCharacters = SHOWN_KEY,
): string | null {
  for (const { kind, name } of spec?.types.values() ?? []) {
    if (kind !== "union") continue;
    const shown = showFitting(keyScValXdr, { kind: "named", name }, spec, limitCharacters);
    if (shown !== null) return shown;
  }
  return null;
}

/** True for the key of an authorization's nonce, an entry that is absent until it is used. */
export function isNonceKey(keyXdr: string): boolean {
  const key = decode("LedgerKey", keyXdr);
  return key.type === ENTRY_TYPE.contractData && key.contractData.key.type === SCV.nonceKey;
}

/** Splits a LedgerKey of contract data. `key` is an ScVal. Throws XDR_INVALID. */
export function dataKeyOf(keyXdr: string) {
  const decoded = decode("LedgerKey", keyXdr);
  if (decoded.type !== ENTRY_TYPE.contractData)
    throw invalidXdr("LedgerKey", 0, `type ${decoded.type} is not contract data`);
  const { contract, key, durability } = decoded.contractData;
  return {
    contract: addressText(contract),
    key: encode("ScVal", key),
    durability: durability === 0 ? "temporary" : "persistent",
  };
}
