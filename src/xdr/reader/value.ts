// XDR values as plain objects, for code that reads or changes more than a few fields. A struct has
// its fields, and a union has the number of its discriminant and the field of its case. Enums are
// numbers, 64-bit integers are bigints, and byte sequences and strings are bytes.

import { SvcError } from "../../base/errors/errors.ts";
import { ofTexts } from "../../base/recently-used.ts";
import { decodeBase64, XdrCursor } from "./cursor.ts";
import { type Schema, schemaNamed, type TypeName } from "./schema.ts";
import { shapeOf, xdrSource } from "./shape.ts";
import { setUint32, setUint64 } from "./words.ts";
import type { XdrValues } from "./xdr-values.ts";

/** The value of a type. */
export type Value<Name extends TypeName> = XdrValues[Name];

/** The same few values are read again and again: arguments, topics, keys of a storage. */
const scVals = ofTexts<unknown>(2 ** 16);

/** Decodes exactly one value from base64. Throws XDR_INVALID. */
export function decode<Name extends TypeName>(type: Name, xdr: string): Value<Name> {
  const read = () => decodeBytes(type, decodeBase64(xdr, type));
  return type === "ScVal" ? (scVals.of(xdr, read) as Value<Name>) : read();
}

/**
 * Decodes exactly one value. The byte sequences in it are ranges of `bytes`. Throws XDR_INVALID.
 */
export function decodeBytes<Name extends TypeName>(type: Name, bytes: Uint8Array): Value<Name> {
  const cursor = new XdrCursor(xdrSource(bytes));
  cursor.skip(shapeOf(type));
  cursor.done(type);
  cursor.at = 0;
  return readValue(schemaNamed(type), cursor) as Value<Name>;
}

export function encode<Name extends TypeName>(type: Name, value: Value<Name>): string {
  return encodeBytes(type, value).toBase64();
}

/** Throws XDR_INVALID if a value does not fit its field. */
export function encodeBytes<Name extends TypeName>(type: Name, value: Value<Name>): Uint8Array {
  const writer = { bytes: new Uint8Array(FIRST_SIZE), at: 0 };
  writeValue(schemaNamed(type), value, writer);
  const encoded = writer.bytes.subarray(0, writer.at);
  // A value that was made of parts is checked like one that was read.
  const cursor = new XdrCursor(xdrSource(encoded));
  cursor.skip(shapeOf(type));
  cursor.done(type);
  return encoded;
}

const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes a string of a contract or a user. Bytes that are not UTF-8 become U+FFFD. */
export function utf8(text: Uint8Array): string {
  return UTF8.decode(text);
}

/** The bytes must have been walked before. */
function readValue(schema: Schema, cursor: XdrCursor): unknown {
  switch (schema.kind) {
    case "int32":
    case "enum":
      return cursor.int32();
    case "uint32":
      return cursor.uint32();
    case "int64":
      return cursor.int64();
    case "uint64":
      return cursor.uint64();
    case "bool":
      return cursor.uint32() === 1;
    case "opaque":
      return paddedBytes(schema.length, cursor);
    case "bytes":
    case "text":
      return paddedBytes(cursor.uint32(), cursor);
    case "option":
      return cursor.uint32() === 0 ? null : readValue(schema.element, cursor);
    case "array":
    case "fixedArray": {
      const length = schema.kind === "array" ? cursor.uint32() : schema.length;
      const elements: unknown[] = [];
      for (let i = 0; i < length; i += 1) elements.push(readValue(schema.element, cursor));
      return elements;
    }
    case "struct": {
      const value: Record<string, unknown> = {};
      for (const [name, field] of schema.fields) value[name] = readValue(field, cursor);
      return value;
    }
    case "union": {
      const type = readValue(schema.switchOn, cursor) as number;
      const field = schema.cases.get(type) ?? null;
      if (field === null) return { [schema.switchKey]: type };
      return { [schema.switchKey]: type, [field[0]]: readValue(field[1], cursor) };
    }
    case "named":
      return readValue(schemaNamed(schema.name), cursor);
    case "recursive":
      return readValue(schema.element, cursor);
  }
}

