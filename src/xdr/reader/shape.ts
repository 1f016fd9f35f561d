// Compiles the schema of a generated SDK class into a function that walks over one value in place.
// Nothing is decoded, but everything that the SDK's decoder checks is checked here too: lengths,
// enum members, union arms, booleans, zero padding and nesting depth.
// Invariant: skip() returns where the decoder would stop, and throws where it would throw.

import { SvcError } from "../../base/errors/errors.ts";
import { int32At, uint32At } from "./words.ts";

/** One byte sequence; `end` limits every read. */
export interface XdrSource {
  readonly bytes: Uint8Array;
  readonly end: number;
}

/** Returns the offset just after the value that starts at `at`. */
export type Skip = (source: XdrSource, at: number, depth: number) => number;

export interface Shape {
  /** Name in the .x files, or the kind for anonymous types. */
  readonly name: string;
  readonly skip: Skip;
  /** Size when every byte sequence of that length is a valid value, otherwise null. */
  readonly plainSize: number | null;
  /** No valid value is shorter. Limits array lengths before anything is walked. */
  readonly minimumSize: number;
}

/** The limit of stellar-core's own XDR reader (main.cpp), and the SDK's default. */
const MAXIMUM_DEPTH = 1500;

/** The form of js-xdr's schema objects at run time; `kind` decides which fields exist. */
interface Schema {
  readonly kind: string;
  readonly name?: string | undefined;
  readonly entries: readonly (readonly [string, Schema])[];
  readonly element: Schema;
  readonly length: number;
  readonly maxLength: number;
  readonly nameByValue: ReadonlyMap<number, string>;
  readonly switchOn: Schema;
  readonly cases: readonly { readonly discriminant: number | boolean; readonly arm: Arm }[];
  readonly defaultArm?: Arm | undefined;
  readonly getSchema: () => Schema;
}

type Arm = Schema | { readonly kind: "field"; readonly schema: Schema };

const compiled = new WeakMap<object, Shape>();

/** The shape of a generated SDK class, compiled on first use. */
export function shapeOf(type: { readonly schema: unknown }): Shape {
  return compile(type.schema as Schema);
}

export function arrayShapeOf(type: { readonly schema: unknown }): Shape {
  return arrayShape(shapeOf(type), 0xffffffff, "array");
}

export function xdrSource(bytes: Uint8Array): XdrSource {
  return { bytes, end: bytes.length };
}

/** Input ended inside a value; `details.incomplete` lets a streaming reader ask for more bytes. */
export function incompleteXdr(name: string, at: number): SvcError {
  return new SvcError("XDR_INVALID", {
    message: `XDR ends inside ${name} at byte ${at}.`,
    remedy: "Check that the data is complete.",
    details: { incomplete: true, type: name, offset: at },
  });
}

export function invalidXdr(name: string, at: number, problem: string): SvcError {
  return new SvcError("XDR_INVALID", {
    message: `XDR of ${name} is not valid at byte ${at}: ${problem}.`,
    remedy: "Check that the data has this type. Fetch it again, or from another source.",
    details: { type: name, offset: at },
  });
}

function compile(schema: Schema): Shape {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const shape = build(schema);
  compiled.set(schema, shape);
  return shape;
}

function build(schema: Schema): Shape {
  const name = schema.name ?? schema.kind;
  switch (schema.kind) {
    case "int32":
    case "uint32":
    case "float":
      return plainShape(name, 4);
    case "int64":
    case "uint64":
    case "double":
      return plainShape(name, 8);
    case "void":
      return plainShape(name, 0);
    case "bool":
      return memberShape(name, (value) => value === 0 || value === 1);
    case "enum":
      return memberShape(name, memberTest(schema.nameByValue));
    case "opaque":
      return schema.length % 4 === 0
        ? plainShape(name, schema.length)
        : paddedShape(name, schema.length);
    case "varOpaque":
    case "string":
      return bytesShape(name, schema.maxLength);
    case "option":
      return optionShape(name, compile(schema.element));
    case "array":
      return arrayShape(compile(schema.element), schema.maxLength, name);
    case "fixedArray":
      return structShape(
        name,
        Array.from({ length: schema.length }, () => compile(schema.element)),
      );
    case "struct":
      return structShape(
        name,
        schema.entries.map(([, field]) => compile(field)),
      );
    case "union":
      return unionShape(name, schema);
    case "lazy":
      return lazyShape(name, schema.getSchema);
    default:
      throw new Error(`unknown XDR schema kind ${schema.kind}`);
  }
}

function plainShape(name: string, size: number): Shape {
  const skip: Skip = (source, at) => {
    const next = at + size;
    if (next > source.end) throw incompleteXdr(name, at);
    return next;
  };
  return { name, skip, plainSize: size, minimumSize: size };
}

function memberShape(name: string, isMember: (value: number) => boolean): Shape {
  const skip: Skip = (source, at) => {
    if (at + 4 > source.end) throw incompleteXdr(name, at);
    const value = int32At(source.bytes, at);
    if (!isMember(value)) throw invalidXdr(name, at, `${value} is not a member`);
    return at + 4;
  };
  return { name, skip, plainSize: null, minimumSize: 4 };
}

function memberTest(nameByValue: ReadonlyMap<number, string>): (value: number) => boolean {
  const values = [...nameByValue.keys()];
  const top = Math.max(...values);
  const dense = values.length === top + 1 && Math.min(...values) === 0;
  return dense ? (value) => value >= 0 && value <= top : (value) => nameByValue.has(value);
}

