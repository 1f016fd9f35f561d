// Writes decoded XDR into a line of limited length. Callers have walked the bytes with a shape
// before, so nothing here can read past the end. The text's budget limits depth and length.

import { neutralise } from "../../base/text/neutralise.ts";
import type { XdrCursor } from "../reader/cursor.ts";
import { shapeOf } from "../reader/shape.ts";
import { encodeStrkey } from "../reader/strkey.ts";
import { toJson } from "../reader/to-json.ts";
import { decode } from "../reader/value.ts";
import { ELLIPSIS, type TextBudget } from "./text-budget.ts";

const scVal = shapeOf("ScVal");

const MAXIMUM_DEPTH = 12;

/** SCErrorTypes without their prefix, in the order of their values. */
export const ERROR_TYPES = [
  "Contract",
  "WasmVm",
  "Context",
  "Storage",
  "Object",
  "Crypto",
  "Events",
  "Budget",
  "Value",
  "Auth",
];
export const ERROR_CODES = [
  "ArithDomain",
  "IndexBounds",
  "InvalidInput",
  "MissingValue",
  "ExistingValue",
  "ExceededLimit",
  "InvalidAction",
  "InternalError",
  "UnexpectedType",
  "UnexpectedSize",
];
const SCE_CONTRACT = 0;

export interface ErrorFacts {
  /** E.g. `Contract`, `WasmVm`. */
  readonly type: string;
  /** E.g. `InvalidAction`; for an error that a contract defines, its number. */
  readonly code: string;
  readonly contractCode: number | null;
}

/** SCError at the cursor. */
export function readError(cursor: XdrCursor): ErrorFacts {
  const type = cursor.int32();
  const code = cursor.uint32();
  if (type === SCE_CONTRACT) return { type: "Contract", code: String(code), contractCode: code };
  return {
    type: ERROR_TYPES[type] ?? `type ${type}`,
    code: ERROR_CODES[code] ?? `code ${code}`,
    contractCode: null,
  };
}

export function showError(error: ErrorFacts): string {
  const code = error.contractCode === null ? error.code : `#${error.contractCode}`;
  return `Error(${error.type}, ${code})`;
}

/** ScVal at the cursor. */
export function writeScVal(cursor: XdrCursor, text: TextBudget, depth = 0): void {
  if (text.full) return;
  if (depth > MAXIMUM_DEPTH && !text.exact) {
    text.add(ELLIPSIS);
    cursor.skip(scVal);
    return;
  }
  const type = cursor.int32();
  const writer = WRITERS[type];
  if (writer === undefined) text.add(`(value of type ${type})`);
  else writer(cursor, text, depth);
}

type Writer = (cursor: XdrCursor, text: TextBudget, depth: number) => void;

/** By SCValType. */
const WRITERS: readonly Writer[] = [
  (cursor, text) => text.add(String(cursor.boolean("bool"))),
  (_, text) => text.add("void"),
  (cursor, text) => text.add(showError(readError(cursor))),
  (cursor, text) => writeNumber(cursor.uint32(), "u32", text),
  (cursor, text) => writeNumber(cursor.int32(), "i32", text),
  (cursor, text) => writeNumber(cursor.uint64(), "u64", text),
  (cursor, text) => writeNumber(cursor.int64(), "i64", text),
  (cursor, text) => text.add(`timepoint ${cursor.uint64()}`),
  (cursor, text) => text.add(`duration ${cursor.uint64()}`),
  (cursor, text) => writeNumber(wide(cursor, cursor.uint64(), 1), "u128", text),
  (cursor, text) => writeNumber(wide(cursor, cursor.int64(), 1), "i128", text),
  (cursor, text) => writeNumber(wide(cursor, cursor.uint64(), 3), "u256", text),
  (cursor, text) => writeNumber(wide(cursor, cursor.int64(), 3), "i256", text),
  (cursor, text) => text.bytes(readVarOpaque(cursor)),
  (cursor, text) => text.quote(readVarOpaque(cursor)),
  (cursor, text) => writeSymbol(readVarOpaque(cursor), text),
  writeVec,
  writeMap,
  (cursor, text) => text.address(readAddress(cursor)),
  writeInstance,
  (_, text) => text.add("(instance key)"),
  (cursor, text) => text.add(`nonce ${cursor.int64()}`),
  (cursor, text) => {
    text.add("executable tag ");
    text.quote(readVarOpaque(cursor));
  },
];

