// Random values of any XDR type, from the schema of its SDK class.

import fc from "fast-check";

/** js-xdr's schema objects at run time. */
interface Schema {
  readonly kind: string;
  readonly name?: string;
  readonly length: number;
  readonly maxLength: number;
  readonly element: Schema;
  readonly entries: readonly (readonly [string, Schema])[];
  readonly nameByValue: ReadonlyMap<number, string>;
  readonly switchKey: string;
  readonly switchOn: Schema;
  readonly cases: readonly { readonly discriminant: unknown; readonly arm: Arm }[];
  readonly getSchema: () => Schema;
}

type Arm = Schema | { readonly kind: "field"; readonly name: string; readonly schema: Schema };

/** Names of types that the SDK writes in another way than the Rust crate. */
const SDK_NAMES: Readonly<Record<string, string>> = {
  Uint256Bytes: "Uint256",
  Uint128Parts: "UInt128Parts",
  Uint256Parts: "UInt256Parts",
};

/** The name that svc uses for a type of the SDK. */
export function nameOfSdkType(name: string): string {
  return SDK_NAMES[name] ?? name;
}

/** Names of all types that values of an SDK type can contain, and its own. */
export function namesWithin(schema: unknown): string[] {
  const seen = new Set<Schema>();
  const visit = (each: Schema) => {
    if (seen.has(each)) return;
    seen.add(each);
    for (const part of partsOf(each)) visit(part);
  };
  visit(schema as Schema);
  return [...seen].flatMap(({ name }) => name ?? []);
}

function partsOf(schema: Schema): Schema[] {
  switch (schema.kind) {
    case "struct":
      return schema.entries.map(([, field]) => field);
    case "union":
      return [
        schema.switchOn,
        ...schema.cases.flatMap(({ arm }) => ("schema" in arm ? [arm.schema] : [])),
      ];
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

/** Below it arrays are empty, options absent, and unions take their first case. */
const DEEPEST = 7;
const LONGEST = 2;
const MOST_BYTES = 9;

/** Values that the schema can encode. */
export function arbitraryOf(type: { readonly schema: unknown }): fc.Arbitrary<unknown> {
  return build(type.schema as Schema, 0);
}

function build(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  switch (schema.kind) {
    case "int32":
      return fc.integer();
    case "uint32":
      return fc.nat(0xffffffff);
    case "int64":
      return fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n });
    case "uint64":
      return fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
    case "bool":
      return fc.boolean();
    case "void":
      return fc.constant(undefined);
    case "enum":
      return fc.constantFrom(...schema.nameByValue.keys());
    case "opaque":
      return fc.uint8Array({ minLength: schema.length, maxLength: schema.length });
    case "varOpaque":
    case "string":
      return fc.uint8Array({ maxLength: Math.min(schema.maxLength, MOST_BYTES) });
    case "lazy":
      return build(schema.getSchema(), depth + 1);
    case "option":
      return depth >= DEEPEST
        ? fc.constant(null)
        : fc.option(fc.constant(null).chain(() => build(schema.element, depth + 1)));
    case "array":
      return arrayOf(schema, depth, 0, Math.min(schema.maxLength, LONGEST));
    case "fixedArray":
      return arrayOf(schema, depth, schema.length, schema.length);
    case "struct":
      return fc.record(
        Object.fromEntries(schema.entries.map(([name, field]) => [name, build(field, depth + 1)])),
      );
    case "union":
      return unionOf(schema, depth);
    default:
      throw new Error(`no arbitrary for ${schema.kind}`);
  }
}

/** Created only when it is used, since recursive types would have no end otherwise. */
function arrayOf(schema: Schema, depth: number, minLength: number, maxLength: number) {
  if (depth >= DEEPEST && minLength === 0) return fc.constant([]);
  const element = fc.constant(null).chain(() => build(schema.element, depth + 1));
  return fc.array(element, { minLength, maxLength });
}

function unionOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const cases = depth >= DEEPEST ? schema.cases.slice(0, 1) : schema.cases;
  return fc.constantFrom(...cases).chain(({ discriminant, arm }) => {
    if (!("schema" in arm)) return fc.constant({ [schema.switchKey]: discriminant });
    return build(arm.schema, depth + 1).map((value) => ({
      [schema.switchKey]: discriminant,
      [arm.name]: value,
    }));
  });
}