function paddedShape(name: string, size: number): Shape {
  const skip: Skip = (source, at) => skipPadded(source, at, size, name);
  return { name, skip, plainSize: null, minimumSize: (size + 3) & ~3 };
}

function bytesShape(name: string, maxLength: number): Shape {
  const skip: Skip = (source, at) => {
    if (at + 4 > source.end) throw incompleteXdr(name, at);
    const length = uint32At(source.bytes, at);
    if (length > maxLength) throw invalidXdr(name, at, `length ${length} exceeds ${maxLength}`);
    return skipPadded(source, at + 4, length, name);
  };
  return { name, skip, plainSize: null, minimumSize: 4 };
}

function skipPadded(source: XdrSource, at: number, length: number, name: string): number {
  const dataEnd = at + length;
  const next = dataEnd + ((4 - (length % 4)) % 4);
  if (next > source.end) throw incompleteXdr(name, at);
  for (let i = dataEnd; i < next; i += 1) {
    if (source.bytes[i] !== 0) throw invalidXdr(name, i, "padding is not zero");
  }
  return next;
}

function optionShape(name: string, element: Shape): Shape {
  const skip: Skip = (source, at, depth) => {
    if (at + 4 > source.end) throw incompleteXdr(name, at);
    const present = uint32At(source.bytes, at);
    if (present === 0) return at + 4;
    if (present !== 1) throw invalidXdr(name, at, `${present} is not a boolean`);
    return element.skip(source, at + 4, deeper(depth, name, at));
  };
  return { name, skip, plainSize: null, minimumSize: 4 };
}

function arrayShape(element: Shape, maxLength: number, name: string): Shape {
  const skip: Skip = (source, at, depth) => {
    if (at + 4 > source.end) throw incompleteXdr(name, at);
    const length = uint32At(source.bytes, at);
    if (length > maxLength) throw invalidXdr(name, at, `length ${length} exceeds ${maxLength}`);
    let next = at + 4;
    if (length * Math.max(element.minimumSize, 1) > source.end - next) {
      throw incompleteXdr(name, at);
    }
    if (element.plainSize !== null) return next + length * element.plainSize;
    const inner = deeper(depth, name, at);
    for (let i = 0; i < length; i += 1) next = element.skip(source, next, inner);
    return next;
  };
  return { name, skip, plainSize: null, minimumSize: 4 };
}

/** Neighbouring plain fields become one bounds check. */
function structShape(name: string, fields: readonly Shape[]): Shape {
  const steps: Shape[] = [];
  for (const field of fields) {
    const last = steps.at(-1);
    if (field.plainSize !== null && last !== undefined && last.plainSize !== null) {
      steps[steps.length - 1] = plainShape(name, last.plainSize + field.plainSize);
    } else {
      steps.push(field);
    }
  }
  const only = steps[0];
  if (steps.length === 1 && only !== undefined && only.plainSize !== null) {
    return plainShape(name, only.plainSize);
  }
  const skips = steps.map((step) => step.skip);
  const skip: Skip = (source, at, depth) => {
    const inner = deeper(depth, name, at);
    let next = at;
    for (let i = 0; i < skips.length; i += 1) next = (skips[i] as Skip)(source, next, inner);
    return next;
  };
  const minimumSize = fields.reduce((sum, field) => sum + field.minimumSize, 0);
  return { name, skip, plainSize: null, minimumSize };
}

function unionShape(name: string, schema: Schema): Shape {
  const arms = new Map<number, Shape>();
  for (const { discriminant, arm } of schema.cases) {
    arms.set(Number(discriminant), compile(armSchema(arm)));
  }
  const fallback =
    schema.defaultArm === undefined ? undefined : compile(armSchema(schema.defaultArm));
  const tag = compile(schema.switchOn);
  const skip: Skip = (source, at, depth) => {
    const next = tag.skip(source, at, depth);
    const arm = arms.get(int32At(source.bytes, at)) ?? fallback;
    if (arm === undefined) throw invalidXdr(name, at, `no arm ${int32At(source.bytes, at)}`);
    return arm.skip(source, next, deeper(depth, name, at));
  };
  const sizes = [...arms.values(), ...(fallback === undefined ? [] : [fallback])];
  const minimumSize = 4 + Math.min(...sizes.map((arm) => arm.minimumSize));
  return { name, skip, plainSize: null, minimumSize };
}

function armSchema(arm: Arm): Schema {
  return arm.kind === "field" && "schema" in arm ? arm.schema : (arm as Schema);
}

/** Recursive types (ScVal, ClaimPredicate, …) close their cycle through a lazy schema. */
function lazyShape(name: string, getSchema: () => Schema): Shape {
  let target: Skip | null = null;
  const skip: Skip = (source, at, depth) => {
    target ??= compile(getSchema()).skip;
    return target(source, at, deeper(depth, name, at));
  };
  // The target is not compiled yet, so only its discriminant or length may be assumed.
  return { name, skip, plainSize: null, minimumSize: 4 };
}

function deeper(depth: number, name: string, at: number): number {
  if (depth >= MAXIMUM_DEPTH) {
    throw invalidXdr(name, at, `nested deeper than ${MAXIMUM_DEPTH} levels`);
  }
  return depth + 1;
}
