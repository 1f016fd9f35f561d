// Builds ScVals and reads their parts, as base64.

import { ofTexts } from "../../base/recently-used.ts";
import { decodeContractId, encodeStrkey } from "../../base/text/strkey.ts";
import { decodeBase64, readBase64 } from "../reader/cursor.ts";
import { ENTRY_TYPE } from "../reader/keys.ts";
import { SCV } from "../reader/scval-type.ts";
import { shapeOf } from "../reader/shape.ts";
import { toJson } from "../reader/to-json.ts";
import { decode, encode, utf8, type Value } from "../reader/value.ts";
import { int32At, uint32s } from "../reader/words.ts";

type ScVal = Value<"ScVal">;

const scVal = shapeOf("ScVal");
const VOID = uint32s(SCV.void).toBase64();
const FALSE = uint32s(SCV.bool, 0).toBase64();

/** Returns null if the value has another type. Throws XDR_INVALID. */
function readAs<Type extends ScVal["type"]>(scValXdr: string, type: Type) {
  if (decodeBase64(scValXdr.slice(0, 8), "ScVal")[3] !== type) return null;
  return decode("ScVal", scValXdr) as Extract<ScVal, { readonly type: Type }>;
}

/** Returns a name of SEP-51, such as `u32` or `map`, or null if the text is not an ScVal. */
export function typeNameOf(scValXdr: string): keyof typeof SCV | null {
  const bytes = Uint8Array.fromBase64(scValXdr.slice(0, 8));
  return bytes.length < 4 ? null : (TYPE_NAMES[int32At(bytes, 0)] ?? null);
}

const TYPE_NAMES = Object.keys(SCV) as (keyof typeof SCV)[];

export function voidValue(): string {
  return VOID;
}

export function isVoid(scValXdr: string): boolean {
  return scValXdr === VOID;
}

export function isFalse(scValXdr: string): boolean {
  return scValXdr === FALSE;
}

export function vectorOf(elementsXdr: readonly string[]): string {
  const vec = elementsXdr.map((element) => decode("ScVal", element));
  return encode("ScVal", { type: SCV.vec, vec });
}

/** Returns false also for a text that is not an ScVal. */
export function isVector(scValXdr: string): boolean {
  return elementsOf(scValXdr) !== null;
}

/** Returns null if the value is not a vector. */
export function elementsOf(scValXdr: string): string[] | null {
  try {
    // The elements are only sliced, because a call's arguments are read again and again.
    return readBase64(scValXdr, "ScVal", (cursor) => {
      const isThere = cursor.int32() === SCV.vec && cursor.boolean("vec");
      const elements = isThere ? cursor.base64Array(scVal) : null;
      cursor.at = cursor.source.end;
      return elements;
    });
  } catch {
    return null;
  }
}

/** Returns the keys and values of a map as ScVals, or null if it is not a map. */
export function mapOf(scValXdr: string): (readonly [string, string])[] | null {
  try {
    const entries = readAs(scValXdr, SCV.map)?.map;
    return entries?.map(({ key, val }) => [encode("ScVal", key), encode("ScVal", val)]) ?? null;
  } catch {
    return null;
  }
}

/** Returns a map's values by symbol, or null if it is not a map, or has other keys. */
export function symbolMapOf(scValXdr: string): ReadonlyMap<string, string> | null {
  const entries = readAs(scValXdr, SCV.map)?.map;
  if (!entries) return null;
  const valueOfName = new Map<string, string>();
  for (const { key, val } of entries) {
    if (key.type !== SCV.symbol) return null;
    valueOfName.set(utf8(key.sym), encode("ScVal", val));
  }
  return valueOfName;
}

/** Returns the text of a symbol ScVal, or null for another value. */
export function symbolOf(scValXdr: string): string | null {
  const value = readAs(scValXdr, SCV.symbol);
  return value && utf8(value.sym);
}

export function isSymbol(scValXdr: string, text: string): boolean {
  return symbolOf(scValXdr) === text;
}

/** Returns the text of a string ScVal, not neutralised, or null for another value. */
export function stringOf(scValXdr: string): string | null {
  const value = readAs(scValXdr, SCV.string);
  return value && utf8(value.str);
}

/** The types of ScVal that are integers, including times. */
const INTEGERS: ReadonlySet<number> = new Set([
  SCV.u32,
  SCV.i32,
  SCV.u64,
  SCV.i64,
  SCV.timepoint,
  SCV.duration,
  SCV.u128,
  SCV.i128,
  SCV.u256,
  SCV.i256,
]);

/** Returns a number, a truth value or a text (not neutralised), or null for another value. */
export function plainOf(scValXdr: string): bigint | boolean | string | null {
  const type = decodeBase64(scValXdr.slice(0, 8), "ScVal")[3] ?? 0;
  if (type === SCV.bool) return scValXdr !== FALSE;
  if (type === SCV.string) return stringOf(scValXdr);
  if (type === SCV.symbol) return symbolOf(scValXdr);
  if (!INTEGERS.has(type)) return null;
  const [number] = Object.values(toJson("ScVal", decode("ScVal", scValXdr)) as object);
  return BigInt(number);
}

/** Returns the number of an ScVal of an integer type; null for another value. */
export function integerOfValue(scValXdr: string): bigint | null {
  const plain = plainOf(scValXdr);
  return typeof plain === "bigint" ? plain : null;
}

