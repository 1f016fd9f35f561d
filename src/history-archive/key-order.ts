// The order of LedgerKeys in a bucket (stellar-core, LedgerCmp.h: LedgerEntryIdCmp): by type, then
// by the fields of the key as numbers, bytes and lists. The order of their XDR differs: an XDR
// string begins with its length, and negative numbers come last.

import { compareBytes as compareContents } from "../base/bytes.ts";
import { XdrCursor } from "../xdr/reader/cursor.ts";
import { type Schema, schemaNamed } from "../xdr/reader/schema.ts";
import { xdrSource } from "../xdr/reader/shape.ts";

const LEDGER_KEY = schemaNamed("LedgerKey");

/**
 * Returns a negative number if `one` comes first. Both must be the bytes of whole LedgerKeys that
 * were walked before.
 */
export function compareKeys(one: Uint8Array, other: Uint8Array): number {
  return compare(LEDGER_KEY, new XdrCursor(xdrSource(one)), new XdrCursor(xdrSource(other)));
}

/** Moves both cursors past the value if the values are equal, and anywhere if they differ. */
function compare(schema: Schema, one: XdrCursor, other: XdrCursor): number {
  switch (schema.kind) {
    case "int32":
    case "enum":
      return one.int32() - other.int32();
    case "uint32":
    case "bool":
      return one.uint32() - other.uint32();
    case "int64":
      return order(one.int64(), other.int64());
    case "uint64":
      return order(one.uint64(), other.uint64());
    case "opaque":
      return compareBytes(schema.length, one, schema.length, other);
    case "bytes":
    case "text":
      return compareBytes(one.uint32(), one, other.uint32(), other);
    case "option": {
      const [has, otherHas] = [one.uint32(), other.uint32()];
      return has === 1 && otherHas === 1 ? compare(schema.element, one, other) : has - otherHas;
    }
    case "array": {
      const [length, otherLength] = [one.uint32(), other.uint32()];
      const common = Math.min(length, otherLength);
      return compareAll(common, schema.element, one, other) || length - otherLength;
    }
    case "fixedArray":
      return compareAll(schema.length, schema.element, one, other);
    case "struct": {
      for (const [, field] of schema.fields) {
        const found = compare(field, one, other);
        if (found !== 0) return found;
      }
      return 0;
    }
    case "union": {
      const type = one.int32();
      one.at -= 4;
      const found = compare(schema.switchOn, one, other);
      const arm = schema.cases.get(type);
      return found !== 0 || !arm ? found : compare(arm[1], one, other);
    }
    case "named":
      return compare(schemaNamed(schema.name), one, other);
    case "recursive":
      return compare(schema.element, one, other);
  }
}

function compareAll(count: number, schema: Schema, one: XdrCursor, other: XdrCursor): number {
  for (let index = 0; index < count; index += 1) {
    const found = compare(schema, one, other);
    if (found !== 0) return found;
  }
  return 0;
}

function compareBytes(size: number, one: XdrCursor, otherSize: number, other: XdrCursor): number {
  const found = compareContents(one.opaque(size), other.opaque(otherSize));
  one.opaque(-size & 3);
  other.opaque(-otherSize & 3);
  return found;
}

function order(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
