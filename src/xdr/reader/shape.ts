// Compiles an XDR type into a function that walks over one value in place. Nothing is decoded, but
// everything that a decoder checks is checked here too: lengths, enum members, union arms,
// booleans, zero padding and nesting depth. The cases of a union are compiled when a value has
// them.
// Invariant: skip() returns the offset at which the SDK's decoder would stop, and throws if that
// would throw.

import { SvcError } from "../../base/errors/errors.ts";
import { type Schema, schemaNamed, type TypeName, type UnionSchema } from "./schema.ts";
import { int32At, uint32At } from "./words.ts";

/** One byte sequence. `end` limits every read. */
export interface XdrSource {
  readonly bytes: Uint8Array;
  readonly end: number;
}

/** Returns the offset just after the value that starts at `at`. */
export type Skip = (source: XdrSource, at: number, depth: number) => number;

export interface Shape {
  /** The name in the .x files, or the kind for anonymous types. */
  readonly name: string;
  readonly skip: Skip;
  /** The size if every byte sequence of that length is a valid value, otherwise null. */
  readonly plainSize: number | null;
  /** The length of the shortest valid value. It limits array lengths before anything is walked. */
  readonly minimumSize: number;
}

/** The limit of stellar-core's own XDR reader (main.cpp), and the SDK's default. */
const MAXIMUM_DEPTH = 1500;

const compiled = new Map<string, Shape>();

// Shapes are compiled when they walk over a value for the first time.

export function shapeOf(type: TypeName): Shape {
  return compiledLate(type, () => named(type));
}

export function arrayShapeOf(type: TypeName): Shape {
  return compiledLate("array", () => arrayShape(named(type), 0xffffffff, "array"));
}

function compiledLate(name: string, compile: () => Shape): Shape {
  const shape: { -readonly [Field in keyof Shape]: Shape[Field] } = {
    name,
    skip: (source, at, depth) => {
      shape.skip = compile().skip;
      return shape.skip(source, at, depth);
    },
    plainSize: null,
    minimumSize: 4,
  };
  return shape;
}

export function xdrSource(bytes: Uint8Array): XdrSource {
  return { bytes, end: bytes.length };
}

/**
 * The input ended inside a value. `details.incomplete` lets a streaming reader ask for more bytes.
 */
export function incompleteXdr(name: string, at: number): SvcError {
  return new SvcError("XDR_INVALID", {
    clause: `XDR ends inside ${name} at byte ${at}`,
    remedy: "Check that the data is complete.",
    details: { incomplete: true, type: name, offset: at },
  });
}

export function invalidXdr(name: string, at: number, problem: string): SvcError {
  return invalid(name, at, problem, {});
}

/**
 * The error for a case, a member or a length that this XDR does not have, but that a later protocol
 * may have. `details.unknown` is true.
 */
export function unknownXdr(name: string, at: number, problem: string): SvcError {
  return invalid(name, at, problem, { unknown: true });
}

function invalid(name: string, at: number, problem: string, known: { readonly unknown?: true }) {
  return new SvcError("XDR_INVALID", {
    clause: `XDR of ${name} is not valid at byte ${at}: ${problem}`,
    remedy: "Check that the data has this type. Fetch it again, or from another source.",
    details: { ...known, type: name, offset: at },
  });
}

/** True if the error is about XDR that a later protocol may have. */
export function isUnknownXdr(error: unknown): boolean {
  if (!(error instanceof SvcError)) return false;
  return error.code === "XDR_INVALID" ? error.details.unknown === true : isUnknownXdr(error.cause);
}

function named(name: string): Shape {
  let shape = compiled.get(name);
  if (shape === undefined) {
    shape = compile(schemaNamed(name));
    compiled.set(name, shape);
  }
  return shape;
}

function compile(schema: Schema): Shape {
  switch (schema.kind) {
    case "named":
      return named(schema.name);
    case "int32":
    case "uint32":
      return plainShape(schema.kind, 4);
    case "int64":
    case "uint64":
      return plainShape(schema.kind, 8);
    case "bool":
      return memberShape("bool", (value) => value === 0 || value === 1, invalidXdr);
    case "enum":
      return memberShape(schema.name, memberTest(schema.nameByValue));
    case "opaque":
      return schema.length % 4 === 0
        ? plainShape(schema.name, schema.length)
        : paddedShape(schema.name, schema.length);
    case "bytes":
    case "text":
      return bytesShape(schema.name, schema.maxLength);
    case "option":
      return optionShape(compile(schema.element));
    case "array":
      return arrayShape(compile(schema.element), schema.maxLength, "array");
    case "fixedArray": {
      const element = compile(schema.element);
      return structShape("array", Array(schema.length).fill(element));
    }
    case "struct":
      return structShape(
        schema.name,
        schema.fields.map(([, field]) => compile(field)),
      );
    case "union":
      return unionShape(schema);
    case "recursive":
      return recursiveShape(schema.element);
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

function memberShape(
  name: string,
  isMember: (value: number) => boolean,
  otherwise = unknownXdr,
): Shape {
  const skip: Skip = (source, at) => {
    if (at + 4 > source.end) throw incompleteXdr(name, at);
    const value = int32At(source.bytes, at);
    if (!isMember(value)) throw otherwise(name, at, `${value} is not a member`);
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
    if (length > maxLength) throw unknownXdr(name, at, `length ${length} exceeds ${maxLength}`);
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

function optionShape(element: Shape): Shape {
  const name = "option";
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
    if (length > maxLength) throw unknownXdr(name, at, `length ${length} exceeds ${maxLength}`);
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

/** Makes one bounds check for neighbouring plain fields. */
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

function unionShape({ name, switchOn, cases }: UnionSchema): Shape {
  const arms = new Map<number, Shape>();
  const tag = compile(switchOn);
  const armOf = (value: number, at: number): Shape => {
    const field = cases.get(value);
    if (field === undefined) throw unknownXdr(name, at, `no arm ${value}`);
    const arm = field === null ? plainShape("void", 0) : compile(field[1]);
    arms.set(value, arm);
    return arm;
  };
  const skip: Skip = (source, at, depth) => {
    const next = tag.skip(source, at, depth);
    const value = int32At(source.bytes, at);
    const arm = arms.get(value) ?? armOf(value, at);
    return arm.skip(source, next, deeper(depth, name, at));
  };
  return { name, skip, plainSize: null, minimumSize: 4 };
}

/** Compiles a type that contains itself (ScVal, ClaimPredicate, …). */
function recursiveShape(element: Schema): Shape {
  let target: Skip | null = null;
  const skip: Skip = (source, at, depth) => {
    target ??= compile(element).skip;
    return target(source, at, deeper(depth, "recursive", at));
  };
  return { name: "recursive", skip, plainSize: null, minimumSize: 4 };
}

function deeper(depth: number, name: string, at: number): number {
  if (depth >= MAXIMUM_DEPTH) {
    throw invalidXdr(name, at, `nested deeper than ${MAXIMUM_DEPTH} levels`);
  }
  return depth + 1;
}
