// Reads XDR values from the JSON of SEP-51 (as `stellar xdr decode --output json` prints it), with
// the definitions of the newest protocol. It is the inverse of to-json.ts. Like the crate
// stellar-xdr, it also accepts 64-bit integers that are JSON numbers, fields with older names such
// as `type_`, and characters beyond ASCII.

import { SvcError } from "../../base/errors/errors.ts";
import { isJsonObject } from "../../base/json-object.ts";
import { cutNeutral, neutralise } from "../../base/text/neutralise.ts";
import { addressHint, decodeStrkey, type StrkeyKind } from "../../base/text/strkey.ts";
import { type EnumSchema, type Schema, schemaNamed, type TypeName } from "./schema.ts";
import { caseName, memberName, snakeCase } from "./to-json.ts";
import { unescaped } from "./unescaped.ts";
import { encode, type Value } from "./value.ts";
import { uint32At, uint64At } from "./words.ts";

/** A value that cannot be read. The message is a predicate such as `is not an ScVal …`. */
export class NotWritten extends Error {}

const SHOWN_PROBLEM = 200;
const SHOWN_VALUE = 80;
/** This is deeper than the nesting that stellar-core accepts from a client. */
const DEEPEST = 500;

/** Returns the base64 of the value in the JSON. Throws NotWritten. */
export function xdrOfJson(type: TypeName, json: unknown): string {
  const value = fromJson(type, json);
  try {
    return encode(type, value);
  } catch (cause) {
    if (!(cause instanceof SvcError)) throw cause;
    throw notWritten(type, "json", cause);
  }
}

/** Returns the value in the JSON. Throws NotWritten. */
export function fromJson<Name extends TypeName>(type: Name, json: unknown): Value<Name> {
  try {
    return read(schemaNamed(type), json, []) as Value<Name>;
  } catch (cause) {
    if (!(cause instanceof JsonMisfit)) throw cause;
    throw notWritten(type, "json", cause);
  }
}

/**
 * Returns the LedgerKey of an account's trustline in base64. `asset` is `CODE:ISSUER`. Throws
 * NotWritten.
 */
export function trustlineKeyOf(account: string, asset: string): string {
  const [code = "", issuer = ""] = asset.split(":");
  const kind = code.length <= 4 ? "credit_alphanum4" : "credit_alphanum12";
  return xdrOfJson("LedgerKey", {
    trustline: { account_id: account, asset: { [kind]: { asset_code: code, issuer } } },
  });
}

export function notWritten(
  type: TypeName,
  form: "base64" | "json",
  cause: SvcError | JsonMisfit,
): NotWritten {
  const value = `${/^(?:[AEIO]|Sc[A-Z])/.test(type) ? "an" : "a"} ${type}`;
  const expectedForm = form === "json" ? `${value} in the JSON of SEP-51` : `base64 of ${value}`;
  const clause = cause instanceof SvcError ? (cause.clause ?? cause.message) : cause.message;
  const problem = cutNeutral(neutralise(clause), SHOWN_PROBLEM);
  return new NotWritten(`is not ${expectedForm} (${problem})`, { cause });
}

/** The steps to a value within another: `.vec`, `[0]`, `.u32`. */
type At = readonly string[];

class JsonMisfit extends Error {
  constructor(at: At, problem: string) {
    super(at.length === 0 ? problem : `${at.join("").replace(/^\./, "")}: ${problem}`);
  }
}

function misfit(at: At, json: unknown, expectedForm: string): JsonMisfit {
  const text = typeof json === "string" ? json : "";
  const shown = cutNeutral(JSON.stringify(json) ?? "nothing", SHOWN_VALUE);
  return new JsonMisfit(at, `${shown} is not ${expectedForm}${addressHint(text)}`);
}

