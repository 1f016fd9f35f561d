// Expressions against a second reading of them: trees, written out with all their brackets, or with
// only those that are needed.

import { expect, test } from "bun:test";
import { ScVal } from "@stellar/stellar-sdk/xdr";
import fc from "fast-check";
import { plainValue } from "../../src/time-travel/evaluate.ts";
import {
  holds,
  isReached,
  type PlainValue,
  parseExpression,
  parseHitCount,
  parseLogMessage,
  valueIn,
} from "../../src/time-travel/expression.ts";
import { shownValue } from "../../src/time-travel/shown.ts";
import { madeXdr } from "../support/changed-xdr.ts";

const NAMES: Readonly<Record<string, PlainValue>> = {
  ...{ amount: 7n, share: -3n, "order.fee": 10n ** 38n, "local 0": 12n, "Count(main)": 0n },
  ...{ '[Balance, GA"]"].amount': 4n, "list[2]": 9n, side: "Buy", isOpen: true },
};
const resolve = async (name: string) => {
  const value = NAMES[name];
  if (value === undefined) throw new Error(`${name} is not known here`);
  return value;
};
const result = (text: string) => valueIn(parseExpression(text), resolve);
const refusal = (text: string) =>
  Promise.resolve()
    .then(() => result(text))
    .then(
      (value) => `is ${value}`,
      (error: Error) => error.message,
    );

interface Tree {
  readonly text: string;
  readonly strength: number;
  readonly value: bigint;
}

const INTEGERS = Object.entries(NAMES).flatMap(([text, value]) =>
  typeof value === "bigint" ? [{ text, value, strength: 9 }] : [],
);
const OPERATORS = {
  "+": [4, (one: bigint, other: bigint) => one + other],
  "-": [4, (one: bigint, other: bigint) => one - other],
  "*": [5, (one: bigint, other: bigint) => one * other],
  "/": [5, (one: bigint, other: bigint) => (other === 0n ? 0n : one / other)],
  "%": [5, (one: bigint, other: bigint) => (other === 0n ? 0n : one % other)],
} as const;

/** `spare`: brackets only where they are needed. */
const trees = (spare: boolean) =>
  fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(...INTEGERS),
      fc
        .bigInt({ min: 0n, max: 2n ** 130n })
        .map((value) => ({ text: `${value}`, value, strength: 9 })),
      tie("tree").map(({ text, value, strength }) => ({
        text: `-${strength < 6 || !spare ? `(${text})` : text}`,
        value: -value,
        strength: 6,
      })),
      fc
        .tuple(tie("tree"), fc.constantFrom(...Object.keys(OPERATORS)), tie("tree"), fc.boolean())
        .filter(([, operator, { value }]) => value !== 0n || !/[/%]/.test(operator))
        .map(([one, operator, other, hasSpace]) => {
          const [strength, compute] = OPERATORS[operator as keyof typeof OPERATORS];
          const left = one.strength < strength || !spare ? `(${one.text})` : one.text;
          const right = other.strength <= strength || !spare ? `(${other.text})` : other.text;
          const text = hasSpace ? `${left} ${operator} ${right}` : `${left}${operator}${right}`;
          return { text, value: compute(one.value, other.value), strength };
        }),
    ),
  })).tree;

for (const spare of [true, false])
  test(`arithmetic of any size, ${spare ? "by strength" : "in brackets"}`, async () => {
    const short = trees(spare).filter(({ text }) => text.length < 1000);
    await fc.assert(
      fc.asyncProperty(short, async ({ text, value }) => {
        expect(await result(text)).toBe(value);
      }),
    );
  });

test("comparisons and logic", async () => {
  for (const [text, value] of [
    ["amount > 5 && share < 0 || nothing", true],
    ["isOpen && amount - 7 == Count(main)", true],
    ["!isOpen || !(amount != 7)", true],
    ["side == 'Buy' && side != \"Sell\"", true],
    ["(amount < 5) == false", true],
    ["order.fee / 10 == 10_000_000_000_000_000_000_000_000_000_000_000_000i128", true],
    ['[Balance, GA"]"].amount * local 0 >= 0x30', true],
    ["list[amount + -5] == list[2]", true],
    ["amount == '7'", false],
    [`side == G${"A".repeat(55)}`, false],
  ] as const)
    expect({ text, value: await result(text) }).toEqual({ text, value });
});

