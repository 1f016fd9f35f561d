import { expect, test } from "bun:test";
import fc from "fast-check";
import { ofTexts, RecentlyUsed } from "../../src/base/recently-used.ts";

test("what is remembered is what was made of that text, and within the limit", () => {
  const limit = 20;
  const texts = fc.array(fc.string({ unit: fc.constantFrom("a", "b"), maxLength: limit + 2 }));
  fc.assert(
    fc.property(texts, (asked) => {
      const remembered = ofTexts<{ readonly of: string }>(limit);
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
  const remembered = ofTexts<string>(10);
  const fails = () => {
    throw new Error("no value");
  };
  expect(() => remembered.of("a", fails)).toThrow("no value");
  expect(remembered.of("a", (text) => text)).toBe("a");
});

/** What is kept, in the plainest way: a list in the order of use. */
function model(limit: number) {
  let held: { readonly key: string; readonly weight: number }[] = [];
  const sum = () => held.reduce((total, { weight }) => total + weight, 0);
  return {
    keys: () => held.map(({ key }) => key),
    use: (key: string) => {
      const found = held.find((each) => each.key === key);
      if (found === undefined) return;
      held = [...held.filter((each) => each !== found), found];
    },
    set: (key: string, weight: number) => {
      held = held.filter((each) => each.key !== key);
      if (weight > limit) return;
      held.push({ key, weight });
      while (sum() > limit) held.shift();
    },
  };
}

const step = fc.record({
  kind: fc.constantFrom("get", "set", "delete"),
  key: fc.constantFrom("a", "b", "c", "d", "e"),
  weight: fc.integer({ min: 1, max: 6 }),
});

test("what is kept is what a list in the order of use keeps, and the rest is named as forgotten", () => {
  const limit = 10;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const forgotten: string[] = [];
      const cache = new RecentlyUsed<string, { readonly weight: number }>({
        weight: limit,
        weigh: ({ weight }) => weight,
        forgotten: (_, key) => forgotten.push(key),
      });
      const list = model(limit);
      for (const { kind, key, weight } of steps) {
        const before = list.keys();
        forgotten.length = 0;
        if (kind === "get") {
          expect(cache.get(key) !== undefined).toBe(before.includes(key));
          list.use(key);
        } else if (kind === "set") {
          cache.set(key, { weight });
          list.set(key, weight);
        } else {
          cache.delete(key);
          list.set(key, limit + 1);
        }
        const after = list.keys();
        expect([...cache.entries()].map(([held]) => held)).toEqual(after);
        expect(cache.weight).toBeLessThanOrEqual(limit);
        const gone = before.filter((each) => !after.includes(each) && each !== key);
        expect(forgotten.toSorted()).toEqual(gone.toSorted());
      }
    }),
  );
});

test("with slack, what was used within the other half of the limit is kept", () => {
  const cache = new RecentlyUsed<number, number>({ weight: 100, weigh: () => 1, slack: 50 });
  for (let i = 0; i < 1_000; i += 1) {
    cache.set(i, i);
    if (i > 0) expect(cache.get(0) === undefined).toBe(false);
  }
  expect(cache.size).toBeGreaterThanOrEqual(75);
  expect(cache.size).toBeLessThanOrEqual(100);
});

test("values are forgotten only when it is asked for, where there is no limit", () => {
  const forgotten: string[] = [];
  const cache = new RecentlyUsed<string, string>({
    weight: Number.POSITIVE_INFINITY,
    weigh: ({ length }) => length,
    forgotten: (_, key) => forgotten.push(key),
  });
  for (const key of ["a", "b", "c", "d"]) cache.set(key, "xxxxx");
  cache.get("a");
  cache.trim(20, 2);
  expect(forgotten).toEqual(["b", "c"]);
  cache.trim(5);
  expect([...cache.entries()].map(([key]) => key)).toEqual(["a"]);
});
