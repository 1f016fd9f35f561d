// The JSON of SEP-51 is read as it is written, for every type of the newest protocol, and as the SDK
// reads it where the SDK knows the type.

import { describe, expect, test } from "bun:test";
import * as xdr from "@stellar/stellar-sdk/xdr";
import fc from "fast-check";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import { fromJson, NotWritten, xdrOfJson } from "../../src/xdr/reader/from-json.ts";
import type { TypeName } from "../../src/xdr/reader/schema.ts";
import { toJson } from "../../src/xdr/reader/to-json.ts";
import { decode, encode } from "../../src/xdr/reader/value.ts";
import { readWritten } from "../../src/xdr/reader/written.ts";
import { arbitraryValue, TYPE_NAMES } from "../support/arbitrary-values.ts";
import { arbitraryOf, nameOfSdkType } from "../support/xdr-arbitrary.ts";

const CONTRACT = encodeStrkey("contract", new Uint8Array(32).fill(7));
const MUXED_CONTRACT = encodeStrkey(
  "muxed-contract",
  Buffer.concat([new Uint8Array(32).fill(7), new Uint8Array(8).fill(1)]),
);
const BODY = { topics: [], data: "void" };
/** As a class of the SDK is at run time. */
interface SdkType {
  readonly schema: { readonly name: string; encode(value: unknown): Uint8Array };
  fromXdr(bytes: Uint8Array): { toJson(): unknown };
}
const SDK_TYPES = [
  xdr.ScVal,
  xdr.LedgerEntry,
  xdr.TransactionEnvelope,
  xdr.TransactionMeta,
] as unknown as SdkType[];
const SEED = { seed: 20_230_715 };
/** The only values that SEP-51 cannot write. */
const NOT_WRITABLE = "<INVALID:";

describe("JSON of SEP-51", () => {
  test("of every type of the newest protocol is read back", () => {
    expect(TYPE_NAMES.length).toBeGreaterThan(440);
    for (const type of TYPE_NAMES)
      fc.assert(
        fc.property(arbitraryValue(type), (value) => {
          const json = toJson(type, value as never);
          if (JSON.stringify(json).includes(NOT_WRITABLE)) return;
          expect(fromJson(type, json) as unknown).toEqual(value);
        }),
        { numRuns: 6, ...SEED },
      );
  }, 60_000);

  test("is read as the SDK reads it", () => {
    for (const sdkType of SDK_TYPES) {
      const type = nameOfSdkType(sdkType.schema.name) as TypeName;
      fc.assert(
        fc.property(arbitraryOf(sdkType), (value) => {
          const bytes = sdkType.schema.encode(value);
          const json = sdkType.fromXdr(bytes).toJson();
          if (JSON.stringify(json).includes(NOT_WRITABLE)) return;
          expect(xdrOfJson(type, json)).toBe(bytes.toBase64());
        }),
        { numRuns: 30, ...SEED },
      );
    }
  }, 60_000);

  test("also takes what the crate stellar-xdr takes besides", () => {
    expect(fromJson("ScVal", { u64: 5 })).toEqual({ type: 5, u64: 5n });
    expect(fromJson("ScVal", { string: "é\\x41\\n" })).toEqual({
      type: 14,
      str: Buffer.from("éA\n"),
    } as never);
    const event = { ext: "v0", contract_id: null, type_: "system", body: { v0: BODY } };
    expect(fromJson("ContractEvent", event)).toMatchObject({ type: 0 });
  });

  test.each([
    ["ScVal", 5, "is not an ScVal in the JSON of SEP-51 (5 is not one of bool, void, "],
    ["ScVal", { u33: 5 }, "is not one of bool, void, "],
    ["ScVal", { u32: 5, u64: "5" }, "is not one of bool, void, "],
    ["ScVal", { u32: -1 }, "(u32: -1 is not a uint32)"],
    ["ScVal", { i128: "1e3" }, '(i128: "1e3" is not an int128, as decimal text)'],
    ["ScVal", { u64: "18446744073709551616" }, "is not a uint64"],
    ["ScVal", { u64: 2 ** 60 }, "is not a uint64"],
    ["ScVal", { void: 1 }, "(void has no value)"],
    ["ScVal", "u32", '(u32 has a value: write {"u32": …})'],
    ["ScVal", { vec: [{ bytes: "0g" }] }, '(vec[0].bytes: "0g" is not hexadecimal text)'],
    [
      "ScVal",
      { symbol: "a".repeat(33) },
      "(symbol: 33 bytes are given, and at most 32 are possible)",
    ],
    ["ScVal", { string: "\\q" }, "is not text with the escapes of SEP-51"],
    ["ScVal", { address: `${CONTRACT.slice(0, -1)}A` }, "(its checksum is wrong: copy it again)"],
    ["ContractId", MUXED_CONTRACT, `(this is a muxed address, of the contract ${CONTRACT} and`],
    ["ContractEvent", { ext: "v0" }, "(type is missing)"],
    [
      "ContractEvent",
      { ext: "v0", type: "system", body: { v0: BODY }, more: 1 },
      "(there is no field more)",
    ],
    ["Hash", "00", "(1 bytes are given, and 32 are possible)"],
  ] as const)("of %s that is wrong: %j", (type, json, problem) => {
    expect(() => xdrOfJson(type as TypeName, json)).toThrow(NotWritten);
    expect(() => xdrOfJson(type as TypeName, json)).toThrow(problem);
  });

  test("that is nested without end is refused", () => {
    let json: unknown = "void";
    for (let i = 0; i < 100_000; i += 1) json = { vec: [json] };
    expect(() => readWritten("ScVal", json)).toThrow("nested too deeply");
  });
});

describe("what a person wrote", () => {
  test("may be of a later protocol than the SDK's", () => {
    const value = readWritten("ScVal", { address: MUXED_CONTRACT });
    expect(toJson("ScVal", decode("ScVal", value))).toEqual({ address: MUXED_CONTRACT });
    expect(readWritten("ScVal", value)).toBe(value);
    const named = { string: `${"long".repeat(200)}` };
    expect(readWritten("ScVal", named)).toBe(xdrOfJson("ScVal", named));
  });

  test("in base64 is one value of the type, and no more", () => {
    const two = Buffer.concat([Buffer.alloc(8), Buffer.alloc(8)]).toString("base64");
    expect(() => readWritten("ScVal", two)).toThrow("is not base64 of an ScVal (");
    expect(() => readWritten("LedgerKey", "?")).toThrow("is not base64 of a LedgerKey (");
    expect(readWritten("ScVal", encode("ScVal", { type: 1 }))).toBe("AAAAAQ==");
  });
});