function paddedBytes(size: number, cursor: XdrCursor): Uint8Array {
  const bytes = cursor.opaque(size);
  cursor.opaque(-size & 3);
  return bytes;
}

interface Writer {
  bytes: Uint8Array;
  at: number;
}

const FIRST_SIZE = 512;

function writeValue(schema: Schema, value: unknown, writer: Writer): void {
  switch (schema.kind) {
    case "int32":
    case "uint32":
    case "enum":
      writeUint32(wholeNumber(schema.kind, value), writer);
      return;
    case "int64":
    case "uint64": {
      const whole = value as bigint;
      const [wraps, name] =
        schema.kind === "int64" ? [BigInt.asIntN, "int64"] : [BigInt.asUintN, "uint64"];
      if (wraps(64, whole) !== whole) throw doesNotFit(String(whole), name);
      const at = reserve(8, writer);
      setUint64(writer.bytes, at, whole);
      return;
    }
    case "bool":
      writeUint32(value === true ? 1 : 0, writer);
      return;
    case "opaque": {
      const bytes = value as Uint8Array;
      if (bytes.length !== schema.length) throw doesNotFit(`${bytes.length} bytes`, schema.name);
      writePadded(bytes, writer);
      return;
    }
    case "bytes":
    case "text": {
      const bytes = value as Uint8Array;
      writeUint32(bytes.length, writer);
      writePadded(bytes, writer);
      return;
    }
    case "option":
      writeUint32(value === null ? 0 : 1, writer);
      if (value !== null) writeValue(schema.element, value, writer);
      return;
    case "array":
    case "fixedArray": {
      const elements = value as readonly unknown[];
      if (schema.kind === "array") writeUint32(elements.length, writer);
      else if (elements.length !== schema.length)
        throw doesNotFit(`${elements.length} elements`, "an array");
      for (const element of elements) writeValue(schema.element, element, writer);
      return;
    }
    case "struct":
      for (const [name, field] of schema.fields)
        writeValue(field, (value as Record<string, unknown>)[name], writer);
      return;
    case "union": {
      const fields = value as Record<string, unknown>;
      const type = fields[schema.switchKey];
      writeValue(schema.switchOn, type, writer);
      const field = schema.cases.get(type as number) ?? null;
      if (field !== null) writeValue(field[1], fields[field[0]], writer);
      return;
    }
    case "named":
      writeValue(schemaNamed(schema.name), value, writer);
      return;
    case "recursive":
      writeValue(schema.element, value, writer);
      return;
  }
}

function wholeNumber(kind: "int32" | "uint32" | "enum", value: unknown): number {
  const number = value as number;
  if ((kind === "uint32" ? number >>> 0 : number | 0) === number) return number;
  throw doesNotFit(String(value), kind);
}

function doesNotFit(name: string, type: string): SvcError {
  return new SvcError("XDR_INVALID", {
    clause: `${name} does not fit into ${type}`,
    remedy: "Use a value of this type.",
    details: { type },
  });
}

function writeUint32(value: number, writer: Writer): void {
  const at = reserve(4, writer);
  setUint32(writer.bytes, at, value);
}

function writePadded(bytes: Uint8Array, writer: Writer): void {
  const at = reserve((bytes.length + 3) & ~3, writer);
  writer.bytes.set(bytes, at);
}

/** Returns the position for that many bytes, which are zero. */
function reserve(size: number, writer: Writer): number {
  const { at } = writer;
  writer.at += size;
  if (writer.at > writer.bytes.length) {
    const larger = new Uint8Array(2 * writer.at);
    larger.set(writer.bytes);
    writer.bytes = larger;
  }
  return at;
}
