// The XDR types of the network, from schemas.txt. `npm run docs` writes that table from the
// definitions of the newest protocol, those of the crate that svc-sim uses too. The types of
// stellar-sdk would load more slowly (15 ms against 1 ms), and know a new protocol later. A line is
// a type, which is read when it is first needed:
//
//   Name enum PREFIX MEMBER=1 …           the names of the members, without what all begin with
//   Name struct FIELD:TYPE …
//   Name union KEY:TYPE 0 1:FIELD:TYPE …  the field by which the cases differ, then a case each
//   Name type TYPE
//
// TYPE is a name, a primitive, `opaque[4]`, `opaque<64>`, `string<>`, `?TYPE` (optional),
// `<5>TYPE` and `<>TYPE` (arrays up to that length), `[4]TYPE` (of that length), or `~TYPE` where a
// type contains itself.

import TABLE from "./schemas.txt" with { type: "text" };
import type { XdrValues } from "./xdr-values.ts";

/** Names of types as the Rust crate stellar-xdr writes them. */
export type TypeName = keyof XdrValues;

export type Schema =
  | { readonly kind: "int32" | "uint32" | "int64" | "uint64" | "bool" }
  | { readonly kind: "opaque"; readonly name: string; readonly length: number }
  | { readonly kind: "bytes"; readonly name: string; readonly maxLength: number }
  | { readonly kind: "text"; readonly name: string; readonly maxLength: number }
  | { readonly kind: "option" | "recursive"; readonly element: Schema }
  | { readonly kind: "array"; readonly element: Schema; readonly maxLength: number }
  | { readonly kind: "fixedArray"; readonly element: Schema; readonly length: number }
  | { readonly kind: "struct"; readonly name: string; readonly fields: readonly Field[] }
  | EnumSchema
  | UnionSchema
  | { readonly kind: "named"; readonly name: string };

export type Field = readonly [name: string, schema: Schema];

export interface EnumSchema {
  readonly kind: "enum";
  readonly name: string;
  readonly prefix: string;
  /** The members' names with the prefix. */
  readonly nameByValue: ReadonlyMap<number, string>;
}

export interface UnionSchema {
  readonly kind: "union";
  readonly name: string;
  readonly switchKey: string;
  readonly switchOn: Schema;
  /** The fields by discriminant; null for a case without a field. */
  readonly cases: ReadonlyMap<number, Field | null>;
}

const PRIMITIVES: ReadonlySet<string> = new Set(["int32", "uint32", "int64", "uint64", "bool"]);
const UNBOUNDED = 0xffffffff;

let lines: ReadonlyMap<string, string> | null = null;
const read = new Map<string, Schema>();

/** Returns a type's definition, which is never a name. */
export function schemaNamed(name: string): Exclude<Schema, { kind: "named" | "recursive" }> {
  let schema = read.get(name);
  if (schema === undefined) {
    lines ??= new Map(TABLE.split("\n").map((line) => [line.slice(0, line.indexOf(" ")), line]));
    const line = lines.get(name);
    if (line === undefined) throw new Error(`no XDR type ${name}`);
    schema = readLine(line);
    read.set(name, schema);
  }
  return schema as ReturnType<typeof schemaNamed>;
}

/** Returns the definition of a schema that may be a name. */
export function resolved(schema: Schema): ReturnType<typeof schemaNamed> {
  if (schema.kind === "named") return schemaNamed(schema.name);
  return schema.kind === "recursive" ? resolved(schema.element) : schema;
}

/** Returns the names of an enum's members by their value. */
export function memberNames(name: TypeName): ReadonlyMap<number, string> {
  const schema = schemaNamed(name);
  if (schema.kind !== "enum") throw new Error(`${name} is not an enum`);
  return schema.nameByValue;
}

function readLine(line: string): Schema {
  const [name = "", kind, first = "", ...members] = line.split(" ");
  switch (kind) {
    case "enum": {
      const prefix = first === "-" ? "" : first;
      const nameByValue = new Map(
        members.map((member) => {
          const [ending, value] = member.split("=");
          return [Number(value), `${prefix}${ending}`];
        }),
      );
      return { kind, name, prefix, nameByValue };
    }
    case "struct":
      return { kind, name, fields: [first, ...members].map(readField) };
    case "union": {
      const [switchKey, switchOn] = readField(first);
      const cases = members.map((each) => {
        const [value, field, type] = each.split(":");
        const arm: Field | null = field && type ? [field, readType(type)] : null;
        return [Number(value), arm] as const;
      });
      return { kind, name, switchKey, switchOn, cases: new Map(cases) };
    }
    default:
      return readType(first, name);
  }
}

function readField(text: string): Field {
  const colon = text.indexOf(":");
  return [text.slice(0, colon), readType(text.slice(colon + 1))];
}

function readType(text: string, name = text): Schema {
  if (text.startsWith("?")) return { kind: "option", element: readType(text.slice(1)) };
  if (text.startsWith("~")) return { kind: "recursive", element: readType(text.slice(1)) };
  const sized = /^(opaque|string)?([[<])(\d*)[\]>](.*)$/.exec(text);
  if (sized === null)
    return PRIMITIVES.has(text) ? ({ kind: text } as Schema) : { kind: "named", name: text };
  const [, bytes, bracket, digits, element = ""] = sized;
  const size = digits === "" ? UNBOUNDED : Number(digits);
  if (bytes === undefined)
    return bracket === "["
      ? { kind: "fixedArray", element: readType(element), length: size }
      : { kind: "array", element: readType(element), maxLength: size };
  if (bracket === "[") return { kind: "opaque", name, length: size };
  return { kind: bytes === "string" ? "text" : "bytes", name, maxLength: size };
}
