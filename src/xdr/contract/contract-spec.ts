// A contract's specification in the custom section `contractspecv0` of its wasm: functions, types,
// errors and events by name (SEP-48; Stellar-contract-spec.x).
// Invariant: all of it comes from the contract's author, so every text is neutralised. Reading
// stops at the first invalid entry and keeps the entries before it.

import { cutNeutral, neutralise } from "../../base/text/neutralise.ts";
import { XdrCursor } from "../reader/cursor.ts";
import { shapeOf, xdrSource } from "../reader/shape.ts";
import { customSections } from "./wasm-sections.ts";

export type SpecType =
  /** `u32`, `i128`, `address`, …; `val` for anything. */
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
  readonly inputs: readonly SpecField[];
  /** Null when it returns nothing. */
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
  /** The error enum that has it. */
  readonly of: string;
}

export interface ContractSpec {
  readonly functions: ReadonlyMap<string, SpecFunction>;
  readonly types: ReadonlyMap<string, SpecDefinition>;
  /** The cases of all error enums: several can have the same number, or the same name. */
  readonly errors: readonly ErrorCase[];
  readonly events: readonly SpecEvent[];
}

/** More entries than any useful specification has in the largest wasm that the network allows. */
const MAXIMUM_ENTRIES = 4096;
const MAXIMUM_DOC = 240;
const UTF8 = new TextDecoder();
const specEntry = shapeOf("ScSpecEntry");

/** Null when the wasm has no readable specification. */
export function readContractSpec(wasm: Uint8Array): ContractSpec | null {
  const spec: DraftSpec = { functions: new Map(), types: new Map(), errors: [], events: [] };
  let left = MAXIMUM_ENTRIES;
  for (const section of customSections(wasm, "contractspecv0")) {
    const cursor = new XdrCursor(xdrSource(section));
    while (cursor.at < section.length && left > 0) {
      left -= 1;
      const start = cursor.at;
      try {
        cursor.skip(specEntry);
      } catch {
        break;
      }
      const end = cursor.at;
      cursor.at = start;
      readEntry(cursor, spec);
      cursor.at = end;
    }
  }
  return spec.functions.size + spec.types.size + spec.events.length === 0 ? null : spec;
}

/** The contract's names and docs of an error number: none, one, or more than one. */
export function errorCases(spec: ContractSpec | null, code: number): ErrorCase[] {
  const found = (spec?.errors ?? []).filter(({ value }) => value === code);
  const named = new Map(found.map((each) => [`${each.of}::${each.name}`, each]));
  return [...named.values()];
}

/** Null when the contract names no error, or several, by that number. */
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

type EntryReader = (cursor: XdrCursor, spec: DraftSpec) => void;

/** By SCSpecEntryKind. */
const ENTRY_READERS: readonly EntryReader[] = [
  (cursor, { functions }) => {
    const read = readFunction(cursor);
    functions.set(read.name, read);
  },
  (cursor, { types }) => {
    const name = definitionName(cursor);
    types.set(name, { kind: "struct", name, fields: listOf(cursor, readField) });
  },
  (cursor, { types }) => {
    const name = definitionName(cursor);
    types.set(name, { kind: "union", name, cases: new Map(listOf(cursor, readUnionCase)) });
  },
  (cursor, { types }) => {
    const name = definitionName(cursor);
    types.set(name, { kind: "enum", name, cases: listOf(cursor, readCase) });
  },
  (cursor, { types, errors }) => {
    const name = definitionName(cursor);
    const cases = listOf(cursor, readCase);
    types.set(name, { kind: "error", name, cases });
    errors.push(...cases.map((each) => ({ ...each, of: name })));
  },
  (cursor, { events }) => events.push(readEvent(cursor)),
];

function readEntry(cursor: XdrCursor, spec: DraftSpec): void {
  ENTRY_READERS[cursor.int32()]?.(cursor, spec);
}

