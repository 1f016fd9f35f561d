// Values and their JSON are those of stellar-sdk, for every type that it knows: svc reads what the SDK
// encodes as the SDK reads it, and writes it again byte for byte.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import * as xdr from "@stellar/stellar-sdk/xdr";
import fc from "fast-check";
import { generateXdrFiles } from "../../scripts/xdr-schemas.ts";
import type { TypeName } from "../../src/xdr/reader/schema.ts";
import { toJson } from "../../src/xdr/reader/to-json.ts";
import { decodeBytes, encodeBytes } from "../../src/xdr/reader/value.ts";
import { arbitraryOf, nameOfSdkType } from "../support/xdr-arbitrary.ts";

interface XdrType {
  readonly schema: {
    readonly name: string;
    encode(value: unknown): Uint8Array;
    decode(bytes: Uint8Array): unknown;
  };
  fromXdr(bytes: Uint8Array): { toJson(): unknown };
}

const TYPES = Object.values(xdr).filter(
  (value) => typeof value === "function" && "schema" in value && value.schema !== undefined,
) as unknown as XdrType[];

function forAll(check: (type: XdrType, bytes: Uint8Array) => void): void {
  expect(TYPES.length).toBeGreaterThan(400);
  for (const type of TYPES) {
    const encoded = arbitraryOf(type).map((value) => type.schema.encode(value));
    fc.assert(
      fc.property(encoded, (bytes) => check(type, bytes)),
      { numRuns: 8, seed: 20_230_715 },
    );
  }
}

/** The SDK has a class for strings. */
function plain(value: unknown): unknown {
  if (value instanceof xdr.XdrString) return value.bytes;
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plain(field)]));
}

test("every type is read as the SDK reads it, and written as it was", () => {
  forAll(({ schema }, bytes) => {
    const name = nameOfSdkType(schema.name) as TypeName;
    const value = decodeBytes(name, bytes);
    expect(value as unknown).toEqual(plain(schema.decode(bytes)));
    expect(encodeBytes(name, value)).toEqual(bytes);
  });
});

test("every type has the SDK's JSON", () => {
  forAll((type, bytes) => {
    const name = nameOfSdkType(type.schema.name) as TypeName;
    const json = toJson(name, decodeBytes(name, bytes)) as unknown;
    // The SDK writes a strkey with an empty payload, which nothing reads; svc writes what the crate does.
    if (!JSON.stringify(json).includes("<INVALID:"))
      expect(json).toEqual(type.fromXdr(bytes).toJson());
  });
}, 60_000);

test("the tables of types are those of the crate that the newest host uses", () => {
  for (const [path, text] of generateXdrFiles()) expect(readFileSync(path, "utf8")).toBe(text);
});
