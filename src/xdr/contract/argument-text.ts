// Reads an argument as people write it for stellar-cli: a text whose form depends on the type of
// the contract's specification. Numbers, texts and addresses need no quotes, and everything else is
// JSON (soroban-spec-tools: Spec::from_string and from_json). The result is the JSON that
// typed-from-json.ts reads.

import { isJsonObject, type JsonFields } from "../../base/json-object.ts";
import { decodeStrkey } from "../../base/text/strkey.ts";
import { NotWritten } from "../reader/from-json.ts";
import type { ContractSpec, SpecDefinition, SpecType } from "./contract-spec.ts";
import { showSpecType } from "./contract-spec.ts";

/** What a text is read with. */
export interface ArgumentReading {
  readonly spec: ContractSpec | null;
  /** The address (strkey) of a name that the user has saved; null if there is none. */
  readonly addressOf: (name: string) => string | null;
}

/** `at` names the argument in errors. Throws NotWritten. */
export function argumentOfText(
  text: string,
  type: SpecType,
  reading: ArgumentReading,
  at: string,
): unknown {
  if (type.kind === "option")
    return text === "null" ? null : argumentOfText(text, type.element, reading, at);
  if (isText(type)) return ofForm(unquoted(text), type, reading);
  const parsed = parseExactly(text);
  if (parsed !== undefined) return ofForm(parsed, type, reading);
  // A case of a union, and the name of an enum's number, need no quotes.
  if (type.kind === "named" && /^\w+$/.test(text)) return text;
  if (isNumber(type)) return ofForm(text, type, reading);
  const form = type.kind === "plain" && type.name === "bool" ? "true or false" : "valid JSON";
  throw new NotWritten(`${at} has type ${showSpecType(type)} and must be ${form}`);
}

const TEXTS: ReadonlySet<string> = new Set([
  "string",
  "symbol",
  "bytes",
  "address",
  "muxed_address",
]);

function isText(type: SpecType): boolean {
  return type.kind === "bytes" || (type.kind === "plain" && TEXTS.has(type.name));
}

const NUMBERS = /^(?:[ui](?:32|64|128|256)|timepoint|duration)$/;

function isNumber(type: SpecType): boolean {
  return type.kind === "plain" && NUMBERS.test(type.name);
}

/** A text may have the quotes of JSON. An array of bytes stays JSON. */
function unquoted(text: string): unknown {
  const parsed = /^["[]/.test(text) ? parseExactly(text) : undefined;
  return typeof parsed === "string" || Array.isArray(parsed) ? parsed : text;
}

/** Parses JSON, in which an integer that a JSON number would round stays text. */
function parseExactly(text: string): unknown {
  const exact = (_: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && context?.source !== undefined
      ? context.source
      : value;
  try {
    return JSON.parse(text, exact as (key: string, value: unknown) => unknown);
  } catch {
    return undefined;
  }
}

/** The forms of stellar-cli → those of typed-from-json.ts. Other values stay as they are. */
function ofForm(written: unknown, type: SpecType, reading: ArgumentReading): unknown {
  const below = (value: unknown, of: SpecType) => ofForm(value, of, reading);
  switch (type.kind) {
    case "option":
      return written === null ? null : below(written, type.element);
    case "vec":
      return Array.isArray(written) ? written.map((each) => below(each, type.element)) : written;
    case "tuple":
      return elementsOf(written, type.elements, below);
    case "map": {
      if (!isJsonObject(written)) return written;
      const keyOf = (key: string) => argumentOfText(key, type.key, reading, "A key");
      return Object.entries(written).map(([key, value]) => [keyOf(key), below(value, type.value)]);
    }
    case "bytes":
      return bytesOf(written, type.size);
    case "named": {
      const definition = reading.spec?.types.get(type.name);
      return definition === undefined ? written : definedOf(written, definition, below);
    }
    case "plain":
      return plainOf(written, type.name, reading);
    default:
      return written;
  }
}

type FormBelow = (value: unknown, type: SpecType) => unknown;

function definedOf(written: unknown, definition: SpecDefinition, below: FormBelow): unknown {
  if (definition.kind === "struct") {
    const { fields } = definition;
    const isTuple = fields.length > 0 && fields.every(({ name }, i) => name === String(i));
    const types = fields.map(({ type }) => type);
    if (isTuple) return elementsOf(listOf(written), types, below);
    if (!isJsonObject(written)) return written;
    const typeOf = new Map(fields.map(({ name, type }) => [name, type]));
    return mapValues(written, (value, name) => {
      const type = typeOf.get(name);
      return type === undefined ? value : below(value, type);
    });
  }
  if (definition.kind !== "union" || !isJsonObject(written)) return written;
  const { cases } = definition;
  return mapValues(written, (value, name) => {
    const types = cases.get(name) ?? [];
    const [only] = types;
    if (types.length === 1 && only !== undefined) return below(value, only);
    return elementsOf(listOf(value), types, below);
  });
}

/** An object with the keys `0`, `1`, … is a list. */
function listOf(written: unknown): unknown {
  if (!isJsonObject(written)) return written;
  const keys = Object.keys(written);
  const isList = keys.length > 0 && keys.every((_, i) => Object.hasOwn(written, String(i)));
  return isList ? keys.map((_, i) => written[String(i)]) : written;
}

function elementsOf(written: unknown, types: readonly SpecType[], below: FormBelow): unknown {
  if (!Array.isArray(written)) return written;
  return written.map((each, i) => {
    const type = types[i];
    return type === undefined ? each : below(each, type);
  });
}

function plainOf(written: unknown, name: string, { addressOf }: ArgumentReading): unknown {
  if (name === "bytes") return bytesOf(written, null);
  if (name === "void") return written === "void" ? null : written;
  if (name === "timepoint" || name === "duration")
    return isJsonObject(written) && name in written ? written[name] : written;
  if (typeof written !== "string") return written;
  if (NUMBERS.test(name)) return decimalOf(written);
  const isAddress = name === "address" || name === "muxed_address";
  if (!isAddress || decodeStrkey(written) !== null) return written;
  return addressOf(written) ?? written;
}

/** Digits, also with the prefixes `0x`, `0o` and `0b`. */
function decimalOf(written: string): string {
  const [, sign = "", digits = ""] =
    /^([+-]?)(0x[\da-f]+|0o[0-7]+|0b[01]+|\d+)$/i.exec(written.trim()) ?? [];
  return digits === "" ? written : `${sign === "-" ? "-" : ""}${BigInt(digits)}`;
}

/**
 * A list of bytes, or hexadecimal text, which is filled with zeros from the left. Reports of svc
 * show bytes with `0x`.
 */
function bytesOf(written: unknown, size: number | null): unknown {
  const isBytes =
    Array.isArray(written) &&
    written.every((each) => Number.isInteger(each) && each >= 0 && each <= 255);
  if (isBytes) return Uint8Array.from(written as number[]).toHex();
  const text = typeof written === "string" ? written.replace(/^0x/i, "") : asDigits(written);
  const isHex = typeof text === "string" && /^[0-9a-f]*$/i.test(text);
  return isHex && size !== null ? text.padStart(2 * size, "0") : text;
}

function asDigits(written: unknown): unknown {
  return typeof written === "number" ? String(written) : written;
}

function mapValues(
  written: JsonFields,
  change: (value: unknown, name: string) => unknown,
): JsonFields {
  return Object.fromEntries(
    Object.entries(written).map(([name, value]) => [name, change(value, name)]),
  );
}
