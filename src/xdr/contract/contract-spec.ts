// A contract's specification from the custom section `contractspecv0` of its wasm: functions,
// types, errors and events by name (SEP-48; Stellar-contract-spec.x).
// Invariant: the contract's author wrote all of it, so every text is neutralised. Reading stops at
// the first invalid entry, or at a number of entries, keeps the entries before it, and says so.

import { grouped } from "../../base/text/grouped.ts";
import { cutNeutral, cutVisibly, neutralise, quotedText } from "../../base/text/neutralise.ts";
import { decode, utf8, type Value } from "../reader/value.ts";
import { type UnreadReason, valuesIn } from "./wasm-sections.ts";

export type SpecType =
  /** `u32`, `i128`, `address`, …, or `val` for a value of any type. */
  | { readonly kind: "plain"; readonly name: string }
  | { readonly kind: "bytes"; readonly size: number }
  | { readonly kind: "option" | "vec"; readonly element: SpecType }
  | { readonly kind: "result"; readonly ok: SpecType; readonly error: SpecType }
  | { readonly kind: "map"; readonly key: SpecType; readonly value: SpecType }
  | { readonly kind: "tuple"; readonly elements: readonly SpecType[] }
  /** A type that the contract defines. */
  | { readonly kind: "named"; readonly name: string };

export interface SpecField {
  readonly name: string;
  readonly type: SpecType;
}

export interface SpecFunction {
  readonly name: string;
  /** The documentation on one line; empty if there is none. */
  readonly doc?: string;
  readonly inputs: readonly SpecField[];
  /** Null if the function returns nothing. */
  readonly output: SpecType | null;
}

/** One number of an enum or error enum. */
export interface SpecCase {
  readonly name: string;
  readonly doc: string;
  readonly value: number;
}

export type SpecDefinition =
  | { readonly kind: "struct"; readonly name: string; readonly fields: readonly SpecField[] }
  | {
      readonly kind: "union";
      readonly name: string;
      readonly cases: ReadonlyMap<string, readonly SpecType[]>;
    }
  | { readonly kind: "enum" | "error"; readonly name: string; readonly cases: readonly SpecCase[] };

export interface SpecEvent {
  readonly name: string;
  readonly prefix: readonly string[];
  readonly topics: readonly SpecField[];
  readonly data: readonly SpecField[];
  readonly format: "single" | "vec" | "map";
}

export interface ErrorCase extends SpecCase {
  /** The name of the error enum. */
  readonly of: string;
}

export interface ContractSpec {
  readonly functions: ReadonlyMap<string, SpecFunction>;
  readonly types: ReadonlyMap<string, SpecDefinition>;
  /** The cases of all error enums. Several of them can have the same number, or the same name. */
  readonly errors: readonly ErrorCase[];
  readonly events: readonly SpecEvent[];
  /** Absent if all of the specification was read. What was not read may define anything. */
  readonly unread?: UnreadSpec;
}

export interface UnreadSpec {
  readonly reason: UnreadReason;
  /** The number of entries that were read. */
  readonly readEntries: number;
}

/** No useful specification has more entries, even in the largest wasm that the network allows. */
export const MAXIMUM_ENTRIES = 4096;
const MAXIMUM_DOC = 240;
const MAXIMUM_FUNCTION_DOC = 1000;

/** Returns null if the wasm has no readable specification. */
export function readContractSpec(wasm: Uint8Array): ContractSpec | null {
  return specOf(valuesIn(wasm, "contractspecv0", "ScSpecEntry", MAXIMUM_ENTRIES));
}

/**
 * The specification of these entries, as bindings of a contract have them: ScSpecEntry in base64.
 * Returns null if there is none. Throws XDR_INVALID.
 */
export function readSpecEntries(entriesXdr: readonly string[]): ContractSpec | null {
  return specOf(decodedEntries(entriesXdr));
}

type SpecEntries = Generator<Value<"ScSpecEntry">, UnreadReason | null>;

function* decodedEntries(entriesXdr: readonly string[]): SpecEntries {
  for (const each of entriesXdr.slice(0, MAXIMUM_ENTRIES)) yield decode("ScSpecEntry", each);
  return entriesXdr.length > MAXIMUM_ENTRIES ? "limit" : null;
}

