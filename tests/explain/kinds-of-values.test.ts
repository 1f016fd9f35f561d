// What kind of value it is, is never read out of its text: a symbol can be spelled like a number or
// a truth value, and a text like an address.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { otherValueOf } from "../../src/debugger/walk/exchanges.ts";
import { tokenErrorInWords } from "../../src/explain/host-messages/token-errors.ts";
import { fieldText, groupedFieldText } from "../../src/explain/naming/field-text.ts";
import { provenRemedy } from "../../src/explain/naming/proven-remedy.ts";
import { SCV } from "../../src/xdr/reader/scval-type.ts";
import { encode } from "../../src/xdr/reader/value.ts";
import { hostValueOf } from "../../src/xdr/values/host-value.ts";
import { showValue } from "../../src/xdr/values/value.ts";
import { integerValue } from "../../src/xdr/values/value-parts.ts";

const spelled = fc.oneof(fc.nat().map(String), fc.constantFrom("true", "false", "void", "none"));
const symbolOf = (text: string) =>
  encode("ScVal", { type: SCV.symbol, sym: new TextEncoder().encode(text) });

test("a symbol that is spelled like a number is a value, and a number is a number", () => {
  fc.assert(
    fc.property(spelled, fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }), (text, number) => {
      const valueXdr = symbolOf(text);
      expect(showValue(valueXdr)).toBe(text);
      expect(otherValueOf(valueXdr)).toEqual({ kind: "value", valueXdr });
      expect(hostValueOf(valueXdr)).toEqual({ text, number: null, isAddress: false });
      const numberXdr = integerValue("u32", number) ?? "";
      expect(otherValueOf(numberXdr)).toEqual({ kind: "number", number: `${number}` });
      expect(hostValueOf(numberXdr)).toEqual({ text: `${number}`, number, isAddress: false });
    }),
  );
});

test("a field that the signer spelled like words of svc is quoted, and words of svc are not", () => {
  const likeOurs = fc.constantFrom("(none)", "(empty)", "no limit", "1,000,000", "(none):GA");
  fc.assert(
    fc.property(likeOurs, (value) => {
      expect(fieldText({ value, of: "value" })).toBe(JSON.stringify(value));
      expect(fieldText({ value, of: "words" })).toBe(value);
    }),
  );
  expect(fieldText({ value: "native", of: "value" })).toBe("native");
  expect(fieldText({ value: "native", of: "native" })).toBe("XLM");
  expect(groupedFieldText({ value: "1234567.5000000", of: "amount" })).toBe("1,234,567.5");
  expect(groupedFieldText({ value: "1234567.5000000", of: "value" })).toBe("1234567.5000000");
});

test("an amount that a contract reports as a symbol is no amount", () => {
  const { message, values } = { message: "negative amount is not allowed", values: ["1000000"] };
  const token = { contract: "C", decimals: 6, symbol: "LAB", asset: "LAB:ISSUER" };
  const said = (xdr: string) =>
    tokenErrorInWords(message, [hostValueOf(xdr)], token, false)?.words ?? "";
  for (const value of values) {
    expect(said(integerValue("i128", BigInt(value)) ?? "")).toContain("1 LAB");
    expect(said(symbolOf(value))).toContain(value);
    expect(said(symbolOf(value))).not.toContain("LAB");
  }
});

test("a remedy names a symbol that was proven, whatever it looks like, and never an address", () => {
  const remedyFor = (other: object, value: string) =>
    provenRemedy(
      {
        always: false,
        function: "f",
        contract: null,
        conditions: [{ relation: "not_one_of", terms: [] }],
        because: [],
        writes: [],
        confidence: "known",
        proof: {
          ...{ name: "`kind`", argument: 0, kind: "argument", contract: null, function: "f" },
          ...{ was: "a", wasNumber: null, value, other, range: null, outcome: "succeeds" },
          ...{ error: null, text: "", recorded: null, lastWrittenLedger: null },
        },
      } as never,
      { sequence: 5, closeTimeUnixSeconds: "5" },
    );
  fc.assert(
    fc.property(spelled, (text) => {
      const valueXdr = symbolOf(text);
      expect(remedyFor(otherValueOf(valueXdr), text)).toBe(`Pass ${text} as \`kind\`.`);
    }),
  );
  const address = { type: 1, contractId: new Uint8Array(32).fill(7) } as const;
  const valueXdr = encode("ScVal", { type: SCV.address, address });
  expect(remedyFor(otherValueOf(valueXdr), showValue(valueXdr))).toBeNull();
});
