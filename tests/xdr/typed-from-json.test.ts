// Plain JSON becomes a value of the specification's type, and a value that does not fit is
// reported.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import type {
  ContractSpec,
  SpecDefinition,
  SpecType,
} from "../../src/xdr/contract/contract-spec.ts";
import { typedToJson } from "../../src/xdr/contract/typed-from-json.ts";
import { showTyped } from "../../src/xdr/contract/value-typed.ts";
import { NotWritten } from "../../src/xdr/reader/from-json.ts";
import { decode } from "../../src/xdr/reader/value.ts";
import { readWritten } from "../../src/xdr/reader/written.ts";
import { unorderedKeys } from "../../src/xdr/values/map-order.ts";
import { showValue } from "../../src/xdr/values/value.ts";

const HASH_SIZE = { minLength: 32, maxLength: 32 };
const plain = (name: string): SpecType => ({ kind: "plain", name });
const named = (name: string): SpecType => ({ kind: "named", name });

const DEFINITIONS: readonly SpecDefinition[] = [
  {
    kind: "struct",
    name: "Offer",
    fields: [
      { name: "price", type: plain("u32") },
      { name: "amount", type: plain("i128") },
    ],
  },
  {
    kind: "struct",
    name: "Pair",
    fields: [
      { name: "0", type: plain("u32") },
      { name: "1", type: plain("bool") },
    ],
  },
  {
    kind: "union",
    name: "Key",
    cases: new Map([
      ["Admin", []],
      ["Balance", [plain("u32")]],
      ["Allowance", [plain("u32"), plain("u32")]],
    ]),
  },
  { kind: "enum", name: "Color", cases: [{ name: "Red", doc: "", value: 7 }] },
  { kind: "error", name: "Failure", cases: [{ name: "NotFound", doc: "", value: 3 }] },
];
const SPEC: ContractSpec = {
  functions: new Map(),
  types: new Map(DEFINITIONS.map((definition) => [definition.name, definition])),
  errors: [{ of: "Failure", name: "NotFound", doc: "", value: 3 }],
  events: [],
};
const ACCOUNT = "GBBVQL7M2PWJGTIKY45VD32I67RQ77PZYCBWTCUMZTBVFWYRTVNHTKO4";

function scValOf(written: unknown, type: SpecType): string {
  return readWritten("ScVal", typedToJson(written, type, SPEC, "it"));
}

