// A word or a text that the contract host prints → ScVal. The print does not show the type of a
// number.

import { concatBytes, utf8Bytes } from "../../base/bytes.ts";
import { scAddressOf } from "../reader/from-json.ts";
import { SCV } from "../reader/scval-type.ts";
import { encodeBytes } from "../reader/value.ts";
import { setUint64, uint32s } from "../reader/words.ts";
import { ERROR_CODES, ERROR_TYPES } from "../values/value-text.ts";

/** A value, and the text that it was read from. */
export interface PrintedValue {
  readonly xdr: Uint8Array;
  /** As it is printed. */
  readonly text: string;
}

const NUMBERED = { TimePoint: SCV.timepoint, Duration: SCV.duration, LedgerKeyNonce: SCV.nonceKey };
const LONGEST_SYMBOL = 32;

/** The ScVal of a word that is printed without quotes. */
export function wordValue(word: string): Uint8Array {
  if (word === "true" || word === "false") return uint32s(SCV.bool, Number(word === "true"));
  if (word === "Void") return uint32s(SCV.void);
  if (word === "LedgerKeyContractInstance") return uint32s(SCV.instanceKey);
  if (/^-?\d{1,78}$/.test(word)) return numberValue(BigInt(word));
  const address = scAddressOf(word);
  if (address !== null) return encodeBytes("ScVal", { type: SCV.address, address });
  const [, name = "", inner = ""] = /^(\w+)\((.*)\)$/.exec(word) ?? [];
  if (name === "Bytes" && /^([0-9a-f]{2})*$/.test(inner))
    return bytesValue(Uint8Array.fromHex(inner));
  if (name in NUMBERED && /^-?\d{1,20}$/.test(inner))
    return concatBytes([
      uint32s(NUMBERED[name as keyof typeof NUMBERED]),
      wideBytes(BigInt(inner), 1),
    ]);
  if (name === "Error") return errorValue(inner) ?? textValue(word).xdr;
  if (/^\w*$/.test(word) && word.length <= LONGEST_SYMBOL) return variable(SCV.symbol, word);
  return textValue(word).xdr;
}

/** `Contract, #10` or `Budget, ExceededLimit`; null for any other text. */
export function errorValue(inner: string): Uint8Array | null {
  const [type = "", code = ""] = inner.split(/, ?#?/);
  const at = ERROR_TYPES.indexOf(type);
  if (at === -1) return null;
  const number = type === "Contract" ? Number(code) : ERROR_CODES.indexOf(code);
  const isCode = Number.isInteger(number) && number >= 0 && number <= 0xffff_ffff;
  return isCode ? uint32s(SCV.error, at, number) : null;
}

function numberValue(value: bigint): Uint8Array {
  const isWide = BigInt.asIntN(128, value) !== value;
  return concatBytes([uint32s(isWide ? SCV.i256 : SCV.i128), wideBytes(value, isWide ? 4 : 2)]);
}

function wideBytes(value: bigint, words: number): Uint8Array {
  const wide = new Uint8Array(8 * words);
  for (let i = 0; i < words; i += 1)
    setUint64(wide, 8 * i, BigInt.asUintN(64, value >> BigInt(64 * (words - 1 - i))));
  return wide;
}

export function textValue(text: string): PrintedValue {
  return { xdr: variable(SCV.string, text), text };
}

export function bytesValue(of: Uint8Array): Uint8Array {
  return variable(SCV.bytes, of);
}

export function variable(type: number, content: string | Uint8Array): Uint8Array {
  const body = typeof content === "string" ? utf8Bytes(content) : content;
  return concatBytes([
    uint32s(type, body.length),
    body,
    new Uint8Array((4 - (body.length % 4)) % 4),
  ]);
}
