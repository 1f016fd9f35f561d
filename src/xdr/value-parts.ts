// ScVals put together and taken apart, as base64.

import { ScVal } from "@stellar/stellar-sdk/xdr";
import { decodeBase64, readBase64 } from "./cursor.ts";
import { shapeOf } from "./shape.ts";

const scVal = shapeOf(ScVal);
const SCV_VOID = 1;
const SCV_VEC = 16;

export function voidValue(): string {
  return words(SCV_VOID).toBase64();
}

export function vectorOf(elementsXdr: readonly string[]): string {
  const elements = elementsXdr.map((element) => decodeBase64(element, "ScVal"));
  return Buffer.concat([words(SCV_VEC, 1, elements.length), ...elements]).toBase64();
}

/** False for what is no ScVal at all. */
export function isVector(scValXdr: string): boolean {
  return elementsOf(scValXdr) !== null;
}

/** Null when it is no vector. */
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

function words(...values: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, 4 * i);
  return bytes;
}