function read(schema: Schema, json: unknown, at: At): unknown {
  if (at.length > DEEPEST) throw new JsonMisfit([], "it is nested too deeply");
  const form = "name" in schema ? FORMS[schema.name] : undefined;
  if (form !== undefined) {
    const value = typeof json === "string" ? form.read(json) : null;
    if (value === null) throw misfit(at, json, form.expectedForm);
    return value;
  }
  switch (schema.kind) {
    case "int32":
    case "uint32":
      return wholeNumber(schema.kind, json, at);
    case "int64":
    case "uint64": {
      const value = integer(json, schema.kind === "int64" ? -64 : 64);
      if (value === null)
        throw misfit(
          at,
          json,
          `${schema.kind === "int64" ? "an" : "a"} ${schema.kind}, as decimal text`,
        );
      return value;
    }
    case "bool":
      if (typeof json !== "boolean") throw misfit(at, json, "true or false");
      return json;
    case "enum": {
      const value = membersByName(schema).get(json as string);
      if (value === undefined)
        throw misfit(at, json, `one of ${[...membersByName(schema).keys()].join(", ")}`);
      return value;
    }
    case "opaque":
      return bytesOfHex(json, schema.length, schema.length, at);
    case "bytes":
      return bytesOfHex(json, 0, schema.maxLength, at);
    case "text": {
      const bytes = typeof json === "string" ? unescaped(json) : null;
      if (bytes === null) throw misfit(at, json, "text with the escapes of SEP-51");
      return within(bytes, 0, schema.maxLength, "bytes", at);
    }
    case "option":
      return json === null ? null : read(schema.element, json, at);
    case "array":
    case "fixedArray": {
      if (!Array.isArray(json)) throw misfit(at, json, "a list");
      const [least, most] =
        schema.kind === "array" ? [0, schema.maxLength] : [schema.length, schema.length];
      within(json, least, most, "elements", at);
      return json.map((each, i) => read(schema.element, each, [...at, `[${i}]`]));
    }
    case "struct":
      return struct(schema, json, at);
    case "union":
      return union(schema, json, at);
    case "named":
      return read(schemaNamed(schema.name), json, at);
    case "recursive":
      return read(schema.element, json, at);
  }
}

function struct({ fields }: Schema & { kind: "struct" }, json: unknown, at: At): unknown {
  if (!isJsonObject(json)) throw misfit(at, json, "an object");
  const left = new Map(Object.entries(json));
  const value: Record<string, unknown> = {};
  for (const [name, schema] of fields) {
    const written = snakeCase(name);
    // Older versions of the crate added an underscore to names that are words of Rust.
    const field = left.has(written) ? written : `${written}_`;
    if (!left.has(field) && schema.kind !== "option")
      throw new JsonMisfit(at, `${written} is missing`);
    value[name] = read(schema, left.get(field) ?? null, [...at, `.${written}`]);
    left.delete(field);
  }
  for (const name of left.keys()) throw new JsonMisfit(at, `there is no field ${name}`);
  return value;
}

/** A case without a field is only its name. Any other is an object with that name alone. */
function union(schema: Schema & { kind: "union" }, json: unknown, at: At): unknown {
  const [[name, held] = [], ...others] = isJsonObject(json) ? Object.entries(json) : [[json, null]];
  const types = casesByName(schema);
  const type = others.length > 0 ? undefined : types.get(name as string);
  if (type === undefined) throw misfit(at, json, `one of ${[...types.keys()].join(", ")}`);
  const field = schema.cases.get(type) ?? null;
  if (field === null && held !== null) throw new JsonMisfit(at, `${name} has no value`);
  if (field === null) return { [schema.switchKey]: type };
  if (!isJsonObject(json)) throw new JsonMisfit(at, `${name} has a value: write {"${name}": …}`);
  return { [schema.switchKey]: type, [field[0]]: read(field[1], held, [...at, `.${name}`]) };
}

const names = new WeakMap<Schema, ReadonlyMap<string, number>>();

function membersByName(schema: EnumSchema): ReadonlyMap<string, number> {
  return rememberedNames(schema, [...schema.nameByValue.keys()], (value) =>
    memberName(schema, value),
  );
}

function casesByName(schema: Schema & { kind: "union" }): ReadonlyMap<string, number> {
  return rememberedNames(schema, [...schema.cases.keys()], (type) =>
    caseName(schema.switchOn, type),
  );
}

