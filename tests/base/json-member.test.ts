import { expect, test } from "bun:test";
import fc from "fast-check";
import { jsonMember } from "../../src/base/text/json-member.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const read = (bytes: Uint8Array | null) =>
  bytes === null ? undefined : JSON.parse(new TextDecoder().decode(bytes));

test("the text of any member is the value that JSON.parse has for it", () => {
  const document = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue());
  const space = fc.constantFrom(undefined, 1, "\t");
  fc.assert(
    fc.property(document, space, (value, indent) => {
      const parsed = JSON.parse(JSON.stringify(value));
      const bytes = bytesOf(` ${JSON.stringify(value, null, indent)}\n`);
      for (const [name, member] of Object.entries(parsed))
        if (name !== "__proto__") expect(read(jsonMember(bytes, name))).toEqual(member);
      expect(jsonMember(bytes, "not there at all")).toBeNull();
    }),
  );
});

test("strings hide brackets, quotes and commas, and of equal names the last counts", () => {
  const text = String.raw`{"a":"}],\"\\","b\\":[{"a":1}], "a" : {"c":"\\\"}"} ,"b":2}`;
  expect(read(jsonMember(bytesOf(text), "a"))).toEqual({ c: '\\"}' });
  expect(read(jsonMember(bytesOf(text), "b\\"))).toEqual([{ a: 1 }]);
  expect(read(jsonMember(bytesOf(text), "b"))).toBe(2);
});

test("what is no object has no members", () => {
  for (const text of ["[]", '"a"', "", "7", "null"])
    expect(jsonMember(bytesOf(text), "a")).toBeNull();
});
