// Describes every field of a TransactionEnvelope, with the names of XDR-JSON (SEP-51), for every
// kind of operation, including kinds that this code does not know.

import { grouped, stroopsInWords } from "../../base/text/grouped.ts";
import type { OperationView, ViewField } from "../../model/signing-view.ts";
import { INVOKE_HOST_FUNCTION } from "../outcome/result.ts";
import { sha256 } from "../reader/hash.ts";
import { type Json, type JsonObject, toJson } from "../reader/to-json.ts";
import type { Value } from "../reader/value.ts";
import { type ContractCall, readContractCall } from "./authorizations.ts";
import type { Envelope } from "./envelope.ts";
import { innerEnvelope } from "./envelope-terms.ts";
import { HOST_FUNCTION } from "./host-function.ts";

export interface DescribedOperation
  extends Pick<OperationView, "kind" | "sourceAccount" | "fields"> {
  /** Null unless the operation calls a contract function. */
  readonly call: ContractCall | null;
}

/** A field that knows what its value is. */
export interface TypedField extends ViewField {
  /**
   * `amount`: in units, with seven decimals. `native`: XLM. `words`: svc's own, such as those for an
   * absent value. `value`: a number, an address, a code, or a text that the signer wrote.
   */
  readonly of: "amount" | "native" | "words" | "value";
}

export interface TypedOperation extends DescribedOperation {
  readonly fields: readonly TypedField[];
}

/**
 * In other operations an absent field has a meaning: manage_data without a value removes the entry.
 */
const UNCHANGED_WHEN_ABSENT = ["set_options"];
const ABSENT = "(none)";
const EMPTY = "(empty)";
const STROOPS_PER_UNIT = 10_000_000n;
/** Fields of operations, by their XDR names. */
const AMOUNTS = /^(amount|\w+_amount|starting_balance|limit|send_max|dest_min)$/;
/** Texts that the signer chose. */
const WRITTEN: ReadonlySet<string> = new Set(["home_domain", "data_name", "text"]);
const TIMES: Readonly<Record<string, "from" | "until">> = { min_time: "from", max_time: "until" };

export interface DescribeOptions {
  /** Adds the amount in smallest units after each amount. */
  readonly stroopsBeside?: boolean;
}

/** Describes the memo and the preconditions. */
export function describeConditions({ decoded }: Envelope): ViewField[] {
  const { tx } = innerEnvelope(decoded);
  const memo = toJson("Memo", tx.memo);
  const valid =
    "cond" in tx
      ? toJson("Preconditions", tx.cond)
      : tx.timeBounds && toJson("TimeBounds", tx.timeBounds);
  return fieldsOf(
    { memo: unlessNone(memo), valid: unlessNone(valid) },
    { silent: true, stroopsBeside: true },
  ).map(untyped);
}

/** Describes the operations, in the envelope's order. */
export function describeOperations(
  envelope: Envelope,
  { stroopsBeside = true }: DescribeOptions = {},
): DescribedOperation[] {
  return typedOperations(envelope, { stroopsBeside }).map((operation) => ({
    ...operation,
    fields: operation.fields.map(untyped),
  }));
}

/** Describes the operations with fields that know what their values are. */
export function typedOperations(
  { decoded }: Envelope,
  { stroopsBeside = false }: DescribeOptions = {},
): TypedOperation[] {
  return innerEnvelope(decoded).tx.operations.map(({ sourceAccount, body }) => ({
    ...describeBody(body, stroopsBeside),
    sourceAccount: sourceAccount === null ? null : String(toJson("MuxedAccount", sourceAccount)),
  }));
}

