// The order of LedgerKeys in a bucket (stellar-core, LedgerCmp.h: LedgerEntryIdCmp): by type, then
// by the fields of the key as numbers, bytes and lists. The order of their XDR differs: an XDR
// string begins with its length, and negative numbers come last.

import { compareBytes as compareContents } from "../base/bytes.ts";
import { XdrCursor } from "../xdr/reader/cursor.ts";
import { type Schema, schemaNamed } from "../xdr/reader/schema.ts";
import { xdrSource } from "../xdr/reader/shape.ts";

const LEDGER_KEY = schemaNamed("LedgerKey");

/**
 * Returns a negative number if `left` comes first. Both must be the bytes of whole LedgerKeys that
 * were walked before.
 */
export function compareKeys(left: Uint8Array, right: Uint8Array): number {
  return compare(LEDGER_KEY, new XdrCursor(xdrSource(left)), new XdrCursor(xdrSource(right)));
}

/** Moves both cursors past the value if the values are equal, and anywhere if they differ. */
function compare(schema: Schema, left: XdrCursor, right: XdrCursor): number {
  switch (schema.kind) {
    case "int32":
    case "enum":
      return left.int32() - right.int32();
    case "uint32":
    case "bool":
      return left.uint32() - right.uint32();
    case "int64":
      return order(left.int64(), right.int64());
    case "uint64":
      return order(left.uint64(), right.uint64());
    case "opaque":
      return compareBytes(schema.length, left, schema.length, right);
    case "bytes":
    case "text":
      return compareBytes(left.uint32(), left, right.uint32(), right);
    case "option": {
      const [has, otherHas] = [left.uint32(), right.uint32()];
      return has === 1 && otherHas === 1 ? compare(schema.element, left, right) : has - otherHas;
    }
    case "array": {
      const [length, otherLength] = [left.uint32(), right.uint32()];
      const common = Math.min(length, otherLength);
      return compareAll(common, schema.element, left, right) || length - otherLength;
    }
    case "fixedArray":
      return compareAll(schema.length, schema.element, left, right);
    case "struct": {
      for (const [, field] of schema.fields) {
        const order = compare(field, left, right);
        if (order !== 0) return order;
      }
      return 0;
    }
    case "union": {
      const type = left.int32();
      left.at -= 4;
      const order = compare(schema.switchOn, left, right);
      const arm = schema.cases.get(type);
      return order !== 0 || !arm ? order : compare(arm[1], left, right);
    }
    case "named":
      return compare(schemaNamed(schema.name), left, right);
    case "recursive":
      return compare(schema.element, left, right);
  }
}

function compareAll(count: number, schema: Schema, left: XdrCursor, right: XdrCursor): number {
  for (let index = 0; index < count; index += 1) {
    const order = compare(schema, left, right);
    if (order !== 0) return order;
  }
  return 0;
}

function compareBytes(size: number, left: XdrCursor, otherSize: number, right: XdrCursor): number {
  const order = compareContents(left.opaque(size), right.opaque(otherSize));
  left.opaque(-size & 3);
  right.opaque(-otherSize & 3);
  return order;
}

function order(left: bigint, right: bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
