// Random values of any XDR type of the newest protocol, from the table of types.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { type Schema, schemaNamed, type TypeName } from "../../src/xdr/reader/schema.ts";

const TABLE = join(import.meta.dir, "../../src/xdr/reader/schemas.txt");

export const TYPE_NAMES = readFileSync(TABLE, "utf8")
  .split("\n")
  .flatMap((line) => line.split(" ", 1)[0] || []) as TypeName[];

/** Below it arrays are empty, options absent, and unions take their first case. */
const DEEPEST = 7;
const LONGEST = 2;
const MOST_BYTES = 9;

export function arbitraryValue(type: TypeName): fc.Arbitrary<unknown> {
  return build(schemaNamed(type), 0);
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
    case "enum":
      return fc.constantFrom(...schema.nameByValue.keys());
    case "opaque":
      return fc.uint8Array({ minLength: schema.length, maxLength: schema.length });
    case "bytes":
    case "text":
      return fc.uint8Array({ maxLength: Math.min(schema.maxLength, MOST_BYTES) });
    case "option":
      return depth >= DEEPEST ? fc.constant(null) : fc.option(later(schema.element, depth));
    case "array":
      return depth >= DEEPEST
        ? fc.constant([])
        : fc.array(later(schema.element, depth), {
            maxLength: Math.min(schema.maxLength, LONGEST),
          });
    case "fixedArray":
      return fc.array(later(schema.element, depth), {
        minLength: schema.length,
        maxLength: schema.length,
      });
    case "struct":
      return fc.record(
        Object.fromEntries(schema.fields.map(([name, field]) => [name, build(field, depth + 1)])),
      );
    case "union": {
      const { switchKey } = schema;
      const cases = [...schema.cases].slice(0, depth >= DEEPEST ? 1 : undefined);
      return fc.constantFrom(...cases).chain(([type, field]) => {
        if (field === null) return fc.constant({ [switchKey]: type });
        const [name, of] = field;
        return build(of, depth + 1).map((value) => ({ [switchKey]: type, [name]: value }));
      });
    }
    case "named":
      return build(schemaNamed(schema.name), depth);
    case "recursive":
      return build(schema.element, depth + 1);
  }
}

/** Created only when it is used, since recursive types would have no end otherwise. */
function later(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  return fc.constant(null).chain(() => build(schema, depth + 1));
}
