// Generates the files that `npm run docs` writes from the XDR definitions of the newest
// protocol. svc reads and writes XDR from src/xdr/reader/schemas.txt, whose grammar is at the head
// of src/xdr/reader/schema.ts. src/xdr/reader/xdr-values.ts has the TypeScript types of the values.
// Names are those of the Rust crate and of stellar-sdk 17: words are split at a change of case.

import { join, resolve } from "node:path";
import { readXdrDefinitions, type XdrDefinition, type XdrType } from "./xdr-definitions.ts";

const READER = join(resolve(import.meta.dir, ".."), "src/xdr/reader");

export const SCHEMAS_FILE = join(READER, "schemas.txt");
export const VALUES_FILE = join(READER, "xdr-values.ts");

type TypeDefinition = Exclude<XdrDefinition, { kind: "const" }>;

/** The type definitions by their names in the .x files. */
type Definitions = ReadonlyMap<string, TypeDefinition>;

/** Returns the text of each generated file, by its path. */
export function generateXdrFiles(): ReadonlyMap<string, string> {
  const definitions: Definitions = new Map(
    readXdrDefinitions().flatMap((each) => (each.kind === "const" ? [] : [[each.name, each]])),
  );
  return new Map([
    [SCHEMAS_FILE, renderSchemas(definitions)],
    [VALUES_FILE, renderValues(definitions)],
  ]);
}

function renderSchemas(definitions: Definitions): string {
  const lines = [...definitions.values()]
    .filter((each) => hasName(each, definitions))
    .map((each) => `${typeName(each.name)} ${definitionText(each, definitions)}`);
  return `${lines.sort().join("\n")}\n`;
}

/**
 * A typedef of a byte sequence has a name, because some have a JSON form of their own. Other
 * typedefs are aliases.
 */
function hasName(definition: TypeDefinition, definitions: Definitions): boolean {
  if (definition.kind !== "typedef") return true;
  const { type } = definition;
  if (type.kind === "ref") {
    const target = named(type.name, definitions);
    return target.kind === "typedef" && hasName(target, definitions);
  }
  return type.kind === "opaque_fixed" || type.kind === "opaque_var";
}

function named(name: string, definitions: Definitions): TypeDefinition {
  const definition = definitions.get(name);
  if (definition === undefined) throw new Error(`no XDR type ${name}`);
  return definition;
}

function definitionText(definition: TypeDefinition, definitions: Definitions): string {
  const within = { definitions, name: definition.name };
  switch (definition.kind) {
    case "enum": {
      const prefix = camelCase(definition.member_prefix);
      const members = definition.members.map(
        ({ name, value }) => `${camelCase(name).slice(prefix.length)}=${value}`,
      );
      return ["enum", prefix || "-", ...members].join(" ");
    }
    case "struct": {
      const fields = definition.fields.map(
        ({ name, type }) => `${camelCase(name)}:${use(type, within)}`,
      );
      return ["struct", ...fields].join(" ");
    }
    case "union": {
      const { name, type } = definition.discriminant;
      const cases = definition.arms.flatMap((arm) =>
        arm.cases.map(({ value }) =>
          arm.name === null || arm.type === undefined
            ? `${value}`
            : `${value}:${camelCase(arm.name)}:${use(arm.type, within)}`,
        ),
      );
      return ["union", `${name}:${use(type, within)}`, ...cases].join(" ");
    }
    case "typedef":
      return `type ${use(resolvedAlias(definition.type, definitions), within)}`;
  }
}

/** Resolves a typedef of a typedef to the type at its end. */
function resolvedAlias(type: XdrType, definitions: Definitions): XdrType {
  if (type.kind !== "ref") return type;
  const target = named(type.name, definitions);
  return target.kind === "typedef" ? resolvedAlias(target.type, definitions) : type;
}

/** The definition in which a type is used. */
interface Within {
  readonly name: string;
  readonly definitions: Definitions;
}

/** Writes the type of a field as schemas.txt has it. */
function use(type: XdrType, within: Within): string {
  switch (type.kind) {
    case "bool":
      return "bool";
    case "int":
      return "int32";
    case "unsigned_int":
      return "uint32";
    case "hyper":
      return "int64";
    case "unsigned_hyper":
      return "uint64";
    case "opaque_fixed":
      return `opaque[${type.size}]`;
    case "opaque_var":
      return `opaque<${type.max_size ?? ""}>`;
    case "string":
      return `string<${type.max_size ?? ""}>`;
    case "optional":
      return `?${use(type.element, within)}`;
    case "array":
      return `[${type.count}]${use(type.element, within)}`;
    case "var_array":
      return `<${type.max_count ?? ""}>${use(type.element, within)}`;
    case "ref": {
      const { definitions } = within;
      const target = named(type.name, definitions);
      if (target.kind === "typedef" && !hasName(target, definitions))
        return use(target.type, within);
      const recursive = reaches(target, within.name, definitions, new Set());
      return `${recursive ? "~" : ""}${typeName(target.name)}`;
    }
  }
}

