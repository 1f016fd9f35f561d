// Builds ScVals and reads their parts, as base64.

import { decodeBase64, readBase64, type XdrCursor } from "../reader/cursor.ts";
import { ENTRY_TYPE } from "../reader/keys.ts";
import { shapeOf } from "../reader/shape.ts";
import { decodeContractId, encodeStrkey } from "../reader/strkey.ts";

/** ScVal of type bool. */
const FALSE = "AAAAAAAAAAA=";
const scVal = shapeOf("ScVal");
const UTF8 = new TextDecoder();
const SCV_VOID = 1;
const SCV_SYMBOL = 15;
const SCV_VEC = 16;

export function voidValue(): string {
  return words(SCV_VOID).toBase64();
}

export function vectorOf(elementsXdr: readonly string[]): string {
  const elements = elementsXdr.map((element) => decodeBase64(element, "ScVal"));
  return Buffer.concat([words(SCV_VEC, 1, elements.length), ...elements]).toBase64();
}

/** Also false for a text that is not an ScVal. */
export function isVector(scValXdr: string): boolean {
  return elementsOf(scValXdr) !== null;
}

/** Null when it is not a vector. */
export function elementsOf(scValXdr: string): string[] | null {
  try {
    return readBase64(scValXdr, "ScVal", (cursor) => {
      const isVec = cursor.int32() === SCV_VEC && cursor.boolean("vec");
      const elements = isVec ? cursor.base64Array(scVal) : null;
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
    return readBase64(scValXdr, "ScVal", (cursor) => {
      const isMap = cursor.int32() === SCV_MAP && cursor.boolean("map");
      const count = isMap ? cursor.uint32() : 0;
      const entries: [string, string][] = [];
      for (let index = 0; index < count; index++)
        entries.push([cursor.takeBase64(scVal), cursor.takeBase64(scVal)]);
      cursor.at = cursor.source.end;
      return isMap ? entries : null;
    });
  } catch {
    return null;
  }
}

/** The text of a symbol ScVal; null when it is another value. */
export function symbolOf(scValXdr: string): string | null {
  return readBase64(scValXdr, "ScVal", (cursor) => {
    const symbol = cursor.int32() === SCV_SYMBOL ? readSymbol(cursor) : null;
    cursor.at = cursor.source.end;
    return symbol;
  });
}

export function isSymbol(scValXdr: string, text: string): boolean {
  return symbolOf(scValXdr) === text;
}

/** The text of a symbol, whose type has been read. */
export function readSymbol(cursor: XdrCursor): string {
  const bytes = cursor.opaque(cursor.uint32());
  cursor.opaque((4 - (bytes.length % 4)) % 4);
  return UTF8.decode(bytes);
}

/** Symbol → value of a map; null when it is not a map, or has other keys. */
export function symbolMapOf(scValXdr: string): ReadonlyMap<string, string> | null {
  return readBase64(scValXdr, "ScVal", (cursor) => {
    const isMap = cursor.int32() === SCV_MAP && cursor.boolean("map");
    const count = isMap ? cursor.length("map") : 0;
    const found = new Map<string, string>();
    for (let i = 0; i < count; i += 1) {
      const key = symbolOf(cursor.takeBase64(scVal));
      const value = cursor.takeBase64(scVal);
      if (key !== null) found.set(key, value);
    }
    cursor.at = cursor.source.end;
    return isMap && found.size === count ? found : null;
  });
}

const SCV_MAP = 17;
const SCV_STRING = 14;

/** The text of a string ScVal, not neutralised; null when it is another value. */
export function stringOf(scValXdr: string): string | null {
  if (scValXdr === "") return null;
  return readBase64(scValXdr, "ScVal", (cursor) => {
    const text = cursor.int32() === SCV_STRING ? cursor.opaque(cursor.uint32()) : null;
    cursor.at = cursor.source.end;
    return text === null ? null : new TextDecoder().decode(text);
  });
}

/** The i128 in an ScVal; null when it is another value. */
export function amountOf(scValXdr: string): bigint | null {
  if (scValXdr === "") return null;
  return readBase64(scValXdr, "ScVal", (cursor) => {
    const amount = cursor.int32() === SCV_I128 ? (cursor.int64() << 64n) | cursor.uint64() : null;
    cursor.at = cursor.source.end;
    return amount;
  });
}

const SCV_I128 = 10;

/** LedgerKeys of a contract's data under that key: persistent, then temporary. */
export function contractDataKeys(addressXdr: string, keyXdr: string): string[] {
  // An ScVal of type address is the type and an SCAddress.
  const address = decodeBase64(addressXdr, "ScVal").subarray(4);
  const key = decodeBase64(keyXdr, "ScVal");
  return [PERSISTENT, TEMPORARY].map((durability) =>
    Buffer.concat([words(ENTRY_TYPE.contractData), address, key, words(durability)]).toBase64(),
  );
}

/** LedgerKey of the code with that hash; empty when the bytes are not a hash. */
export function codeKeys(hashXdr: string): string[] {
  const bytes = decodeBase64(hashXdr, "ScVal");
  if (bytes.length !== 8 + HASH_SIZE || bytes[3] !== SCV_BYTES) return [];
  return [Buffer.concat([words(ENTRY_TYPE.contractCode), bytes.subarray(8)]).toBase64()];
}

/** The contract with that id, as a strkey; null when the bytes are not an id. */
export function contractOfId(bytesXdr: string): string | null {
  const bytes = bytesXdr === "" ? new Uint8Array() : decodeBase64(bytesXdr, "ScVal");
  const isId = bytes.length === 8 + HASH_SIZE && bytes[3] === SCV_BYTES;
  return isId ? encodeStrkey("contract", bytes.subarray(8)) : null;
}

export function isFalse(scValXdr: string): boolean {
  return scValXdr === FALSE;
}

export function isVoid(scValXdr: string): boolean {
  return scValXdr === voidValue();
}

/** The account with that ed25519 key, as a strkey; null when the bytes are not a key. */
export function accountOfKey(bytesXdr: string): string | null {
  const bytes = decodeBase64(bytesXdr, "ScVal");
  const isKey = bytes.length === 8 + HASH_SIZE && bytes[3] === SCV_BYTES;
  return isKey ? encodeStrkey("account", bytes.subarray(8)) : null;
}

const SCV_BYTES = 13;
const HASH_SIZE = 32;

/** LedgerKey of a contract's instance. */
export function contractInstanceKey(addressXdr: string): string {
  const [persistent = ""] = contractDataKeys(addressXdr, words(SCV_LEDGER_KEY_INSTANCE).toBase64());
  return persistent;
}

/** The key of a contract's instance by the contract's strkey; null when it is not a strkey. */
export function instanceKeyOfContract(contract: string): string | null {
  const id = decodeContractId(contract);
  if (id === null) return null;
  const address = Buffer.concat([words(SCV_ADDRESS, ADDRESS_OF_CONTRACT), id]);
  return contractInstanceKey(address.toBase64());
}

const SCV_ADDRESS = 18;
const ADDRESS_OF_CONTRACT = 1;
const TEMPORARY = 0;
const PERSISTENT = 1;
const SCV_LEDGER_KEY_INSTANCE = 20;

function words(...values: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, 4 * i);
  return bytes;
}