function specOf(entries: SpecEntries): ContractSpec | null {
  const spec: DraftSpec = { functions: new Map(), types: new Map(), errors: [], events: [] };
  let readEntries = 0;
  let next = entries.next();
  for (; next.done !== true; next = entries.next()) {
    noteEntry(next.value, spec);
    readEntries += 1;
  }
  if (spec.functions.size + spec.types.size + spec.events.length === 0) return null;
  const reason = next.value;
  return reason === null ? spec : { ...spec, unread: { reason, readEntries } };
}

/** A sentence about the entries that were not read. */
export function showUnread({ reason, readEntries }: UnreadSpec): string {
  const read = grouped(readEntries);
  return reason === "limit"
    ? `svc reads ${read} entries of a specification, and this one has more.`
    : `svc read ${read} entries of the specification, and the next one is not valid.`;
}

/** Returns all cases with this error number. There can be none, one or several. */
export function errorCases(spec: ContractSpec | null, code: number): ErrorCase[] {
  const casesOfCode = (spec?.errors ?? []).filter(({ value }) => value === code);
  const named = new Map(casesOfCode.map((each) => [`${each.of}::${each.name}`, each]));
  return [...named.values()];
}

/** Returns null unless exactly one case has this number. */
export function errorCase(spec: ContractSpec | null, code: number): ErrorCase | null {
  const [only, ...others] = errorCases(spec, code);
  return only === undefined || others.length > 0 ? null : only;
}

interface DraftSpec extends ContractSpec {
  readonly functions: Map<string, SpecFunction>;
  readonly types: Map<string, SpecDefinition>;
  readonly errors: ErrorCase[];
  readonly events: SpecEvent[];
}

/** Adds one entry. The numbers are those of ScSpecEntryKind. */
function noteEntry(entry: Value<"ScSpecEntry">, spec: DraftSpec): void {
  const define = (definition: SpecDefinition) => spec.types.set(definition.name, definition);
  switch (entry.kind) {
    case 0: {
      const name = nameOf(entry.functionV0.name);
      const [output] = entry.functionV0.outputs.map(typeOf);
      const isVoid = output === undefined || (output.kind === "plain" && output.name === "void");
      const inputs = entry.functionV0.inputs.map(fieldOf);
      const doc = docOf(entry.functionV0.doc, MAXIMUM_FUNCTION_DOC);
      const described = { name, ...(doc !== "" && { doc }), inputs };
      spec.functions.set(name, { ...described, output: isVoid ? null : output });
      return;
    }
    case 1: {
      const { name, fields } = entry.udtStructV0;
      define({ kind: "struct", name: nameOf(name), fields: fields.map(fieldOf) });
      return;
    }
    case 2: {
      const cases = new Map(entry.udtUnionV0.cases.map(unionCaseOf));
      define({ kind: "union", name: nameOf(entry.udtUnionV0.name), cases });
      return;
    }
    case 3: {
      const { name, cases } = entry.udtEnumV0;
      define({ kind: "enum", name: nameOf(name), cases: cases.map(caseOf) });
      return;
    }
    case 4: {
      const name = nameOf(entry.udtErrorEnumV0.name);
      const cases = entry.udtErrorEnumV0.cases.map(caseOf);
      define({ kind: "error", name, cases });
      // An error without a name is like one that the contract does not define.
      const named = cases.filter((each) => !BLANK_NAMES.has(each.name));
      spec.errors.push(...named.map((each) => ({ ...each, of: name })));
      return;
    }
    case 5:
      spec.events.push(eventOf(entry.eventV0));
  }
}

function fieldOf({ name, type }: Value<"ScSpecUdtStructFieldV0">): SpecField {
  return { name: nameOf(name), type: typeOf(type) };
}

function unionCaseOf(definition: Value<"ScSpecUdtUnionCaseV0">): [string, readonly SpecType[]] {
  if (definition.kind === 0) return [nameOf(definition.voidCase.name), []];
  return [nameOf(definition.tupleCase.name), definition.tupleCase.type.map(typeOf)];
}

