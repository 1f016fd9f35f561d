import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { align } from "../../src/explain/align.ts";

const same = (one: string, other: string) => (one === other ? 1 : 0);

function text(before: string, after: string): string {
  return align([...before], [...after], same)
    .map((pair) =>
      pair.before === null
        ? `+${pair.after}`
        : pair.after === null
          ? `-${pair.before}`
          : pair.before,
    )
    .join(" ");
}

describe("two lists side by side", () => {
  test("common items are paired, in the order of both lists", () => {
    expect(text("abc", "abc")).toBe("a b c");
    expect(text("abc", "axc")).toBe("a -b +x c");
    expect(text("abc", "")).toBe("-a -b -c");
    expect(text("", "ab")).toBe("+a +b");
    expect(text("abcd", "acd")).toBe("a -b c d");
    expect(text("ab", "ba")).toBe("-a b +a");
  });

  test("the more alike are paired first", () => {
    const likeness = (one: string, other: string) =>
      one === other ? 2 : one[0] === other[0] ? 1 : 0;
    expect(align(["a1", "a2"], ["a2"], likeness)).toEqual([
      { before: "a1", after: null },
      { before: "a2", after: "a2" },
    ]);
  });

  test("nothing is lost, and only equal items are paired", () => {
    const letters = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 });
    fc.assert(
      fc.property(letters, letters, (before, after) => {
        const pairs = align(before, after, same);
        expect(pairs.flatMap((pair) => pair.before ?? [])).toEqual(before);
        expect(pairs.flatMap((pair) => pair.after ?? [])).toEqual(after);
        for (const pair of pairs)
          if (pair.before !== null && pair.after !== null) expect(pair.before).toBe(pair.after);
      }),
    );
  });

  test("lists that are too long are paired by position", () => {
    const long = Array.from({ length: 2000 }, (_, i) => String(i));
    const pairs = align(long, ["x", ...long.slice(1)], same);
    expect(pairs).toHaveLength(2001);
    expect(pairs.slice(0, 3)).toEqual([
      { before: "0", after: null },
      { before: null, after: "x" },
      { before: "1", after: "1" },
    ]);
  });
});
