// src/xdr/reader/schemas.txt, which `npm run docs` writes from the SDK's XDR classes: one line a
// type, so that svc reads XDR without loading those classes. The grammar is at the head of
// src/xdr/reader/schema.ts.

import { join, resolve } from "node:path";
import * as xdr from "@stellar/stellar-sdk/xdr";

export const SCHEMAS_FILE = join(resolve(import.meta.dir, ".."), "src/xdr/reader/schemas.txt");

/** js-xdr's schema objects at run time; `kind` decides which fields exist. */
interface Schema {
  readonly kind: string;
  readonly name?: string | undefined;
  readonly entries: readonly (readonly [string, Schema])[];
  readonly element: Schema;
  readonly length: number;
  readonly maxLength: number;
  readonly memberPrefix?: string;
  readonly nameByValue: ReadonlyMap<number, string>;
  readonly switchKey: string;
  readonly switchOn: Schema;
  readonly cases: readonly { readonly discriminant: number | boolean; readonly arm: Arm }[];
  readonly getSchema: () => Schema;
}

type Arm = Schema | { readonly kind: "field"; readonly name: string; readonly schema: Schema };

export function renderSchemas(): string {
  const named = new Map<string, Schema>();
  for (const type of Object.values(xdr) as { readonly schema?: unknown }[])
    if (type.schema !== undefined) collect(type.schema as Schema, named);
  const lines = [...named].map(([name, schema]) => `${name} ${definition(schema)}`);
  return `${lines.sort().join("\n")}\n`;
}

function collect(schema: Schema, named: Map<string, Schema>): void {
  const { name } = schema;
  if (name !== undefined && named.get(name) === schema) return;
  if (name !== undefined) named.set(name, schema);
  for (const part of partsOf(schema)) collect(part, named);
}

function partsOf(schema: Schema): Schema[] {
  switch (schema.kind) {
    case "struct":
      return schema.entries.map(([, field]) => field);
    case "union":
      return [schema.switchOn, ...schema.cases.map(({ arm }) => schemaOf(arm))];
    case "option":
    case "array":
    case "fixedArray":
      return [schema.element];
    case "lazy":
      return [schema.getSchema()];
    default:
      return [];
  }
}

function definition(schema: Schema): string {
  switch (schema.kind) {
    case "enum": {
      const { memberPrefix: prefix = "" } = schema;
      const members = [...schema.nameByValue].map(
        ([value, name]) => `${name.startsWith(prefix) ? name.slice(prefix.length) : "!"}=${value}`,
      );
      return ["enum", prefix || "-", ...members].join(" ");
    }
    case "struct":
      return ["struct", ...schema.entries.map(([name, field]) => `${name}:${use(field)}`)].join(
        " ",
      );
    case "union": {
      const cases = schema.cases.map(({ discriminant, arm }) =>
        "schema" in arm
          ? `${Number(discriminant)}:${arm.name}:${use(arm.schema)}`
          : `${Number(discriminant)}`,
      );
      return ["union", `${schema.switchKey}:${use(schema.switchOn)}`, ...cases].join(" ");
    }
    default:
      return `type ${use({ ...schema, name: undefined })}`;
  }
}

/** A schema where it is used: a name, or what has none. */
function use(schema: Schema): string {
  if (schema.name !== undefined) return schema.name;
  const most = schema.maxLength === 0xffffffff ? "" : schema.maxLength;
  switch (schema.kind) {
    case "opaque":
      return `opaque[${schema.length}]`;
    case "varOpaque":
      return `opaque<${most}>`;
    case "string":
      return `string<${most}>`;
    case "option":
      return `?${use(schema.element)}`;
    case "array":
      return `<${most}>${use(schema.element)}`;
    case "fixedArray":
      return `[${schema.length}]${use(schema.element)}`;
    case "lazy":
      return `~${use(schema.getSchema())}`;
    default:
      return schema.kind;
  }
}

function schemaOf(arm: Arm): Schema {
  return "schema" in arm ? arm.schema : (arm as Schema);
}
