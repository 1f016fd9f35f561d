// The contract of tests/contracts/entries, whose source is the truth, at each level of optimization:
// an entry that is optional is no reason, a comparison reads as in the source, and a bound that is
// another argument is said to be one.

import { describe, expect, test } from "bun:test";
import {
  addressOf,
  bytes,
  CHECKED,
  caller,
  i128,
  inOrder,
  type Json,
  key,
  map,
  reasonIn,
  type Stored,
  u32,
  u64,
  u128,
  vec,
  whyOf,
} from "../support/said-why.ts";
import { openTestRecorder, openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();
const recorder = openTestRecorder();

/** P has a score, debts and stakes, X only a version, and Q nothing. */
const [P, X, Q] = [21, 22, 24].map(addressOf);
const hash = (byte: string) => bytes(byte.repeat(32));
const shown = (byte: string) => `0x${byte.repeat(32)}`;
const counts = (...items: readonly number[]): Json => ({
  map: items.map((item) => ({ key: u32(item), val: i128(5) })),
});
const stake = (amount: number, since: number) => map({ amount: i128(amount), since: u64(since) });

const STORED: Stored = {
  persistent: [
    [key("Score", P), map({ level: u32(1), points: u32(5) })],
    [key("Version", X), u32(2)],
    [key("Staked"), i128(1000)],
    [key("LeastStake"), i128(10)],
    [key("Reward", u32(1)), i128(7)],
    [key("Pools", hash("22")), { map: [{ key: hash("33"), val: u32(1) }] }],
    [key("Debts", P), map({ collateral: counts(0), liabilities: counts(1) })],
    [key("Debts", X), map({ collateral: counts(), liabilities: counts() })],
    [key("Stakes", P), vec(stake(5, 7), stake(6, 8))],
  ],
  absent: [
    ...[P, Q].map((who) => key("Version", who)),
    ...[X, Q].map((who) => key("Score", who)),
    ...[key("Reward", u32(2)), key("Pools", hash("44")), key("Debts", Q), key("Stakes", Q)],
  ],
  instance: [],
};

/** What is said, and how the run ends that proves it; `null` at a level: nothing is said. */
type Row = readonly [
  name: string,
  given: readonly Json[],
  means: string | null | readonly (string | null)[],
  run: string | null | readonly (string | null)[],
];

const noScore = ({ address }: Json) =>
  `there is no entry Score(${address}) in its persistent storage (\`user\`, argument 1)`;
const withScore = ({ address }: Json) =>
  `Run with the entry Score(${address}) set to {level: 1, points: 5}, it succeeds.`;
const signers = (...weights: readonly number[]) =>
  vec(...weights.map((weight, at) => map({ key: u32(at), weight: u128(weight) })));
const GOOD = { decimals: 7, factor: 5, limit: 100, rate: 2_000, usage: 50 };
const settings = (changed: Partial<typeof GOOD>): Json => {
  const fields = Object.entries({ ...GOOD, ...changed });
  return map(Object.fromEntries(fields.map(([name, value]) => [name, u32(value)])));
};
const setting = (name: keyof typeof GOOD, value: number) =>
  `\`settings.${name}\` (${value}, argument 1)`;

const OPTIONAL: readonly Row[] = [
  ...["score", "score_or_error"].flatMap((called) =>
    [Q, X].map((who): Row => [called, [who], noScore(who), withScore(who)]),
  ),
  [
    "paused_by",
    [Q],
    [
      "there is neither an entry Pauser nor an entry Admin in its instance storage",
      "there is neither an entry Admin nor an entry Pauser in its instance storage",
    ],
    ["Pauser", "Admin"].map(
      (name) => `Run with the entry ${name} set to ${Q.address}, it succeeds.`,
    ),
  ],
  // That enough is staked is no way out.
  [
    "reward",
    [u32(2)],
    "there is no entry Reward(2) in its persistent storage (`at`, argument 1)",
    "Run with the entry Reward(2) set to 7, it succeeds.",
  ],
  [
    "pool",
    [hash("22"), hash("55")],
    `Pools(${shown("22")}) (persistent storage) has no key ${shown("55")} (\`index\`, argument 2)`,
    `Run with the key ${shown("55")} in Pools(${shown("22")}) set to 1, it succeeds.`,
  ],
  [
    "pool",
    [hash("44"), hash("55")],
    `it looked for the key ${shown("55")} (\`index\`, argument 2) in an empty map, as there is no entry Pools(${shown("44")}) in its persistent storage (\`tokens\`, argument 1)`,
    null,
  ],
];

const COMPARED: readonly Row[] = [
  ...[1, 14, 2 ** 32 - 1].map(
    (card): Row => [
      "suit",
      [u32(card)],
      `\`card\` (${card}, argument 1) is not 11 to 13`,
      `Run with \`card\` ${card < 11 ? 11 : 13}, it succeeds.`,
    ],
  ),
  ["no_suit", [u32(12)], "`card` (12, argument 1) is 11 to 13", "Run with `card` 14, it succeeds."],
  [
    "weigh",
    [signers(10), u128(11)],
    "`threshold` (11, argument 2) is greater than `signers[0].weight` (10, argument 1)",
    "Run with `threshold` 10, it succeeds.",
  ],
  [
    "weigh",
    [signers(10, 5), u128(100)],
    "`threshold` (100, argument 2) is greater than `signers[1].weight` (5, argument 1) + `signers[0].weight` (10, argument 1) = 15",
    "Run with `threshold` 15, it succeeds.",
  ],
  [
    "weigh_one",
    [u128(5), u128(6)],
    "`weight` (5, argument 1) is less than `threshold` (6, argument 2)",
    "Run with `weight` 6, it succeeds.",
  ],
  // One flag has all of these at level 3.
  [
    "configure",
    [settings({ decimals: 19 })],
    [`${setting("decimals", 19)} is greater than 18`, null],
    ["Run with `settings.decimals` 18, it succeeds.", null],
  ],
  ...[50, 40].map(
    (limit): Row => [
      "configure",
      [settings({ limit })],
      [`${setting("usage", 50)} is not less than ${setting("limit", limit)}`, null],
      [`Run with \`settings.usage\` ${limit - 1}, it succeeds.`, null],
    ],
  ),
  [
    "configure",
    [settings({ rate: 10 })],
    `${setting("rate", 10)} is less than 1000`,
    "Run with `settings.rate` 1000, it succeeds.",
  ],
  [
    "collect",
    [vec(P, X, P)],
    `\`items[2]\` (${P.address}, argument 1) is already in [${P.address}, ${X.address}]`,
    null,
  ],
];

const OF_STRUCTS: readonly Row[] = [
  [
    "forgive",
    [P],
    `Debts(${P.address}).collateral (persistent storage) has 1 entry, more than 0`,
    null,
  ],
  ["forgive", [X], `Debts(${X.address}).liabilities (persistent storage) has 0 entries`, null],
  // That its loop came to the end is no reason.
  ["unstake", [P, i128(9), u64(7)], null, null],
  ["unstake", [P, i128(5), u64(8)], null, null],
];

/** No entry at hand has a score: the specification has its type. */
const WITHOUT_SCORES: Stored = {
  ...STORED,
  persistent: STORED.persistent.slice(1),
  absent: [...STORED.absent, key("Score", P)],
};

for (const level of CHECKED)
  describe(`entries-${level}.wasm`, () => {
    test("an absent struct is proven with a value of its type", async () => {
      const ran = await caller(simulator, `entries-${level}.wasm`, WITHOUT_SCORES)("score", [Q]);
      const found = await whyOf(simulator, ran, true, recorder);
      expect(found?.said?.summary).toBe(
        `\`score\` stopped because ${noScore(Q)}. Run with the entry Score(${Q.address}) set to {level: 1, points: 1}, it succeeds.`,
      );
    });

    for (const [name, given, means, run] of [...OPTIONAL, ...COMPARED, ...OF_STRUCTS])
      test(`${name} ${JSON.stringify(given).slice(0, 200)}`, async () => {
        const ran = await caller(simulator, `entries-${level}.wasm`, STORED)(name, given);
        expect(ran.execution.outcome.kind).toBe("failed");
        const found = await whyOf(simulator, ran, true, recorder);
        const summary = found?.said?.summary ?? null;
        const [, reason = summary, proof = null] =
          /^(?:Likely, )?(.*?\.)(?: (Run with.*))?$/.exec(summary ?? "") ?? [];
        const allowed = [means].flat().map(inOrder);
        expect(allowed).toContain(inOrder(reasonIn(reason) ?? null) as never);
        expect([run].flat()).toContain(proof as never);
      });
  });
