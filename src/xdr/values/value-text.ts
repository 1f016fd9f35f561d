// Writes decoded values into a line of limited length. The budget of the text limits depth and
// length.

import { neutralise, quotedText } from "../../base/text/neutralise.ts";
import { encodeStrkey } from "../../base/text/strkey.ts";
import { SCV } from "../reader/scval-type.ts";
import { addressText, type JsonObject, toJson } from "../reader/to-json.ts";
import type { Value } from "../reader/value.ts";
import type { TextBudget } from "./text-budget.ts";

type ScVal = Value<"ScVal">;

const MAXIMUM_DEPTH = 12;

/** The names of SCErrorType without their prefix, in the order of their values. */
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

export interface ErrorFacts {
  /** A name such as `Contract` or `WasmVm`. */
  readonly type: string;
  /** A name such as `InvalidAction`, or the number of an error that a contract defines. */
  readonly code: string;
  readonly contractCode: number | null;
}

export function readError(error: Value<"ScError">): ErrorFacts {
  const type = ERROR_TYPES[error.type] as string;
  if (error.type === 0)
    return { type, code: String(error.contractCode), contractCode: error.contractCode };
  return { type, code: ERROR_CODES[error.code] as string, contractCode: null };
}

export function showError(error: ErrorFacts): string {
  const code = error.contractCode === null ? error.code : `#${error.contractCode}`;
  return `Error(${error.type}, ${code})`;
}

export function writeScVal(value: ScVal, text: TextBudget, depth = 0): void {
  if (text.full) return;
  if (depth > MAXIMUM_DEPTH && !text.exact) text.deeper();
  else WRITERS[value.type](value as never, text, (within) => writeScVal(within, text, depth + 1));
}

/** `write` writes the values within. */
type Writer<Type> = (
  value: Extract<ScVal, { readonly type: Type }>,
  text: TextBudget,
  write: (within: ScVal) => void,
) => void;

const WRITERS: { readonly [Type in ScVal["type"]]: Writer<Type> } = {
  [SCV.bool]: ({ b }, text) => text.add(String(b)),
  [SCV.void]: (_, text) => text.add("void"),
  [SCV.error]: ({ error }, text) => text.add(showError(readError(error))),
  [SCV.u32]: writeNumber,
  [SCV.i32]: writeNumber,
  [SCV.u64]: writeNumber,
  [SCV.i64]: writeNumber,
  [SCV.timepoint]: ({ timepoint }, text) => text.add(`timepoint ${timepoint}`),
  [SCV.duration]: ({ duration }, text) => text.add(`duration ${duration}`),
  [SCV.u128]: writeNumber,
  [SCV.i128]: writeNumber,
  [SCV.u256]: writeNumber,
  [SCV.i256]: writeNumber,
  [SCV.bytes]: ({ bytes }, text) => text.bytes(bytes),
  [SCV.string]: ({ str }, text) => text.quote(str),
  [SCV.symbol]: ({ sym }, text) => writeSymbol(sym, text),
  [SCV.vec]: ({ vec }, text, write) => {
    if (vec === null && text.exact) text.add("no vector");
    else writeList(vec ?? [], ["[", "]"], text, write);
  },
  [SCV.map]: ({ map }, text, write) => writeMap(map, text, write),
  [SCV.address]: ({ address }, text) => text.address(addressText(address)),
  [SCV.instance]: writeInstance,
  [SCV.instanceKey]: (_, text) => text.add("(instance key)"),
  [SCV.nonceKey]: ({ nonceKey }, text) => text.add(`nonce ${nonceKey.nonce}`),
  [SCV.executableTag]: ({ executableTag }, text) => {
    text.add("executable tag ");
    text.quote(executableTag);
  },
};

/** Writes a number, with its type if the text is exact: numbers of several types look the same. */
function writeNumber(value: ScVal, text: TextBudget): void {
  for (const [type, number] of Object.entries(toJson("ScVal", value) as JsonObject))
    text.add(text.exact ? `${number}_${type}` : String(number));
}

/** Writes a list in brackets, until the text is full. */
export function writeList<Item>(
  items: readonly Item[],
  [open, close]: readonly [string, string],
  text: TextBudget,
  write: (item: Item, position: number) => void,
): void {
  text.enclosed(open, close, () => {
    for (const [position, item] of items.entries()) {
      if (text.full) return;
      if (position > 0) text.add(", ");
      write(item, position);
    }
  });
}

function writeMap(
  map: readonly Value<"ScMapEntry">[] | null,
  text: TextBudget,
  write: (value: ScVal) => void,
): void {
  if (map === null && text.exact) {
    text.add("no map");
    return;
  }
  writeList(map ?? [], ["{", "}"], text, ({ key, val }) => {
    write(key);
    text.add(": ");
    write(val);
  });
}

/** Symbols that look like other values. */
const LIKE_OTHERS = /^(?:\d.*|true|false|void|none)$/;

function writeSymbol(bytes: Uint8Array, text: TextBudget): void {
  const symbol = text.lossy(bytes);
  if (/^\w+$/.test(symbol) && !(text.exact && LIKE_OTHERS.test(symbol))) text.add(symbol);
  else {
    if (text.exact) text.add("symbol ");
    text.quote(bytes);
  }
}

function writeInstance(
  value: Extract<ScVal, { readonly instance: unknown }>,
  text: TextBudget,
  write: (value: ScVal) => void,
): void {
  const { executable, storage } = value.instance;
  if (text.exact) {
    text.add(`instance ${JSON.stringify(toJson("ScVal", value))}`);
    return;
  }
  if (executable.type === 0) text.add(`instance of wasm ${executable.wasmHash.toHex()}`);
  else if (executable.type === 1) text.add("instance of the Stellar asset contract");
  else {
    text.add("instance of executable ");
    text.quote(executable.externalRef.tag);
    text.add(" of ");
    text.address(addressText(executable.externalRef.executableOwner));
  }
  if (storage === null) return;
  text.add(", storage ");
  writeMap(storage, text, write);
}

/** Returns `XLM`, `CODE:G…` or a liquidity pool. */
export function assetText(asset: Value<"TrustLineAsset">): string {
  if (asset.type === 0) return "XLM";
  if (asset.type === 3) return `liquidity pool ${asset.liquidityPoolId.toHex()}`;
  const { assetCode, issuer } = asset.type === 1 ? asset.alphaNum4 : asset.alphaNum12;
  const code = neutralise(new TextDecoder().decode(assetCode).replace(/\0+$/, ""));
  return `${/^\w{1,12}$/.test(code) ? code : quotedText(code)}:${encodeStrkey("account", issuer.ed25519)}`;
}