describe("a value of its type", () => {
  const cases: readonly [unknown, SpecType, string][] = [
    [5, plain("u32"), "5"],
    ["5", plain("i32"), "5"],
    [
      "340282366920938463463374607431768211455",
      plain("u128"),
      "340282366920938463463374607431768211455",
    ],
    [-1, plain("i256"), "-1"],
    [true, plain("bool"), "true"],
    [null, plain("void"), "void"],
    ["transfer", plain("symbol"), "transfer"],
    ["naïve \\ text", plain("string"), '"naïve \\\\ text"'],
    ["00ff", plain("bytes"), "0x00ff"],
    ["00ff", { kind: "bytes", size: 2 }, "0x00ff"],
    [ACCOUNT, plain("address"), ACCOUNT],
    [null, { kind: "option", element: plain("u32") }, "none"],
    [1, { kind: "option", element: plain("u32") }, "1"],
    [[1, 2], { kind: "vec", element: plain("u32") }, "[1, 2]"],
    [[1, true], { kind: "tuple", elements: [plain("u32"), plain("bool")] }, "(1, true)"],
    [{ b: 1, a: 2 }, { kind: "map", key: plain("symbol"), value: plain("u32") }, "{a: 2, b: 1}"],
    [
      [
        [10, 1],
        [9, 2],
      ],
      { kind: "map", key: plain("u32"), value: plain("u32") },
      "{9: 2, 10: 1}",
    ],
    [{ price: 1, amount: "2" }, named("Offer"), "{amount: 2, price: 1}"],
    [[1, false], named("Pair"), "(1, false)"],
    ["Admin", named("Key"), "Admin"],
    [{ Balance: 4 }, named("Key"), "Balance(4)"],
    [{ Allowance: [4, 5] }, named("Key"), "Allowance(4, 5)"],
    ["Red", named("Color"), "Red (7)"],
    [7, named("Color"), "Red (7)"],
    ["NotFound", named("Failure"), "NotFound (#3)"],
  ];
  for (const [written, type, shown] of cases)
    test(`${JSON.stringify(written)} is ${shown}`, () => {
      expect(showTyped(scValOf(written, type), type, SPEC)).toBe(shown);
    });

  test("the keys of any map are in the host's order, whatever their type", () => {
    const written: readonly [SpecType, fc.Arbitrary<string>][] = [
      [plain("string"), fc.stringMatching(/^-?[0-9a-z]{1,3}$/)],
      [plain("symbol"), fc.stringMatching(/^[0-9a-z_]{1,3}$/)],
      [plain("bytes"), fc.uint8Array({ minLength: 1, maxLength: 3 }).map((each) => each.toHex())],
      [plain("i256"), fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n }).map(String)],
      [plain("duration"), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String)],
      [
        plain("address"),
        fc
          .tuple(fc.constantFrom("account", "contract"), fc.uint8Array(HASH_SIZE))
          .map(([kind, bytes]) => encodeStrkey(kind, bytes)),
      ],
    ];
    for (const [key, arbitrary] of written)
      fc.assert(
        fc.property(fc.uniqueArray(arbitrary, { maxLength: 6 }), (keys) => {
          const pairs = keys.map((each) => [each, 1]);
          const xdr = scValOf(pairs, { kind: "map", key, value: plain("u32") });
          expect(unorderedKeys(decode("ScVal", xdr))).toBeNull();
        }),
      );
  });

  test("any integer that fits is that integer", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n }), (value) => {
        expect(showValue(scValOf(String(value), plain("i128")))).toBe(String(value));
      }),
    );
  });

  test("any text is that text, byte for byte", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        const bytes = Buffer.from(scValOf(text, plain("string")), "base64");
        const length = Buffer.byteLength(text);
        expect(bytes.readUInt32BE(4)).toBe(length);
        expect(bytes.subarray(8, 8 + length).equals(Buffer.from(text))).toBe(true);
      }),
    );
  });
});

describe("a value that does not fit", () => {
  const cases: readonly [unknown, SpecType, string][] = [
    ["x", plain("u32"), "it has type u32 and must be a whole number"],
    [1.5, plain("i128"), "must be a whole number"],
    [-1, plain("u32"), "it has type u32; -1 is too small"],
    [2 ** 32, plain("u32"), "it has type u32; 4294967296 is too large"],
    ["G", plain("address"), "must be an address (G… or C…)"],
    ["0", plain("bytes"), "hexadecimal text"],
    ["00", { kind: "bytes", size: 2 }, "BytesN<2> and must be 2 bytes in hexadecimal text"],
    [{ price: 1 }, named("Offer"), "an object with exactly price, amount"],
    [{ price: 1, amount: true }, named("Offer"), "it.amount has type i128"],
    ["Owner", named("Key"), "one of Admin, Balance, Allowance"],
    [{ Allowance: [1] }, named("Key"), "Allowance with 2 values"],
    ["Blue", named("Color"), "one of Red"],
    [[1], { kind: "tuple", elements: [] }, "a list of 0"],
    [1, named("Unknown"), 'write it as {"scval": …}'],
    [1, plain("val"), "must be a value with its type"],
    ["x", plain("val"), 'write it as {"scval": …}'],
  ];
  for (const [written, type, says] of cases)
    test(`${JSON.stringify(written)}: ${says}`, () => {
      expect(() => scValOf(written, type)).toThrow(NotWritten);
      expect(() => scValOf(written, type)).toThrow(says);
    });

  test("never causes another error", () => {
    const types = [plain("u32"), plain("address"), named("Offer"), named("Key"), named("Pair")];
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...types), (written, type) => {
        try {
          scValOf(written, type);
        } catch (error) {
          expect(error).toBeInstanceOf(NotWritten);
        }
      }),
    );
  });
});