/** Tells whether a value of the type can contain one of the type with the name `name`. */
function reaches(
  from: TypeDefinition,
  name: string,
  definitions: Definitions,
  seen: Set<string>,
): boolean {
  if (from.name === name) return true;
  if (seen.has(from.name)) return false;
  seen.add(from.name);
  return partsOf(from)
    .map(referenceIn)
    .some((part) => part !== null && reaches(named(part, definitions), name, definitions, seen));
}

function partsOf(definition: TypeDefinition): XdrType[] {
  switch (definition.kind) {
    case "enum":
      return [];
    case "typedef":
      return [definition.type];
    case "struct":
      return definition.fields.map(({ type }) => type);
    case "union":
      return definition.arms.flatMap(({ type }) => type ?? []);
  }
}

function referenceIn(type: XdrType): string | null {
  if ("element" in type) return referenceIn(type.element);
  return type.kind === "ref" ? type.name : null;
}

function renderValues(definitions: Definitions): string {
  const fields = [...definitions.values()]
    .filter((each) => hasName(each, definitions))
    .map((each) => `  readonly ${typeName(each.name)}: ${valueType(each, definitions)};`);
  const text = `${VALUES_HEADER}\nexport interface XdrValues {\n${fields.sort().join("\n")}\n}\n`;
  return formatted(text);
}

/** Formats the text so that `npm run check` accepts it. */
function formatted(text: string): string {
  const command = ["biome", "format", "--stdin-file-path", VALUES_FILE];
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, {
    cwd: READER,
    stdin: Buffer.from(text),
  });
  if (exitCode !== 0) throw new Error(`biome failed: ${stderr}`);
  return stdout.toString();
}

const VALUES_HEADER = `// The types of decoded XDR values, which \`npm run docs\` writes from the definitions of the newest
// protocol. src/xdr/reader/value.ts says how each kind of type is decoded.
`;

function valueType(definition: TypeDefinition, definitions: Definitions): string {
  switch (definition.kind) {
    case "enum":
      return "number";
    case "typedef":
      return typeOfField(definition.type, definitions);
    case "struct":
      return objectType(definition.fields, definitions);
    case "union": {
      const { name } = definition.discriminant;
      const cases = definition.arms.flatMap((arm) =>
        arm.cases.map(({ value }) => {
          const own = arm.name === null ? [] : [{ name: arm.name, type: arm.type as XdrType }];
          return objectType(own, definitions, `readonly ${name}: ${value}`);
        }),
      );
      return cases.map((each) => `| ${each}`).join(" ");
    }
  }
}

function objectType(
  fields: readonly { readonly name: string; readonly type: XdrType }[],
  definitions: Definitions,
  discriminant?: string,
): string {
  const own = fields.map(
    ({ name, type }) => `readonly ${camelCase(name)}: ${typeOfField(type, definitions)}`,
  );
  return `{ ${[...(discriminant === undefined ? [] : [discriminant]), ...own].join("; ")} }`;
}

function typeOfField(type: XdrType, definitions: Definitions): string {
  switch (type.kind) {
    case "bool":
      return "boolean";
    case "int":
    case "unsigned_int":
      return "number";
    case "hyper":
    case "unsigned_hyper":
      return "bigint";
    case "opaque_fixed":
    case "opaque_var":
    case "string":
      return "Uint8Array";
    case "optional":
      return `${typeOfField(type.element, definitions)} | null`;
    case "array":
    case "var_array":
      return `readonly (${typeOfField(type.element, definitions)})[]`;
    case "ref": {
      const target = named(type.name, definitions);
      if (target.kind === "typedef" && !hasName(target, definitions))
        return typeOfField(target.type, definitions);
      return `XdrValues["${typeName(target.name)}"]`;
    }
  }
}

/** Turns `SCVal` into `ScVal`. */
function typeName(name: string): string {
  return words(name).map(capitalized).join("");
}

/** Turns `accountID` into `accountId`, and `CONFIG_SETTING_` into `configSetting`. */
function camelCase(name: string): string {
  const [first = "", ...rest] = words(name);
  return first + rest.map(capitalized).join("");
}

/** Splits a name into its words, in lower case. */
function words(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .split("_")
    .filter((word) => word !== "");
}

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
