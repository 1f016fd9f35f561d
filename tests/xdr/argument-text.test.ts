// Arguments as people write them for stellar-cli become the values that stellar-cli makes of them.
// The fixture has what its own reader (soroban-spec-tools) made of each text, null if it refused it.

import { expect, test } from "bun:test";
import { scValOf } from "../../src/debugger/what-if/written-argument.ts";
import { argumentOfText } from "../../src/xdr/contract/argument-text.ts";
import { readContractSpec, showSpecType } from "../../src/xdr/contract/contract-spec.ts";
import { NotWritten } from "../../src/xdr/reader/from-json.ts";
import { decode, encodeBytes } from "../../src/xdr/reader/value.ts";
import { showValue } from "../../src/xdr/values/value.ts";
import fixture from "../fixtures/stellar-cli-arguments.json";

/** A wasm module that has only a specification: the types, and a function for each case. */
function specOf() {
  const functions = fixture.cases.map(({ typeXdr }, index) =>
    encodeBytes("ScSpecEntry", {
      kind: 0,
      functionV0: {
        doc: new Uint8Array(),
        name: Buffer.from(`f${index}`),
        inputs: [
          { doc: new Uint8Array(), name: Buffer.from("a"), type: decode("ScSpecTypeDef", typeXdr) },
        ],
        outputs: [],
      },
    }),
  );
  const entries = [...fixture.specXdr.map((xdr) => Uint8Array.fromBase64(xdr)), ...functions];
  const name = Buffer.from("contractspecv0");
  const content = Buffer.concat([Uint8Array.of(name.length), name, ...entries]);
  const module = [Buffer.from("0061736d01000000", "hex"), Uint8Array.of(0), leb(content.length)];
  return readContractSpec(Buffer.concat([...module, content]));
}

function leb(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

const spec = specOf();
const addressOf = (name: string) =>
  name === "alice" ? "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ" : null;

function read(index: number, text: string): string {
  const type = spec?.functions.get(`f${index}`)?.inputs[0]?.type;
  if (type === undefined) throw new Error("no such case");
  return scValOf(argumentOfText(text, type, { spec, addressOf }, "`a`"), "a", type, spec);
}

/** stellar-cli writes it as a symbol, which the host then refuses. */
const NO_SYMBOL = "with space";

for (const [index, { text, xdr }] of fixture.cases.entries()) {
  const type = spec?.functions.get(`f${index}`)?.inputs[0]?.type;
  const words = `${type === undefined ? "?" : showSpecType(type)} ${text}`;
  if (xdr !== null && text !== NO_SYMBOL)
    test(`${words}: as stellar-cli`, () => {
      expect(showValue(read(index, text))).toBe(showValue(xdr));
      expect(read(index, text)).toBe(xdr);
    });
}

test("there are at least 40 shapes", () => {
  expect(fixture.cases.filter(({ xdr }) => xdr !== null).length).toBeGreaterThan(40);
});

test("what is too large or has the wrong form is refused with the place", () => {
  const refusal = (index: number, text: string) => {
    try {
      return read(index, text);
    } catch (error) {
      return (error as Error).message;
    }
  };
  const at = (words: string) =>
    fixture.cases.findIndex(({ text, xdr }) => text === words && xdr === null);
  expect(refusal(at("4294967296"), "4294967296")).toBe(
    "Argument `a` has type u32; 4294967296 is too large.",
  );
  expect(refusal(at("[1]"), "[1]")).toContain("must be a list of 2");
  expect(refusal(at("Nothing"), "Nothing")).toContain("one of Admin, Balance, Allowance");
  const vec = fixture.cases.findIndex(({ text }) => text === "[1,2,3]");
  expect(refusal(vec, "[1,2,true]")).toContain("`a`[2]");
  expect(() => read(vec, "[1,2")).toThrow(NotWritten);
});

test("a text that is not a symbol is refused before the host does so", () => {
  const symbol = fixture.cases.findIndex(({ text }) => text === NO_SYMBOL);
  for (const text of [NO_SYMBOL, "a-b", "a".repeat(33)])
    expect(() => read(symbol, text)).toThrow(
      "Argument `a` has type symbol and must be at most 32 letters, digits and underscores.",
    );
  for (const text of ["", "a".repeat(32), "_0Z"])
    expect(showValue(read(symbol, text))).toBe(text === "" ? '""' : text);
});

test("bytes may have the prefix with which reports show them", () => {
  for (const [text, shown] of [
    ["beefface", "0xbeefface"],
    ["12345678", "0x12345678"],
  ] as const) {
    const at = fixture.cases.findIndex((each) => each.text === text);
    expect(read(at, shown)).toBe(read(at, text));
  }
});

test("a saved name is its address, also within other values", () => {
  const one = fixture.cases.findIndex(({ text }) => text.startsWith("GA7Q"));
  expect(read(one, "alice")).toBe(fixture.cases[one]?.xdr ?? "");
  const many = fixture.cases.findIndex(({ text }) => text.startsWith('["GA7Q'));
  expect(showValue(read(many, '["alice"]'))).toContain("GA7Q");
});
