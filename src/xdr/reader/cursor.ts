// A position in XDR bytes that moves forward. Readers follow the field order of the .x files and
// skip everything that they do not need with the compiled shapes.

import { SvcError } from "../../base/errors/errors.ts";
import {
  incompleteXdr,
  invalidXdr,
  type Shape,
  unknownXdr,
  type XdrSource,
  xdrSource,
} from "./shape.ts";
import { int32At, int64At, uint32At, uint64At } from "./words.ts";

export class XdrCursor {
  at: number;

  constructor(
    readonly source: XdrSource,
    at = 0,
  ) {
    this.at = at;
  }

  int32(): number {
    return int32At(this.source.bytes, this.advance(4));
  }

  uint32(): number {
    return uint32At(this.source.bytes, this.advance(4));
  }

  int64(): bigint {
    return int64At(this.source.bytes, this.advance(8));
  }

  uint64(): bigint {
    return uint64At(this.source.bytes, this.advance(8));
  }

  boolean(name: string): boolean {
    const value = this.uint32();
    if (value > 1) throw invalidXdr(name, this.at - 4, `${value} is not a boolean`);
    return value === 1;
  }

  /**
   * Reads the length of an array. Every element has at least four bytes, which limits the length.
   */
  length(name: string): number {
    const count = this.uint32();
    if (count * 4 > this.source.end - this.at) throw incompleteXdr(name, this.at - 4);
    return count;
  }

  /** Throws for a union arm or an extension that the caller does not know. */
  noArm(name: string, value: number): never {
    throw unknownXdr(name, this.at - 4, `no arm ${value}`);
  }

  skip(shape: Shape): void {
    this.at = shape.skip(this.source, this.at, 0);
  }

  /** Returns the next value's bytes without copying them. */
  take(shape: Shape): Uint8Array {
    const start = this.at;
    this.skip(shape);
    return this.source.bytes.subarray(start, this.at);
  }

  takeBase64(shape: Shape): string {
    return this.take(shape).toBase64();
  }

  opaque(size: number): Uint8Array {
    const start = this.advance(size);
    return this.source.bytes.subarray(start, this.at);
  }

  /** `name` names the array in errors. */
  array<Element>(name: string, read: (position: number) => Element): Element[] {
    const count = this.length(name);
    const elements: Element[] = [];
    for (let i = 0; i < count; i += 1) elements.push(read(i));
    return elements;
  }

  base64Array(shape: Shape): string[] {
    return this.array(shape.name, () => this.takeBase64(shape));
  }

  /** Skips an extension without fields, and throws for any other. */
  noExtension(name = "ExtensionPoint"): void {
    const extension = this.int32();
    if (extension !== 0) this.noArm(name, extension);
  }

  /** Throws unless everything has been read. */
  done(name: string): void {
    if (this.at === this.source.end) return;
    throw invalidXdr(name, this.at, `${this.source.end - this.at} bytes follow the value`);
  }

  private advance(size: number): number {
    const start = this.at;
    if (start + size > this.source.end) throw incompleteXdr(`a ${size}-byte field`, start);
    this.at = start + size;
    return start;
  }
}

/** Runs `read` over one complete base64 value. `name` names the value in errors. */
export function readBase64<T>(xdr: string, name: string, read: (cursor: XdrCursor) => T): T {
  const cursor = new XdrCursor(xdrSource(decodeBase64(xdr, name)));
  const value = read(cursor);
  cursor.done(name);
  return value;
}

export function decodeBase64(text: string, name: string): Uint8Array {
  try {
    return Uint8Array.fromBase64(text);
  } catch (cause) {
    throw new SvcError("XDR_INVALID", {
      clause: `The base64 of ${name} is not valid`,
      remedy: "Check that the value is standard base64 without line breaks.",
      cause,
      details: { type: name },
    });
  }
}