function rememberedNames(
  schema: Schema,
  values: readonly number[],
  nameOf: (value: number) => string,
): ReadonlyMap<string, number> {
  const known = names.get(schema) ?? new Map(values.map((value) => [nameOf(value), value]));
  names.set(schema, known);
  return known;
}

function wholeNumber(kind: "int32" | "uint32", json: unknown, at: At): number {
  const number = json as number;
  const fits = typeof json === "number" && (kind === "int32" ? number | 0 : number >>> 0) === json;
  if (!fits) throw misfit(at, json, kind === "int32" ? "an int32" : "a uint32");
  return number;
}

/**
 * `bits` is negative for an integer with a sign. Returns null if the JSON is not such an integer.
 */
function integer(json: unknown, bits: number): bigint | null {
  const isDigits = typeof json === "string" && /^[+-]?\d{1,78}$/.test(json);
  if (!isDigits && !Number.isSafeInteger(json)) return null;
  const value = BigInt(json as string | number);
  const fits = bits < 0 ? BigInt.asIntN(-bits, value) : BigInt.asUintN(bits, value);
  return fits === value ? value : null;
}

function bytesOfHex(json: unknown, least: number, most: number, at: At): Uint8Array {
  const isHex = typeof json === "string" && /^(?:[0-9a-f]{2})*$/i.test(json);
  if (!isHex) throw misfit(at, json, "hexadecimal text");
  return within(Uint8Array.fromHex(json), least, most, "bytes", at);
}

function within<List extends { readonly length: number }>(
  list: List,
  least: number,
  most: number,
  name: string,
  at: At,
): List {
  const { length } = list;
  if (length >= least && length <= most) return list;
  const allowed = least === most ? `${most}` : `at most ${most}`;
  throw new JsonMisfit(at, `${length} ${name} are given, and ${allowed} are possible`);
}

/** A type that has its own form as text. */
interface Form {
  readonly expectedForm: string;
  /** Returns null if the text is something else. */
  readonly read: (text: string) => unknown;
}

const KEY_SIZE = 32;

function strkeyForm(
  expectedForm: string,
  byKind: Partial<Record<StrkeyKind, (payload: Uint8Array) => unknown>>,
): Form {
  const readStrkey = (text: string) => {
    const decoded = decodeStrkey(text);
    return decoded === null ? null : (byKind[decoded.kind]?.(decoded.payload) ?? null);
  };
  return { expectedForm, read: readStrkey };
}

const itself = (payload: Uint8Array) => payload;
const publicKey = (ed25519: Uint8Array) => ({ type: 0, ed25519 }) as const;
const balanceId = (payload: Uint8Array) => ({ type: 0, v0: payload.subarray(1) }) as const;

function muxed(payload: Uint8Array): Value<"MuxedEd25519Account"> {
  return { id: uint64At(payload, KEY_SIZE), ed25519: payload.subarray(0, KEY_SIZE) };
}

function muxedContract(payload: Uint8Array): Value<"MuxedContract"> {
  return { id: uint64At(payload, KEY_SIZE), contractId: payload.subarray(0, KEY_SIZE) };
}

function signedPayload(payload: Uint8Array): Value<"SignerKeyEd25519SignedPayload"> {
  const start = KEY_SIZE + 4;
  const end = start + uint32At(payload, KEY_SIZE);
  return { ed25519: payload.subarray(0, KEY_SIZE), payload: payload.subarray(start, end) };
}

const ADDRESS = strkeyForm("an address (G…, C…, M…, W…, B… or L…)", {
  account: (key): Value<"ScAddress"> => ({ type: 0, accountId: publicKey(key) }),
  contract: (contractId): Value<"ScAddress"> => ({ type: 1, contractId }),
  muxed: (payload): Value<"ScAddress"> => ({ type: 2, muxedAccount: muxed(payload) }),
  "claimable-balance": (payload): Value<"ScAddress"> => ({
    type: 3,
    claimableBalanceId: balanceId(payload),
  }),
  "liquidity-pool": (liquidityPoolId): Value<"ScAddress"> => ({ type: 4, liquidityPoolId }),
  "muxed-contract": (payload): Value<"ScAddress"> => ({
    type: 5,
    muxedContract: muxedContract(payload),
  }),
});