function caseOf({ doc, name, value }: Value<"ScSpecUdtEnumCaseV0">): SpecCase {
  return { doc: docOf(doc, MAXIMUM_DOC), name: nameOf(name), value };
}

/** The documentation on one line. */
function docOf(written: Uint8Array, maximum: number): string {
  const doc = neutralise(utf8(written).replace(/\s+/g, " ").trim());
  return doc.length > maximum ? `${cutNeutral(doc, maximum)}…` : doc;
}

const EVENT_FORMATS = ["single", "vec", "map"] as const;

function eventOf({ name, prefixTopics, params, dataFormat }: Value<"ScSpecEventV0">): SpecEvent {
  const at = (location: number) => params.filter((each) => each.location === location).map(fieldOf);
  return {
    name: nameOf(name),
    prefix: prefixTopics.map(nameOf),
    topics: at(1),
    data: at(0),
    format: EVENT_FORMATS[dataFormat] ?? "single",
  };
}

/** Names by ScSpecType, without the composite types. */
const PLAIN_TYPES =
  "val bool void error u32 i32 u64 i64 timepoint duration u128 i128 u256 i256 bytes - string " +
  "symbol - address muxed_address";
const PLAIN_NAMES = PLAIN_TYPES.split(" ");

function typeOf(definition: Value<"ScSpecTypeDef">): SpecType {
  switch (definition.type) {
    case 1000:
      return { kind: "option", element: typeOf(definition.option.valueType) };
    case 1001: {
      const { okType, errorType } = definition.result;
      return { kind: "result", ok: typeOf(okType), error: typeOf(errorType) };
    }
    case 1002:
      return { kind: "vec", element: typeOf(definition.vec.elementType) };
    case 1004:
      return {
        kind: "map",
        key: typeOf(definition.map.keyType),
        value: typeOf(definition.map.valueType),
      };
    case 1005:
      return { kind: "tuple", elements: definition.tuple.valueTypes.map(typeOf) };
    case 1006:
      return { kind: "bytes", size: definition.bytesN.n };
    case 2000:
      return { kind: "named", name: nameOf(definition.udt.name) };
    default:
      return { kind: "plain", name: PLAIN_NAMES[definition.type] ?? "val" };
  }
}

/** Quotes a text that is not a name, so that it cannot look like several names. */
function nameOf(text: Uint8Array): string {
  const name = utf8(text);
  if (/^\w+$/.test(name)) return name;
  // soroban-sdk 30 names types by their paths: `::token::Error`.
  return /^::\w+(::\w+)+$/.test(name) ? name.slice(2) : quotedText(name);
}

/**
 * Since soroban-sdk 30 the names of types and events may have 1,024 bytes; before they had at most
 * 60 and 32.
 */
const SHOWN_NAME = 64;

/** Returns a name for people. A long one is cut, and its quotes are closed. */
export function showName(name: string): string {
  if (name.length <= SHOWN_NAME) return name;
  return name.startsWith('"')
    ? `${cutVisibly(name, SHOWN_NAME - 1)}"`
    : cutVisibly(name, SHOWN_NAME);
}

/** What `quotedText` returns for a name without a visible character. */
const BLANK_NAMES: ReadonlySet<string> = new Set(["(empty)", "(blank)"]);

/** Returns a text such as `TokenError::Balance`, or the name alone if the enum has none. */
export function showErrorCase({ of, name }: ErrorCase): string {
  if (BLANK_NAMES.has(of)) return showName(name);
  return `${showName(of)}::${showName(name)}`;
}

/** Writes the type in Rust's notation, such as `Option<u32>`. */
export function showSpecType(type: SpecType): string {
  switch (type.kind) {
    case "option":
      return `Option<${showSpecType(type.element)}>`;
    case "vec":
      return `Vec<${showSpecType(type.element)}>`;
    case "map":
      return `Map<${showSpecType(type.key)}, ${showSpecType(type.value)}>`;
    case "result":
      return `Result<${showSpecType(type.ok)}, ${showSpecType(type.error)}>`;
    case "tuple":
      return `(${type.elements.map(showSpecType).join(", ")})`;
    case "bytes":
      return `BytesN<${type.size}>`;
    default:
      return showName(type.name);
  }
}
