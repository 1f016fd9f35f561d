// The contract of tests/contracts/routes, whose source is the truth, at each level of optimization:
// limits on amounts that a loop made, tests of several values that compilers fold into one, and
// fields of elements of stored vectors.

import { expect, test } from "bun:test";
import { SOURCE } from "../support/executed.ts";
import {
  address,
  CHECKED,
  i32,
  i64,
  i128,
  type Json,
  key,
  list,
  map,
  OTHER,
  other,
  type Row,
  type Stored,
  sayer,
  symbol,
  testRows,
  u32,
  vec,
} from "../support/said-why.ts";
import { openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();

const reserves = (a: bigint, b: bigint) => map({ a: i128(a), b: i128(b) });
const milestone = (amount: number, approver: Json, done: boolean, role: number) =>
  map({ amount: i128(amount), approver, done: { bool: done }, role: u32(role) });
const MANY = 10n ** 12n;
const PAIRS = [1, 2, 3, 4].map((from) => [key("Pair", u32(from), u32(from + 1)), from] as const);

const STORED: Stored = {
  persistent: [
    ...PAIRS.map(
      ([pair, from]) => [pair, reserves(BigInt(from) * MANY, 2n * MANY + BigInt(from))] as const,
    ),
    [
      key("Milestones"),
      vec(
        milestone(500, address, false, 0),
        milestone(7000, other, true, 2),
        milestone(9, address, false, 1),
      ),
    ],
  ],
  absent: [key("Pair", u32(7), u32(8))],
  instance: [{ key: symbol("Index"), val: u32(5) }],
};

const out = (amount: bigint, [a, b]: readonly [bigint, bigint]) =>
  (amount * 997n * b) / (a * 1000n + amount * 997n);
const pair = (from: bigint) => [from * MANY, 2n * MANY + from] as const;
const ONE = out(10n ** 6n, pair(1n));
const TWO = out(ONE, pair(2n));
const FOUR = out(out(TWO, pair(3n)), pair(4n));

/** The amount, whatever it is said to be computed from, and the limit that it missed. */
const missed = (limit: string, made: bigint | string, needed: bigint, held: string) => {
  const words = `\\\`${limit}\\\` \\(${needed}, argument 2\\) is ${held} than (.* = )?${made}( \\(computed from [^.]*.*\\))?`;
  return new RegExp(`because ${words}\\. Run with \\\`${limit}\\\` ${made}, it succeeds\\.$`);
};
const LIMITS: readonly (readonly [name: string, given: readonly Json[], words: RegExp])[] = [
  ...(["swap_in", "swap_last"] as const).flatMap((name) =>
    (
      [
        [ONE, list(1, 2)],
        [TWO, list(1, 2, 3)],
        [FOUR, list(1, 2, 3, 4, 5)],
      ] as const
    ).map(
      ([made, path]) =>
        [
          name,
          [i128(10n ** 6n), i128(made + 1n), path],
          missed("least", made, made + 1n, "greater"),
        ] as const,
    ),
  ),
  ["swap_wide", [i128(10n ** 6n), i128(ONE + 1n)], missed("least", ONE, ONE + 1n, "greater")],
  [
    "swap_out",
    [i128(10n ** 6n), i128(3n), list(1, 2, 3)],
    /because `most` \(3, argument 2\) is less than (\d+) \(computed .*\)\. Run with `most` \1, it succeeds\.$/,
  ],
];

const negative = (name: string, number: number | bigint, at: number) =>
  `\`${name}\` (${number}, argument ${at}) is less than 0`;
const ROWS: readonly Row[] = [
  ["either_negative", [i128(-5), i128(7)], negative("a", -5, 1)],
  ["either_negative", [i128(5), i128(-7)], negative("b", -7, 2)],
  ["either_negative", [i128(-(2n ** 100n)), i128(2n ** 80n)], negative("a", -(2n ** 100n), 1)],
  ["any_negative", [i128(5), i128(-7), i128(0)], negative("b", -7, 2)],
  ["any_negative", [i128(5), i128(7), i128(-1)], negative("c", -1, 3)],
  ["either_narrow", [i64(-5), i32(7)], negative("a", -5, 1)],
  ["either_narrow", [i64(5), i32(-7)], negative("b", -7, 2)],
  [
    "milestone_in_range",
    [u32(3)],
    "`at` (3, argument 1) is not less than the length 3 of Milestones (persistent storage)",
    "the length 3 of Milestones (persistent storage) is not greater than `at` (3, argument 1)",
  ],
  ["release", [u32(1)], "Milestones[1].done (persistent storage) is true"],
  [
    "approve",
    [address, u32(1)],
    `Milestones[1].approver (${OTHER}, persistent storage) is not \`who\` (${SOURCE}, argument 1)`,
    `\`who\` (${SOURCE}, argument 1) is not Milestones[1].approver (${OTHER}, persistent storage)`,
  ],
  ["arbitrate", [u32(0)], "Milestones[0].role (0, persistent storage) is not 2"],
  [
    "claim",
    [u32(0), i128(499)],
    "Milestones[0].amount (500, persistent storage) is greater than `most` (499, argument 2)",
    "`most` (499, argument 2) is less than Milestones[0].amount (500, persistent storage)",
  ],
];
/** Of a failure of which several values decide, one may be named. */
const SILENT: readonly Row[] = [
  [
    "either_negative",
    [i128(-5), i128(-7)],
    `${negative("a", -5, 1)} and ${negative("b", -7, 2)}`,
    negative("a", -5, 1),
    negative("b", -7, 2),
  ],
  [
    "milestone",
    [u32(3)],
    "`at` (3, argument 1) is not less than the length 3 of Milestones (persistent storage)",
    "the length 3 of Milestones (persistent storage) is not greater than `at` (3, argument 1)",
  ],
  ["either_zero", [i128(0), i128(7)], "`a` (argument 1) is 0"],
  ["either_zero", [i128(7), i128(0)], "`b` (argument 2) is 0"],
  [
    "either_at_most_zero",
    [i128(7), i128(0)],
    "`b` (0, argument 2) is not greater than 0",
    "`b` (argument 2) is 0",
  ],
  [
    "either_at_most_zero",
    [i128(-7), i128(3)],
    "`a` (-7, argument 1) is not greater than 0",
    "`a` (-7, argument 1) is less than 0",
  ],
];

for (const level of CHECKED) {
  const wasm = `routes-${level}.wasm`;
  const said = sayer(simulator, wasm, STORED);
  testRows(wasm, said, { rows: ROWS, silent: SILENT });
  for (const [name, given, words] of LIMITS)
    test(`${wasm}: ${name} says the limit that the amount missed, for ${JSON.stringify(given)}`, async () => {
      expect(await said(name, given, true)).toMatch(words);
    });
}
