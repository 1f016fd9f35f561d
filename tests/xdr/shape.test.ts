import { describe, expect, test } from "bun:test";
import * as xdr from "@stellar/stellar-sdk/xdr";
import fc from "fast-check";
import { SvcError } from "../../src/base/errors/errors.ts";
import type { TypeName } from "../../src/xdr/reader/schema.ts";
import { shapeOf, xdrSource } from "../../src/xdr/reader/shape.ts";
import { arbitraryOf, nameOfSdkType, namesWithin } from "../support/xdr-arbitrary.ts";

interface XdrType {
  readonly schema: {
    readonly name: string;
    encode(value: unknown): Uint8Array;
    decode(bytes: Uint8Array): unknown;
  };
}

const TYPES = Object.values(xdr).filter(
  (value): value is XdrType & typeof value =>
    typeof value === "function" && "schema" in value && value.schema !== undefined,
) as unknown as XdrType[];

/** Where the value ends, or null when it is not valid. */
function endOf(type: XdrType, bytes: Uint8Array): number | null {
  try {
    return shapeOf(nameOfSdkType(type.schema.name) as TypeName).skip(xdrSource(bytes), 0, 0);
  } catch (error) {
    expect(error).toBeInstanceOf(SvcError);
    expect((error as SvcError).code).toBe("XDR_INVALID");
    return null;
  }
}

function decodes(type: XdrType, bytes: Uint8Array): boolean {
  try {
    type.schema.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function forAllTypes(runs: number, check: (type: XdrType, bytes: Uint8Array) => void): void {
  for (const type of TYPES) {
    const encoded = arbitraryOf(type).map((value) => type.schema.encode(value));
    fc.assert(
      fc.property(encoded, (bytes) => check(type, bytes)),
      { numRuns: runs, seed: 20_230_715 },
    );
  }
}

/** Types that protocol 30 made larger. The SDK has those of protocol 28. */
const LATER: ReadonlySet<string> = new Set([
  "ContractCostType",
  "ScAddress",
  "ScAddressType",
  "ScSpecEventV0",
  "ScSpecTypeUdt",
  "ScSpecUdtEnumV0",
  "ScSpecUdtErrorEnumV0",
  "ScSpecUdtStructV0",
  "ScSpecUdtUnionV0",
  "StellarValueExt",
  "StellarValueType",
]);

function hasLaterParts(type: XdrType): boolean {
  return namesWithin(type.schema).some((name) => LATER.has(name));
}

describe("a compiled shape", () => {
  test("knows every type of the SDK", () => {
    expect(TYPES.length).toBeGreaterThan(400);
  });

  test("ends where the decoder ends, also with other bytes after the value", () => {
    forAllTypes(8, (type, bytes) => {
      const followed = new Uint8Array(bytes.length + 8).fill(0xff);
      followed.set(bytes);
      expect(endOf(type, followed)).toBe(bytes.length);
    });
  });

  test("accepts exactly what the decoder accepts", () => {
    const position = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 }));
    for (const type of TYPES) {
      const mutated = fc.tuple(arbitraryOf(type), position).map(([value, [at, mask]]) => {
        const bytes = type.schema.encode(value).slice();
        if (bytes.length > 0) (bytes[at % bytes.length] as number) ^= mask;
        return bytes;
      });
      fc.assert(
        fc.property(mutated, (bytes) => {
          const isAccepted = endOf(type, bytes) === bytes.length;
          // The SDK refuses what only a later protocol has.
          if (isAccepted && hasLaterParts(type)) return;
          expect(isAccepted).toBe(decodes(type, bytes));
        }),
        { numRuns: 12, seed: 20_230_715 },
      );
    }
  });

  test("reports that a truncated value is incomplete", () => {
    forAllTypes(4, (type, bytes) => {
      if (bytes.length === 0) return;
      try {
        shapeOf(nameOfSdkType(type.schema.name) as TypeName).skip(
          xdrSource(bytes.subarray(0, bytes.length - 1)),
          0,
          0,
        );
        expect.unreachable();
      } catch (error) {
        expect((error as SvcError).details.incomplete).toBe(true);
      }
    });
  });

  test("refuses a value that is nested deeper than stellar-core reads", () => {
    const vector = [0, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0, 1];
    const nested = (levels: number) =>
      new Uint8Array([...Array.from({ length: levels }, () => vector).flat(), 0, 0, 0, 1]);
    const shallow = nested(100);
    expect(endOf(xdr.ScVal as unknown as XdrType, shallow)).toBe(shallow.length);
    expect(endOf(xdr.ScVal as unknown as XdrType, nested(100_000))).toBeNull();
  });

  test("refuses an array that is longer than the following bytes before it walks them", () => {
    const bytes = new Uint8Array([0, 0, 0, 16, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff]);
    expect(endOf(xdr.ScVal as unknown as XdrType, bytes)).toBeNull();
  });
});