function readFunction(cursor: XdrCursor): SpecFunction {
  readRawText(cursor);
  const name = readName(cursor);
  const inputs = listOf(cursor, readField);
  const [output] = listOf(cursor, readType);
  const isVoid = output === undefined || (output.kind === "plain" && output.name === "void");
  return { name, inputs, output: isVoid ? null : output };
}

/** doc, lib and name. */
function definitionName(cursor: XdrCursor): string {
  readRawText(cursor);
  readRawText(cursor);
  return readName(cursor);
}

function readField(cursor: XdrCursor): SpecField {
  readRawText(cursor);
  return { name: readName(cursor), type: readType(cursor) };
}

function readUnionCase(cursor: XdrCursor): [string, readonly SpecType[]] {
  const holdsValues = cursor.int32() === 1;
  readRawText(cursor);
  const name = readName(cursor);
  return [name, holdsValues ? listOf(cursor, readType) : []];
}

function readCase(cursor: XdrCursor): SpecCase {
  const doc = neutralise(readRawText(cursor).replace(/\s+/g, " ").trim());
  const name = readName(cursor);
  const cut = doc.length > MAXIMUM_DOC ? `${cutNeutral(doc, MAXIMUM_DOC)}…` : doc;
  return { doc: cut, name, value: cursor.uint32() };
}

const EVENT_FORMATS = ["single", "vec", "map"] as const;

function readEvent(cursor: XdrCursor): SpecEvent {
  const name = definitionName(cursor);
  const prefix = listOf(cursor, readName);
  const parameters = listOf(cursor, (at) => ({ ...readField(at), inTopics: at.int32() === 1 }));
  const format = EVENT_FORMATS[cursor.int32()] ?? "single";
  const topics = parameters.filter(({ inTopics }) => inTopics);
  const data = parameters.filter(({ inTopics }) => !inTopics);
  return { name, prefix, topics, data, format };
}

const SPEC_OPTION = 1000;
const SPEC_RESULT = 1001;
const SPEC_VEC = 1002;
const SPEC_MAP = 1004;
const SPEC_TUPLE = 1005;
const SPEC_BYTES_N = 1006;
const SPEC_UDT = 2000;

/** By SCSpecType, without the composite types above. */
const PLAIN_TYPES =
  "val bool void error u32 i32 u64 i64 timepoint duration u128 i128 u256 i256 bytes - string " +
  "symbol - address muxed_address";
const PLAIN_NAMES = PLAIN_TYPES.split(" ");

/** The shape has already limited the depth. */
function readType(cursor: XdrCursor): SpecType {
  const type = cursor.int32();
  switch (type) {
    case SPEC_OPTION:
      return { kind: "option", element: readType(cursor) };
    case SPEC_RESULT:
      return { kind: "result", ok: readType(cursor), error: readType(cursor) };
    case SPEC_VEC:
      return { kind: "vec", element: readType(cursor) };
    case SPEC_MAP:
      return { kind: "map", key: readType(cursor), value: readType(cursor) };
    case SPEC_TUPLE:
      return { kind: "tuple", elements: listOf(cursor, readType) };
    case SPEC_BYTES_N:
      return { kind: "bytes", size: cursor.uint32() };
    case SPEC_UDT:
      return { kind: "named", name: readName(cursor) };
    default:
      return { kind: "plain", name: PLAIN_NAMES[type] ?? "val" };
  }
}

function listOf<T>(cursor: XdrCursor, read: (cursor: XdrCursor) => T): T[] {
  const count = cursor.uint32();
  const items: T[] = [];
  for (let i = 0; i < count; i += 1) items.push(read(cursor));
  return items;
}

/** A text that is not a name is shown in quotes, so that it cannot look like several names. */
function readName(cursor: XdrCursor): string {
  const name = readRawText(cursor);
  return /^\w{1,80}$/.test(name) ? name : JSON.stringify(neutralise(name));
}

function readRawText(cursor: XdrCursor): string {
  const bytes = cursor.opaque(cursor.uint32());
  cursor.opaque((4 - (bytes.length % 4)) % 4);
  return UTF8.decode(bytes);
}

/** In Rust's notation, e.g. `Option<u32>`. */
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
      return type.name;
  }
}
