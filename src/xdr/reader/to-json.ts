// Writes XDR values in the JSON of SEP-51, as `stellar xdr decode --output json` prints them.

import { concatBytes } from "../../base/bytes.ts";
import { encodeStrkey, type StrkeyKind } from "../../base/text/strkey.ts";
import {
  type EnumSchema,
  resolved,
  type Schema,
  schemaNamed,
  type TypeName,
  type UnionSchema,
} from "./schema.ts";
import type { Value } from "./value.ts";
import { setUint64, uint32s } from "./words.ts";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [name: string]: Json };

export function toJson<Name extends TypeName>(type: Name, value: Value<Name>): Json {
  return jsonOf(schemaNamed(type), value);
}

function jsonOf(schema: Schema, value: unknown): Json {
  const written = "name" in schema ? WRITTEN.get(schema.name) : undefined;
  if (written !== undefined) return written(value as never);
  switch (schema.kind) {
    case "int32":
    case "uint32":
    case "bool":
      return value as number | boolean;
    case "int64":
    case "uint64":
      return String(value);
    case "enum":
      return memberName(schema, value as number);
    case "opaque":
    case "bytes":
      return (value as Uint8Array).toHex();
    case "text":
      return escaped(value as Uint8Array);
    case "option":
      return value === null ? null : jsonOf(schema.element, value);
    case "array":
    case "fixedArray":
      return (value as unknown[]).map((each) => jsonOf(schema.element, each));
    case "struct": {
      const fields = value as Record<string, unknown>;
      return Object.fromEntries(
        schema.fields.map(([name, field]) => [snakeCase(name), jsonOf(field, fields[name])]),
      );
    }
    case "union":
      return unionJson(schema, value as Record<string, unknown>);
    case "named":
      return jsonOf(schemaNamed(schema.name), value);
    case "recursive":
      return jsonOf(schema.element, value);
  }
}

/** A case without a field is only its name. */
function unionJson(
  { switchKey, switchOn, cases }: UnionSchema,
  value: Record<string, unknown>,
): Json {
  const type = value[switchKey] as number;
  const name = caseName(switchOn, type);
  const field = cases.get(type) ?? null;
  return field === null ? name : { [name]: jsonOf(field[1], value[field[0]]) };
}

/** `switchOn` is the type that tells a union's cases apart. */
export function caseName(switchOn: Schema, type: number): string {
  const on = resolved(switchOn);
  return on.kind === "enum" ? memberName(on, type) : `v${type}`;
}

export function memberName({ prefix, nameByValue }: EnumSchema, value: number): string {
  return snakeCase((nameByValue.get(value) ?? "").slice(prefix.length));
}

/** Returns the name of a field, of a member of an enum, or of a case. */
export function snakeCase(name: string): string {
  return name
    .replace(/(?<=[a-z0-9])[A-Z]|(?<=[A-Z])[A-Z](?=[a-z])/g, (letter) => `_${letter}`)
    .toLowerCase()
    .replace(/^_/, "");
}

const ESCAPES: Readonly<Record<number, string>> = {
  0: "\\0",
  9: "\\t",
  10: "\\n",
  13: "\\r",
  92: "\\\\",
};

