// A JSON Schema checker for the keywords of our schemas, to compare the schemas with real
// documents. An unknown keyword is an error.

type Schema = Record<string, unknown>;

const KNOWN = new Set([
  "$schema",
  "$id",
  "$defs",
  "$ref",
  "title",
  "description",
  "type",
  "required",
  "properties",
  "additionalProperties",
  "items",
  "enum",
  "const",
  "anyOf",
  "pattern",
  "propertyNames",
  "minItems",
  "maxItems",
  "minLength",
  "minimum",
  "maximum",
]);

/** Problems with their paths; empty when the document follows the schema. */
export function schemaProblems(root: Schema, document: unknown): string[] {
  return check(root, root, document, "$");
}

/** Field paths of the document that the schema does not describe. */
export function undescribedFields(root: Schema, document: unknown): string[] {
  const found = new Set<string>();
  describe(root, root, document, "$", found);
  return [...found].sort();
}

function check(root: Schema, schema: Schema, value: unknown, path: string): string[] {
  const unknown = Object.keys(schema).filter((keyword) => !KNOWN.has(keyword));
  if (unknown.length > 0) throw new Error(`keyword ${unknown.join(", ")} at ${path}`);
  if (typeof schema.$ref === "string") return check(root, resolve(root, schema.$ref), value, path);
  const problems: string[] = [];
  if (Array.isArray(schema.anyOf)) {
    const attempts = (schema.anyOf as Schema[]).map((each) => check(root, each, value, path));
    if (!attempts.some((attempt) => attempt.length === 0)) problems.push(...attempts.flat());
  }
  if ("const" in schema && schema.const !== value) problems.push(`${path} is not ${schema.const}`);
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) {
    problems.push(`${path} is ${JSON.stringify(value)}, not one of ${schema.enum.join(", ")}`);
  }
  const types = [schema.type ?? []].flat() as string[];
  if (types.length > 0 && !types.some((type) => hasType(type, value))) {
    return [...problems, `${path} is not ${types.join(" or ")}`];
  }
  if (typeof schema.pattern === "string" && typeof value === "string") {
    if (!new RegExp(schema.pattern).test(value))
      problems.push(`${path} does not match the pattern`);
  }
  problems.push(...checkBounds(schema, value, path));
  if (Array.isArray(value) && schema.items !== undefined) {
    for (const [i, item] of value.entries()) {
      problems.push(...check(root, schema.items as Schema, item, `${path}[${i}]`));
    }
  }
  return [...problems, ...checkFields(root, schema, value, path)];
}

function checkBounds(schema: Schema, value: unknown, path: string): string[] {
  const few = Array.isArray(value) && value.length < Number(schema.minItems ?? 0);
  const short = typeof value === "string" && value.length < Number(schema.minLength ?? 0);
  const small = typeof value === "number" && value < Number(schema.minimum ?? value);
  const large = typeof value === "number" && value > Number(schema.maximum ?? value);
  if (Array.isArray(value) && value.length > Number(schema.maxItems ?? value.length))
    return [`${path} has too many elements`];
  if (large) return [`${path} is too large`];
  return few || short || small ? [`${path} is too small`] : [];
}

function checkFields(root: Schema, schema: Schema, value: unknown, path: string): string[] {
  if (!isObject(value)) return [];
  const problems = ((schema.required ?? []) as string[])
    .filter((name) => !(name in value))
    .map((name) => `${path}.${name} is missing`);
  for (const [name, field] of Object.entries(value)) {
    const own = (schema.properties as Record<string, Schema> | undefined)?.[name];
    const fieldSchema = own ?? (schema.additionalProperties as Schema | false | undefined);
    if (schema.propertyNames !== undefined)
      problems.push(...check(root, schema.propertyNames as Schema, name, `${path}.${name}`));
    if (fieldSchema === false) problems.push(`${path}.${name} is not allowed`);
    if (fieldSchema === undefined || fieldSchema === false) continue;
    problems.push(...check(root, fieldSchema, field, `${path}.${name}`));
  }
  return problems;
}

function describe(
  root: Schema,
  schema: Schema,
  value: unknown,
  path: string,
  found: Set<string>,
): void {
  if (typeof schema.$ref === "string") {
    describe(root, resolve(root, schema.$ref), value, path, found);
  } else if (Array.isArray(schema.anyOf)) {
    const fitting = (schema.anyOf as Schema[]).find(
      (each) => check(root, each, value, path).length === 0,
    );
    if (fitting !== undefined) describe(root, fitting, value, path, found);
  } else if (Array.isArray(value)) {
    for (const item of value) describe(root, schema.items as Schema, item, `${path}[]`, found);
  } else if (isObject(value)) {
    for (const [name, field] of Object.entries(value)) {
      const own = (schema.properties as Record<string, Schema> | undefined)?.[name];
      const fieldSchema = own ?? (schema.additionalProperties as Schema | undefined);
      if (fieldSchema === undefined) found.add(`${path}.${name}`);
      else describe(root, fieldSchema, field, `${path}.${own === undefined ? "*" : name}`, found);
    }
  }
}

function resolve(root: Schema, reference: string): Schema {
  let schema: unknown = root;
  for (const part of reference.replace(/^#\//, "").split("/")) schema = (schema as Schema)[part];
  if (!isObject(schema)) throw new Error(`${reference} leads nowhere`);
  return schema as Schema;
}

function hasType(type: string, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isSafeInteger(value);
    default:
      return typeof value === type;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
