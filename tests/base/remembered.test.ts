import { expect, test } from "bun:test";
import fc from "fast-check";
import { Remembered } from "../../src/base/remembered.ts";

test("what is remembered is what was made of that text, and within the limit", () => {
  const limit = 20;
  const texts = fc.array(fc.string({ unit: fc.constantFrom("a", "b"), maxLength: limit + 2 }));
  fc.assert(
    fc.property(texts, (asked) => {
      const remembered = new Remembered<{ readonly of: string }>(limit);
      const held = new Set<string>();
      for (const text of asked) {
        let made = false;
        const make = (of: string) => {
          made = true;
          return { of };
        };
        expect(remembered.of(text, make).of).toBe(text);
        if (!made) expect(held.has(text)).toBe(true);
        held.add(text);
        // The same again is the same, unless it is longer than all that is kept.
        made = false;
        expect(remembered.of(text, make).of).toBe(text);
        expect(made).toBe(text.length > limit);
      }
    }),
  );
});

test("what could not be made is made anew", () => {
  const remembered = new Remembered<string>(10);
  const fails = () => {
    throw new Error("no value");
  };
  expect(() => remembered.of("a", fails)).toThrow("no value");
  expect(remembered.of("a", (text) => text)).toBe("a");
});