function describeBody(
  body: Value<"OperationBody">,
  stroopsBeside: boolean,
): Omit<TypedOperation, "sourceAccount"> {
  const json = toJson("OperationBody", body);
  // An operation without fields, such as inflation, is only a name in JSON.
  if (typeof json === "string") return { kind: json, fields: [], call: null };
  const [[kind, value] = ["unknown", null]] = Object.entries(json as JsonObject);
  if (body.type !== INVOKE_HOST_FUNCTION)
    return {
      kind,
      fields: fieldsOf(value, { silent: UNCHANGED_WHEN_ABSENT.includes(kind), stroopsBeside }),
      call: null,
    };
  const { hostFunction } = body.invokeHostFunctionOp;
  switch (hostFunction.type) {
    case HOST_FUNCTION.invokeContract:
      return { kind, fields: [], call: readContractCall(hostFunction.invokeContract) };
    case HOST_FUNCTION.uploadWasm: {
      const wasm = hostFunction.wasm;
      const shown = `${grouped(wasm.length)} bytes, SHA-256 ${sha256(wasm).toHex()}`;
      const field = { name: "upload_contract_wasm", value: shown, of: "words" } as const;
      return { kind, fields: [field], call: null };
    }
    default: {
      const { host_function: created = null } = value as JsonObject;
      return { kind, fields: fieldsOf(created, { silent: false, stroopsBeside }), call: null };
    }
  }
}

/** Describes every field of an XDR value. */
export function describeFields(json: Json, stroopsBeside = true): ViewField[] {
  return fieldsOf(json, { silent: false, stroopsBeside }).map(untyped);
}

function untyped({ of: _, ...field }: TypedField): ViewField {
  return field;
}

function unlessNone(json: Json | undefined): Json {
  return json === undefined || json === "none" ? null : json;
}

interface FieldOptions {
  /** True if absent fields have no meaning and are left out. */
  readonly silent: boolean;
  readonly stroopsBeside: boolean;
}

/** Returns the leaves, each named by the path to it. */
function fieldsOf(json: Json, options: FieldOptions, path: readonly string[] = []): TypedField[] {
  const name = path.join(".");
  if (json === null) return options.silent ? [] : [{ name, value: ABSENT, of: "words" }];
  if (typeof json !== "object")
    return [{ name: name || "value", ...leaf(path, String(json), options) }];
  const asset = assetOf(json as JsonObject);
  if (asset !== null) return [{ name, ...asset }];
  const entries = Object.entries(json);
  if (entries.length === 0) return [{ name, value: EMPTY, of: "words" }];
  return entries.flatMap(([key, value]) => fieldsOf(value as Json, options, [...path, key]));
}

function leaf(
  path: readonly string[],
  value: string,
  { stroopsBeside }: FieldOptions,
): Omit<TypedField, "name"> {
  const name = path.at(-1) ?? "";
  if (AMOUNTS.test(name) && /^\d+$/.test(value)) {
    const stroops = stroopsBeside ? ` (${stroopsInWords(value)})` : "";
    return { value: `${inUnits(BigInt(value))}${stroops}`, of: "amount" };
  }
  const end = TIMES[name];
  // An asset without fields is only this word in JSON.
  const isNative = value === "native" && !WRITTEN.has(name);
  if (end === undefined) return { value, of: isNative ? "native" : "value" };
  const isUnlimited = value === "0";
  const shown = isUnlimited ? "no limit" : timeOf(value);
  return { value: shown, of: "words", validity: { end, isUnlimited } };
}

function timeOf(unixSeconds: string): string {
  const date = new Date(Number(unixSeconds) * 1000);
  return Number.isNaN(date.getTime()) ? unixSeconds : `${date.toISOString()} (${unixSeconds})`;
}

function inUnits(stroops: bigint): string {
  const whole = stroops / STROOPS_PER_UNIT;
  return `${whole}.${String(stroops % STROOPS_PER_UNIT).padStart(7, "0")}`;
}

function assetOf(json: JsonObject): Omit<TypedField, "name"> | null {
  const credit = (json.credit_alphanum4 ?? json.credit_alphanum12) as JsonObject | undefined;
  if (credit === undefined) return null;
  const { asset_code: code, issuer } = credit;
  return code === ""
    ? { value: `${EMPTY}:${issuer}`, of: "words" }
    : { value: `${code}:${issuer}`, of: "value" };
}