/** Makes every byte visible: printable ASCII stays, and any other byte becomes an escape. */
export function escaped(text: Uint8Array): string {
  const letters = Array.from(text, (byte) => {
    if (ESCAPES[byte] !== undefined) return ESCAPES[byte];
    return byte >= 32 && byte <= 126
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, "0")}`;
  });
  return letters.join("");
}

/** Returns the code without the zeros at its end, but never shorter than `least`. */
function assetCode(code: Uint8Array, least: number): string {
  const end = code.findLastIndex((byte) => byte !== 0) + 1;
  return escaped(code.subarray(0, Math.max(end, least)));
}

/** Types that have a form of their own, by name. */
const WRITTEN: ReadonlyMap<string, (value: never) => string> = new Map<
  string,
  (value: never) => string
>([
  ["PublicKey", ({ ed25519 }: Value<"PublicKey">) => encodeStrkey("account", ed25519)],
  ["MuxedAccount", muxedAccount],
  ["MuxedEd25519Account", muxed],
  ["MuxedAccountMed25519", muxed],
  ["MuxedContract", muxedContract],
  ["SignerKey", signerKey],
  ["SignerKeyEd25519SignedPayload", signedPayload],
  ["ScAddress", addressText],
  ["ClaimableBalanceId", claimableBalance],
  ["PoolId", strkeyOf("liquidity-pool")],
  ["ContractId", strkeyOf("contract")],
  ["AssetCode4", (code: Uint8Array) => assetCode(code, 0)],
  ["AssetCode12", (code: Uint8Array) => assetCode(code, 5)],
  ["AssetCode", assetCodeOf],
  ["Int128Parts", wide],
  ["UInt128Parts", wide],
  ["Int256Parts", wide],
  ["UInt256Parts", wide],
]);

function strkeyOf(kind: StrkeyKind): (payload: Uint8Array) => string {
  return (payload) => encodeStrkey(kind, payload);
}

function muxedAccount(account: Value<"MuxedAccount">): string {
  return account.type === 0 ? encodeStrkey("account", account.ed25519) : muxed(account.med25519);
}

function muxed({ ed25519, id }: Value<"MuxedEd25519Account">): string {
  return encodeStrkey("muxed", withId(ed25519, id));
}

function muxedContract({ contractId, id }: Value<"MuxedContract">): string {
  return encodeStrkey("muxed-contract", withId(contractId, id));
}

/** The payload of a muxed address has the key or contract first, then the number (SEP-23). */
function withId(key: Uint8Array, id: bigint): Uint8Array {
  const payload = new Uint8Array(40);
  payload.set(key);
  setUint64(payload, 32, id);
  return payload;
}

function signerKey(key: Value<"SignerKey">): string {
  switch (key.type) {
    case 0:
      return encodeStrkey("account", key.ed25519);
    case 1:
      return encodeStrkey("pre-authorized-transaction", key.preAuthTx);
    case 2:
      return encodeStrkey("hash", key.hashX);
    case 3:
      return signedPayload(key.ed25519SignedPayload);
  }
}

/** A strkey cannot have an empty payload. The crate stellar-xdr writes this text instead. */
function signedPayload({ ed25519, payload }: Value<"SignerKeyEd25519SignedPayload">): string {
  if (payload.length === 0) return `<INVALID:${encodeStrkey("account", ed25519)}:EMPTY_PAYLOAD>`;
  const padding = new Uint8Array(-payload.length & 3);
  const all = concatBytes([ed25519, uint32s(payload.length), payload, padding]);
  return encodeStrkey("signed-payload", all);
}

/** Returns the strkey. */
export function addressText(address: Value<"ScAddress">): string {
  switch (address.type) {
    case 0:
      return encodeStrkey("account", address.accountId.ed25519);
    case 1:
      return encodeStrkey("contract", address.contractId);
    case 2:
      return muxed(address.muxedAccount);
    case 3:
      return claimableBalance(address.claimableBalanceId);
    case 4:
      return encodeStrkey("liquidity-pool", address.liquidityPoolId);
    case 5:
      return muxedContract(address.muxedContract);
  }
}

function claimableBalance({ type, v0 }: Value<"ClaimableBalanceId">): string {
  return encodeStrkey("claimable-balance", concatBytes([new Uint8Array([type]), v0]));
}

function assetCodeOf(code: Value<"AssetCode">): string {
  return code.type === 1 ? assetCode(code.assetCode4, 0) : assetCode(code.assetCode12, 5);
}

/** The parts begin with the highest, which alone has a sign. */
function wide(parts: Readonly<Record<string, bigint>>): string {
  const [high = 0n, ...lower] = ["hiHi", "hi", "hiLo", "loHi", "loLo", "lo"].flatMap(
    (name) => parts[name] ?? [],
  );
  return String(lower.reduce((value, part) => (value << 64n) | part, high));
}
