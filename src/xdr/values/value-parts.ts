// Builds ScVals and reads their parts, as base64.

import { Remembered } from "../../base/remembered.ts";
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

/** Null when it is a value of another type. Throws XDR_INVALID. */
function readAs<Type extends ScVal["type"]>(scValXdr: string, type: Type) {
  if (decodeBase64(scValXdr.slice(0, 8), "ScVal")[3] !== type) return null;
  return decode("ScVal", scValXdr) as Extract<ScVal, { readonly type: Type }>;
}

/** `u32`, `map`, …, as SEP-51 has it; null: it is no ScVal. */
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

/** Also false for a text that is not an ScVal. */
export function isVector(scValXdr: string): boolean {
  return elementsOf(scValXdr) !== null;
}

/** Null when it is not a vector. */
export function elementsOf(scValXdr: string): string[] | null {
  try {
    // Slices: a call's arguments are asked for again and again.
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

/** Keys and values of a map, as ScVals; null when it is not a map. */
export function mapOf(scValXdr: string): (readonly [string, string])[] | null {
  try {
    const entries = readAs(scValXdr, SCV.map)?.map;
    return entries?.map(({ key, val }) => [encode("ScVal", key), encode("ScVal", val)]) ?? null;
  } catch {
    return null;
  }
}

/** Symbol → value of a map; null when it is not a map, or has other keys. */
export function symbolMapOf(scValXdr: string): ReadonlyMap<string, string> | null {
  const entries = readAs(scValXdr, SCV.map)?.map;
  if (!entries) return null;
  const found = new Map<string, string>();
  for (const { key, val } of entries) {
    if (key.type !== SCV.symbol) return null;
    found.set(utf8(key.sym), encode("ScVal", val));
  }
  return found;
}

/** The text of a symbol ScVal; null when it is another value. */
export function symbolOf(scValXdr: string): string | null {
  const value = readAs(scValXdr, SCV.symbol);
  return value && utf8(value.sym);
}

export function isSymbol(scValXdr: string, text: string): boolean {
  return symbolOf(scValXdr) === text;
}

/** The text of a string ScVal, not neutralised; null when it is another value. */
export function stringOf(scValXdr: string): string | null {
  const value = readAs(scValXdr, SCV.string);
  return value && utf8(value.str);
}

/** Types of ScVal that are integers, those of time included. */
const INTEGERS: ReadonlySet<number> = new Set([
  ...[SCV.u32, SCV.i32, SCV.u64, SCV.i64, SCV.timepoint, SCV.duration],
  ...[SCV.u128, SCV.i128, SCV.u256, SCV.i256],
]);

/** A number, a truth value or a text, not neutralised; null when it is another value. */
export function plainOf(scValXdr: string): bigint | boolean | string | null {
  const type = decodeBase64(scValXdr.slice(0, 8), "ScVal")[3] ?? 0;
  if (type === SCV.bool) return scValXdr !== FALSE;
  if (type === SCV.string) return stringOf(scValXdr);
  if (type === SCV.symbol) return symbolOf(scValXdr);
  if (!INTEGERS.has(type)) return null;
  const [number] = Object.values(toJson("ScVal", decode("ScVal", scValXdr)) as object);
  return BigInt(number);
}

const INTEGER = /^(?:([ui])(32|64|128|256)|timepoint|duration)$/;

/** ScVal of an integer type such as `u32`; null: it is none, or has no such number. */
export function integerValue(typeName: string, value: bigint): string | null {
  const found = INTEGER.exec(typeName);
  if (found === null) return null;
  const [, sign = "u", size = "64"] = found;
  const bits = Number(size);
  const unsigned = BigInt.asUintN(bits, value);
  if ((sign === "i" ? BigInt.asIntN(bits, value) : unsigned) !== value) return null;
  const type = uint32s(SCV[typeName as keyof typeof SCV]).toHex();
  return Uint8Array.fromHex(type + unsigned.toString(16).padStart(bits / 4, "0")).toBase64();
}

/** The u64 in an ScVal; null when it is another value. */
export function numberOf(scValXdr: string): bigint | null {
  return readAs(scValXdr, SCV.u64)?.u64 ?? null;
}

/** The i128 in an ScVal; null when it is another value. */
export function amountOf(scValXdr: string): bigint | null {
  const value = readAs(scValXdr, SCV.i128);
  return value && (value.i128.hi << 64n) | value.i128.lo;
}

/** LedgerKeys of a contract's data under that key: persistent, then temporary. */
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

/** LedgerKey of a contract's instance. */
export function contractInstanceKey(addressXdr: string): string {
  return contractDataKeys(addressXdr, uint32s(SCV.instanceKey).toBase64())[0] ?? "";
}

/** The key of a contract's instance by the contract's strkey; null when it is not a strkey. */
export function instanceKeyOfContract(contract: string): string | null {
  const contractId = decodeContractId(contract);
  return contractId && (dataKeys({ type: 1, contractId }, { type: SCV.instanceKey })[0] ?? null);
}

/** Null when it is another value, or of another size. */
export function hashOf(bytesXdr: string): Uint8Array | null {
  const bytes = readAs(bytesXdr, SCV.bytes)?.bytes;
  return bytes?.length === 32 ? bytes : null;
}

/** LedgerKey of the code with that hash; empty when the bytes are not a hash. */
export function codeKeys(hashXdr: string): string[] {
  const hash = hashOf(hashXdr);
  if (hash === null) return [];
  return [encode("LedgerKey", { type: ENTRY_TYPE.contractCode, contractCode: { hash } })];
}

/** The contract with that id, as a strkey; null when the bytes are not an id. */
export function contractOfId(bytesXdr: string): string | null {
  const id = hashOf(bytesXdr);
  return id && encodeStrkey("contract", id);
}

/**
 * The account (G…) or the contract (C…) of a muxed address (M… or W…), to which the host gives a
 * type of its own (CAP-67, CAP-84); null when the ScVal is another value.
 */
export function holderOfMuxed(scValXdr: string): string | null {
  const given = readAs(scValXdr, SCV.address)?.address;
  if (given?.type === 2) return encodeStrkey("account", given.muxedAccount.ed25519);
  return given?.type === 5 ? encodeStrkey("contract", given.muxedContract.contractId) : null;
}

/** The account with that ed25519 key, as a strkey; null when the bytes are not a key. */
export function accountOfKey(bytesXdr: string): string | null {
  const key = hashOf(bytesXdr);
  return key && encodeStrkey("account", key);
}

type EntryData = Value<"LedgerEntryData"> | null;

/** Entries are read again and again, and are the same strings. */
const remembered = new Remembered<EntryData>(2 ** 22);

/** The data of a LedgerEntry; null when it cannot be read: another stage reports it. */
export function dataOfEntry(entryXdr: string): EntryData {
  return remembered.of(entryXdr, () => {
    try {
      return decode("LedgerEntry", entryXdr).data;
    } catch {
      return null;
    }
  });
}