/** Returns the address with that strkey, or null for any other text. */
export function scAddressOf(strkey: string): Value<"ScAddress"> | null {
  return ADDRESS.read(strkey) as Value<"ScAddress"> | null;
}

function codeForm(least: number, most: number): Form {
  const expectedForm = `an asset's code of ${least === 0 ? "at most" : `${least} to`} ${most} bytes`;
  return { expectedForm, read: (text) => padded(unescaped(text), least, most) };
}

function padded(code: Uint8Array | null, least: number, most: number): Uint8Array | null {
  if (code === null || code.length < least || code.length > most) return null;
  const whole = new Uint8Array(most);
  whole.set(code);
  return whole;
}

function assetCodeOf(text: string): Value<"AssetCode"> | null {
  const [short, long] = [padded(unescaped(text), 0, 4), padded(unescaped(text), 5, 12)];
  if (short !== null) return { type: 1, assetCode4: short };
  return long && { type: 2, assetCode12: long };
}

/**
 * `parts` begin with the highest. `bits` counts all of them, and is negative if the highest has a
 * sign.
 */
function wideForm(bits: number, parts: readonly string[]): Form {
  return {
    expectedForm: `${bits < 0 ? "an int" : "a uint"}${Math.abs(bits)}, as decimal text`,
    read: (text) => {
      const value = integer(text, bits);
      if (value === null) return null;
      return Object.fromEntries(
        parts.map((name, i) => {
          const part = value >> BigInt(64 * (parts.length - 1 - i));
          return [name, bits < 0 && i === 0 ? BigInt.asIntN(64, part) : BigInt.asUintN(64, part)];
        }),
      );
    },
  };
}

const WIDE = ["hiHi", "hiLo", "loHi", "loLo"];
const MUXED = strkeyForm("a muxed account (M…)", { muxed });

/** The forms by the name of the type. */
const FORMS: Readonly<Record<string, Form>> = {
  PublicKey: strkeyForm("an account (G…)", { account: publicKey }),
  MuxedAccount: strkeyForm("an account (G… or M…)", {
    account: publicKey,
    muxed: (payload) => ({ type: 256, med25519: muxed(payload) }),
  }),
  MuxedEd25519Account: MUXED,
  MuxedAccountMed25519: MUXED,
  MuxedContract: strkeyForm("a muxed contract (W…)", { "muxed-contract": muxedContract }),
  SignerKey: strkeyForm("a signer (G…, T…, X… or P…)", {
    account: publicKey,
    "pre-authorized-transaction": (preAuthTx) => ({ type: 1, preAuthTx }),
    hash: (hashX) => ({ type: 2, hashX }),
    "signed-payload": (payload) => ({ type: 3, ed25519SignedPayload: signedPayload(payload) }),
  }),
  SignerKeyEd25519SignedPayload: strkeyForm("a signed payload (P…)", {
    "signed-payload": signedPayload,
  }),
  ScAddress: ADDRESS,
  ClaimableBalanceId: strkeyForm("a claimable balance (B…)", { "claimable-balance": balanceId }),
  PoolId: strkeyForm("a liquidity pool (L…)", { "liquidity-pool": itself }),
  ContractId: strkeyForm("a contract (C…)", { contract: itself }),
  AssetCode4: codeForm(0, 4),
  AssetCode12: codeForm(5, 12),
  AssetCode: { expectedForm: "an asset's code of at most 12 bytes", read: assetCodeOf },
  Int128Parts: wideForm(-128, ["hi", "lo"]),
  UInt128Parts: wideForm(128, ["hi", "lo"]),
  Int256Parts: wideForm(-256, WIDE),
  UInt256Parts: wideForm(256, WIDE),
};