const INTEGER = /^(?:([ui])(32|64|128|256)|timepoint|duration)$/;

/**
 * Makes an ScVal of an integer type such as `u32`. Returns null if there is no such type, or it has
 * no such number.
 */
export function integerValue(typeName: string, value: bigint): string | null {
  const match = INTEGER.exec(typeName);
  if (match === null) return null;
  const [, sign = "u", size = "64"] = match;
  const bits = Number(size);
  const unsigned = BigInt.asUintN(bits, value);
  if ((sign === "i" ? BigInt.asIntN(bits, value) : unsigned) !== value) return null;
  const type = uint32s(SCV[typeName as keyof typeof SCV]).toHex();
  return Uint8Array.fromHex(type + unsigned.toString(16).padStart(bits / 4, "0")).toBase64();
}

/** Returns the u64 in an ScVal, or null for another value. */
export function u64Of(scValXdr: string): bigint | null {
  return readAs(scValXdr, SCV.u64)?.u64 ?? null;
}

/** Returns the i128 in an ScVal, or null for another value. */
export function amountOf(scValXdr: string): bigint | null {
  const value = readAs(scValXdr, SCV.i128);
  return value && (value.i128.hi << 64n) | value.i128.lo;
}

/** Returns the LedgerKeys of a contract's data under that key: persistent, then temporary. */
export function contractDataKeys(addressXdr: string, keyXdr: string): string[] {
  const address = readAs(addressXdr, SCV.address);
  if (address === null) return [];
  return dataKeys(address.address, decode("ScVal", keyXdr));
}

function dataKeys(contract: Value<"ScAddress">, key: ScVal): string[] {
  return ([1, 0] as const).map((durability) => {
    const contractData = { contract, key, durability };
    return encode("LedgerKey", { type: ENTRY_TYPE.contractData, contractData });
  });
}

/** Returns the LedgerKey of a contract's instance. */
export function contractInstanceKey(addressXdr: string): string {
  return contractDataKeys(addressXdr, uint32s(SCV.instanceKey).toBase64())[0] ?? "";
}

/**
 * Returns the key of a contract's instance by the contract's strkey, or null if the text is not
 * one.
 */
export function instanceKeyOfContract(contract: string): string | null {
  const contractId = decodeContractId(contract);
  return contractId && (dataKeys({ type: 1, contractId }, { type: SCV.instanceKey })[0] ?? null);
}

/**
 * Returns the key of the entry from which a contract takes its executable (CAP-85), or null if the
 * entry is not the instance of such a contract.
 */
export function referenceKeyOf(entryXdr: string): string | null {
  const data = dataOfEntry(entryXdr);
  if (data?.type !== ENTRY_TYPE.contractData) return null;
  const { val } = data.contractData;
  const executable = val.type === SCV.instance ? val.instance.executable : null;
  if (executable?.type !== EXTERNAL_REFERENCE) return null;
  const { executableOwner, tag } = executable.externalRef;
  return dataKeys(executableOwner, { type: SCV.executableTag, executableTag: tag })[0] ?? null;
}

/** The ContractExecutableType of a reference. */
const EXTERNAL_REFERENCE = 2;

/** Returns null for another value, or bytes of another size. */
export function hashOf(bytesXdr: string): Uint8Array | null {
  const bytes = readAs(bytesXdr, SCV.bytes)?.bytes;
  return bytes?.length === 32 ? bytes : null;
}

/**
 * Returns the LedgerKey of the code with that hash. The list is empty if the bytes are not a hash.
 */
export function codeKeys(hashXdr: string): string[] {
  const hash = hashOf(hashXdr);
  if (hash === null) return [];
  return [encode("LedgerKey", { type: ENTRY_TYPE.contractCode, contractCode: { hash } })];
}

/** Returns the contract with that id as a strkey, or null if the bytes are not an id. */
export function contractOfId(bytesXdr: string): string | null {
  const id = hashOf(bytesXdr);
  return id && encodeStrkey("contract", id);
}

/**
 * Returns the account (G…) or the contract (C…) of a muxed address (M… or W…), which has a type of
 * its own in the host (CAP-67, CAP-84). Returns null if the ScVal is another value.
 */
export function holderOfMuxed(scValXdr: string): string | null {
  const address = readAs(scValXdr, SCV.address)?.address;
  if (address?.type === 2) return encodeStrkey("account", address.muxedAccount.ed25519);
  return address?.type === 5 ? encodeStrkey("contract", address.muxedContract.contractId) : null;
}

/** Returns the account with that ed25519 key as a strkey, or null if the bytes are not a key. */
export function accountOfKey(bytesXdr: string): string | null {
  const key = hashOf(bytesXdr);
  return key && encodeStrkey("account", key);
}

type EntryData = Value<"LedgerEntryData"> | null;

/** Entries are read again and again as the same strings. */
const remembered = ofTexts<EntryData>(2 ** 22);

/** Returns the data of a LedgerEntry, or null if it cannot be read. Another stage reports that. */
export function dataOfEntry(entryXdr: string): EntryData {
  return remembered.of(entryXdr, () => {
    try {
      return decode("LedgerEntry", entryXdr).data;
    } catch {
      return null;
    }
  });
}