/** Writes a number with its type: numbers of several types look the same. */
function writeNumber(value: number | bigint, type: string, text: TextBudget): void {
  text.add(text.exact ? `${value}_${type}` : String(value));
}

/** The high part, followed by that many 64-bit words. */
function wide(cursor: XdrCursor, high: bigint, words: number): bigint {
  let value = high;
  for (let i = 0; i < words; i += 1) value = (value << 64n) | cursor.uint64();
  return value;
}

/** Symbols that are written like other values. */
const LIKE_OTHERS = /^(?:\d.*|true|false|void|none)$/;

function writeSymbol(bytes: Uint8Array, text: TextBudget): void {
  const symbol = text.lossy(bytes);
  if (/^\w+$/.test(symbol) && !(text.exact && LIKE_OTHERS.test(symbol))) text.add(symbol);
  else {
    if (text.exact) text.add("symbol ");
    text.quote(bytes);
  }
}

function writeVec(cursor: XdrCursor, text: TextBudget, depth: number): void {
  const isThere = cursor.boolean("vec");
  if (!isThere && text.exact) {
    text.add("no vector");
    return;
  }
  const count = isThere ? cursor.uint32() : 0;
  text.enclosed("[", "]", () => {
    for (let i = 0; i < count && !text.full; i += 1) {
      if (i > 0) text.add(", ");
      writeScVal(cursor, text, depth + 1);
    }
  });
}

function writeMap(cursor: XdrCursor, text: TextBudget, depth: number): void {
  const isThere = cursor.boolean("map");
  if (!isThere && text.exact) {
    text.add("no map");
    return;
  }
  const count = isThere ? cursor.uint32() : 0;
  text.enclosed("{", "}", () => {
    for (let i = 0; i < count && !text.full; i += 1) {
      if (i > 0) text.add(", ");
      writeScVal(cursor, text, depth + 1);
      text.add(": ");
      writeScVal(cursor, text, depth + 1);
    }
  });
}

/** ContractExecutable, then the instance storage as an optional map. */
function writeInstance(cursor: XdrCursor, text: TextBudget, depth: number): void {
  const start = cursor.at - 4;
  if (text.exact) {
    cursor.at = start;
    const json = toJson("ScVal", decode("ScVal", cursor.takeBase64(scVal)));
    text.add(`instance ${JSON.stringify(json)}`);
    return;
  }
  const executable = cursor.int32();
  if (executable === 0) text.add(`instance of wasm ${cursor.opaque(32).toHex()}`);
  else if (executable === 1) text.add("instance of the Stellar asset contract");
  else {
    const owner = readAddress(cursor);
    text.add("instance of executable ");
    text.quote(readVarOpaque(cursor));
    text.add(" of ");
    text.address(owner);
  }
  if (cursor.peekInt32() === 1) {
    text.add(", storage ");
    writeMap(cursor, text, depth);
  } else cursor.int32();
}

function readVarOpaque(cursor: XdrCursor): Uint8Array {
  const bytes = cursor.opaque(cursor.uint32());
  cursor.opaque((4 - (bytes.length % 4)) % 4);
  return bytes;
}

/** PublicKey. */
export function readAccountId(cursor: XdrCursor): string {
  cursor.int32();
  return encodeStrkey("account", cursor.opaque(32));
}

/** SCAddress as a strkey. */
export function readAddress(cursor: XdrCursor): string {
  const type = cursor.int32();
  switch (type) {
    case 0:
      return readAccountId(cursor);
    case 1:
      return encodeStrkey("contract", cursor.opaque(32));
    case 2: {
      // The id comes first in the XDR, last in the strkey.
      const id = cursor.opaque(8);
      return encodeStrkey("muxed", Buffer.concat([cursor.opaque(32), id]));
    }
    case 3: {
      const version = cursor.int32();
      const payload = Buffer.concat([new Uint8Array([version]), cursor.opaque(32)]);
      return encodeStrkey("claimable-balance", payload);
    }
    default:
      return encodeStrkey("liquidity-pool", cursor.opaque(32));
  }
}

/** TrustLineAsset: `XLM`, `CODE:G…` or a liquidity pool. */
export function readAsset(cursor: XdrCursor): string {
  const type = cursor.int32();
  if (type === 0) return "XLM";
  if (type === 3) return `liquidity pool ${cursor.opaque(32).toHex()}`;
  const bytes = cursor.opaque(type === 1 ? 4 : 12);
  const code = neutralise(new TextDecoder().decode(bytes).replace(/\0+$/, ""));
  return `${code}:${readAccountId(cursor)}`;
}