test("what cannot be read or computed is said with its column", async () => {
  for (const [text, message] of [
    ["amount >", "a value is missing (column 9)"],
    ["amount > > 5", "a value is expected (column 10)"],
    ["1 + (amount", "`(` is not closed (column 5)"],
    ["Count(main", "`(` is not closed (column 6)"],
    ["amount 5", "`5` is unexpected (column 8)"],
    ["amount + 0x_", "a value is expected (column 10)"],
    ["1 < amount < 9", "join comparisons with && (column 12)"],
    ["amount + ammount", "ammount is not known here (column 10)"],
    ["1 / Count(main)", "division by zero (column 3)"],
    ["side + 1", "Buy is not an integer (column 1)"],
    ["!amount", "7 is neither true nor false (column 2)"],
    ["isOpen && amount", "7 is neither true nor false (column 11)"],
    ["amount; process.exit()", "`;` is unexpected (column 7)"],
    ["a".repeat(1001), "the expression is too long (column 1)"],
  ] as const)
    expect({ text, message: await refusal(text) }).toEqual({ text, message });
  await expect(holds(parseExpression("amount"), resolve)).rejects.toThrow("neither true nor false");
});

test("any text is read or refused in words", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
      try {
        parseExpression(text);
        parseHitCount(text);
        parseLogMessage(text);
      } catch (error) {
        expect(String(error)).toMatch(/\(column -?\d+\)$/);
      }
    }),
  );
});

test("hit counts", async () => {
  const stops = async (text: string) => {
    const counts = [1, 2, 3, 4, 5, 6];
    const reached = await Promise.all(counts.map((hits) => isReached(parseHitCount(text), hits)));
    return counts.filter((_, index) => reached[index]);
  };
  for (const [text, wanted] of [
    ["5", [5]],
    ["= 2", [2]],
    ["== 2", [2]],
    [">= 5", [5, 6]],
    ["< 3", [1, 2]],
    ["%2", [2, 4, 6]],
    ["1 + 2", [3]],
    ["hits % 3 == 1 || hits == 2", [1, 2, 4]],
  ] as const)
    expect({ text, stops: await stops(text) }).toEqual({ text, stops: [...wanted] });
  expect(() => parseHitCount("> amount")).toThrow("only `hits` is (column 3)");
  expect(() => parseHitCount("%")).toThrow("a value is missing (column 2)");
});

test("a value of the chain is compared by its type, not by how it is written", async () => {
  const shown = (value: unknown) => shownValue("x", madeXdr(ScVal, value), null);
  const holdsFor = (value: unknown, condition: string) =>
    holds(parseExpression(condition), async () => plainValue(shown(value)));
  for (const [value, is, isNot] of [
    [{ symbol: "5" }, 'x == "5"', "x == 5"],
    [{ symbol: "true" }, "x == 'true'", "x == true"],
    [{ string: "7" }, 'x == "7"', "x == 7"],
    [{ string: 'say "hi"' }, "x == 'say \"hi\"'", "x == 'hi'"],
    [{ u32: 5 }, "x == 5", 'x == "5"'],
    [{ i256: `-${2n ** 200n}` }, `x == -${2n ** 200n}`, "x >= 0"],
    [{ bool: false }, "x == false", "x == 'false'"],
    [{ timepoint: "1700000000" }, "x < 1_700_000_001", "x == 0"],
    [{ string: "a".repeat(500) }, `x == "${"a".repeat(500)}"`, `x == "${"a".repeat(499)}"`],
  ] as const) {
    expect({ value, is: await holdsFor(value, is) }).toEqual({ value, is: true });
    expect({ value, isNot: await holdsFor(value, isNot) }).toEqual({ value, isNot: false });
  }
  // An ellipsis of the chain is no sign that svc left out a part: a vector with the string `a…`.
  const vector = Uint8Array.fromHex(
    "00000010000000010000000100" + "00000e0000000461e280a6",
  ).toBase64();
  const ofVector = async () => plainValue(shownValue("x", vector, null));
  expect(await holds(parseExpression("x == '[\"a…\"]'"), ofVector)).toBe(true);
  for (const value of [
    { vec: [{ string: "a".repeat(500) }] },
    { vec: Array.from({ length: 300 }, (_, at) => ({ u32: at })) },
    { vec: [{ bytes: "ab".repeat(40) }] },
  ])
    await expect(holdsFor(value, "x == ''")).rejects.toThrow("x is too long to compare");
});
