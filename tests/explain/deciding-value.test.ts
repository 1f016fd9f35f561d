// The conditions of tests/contracts/why, whose source is the truth, at each level of optimization:
// what is said is what the source means, or nothing.

import { describe, expect, test } from "bun:test";
import { LedgerKey } from "@stellar/stellar-sdk/xdr";
import fc from "fast-check";
import { decidingValue } from "../../src/explain/naming/deciding-value.ts";
import { provenRemedy } from "../../src/explain/naming/proven-remedy.ts";
import { madeXdr } from "../support/changed-xdr.ts";
import { contractEntries, SOURCE } from "../support/executed.ts";
import {
  address,
  i32,
  i128,
  type Json,
  key,
  map,
  type Row,
  reasonIn,
  type Stored,
  sayer,
  symbol,
  u32,
  u64,
  u128,
  vec,
} from "../support/said-why.ts";
import { openTestSimulator } from "../support/simulator.ts";

const LEVELS = ["z", "s", "3", "optimized", "z-wrapping"] as const;
type Level = (typeof LEVELS)[number];
/** Functions that fail by a check for overflows: a build without them may succeed. */
const OVERFLOWING = /^(add|add_i32|add_u64|add_i128|sub|sub_i128|mul|since)$/;
const refuses = (level: Level, name: string) => level !== "z-wrapping" || !OVERFLOWING.test(name);
const count = (key: string): Json => vec(symbol("Count"), symbol(key));
const STORED: Stored = {
  persistent: [
    [count("x"), u32(1)],
    [count("rich"), i128(272n)],
  ],
  absent: [count("nokey"), count("limit"), vec(symbol("Limit"))],
};
const simulator = openTestSimulator();
const sayers = new Map(
  LEVELS.map((level) => [level, sayer(simulator, `why-${level}.wasm`, STORED)]),
);
const MOST = 2n ** 127n - 1n;
const LEAST = -(2n ** 127n);

async function said(
  level: Level,
  name: string,
  given: readonly Json[],
  proves: boolean | "remedy" = false,
) {
  return sayers.get(level)?.(name, given, proves);
}

const order = (amount: bigint, tokens: readonly Json[]) =>
  map({ amount: i128(amount), buyer: address, tokens: { vec: tokens } });

const TOO_SMALL = "`amount` (-3, argument 2) is not greater than 0";
const NO_LIMIT = "as there is no entry Count(limit) in its persistent storage";

const ROWS: readonly Row[] = [
  [
    "add",
    [u32(4294967295), u32(1)],
    "`a` (4294967295, argument 1) + `b` (1, argument 2) does not fit a u32",
  ],
  ["found", [{ vec: [1, 2, 3].map(u32) }, u32(9)], "`wanted` (9, argument 2) is none of 1, 2, 3"],
  ["sub", [u32(3), u32(5)], "`a` (3, argument 1) is less than `b` (5, argument 2)"],
  [
    "mul",
    [u32(65536), u32(65537)],
    "`a` (65536, argument 1) × `b` (65537, argument 2) does not fit a u32",
  ],
  [
    "add_i32",
    [i32(2147483647), i32(4)],
    "`a` (2147483647, argument 1) + `b` (4, argument 2) does not fit an i32",
  ],
  [
    "add_i32",
    [i32(-2147483648), i32(-4)],
    "`a` (-2147483648, argument 1) + `b` (-4, argument 2) does not fit an i32",
  ],
  [
    "add_u64",
    [u64(2n ** 64n - 1n), u64(1n)],
    "`a` (18446744073709551615, argument 1) + `b` (1, argument 2) does not fit a u64",
  ],
  [
    "add_i128",
    [i128(MOST), i128(5n)],
    `\`a\` (${MOST}, argument 1) + \`b\` (5, argument 2) does not fit an i128`,
  ],
  [
    "sub_i128",
    [i128(LEAST), i128(5n)],
    `\`a\` (${LEAST}, argument 1) − \`b\` (5, argument 2) does not fit an i128`,
  ],
  ["divide", [u32(5), u32(0)], "`denominator` (argument 2) is 0"],
  ["divide_i128", [i128(5n), i128(0n)], "`denominator` (argument 2) is 0"],
  ["fail", [u32(1)], "`code` (argument 1) is 1"],
  ["fail", [u32(418)], "`code` (argument 1) is 418"],
  ["table", [u32(3)], "`code` (argument 1) is 3"],
  [
    "get",
    [symbol("nokey")],
    "there is no entry Count(nokey) in its persistent storage (`key`, argument 1)",
  ],
  [
    "unwrapped",
    [symbol("nokey")],
    "there is no entry Count(nokey) in its persistent storage (`key`, argument 1)",
  ],
  ["limited", [u32(7)], `\`amount\` (7, argument 1) is greater than 0, ${NO_LIMIT}`],
  ["positive", [address, i128(-3n)], TOO_SMALL],
  [
    "positive",
    [address, i128(-(2n ** 100n))],
    `\`amount\` (${-(2n ** 100n)}, argument 2) is not greater than 0`,
  ],
  ["not_negative", [i128(-1n)], "`amount` (-1, argument 1) is less than 0"],
  [
    "least",
    [i128(2n ** 55n - 1n), i128(2n ** 55n)],
    `\`amount\` (${2n ** 55n - 1n}, argument 1) is less than \`least\` (${2n ** 55n}, argument 2)`,
  ],
  [
    "least_u128",
    [u128(5n), u128(6n)],
    "`amount` (5, argument 1) is less than `least` (6, argument 2)",
  ],
  ["least_u128", [i128(5n), u128(6n)], "`amount` (argument 1) is an i128, not a u128"],
  [
    "equal",
    [u32(5), u32(5)],
    "`from` (5, argument 1) equals `to` (5, argument 2)",
    "`to` (5, argument 2) equals `from` (5, argument 1)",
  ],
  [
    "equal_i128",
    [i128(5n), i128(5n)],
    "`from` (5, argument 1) equals `to` (5, argument 2)",
    "`to` (5, argument 2) equals `from` (5, argument 1)",
  ],
  [
    "same",
    [address, address],
    `\`from\` (${SOURCE}, argument 1) equals \`to\` (${SOURCE}, argument 2)`,
  ],
  ["range", [{ vec: [] }], "`updates` (argument 1) has 0 elements, not 1 to 256"],
  [
    "range",
    [{ vec: Array(300).fill(u32(1)) }],
    "`updates` (argument 1) has 300 elements, more than 256",
  ],
  ["within", [u32(9)], "`value` (9, argument 1) is not 10 to 20"],
  ["either", [u32(7), u32(3)], "`a` (argument 1) is 7"],
  [
    "either",
    [u32(8), u32(300)],
    "`b` (300, argument 2) is greater than 100",
    "`b` (300, argument 2) is not less than 101",
  ],
  ["both", [u32(3), u64(3000n)], "`b` (3000, argument 2) is greater than 1000"],
  [
    "order",
    [order(0n, [u32(1)])],
    "`order.amount` (0, argument 1) is not greater than 0",
    "`order.amount` (0, argument 1) is less than 1",
  ],
  ["order", [order(5n, [])], "`order.tokens` (argument 1) has 0 elements"],
  ["each", [{ vec: [1, 2, 77, 3].map(u32) }], "`values[2]` (77, argument 1) is greater than 50"],
  ["each", [{ vec: [u32(1), i32(7)] }], "`values[1]` (argument 1) is an i32, not a u32"],
  [
    "orders",
    [{ vec: [order(1n, []), order(-2n, [])] }],
    "`orders[1].amount` (-2, argument 1) is less than 0",
  ],
  [
    "late",
    [u64(5n)],
    "the ledger's time (1795228775) is greater than `deadline` (5, argument 1)",
    "`deadline` (5, argument 1) is less than the ledger's time (1795228775)",
  ],
  [
    "since",
    [u64(99999999999n), u64(5n)],
    "the ledger's time (1795228775) is less than `last` (99999999999, argument 1)",
    "`last` (99999999999, argument 1) is greater than the ledger's time (1795228775)",
  ],
  [
    "since",
    [u64(1n), u64(99999999999n)],
    "the ledger's time (1795228775) − `last` (1, argument 1) = 1795228774 is less than `wait` (99999999999, argument 2)",
  ],
  [
    "sequence",
    [u32(5)],
    "the ledger's number (205) is greater than `until` (5, argument 1)",
    "`until` (5, argument 1) is less than the ledger's number (205)",
  ],
  ["hash", [{ bytes: "00".repeat(31) }], "`hash` (argument 1) has 31 bytes, not 32"],
  [
    "color",
    [u32(7)],
    "`color` (7, argument 1) is greater than 2",
    "`color` (7, argument 1) is not less than 3",
  ],
  [
    "allowed",
    [{ map: [{ key: u32(1), val: { bool: true } }] }, u32(9)],
    "`allowed` (argument 1) has no key 9 (`id`, argument 2)",
  ],
  ["pail", [map({ gap: "void", stake: i128(1n) })], "`pail.gap` (argument 1) is void"],
  [
    "multiple",
    [u64(101n), u64(10n)],
    "`time` (101, argument 1) % `step` (10, argument 2) = 1 is not 0",
  ],
  ["paused", [{ bool: true }], "`paused` (argument 1) is true"],
  ["empty", [{ bytes: "0011" }], "`bytes` (argument 1) has 2 bytes, not 4"],
  ["maybe", ["void"], "`first` (argument 1) is void"],
  [
    "flagged",
    [symbol("nokey"), i128(1n)],
    "there is no entry Count(nokey) in its persistent storage (`key`, argument 1)",
  ],
  ["apart", [u32(20), u32(1)], "`a` (20, argument 1) is greater than 10"],
  [
    "spend",
    [symbol("rich"), i128(273n)],
    "Count(rich) (272, persistent storage) is less than `amount` (273, argument 2)",
    "`amount` (273, argument 2) is greater than Count(rich) (272, persistent storage)",
  ],
  [
    "spend",
    [symbol("nokey"), i128(3n)],
    "`amount` (3, argument 2) is greater than 0, as there is no entry Count(nokey) in its persistent storage (`from`, argument 1)",
  ],
  [
    "written",
    [symbol("x"), u32(9), u32(8)],
    "Count(x) (9, written earlier in this transaction) is greater than `most` (8, argument 3); Count(x) was written as `count` (argument 2)",
    "`most` (8, argument 3) is less than Count(x) (9, written earlier in this transaction); Count(x) was written as `count` (argument 2)",
  ],
  ["twice", [i128(5n), i128(-3n)], "`b` (-3, argument 2) is not greater than 0"],
  ["twice", [i128(-3n), i128(5n)], "`a` (-3, argument 1) is not greater than 0"],
  ["add", [u64(1n), u32(1)], "`a` (argument 1) is a u64, not a u32"],
  ["not_both", [{ bool: false }, { bool: true }], "`a` (argument 1) is false"],
  ["not_both", [{ bool: true }, { bool: false }], "`b` (argument 2) is false"],
  [
    "not_both",
    [{ bool: false }, { bool: false }],
    "`a` (argument 1) is false and `b` (argument 2) is false",
    "`a` (argument 1) is false",
    "`b` (argument 2) is false",
  ],
  ...["shut", "ope", "opem", "openn"].map(
    (name): Row => ["named", [symbol(name)], `\`name\` (${name}, argument 1) is not open`],
  ),
  [
    "since_default",
    [u64(1795228999n), u64(60n)],
    "`wait` (60, argument 2) is greater than 0, as `last` (1795228999, argument 1) is greater than the ledger's time (1795228775)",
  ],
];

describe("what the source means is what is said", () => {
  for (const level of LEVELS) {
    for (const [name, given, ...means] of ROWS) {
      test(`${level}: ${name} because ${means[0]}`, async () => {
        const words = await said(level, name, given);
        if (words === null && !refuses(level, name)) return;
        expect(means).toContain(reasonIn(words) as never);
      });
    }
  }
});

test("a boundary at which runs show no other outcome is not said", async () => {
  // Optimized code tests the product in two steps, and only the first one is seen.
  const most = (2n ** 127n - 1n) / 997n;
  for (const level of LEVELS.filter((each) => !each.includes("wrapping")))
    for (const amount of [2n ** 125n, 2n ** 128n / 997n, most + 1n]) {
      const words = await said(level, "share", [i128(amount), i128(1n), i128(1n)], true);
      if (words !== undefined)
        expect(words).toContain(
          `\`amount\` (${amount}, argument 1) × 997 does not fit an i128. Run with \`amount\` ${most}, it succeeds.`,
        );
    }
});

describe("no value is named where none decides alone", () => {
  for (const level of LEVELS) {
    // What may be said beside nothing: some builds show more than others.
    const silent: readonly (readonly [string, readonly Json[], ...string[]])[] = [
      ["guarded", [u32(50)], "`a` (50, argument 1) is greater than 10"],
      ["count", [{ vec: [1, 9, 2].map(u32) }]],
    ];
    for (const [name, given, ...means] of silent) {
      test(`${level}: ${name}`, async () => {
        expect([undefined, ...means]).toContain(reasonIn(await said(level, name, given)) as never);
      });
    }
    test(`${level}: it is not said that another error is a way on`, async () => {
      const words = (await said(level, "guarded", [u32(5)], true)) ?? "";
      expect(words).not.toMatch(/succeeds|gets past|accepts/);
    });
    for (const name of ["always", "always_error", "always_err"]) {
      test(`${level}: ${name}`, async () => {
        expect(await said(level, name, [symbol("x")])).toMatch(
          /for all arguments that it accepts\.$/,
        );
      });
    }
  }
});

describe("a run with the nearest number on the other side proves it", () => {
  const proofs: readonly (readonly [string, readonly Json[], ...string[]])[] = [
    ["not_negative", [i128(-1n)], "Run with `amount` 0, it succeeds."],
    ["least", [i128(5n), i128(700n)], "Run with `amount` 700, it succeeds."],
    ["sub", [u32(3), u32(5)], "Run with `a` 5, it succeeds."],
    ["both", [u32(3), u64(3000n)], "Run with `b` 1000, it succeeds."],
    [
      "both",
      [u32(6), u64(3000n)],
      "Run with `a` 5, it fails with Error(Contract, #2) again, elsewhere.",
    ],
    ["divide", [u32(5), u32(0)], "Run with `denominator` 1, it succeeds."],
    [
      "spend",
      [symbol("rich"), i128(273n)],
      "Run with Count(rich) 273, it succeeds.",
      "Run with `amount` 272, it succeeds.",
    ],
    ["add", [u32(7), u32(4294967295)], "Run with `a` 0, it succeeds."],
    ["add_i32", [i32(-2147483648), i32(-4)], "Run with `a` -2147483644, it succeeds."],
    ["sub_i128", [i128(LEAST), i128(5n)], `Run with \`a\` ${LEAST + 5n}, it succeeds.`],
    ["mul", [u32(65536), u32(65537)], "Run with `a` 65535, it succeeds."],
    ["within", [u32(3)], "Run with `value` 10, it succeeds."],
    ["within", [u32(33)], "Run with `value` 20, it succeeds."],
    ["sequence", [u32(5)], "Run with `until` 205, it succeeds."],
    // Of another type, 0.
    ["add", [u64(1n), u32(1)], "Run with `a` 0, it succeeds."],
    ["each", [{ vec: [u32(1), i32(7)] }], "Run with `values[1]` 0, it succeeds."],
    [
      "least_u128",
      [i128(5n), u128(6n)],
      "Run with `amount` 0, it fails with Error(Contract, #3) instead.",
    ],
  ];
  for (const level of LEVELS) {
    for (const [name, given, ...endings] of proofs.filter(([name]) => refuses(level, name))) {
      test(`${level}: ${name}: ${endings[0]}`, async () => {
        const words = (await said(level, name, given, true)) ?? "";
        expect(endings.find((ending) => words.endsWith(ending)) ?? words).toBeOneOf(endings);
        expect(words).toStartWith(`\`${name}\` `);
      });
    }
  }
});

describe("what a proof shows to help is an instruction", () => {
  const advice: readonly (readonly [string, readonly Json[], string | null])[] = [
    [
      "spend",
      [symbol("rich"), i128(273n)],
      "Pass at most 272 as `amount` (by the state of ledger 205).",
    ],
    ["least", [i128(5n), i128(700n)], "Pass at least 700 as `amount`."],
    ["within", [u32(3)], "Pass 10 to 20 as `value`."],
    ["divide", [u32(5), u32(0)], "Pass a value other than 0, such as 1, as `denominator`."],
    ["paused", [{ bool: true }], "Pass false as `paused`."],
    ["each", [{ vec: [1, 2, 77, 3].map(u32) }], "Pass at most 50 as `values[2]`."],
    [
      "late",
      [u64(5n)],
      "Pass at least 1795228775 as `deadline`: the transaction's ledger closed at 2026-11-21 " +
        "02:39:35 UTC, and a new one comes later.",
    ],
    ["both", [u32(6), u64(3000n)], null],
    ["mul", [u32(65536), u32(65537)], "Pass at most 65535 as `a`."],
    ["add", [u64(1n), u32(1)], "Pass a u32 as `a`."],
    ["add_i32", [i32(-2147483648), i32(-4)], "Pass at least -2147483644 as `a`."],
    ["share", [i128(MOST), i128(3n), i128(1n)], `Pass at most ${MOST / 997n} as \`amount\`.`],
    // The next number fails with another error, the one before succeeds.
    ["fail", [u32(1)], "Pass a value other than 1, such as 0, as `code`."],
    ["always", [symbol("x")], "Call another function, or change the contract's code."],
  ];
  for (const [name, given, remedy] of advice)
    test(`${name}: ${remedy}`, async () => {
      expect(await said("s", name, given, "remedy")).toBe(remedy);
    });

  const config = {
    key: symbol("config"),
    val: map({
      ...{ cap: i128(1000n), fee: u32(30) },
      limits: map({ least: i128(50n), most: i128(900n) }),
      ...{ owner: address, paused: { bool: true } },
    }),
  };
  const shapes = (start: bigint) =>
    sayer(simulator, "shapes-s.wasm", {
      persistent: [[vec(symbol("Start")), u64(start)]],
      absent: [],
      instance: [config],
    });

  test("the ledger's time: when", async () => {
    expect(await shapes(1795228000n)("unlocked", [u64(99999n)], "remedy")).toBe(
      "Send the transaction again at 2026-11-22 06:13:19 UTC (1795327999) or later (by the state of " +
        "ledger 205): it was 99,224 seconds too early.",
    );
  });

  test("a part of an entry: which contract has to change it, and to what", async () => {
    expect(await shapes(0n)("configured", [i128(51n)], "remedy")).toMatch(
      /^Have contract C\w{55} first set config\.paused to false: it was true\. Only that contract can write it; the entry was last written in ledger \d+\.$/,
    );
  });

  /** The proof with its numbers as data, too. */
  const typed = <Proof extends { readonly was: string; readonly value: string }>(proof: Proof) => ({
    ...proof,
    other: { kind: "number", number: proof.value },
    wasNumber: proof.was,
  });

  test("of a balance, how much is missing", () => {
    const proof = {
      ...{ kind: "storage", contract: "C1", function: "spend", name: "Balance(x)" },
      ...{ was: "272", value: "273", range: { least: "273", most: null }, outcome: "succeeds" },
      ...{ override: { kind: "entry", keyXdr: "KEY", entryXdr: "ENTRY" }, lastWrittenLedger: 200 },
    };
    const by = {
      proof,
      always: false,
      function: "spend",
      contract: "C1",
      conditions: [],
      because: [],
      writes: [],
    };
    const ledger = { sequence: 205, closeTimeUnixSeconds: "1795228775" };
    const said = (changed: object) =>
      provenRemedy({ ...by, proof: typed({ ...proof, ...changed }) } as never, ledger);
    expect(said({})).toBe(
      "Have contract C1 first set Balance(x) to at least 273: it was 272, 1 is missing. Only that " +
        "contract can write it; the entry was last written in ledger 200.",
    );
    const likely = { ...by, proof: typed(proof), confidence: "likely" };
    expect(provenRemedy(likely as never, ledger)).toContain(
      "to at least 273: it was reported as 272, 1 is missing.",
    );
    expect(said({ was: "9", value: "8", range: { least: null, most: "8" } })).toContain(
      "to at most 8: it was 9, 1 too much.",
    );
    const inLedger = (value: string, range: object) =>
      said({ kind: "ledger", value, range, override: { kind: "ledger", sequence: Number(value) } });
    expect(inLedger("210", { least: "210", most: null })).toBe(
      "Send the transaction again in ledger 210 or later: it was 5 ledgers too early.",
    );
    expect(inLedger("204", { least: null, most: "204" })).toBe(
      "Change the limit with which the ledger's number is compared: in ledger 204, 1 ledger earlier, the transaction succeeds.",
    );
    for (const outcome of ["fails", "gets-past"]) expect(said({ outcome })).toBeNull();
    const atTime = (value: string) =>
      said({
        ...{ kind: "ledger", value, range: { least: value, most: null } },
        override: { kind: "time", closeTimeUnixSeconds: value },
      });
    expect(atTime("1795228776")).toBe(
      "Send the transaction again at 2026-11-21 02:39:36 UTC (1795228776) or later: it was 1 second too early.",
    );
    expect(atTime("1795228775007")).toBe(
      "Change the limit with which the ledger's time is compared: 1795228775007 has the size of a time in milliseconds, and a ledger's time counts seconds.",
    );
    expect(atTime("6148914691236517205")).toBe(
      "Change the limit with which the ledger's time is compared: no ledger reaches time 6148914691236517205 within a hundred years.",
    );
  });

  test("of a token's balance, how many tokens are missing, and of whom", () => {
    const { contract } = contractEntries(new Uint8Array(), 11);
    const keyXdr = (name: string) =>
      madeXdr(LedgerKey, {
        contract_data: { contract, key: key(name, address), durability: "persistent" },
      });
    const override = { kind: "entry", keyXdr: keyXdr("Balance"), entryXdr: "ENTRY" };
    const proof = {
      ...{ kind: "storage", contract, function: "spend", name: "Balance(x)", override },
      ...{ was: "2720000000", value: "2730000001", range: { least: "2730000001", most: null } },
      ...{ outcome: "succeeds", lastWrittenLedger: 200 },
    };
    const by = {
      proof,
      always: false,
      function: "spend",
      contract,
      conditions: [],
      because: [],
      writes: [],
    };
    const ledger = { sequence: 205, closeTimeUnixSeconds: "1795228775" };
    const token = { contract, decimals: 7, symbol: "LAB", asset: "LAB:ISSUER" };
    const said = (changed: object) =>
      provenRemedy({ ...by, proof: typed({ ...proof, ...changed }) } as never, ledger, () => token);
    expect(said({})).toBe(
      `Add 1.0000001 LAB to the balance of ${SOURCE} in contract ${contract}: it was 272 LAB, and ` +
        "273.0000001 LAB are needed.",
    );
    const other = { ...override, keyXdr: keyXdr("Limit") };
    expect(said({ override: other })).toStartWith(`Have contract ${contract} first set`);
    expect(said({ range: { least: null, most: "8" } })).toStartWith("Have contract");
    const untold = { ...by, proof: typed(proof) } as never;
    expect(provenRemedy(untold, ledger)).toStartWith("Have contract");
  });
});

test("every number that a remedy allows gets past the check", async () => {
  const numbers = {
    u32: [u32, 0n, 2n ** 32n - 1n],
    i32: [i32, -(2n ** 31n), 2n ** 31n - 1n],
    i128: [i128, LEAST, MOST],
  } as const;
  const functions: readonly (readonly [string, keyof typeof numbers, keyof typeof numbers])[] = [
    ...([
      ["add", "u32", "u32"],
      ["sub", "u32", "u32"],
      ["mul", "u32", "u32"],
    ] as const),
    ...([
      ["add_i32", "i32", "i32"],
      ["add_i128", "i128", "i128"],
    ] as const),
    ...([
      ["sub_i128", "i128", "i128"],
      ["least", "i128", "i128"],
    ] as const),
  ];
  const called = fc.constantFrom(...functions).chain(([name, ...types]) => {
    const number = (type: keyof typeof numbers) => {
      const [, least, most] = numbers[type];
      const near = fc.bigInt({ min: least < 0n ? -3n : 0n, max: 300n });
      const ends = fc.constantFrom(least, least + 1n, most - 1n, most, most / 3n, least / 3n);
      return fc.oneof(near, ends);
    };
    return fc.tuple(fc.constant({ name, types }), number(types[0]), number(types[1]), fc.nat());
  });
  const given = (type: keyof typeof numbers, value: bigint) =>
    type === "i128" ? i128(value) : numbers[type][0](Number(value));
  await fc.assert(
    fc.asyncProperty(called, fc.constantFrom(...LEVELS), async (chosen, level) => {
      const [{ name, types }, a, b, seed] = chosen;
      const values = [a, b];
      const call = () => types.map((type, i) => given(type, values[i] ?? 0n));
      // The sentence without its values: which check it was.
      const check = async () =>
        (await said(level, name, call()))?.replace(/ \([^)]*\)/g, "") ?? null;
      const failed = await check();
      const remedy = (await said(level, name, call(), "remedy")) ?? "";
      const [, atLeast, atMost, from, to, argument] =
        /^Pass (?:at least (\S+)|at most (\S+)|(\S+) to (\S+)) as `(\w+)`/.exec(remedy) ?? [];
      if (argument === undefined) return;
      const at = argument === "b" || (name === "least" && argument === "least") ? 1 : 0;
      const [, least, most] = numbers[types[at] ?? "u32"];
      const [low, high] = [BigInt(atLeast ?? from ?? least), BigInt(atMost ?? to ?? most)];
      values[at] = [low, high, low + (BigInt(seed) % (high - low + 1n))][seed % 3] ?? low;
      // Another check may refuse it: `least` checks the difference as well.
      expect([name, values, await check()]).not.toEqual([name, values, failed]);
    }),
    { numRuns: 80 },
  );
}, 60_000);

test("what rests on an entry that only a node shows is likely", () => {
  const stored = {
    kind: "storage",
    keyXdr: "AAAADwAAAAFhAAAA",
    durability: "persistent",
    number: "2",
  };
  const why = {
    ...{ frame: 1, contract: null, function: "f", end: "returned", always: false, code: "" },
    ...{ address: 0, count: 0, taken: 0 },
    conditions: [
      { relation: "less", terms: [stored, { kind: "argument", index: 0, number: "3" }] },
    ],
  } as const;
  const proof = {
    ...{ term: why.conditions[0].terms[1], error: null, isSameError: false },
    ...{ other: { kind: "number", number: "2" } as const, range: null, recorded: null },
    overrides: { ledger: {}, limits: {}, arguments: new Map(), wasm: new Map(), entries: [] },
  };
  const words = (isSure: boolean) => decidingValue(why as never, () => null, proof, isSure);
  expect(words(true)?.summary).toStartWith(
    "`f` failed because a (2, persistent storage) is less than ",
  );
  expect(words(false)?.summary).toStartWith("Likely, `f` failed because ");
});

test("so is a default that is taken where only a node shows no entry, and what was written", () => {
  const entry = { kind: "entry", keyXdr: "AAAADwAAAAFhAAAA", durability: "persistent" };
  const argument = { kind: "argument", index: 0, number: "3" };
  const zero = { kind: "constant", number: "0" };
  const written = { kind: "written", keyXdr: "AAAADwAAAAFhAAAA", number: "2" };
  const facts = {
    ...{ frame: 1, contract: null, function: "f", end: "returned", always: false, code: "" },
    ...{ address: 0, count: 0, taken: 0 },
  };
  const proof = {
    ...{ term: argument, error: null, isSameError: false, range: null },
    other: { kind: "number", number: "0" },
    recorded: null,
    overrides: { ledger: {}, limits: {}, arguments: new Map(), wasm: new Map(), entries: [] },
  };
  const greater = (than: object) => [{ relation: "greater", terms: [argument, than] }];
  const because = [{ relation: "absent", terms: [entry] }];
  for (const why of [
    { ...facts, conditions: greater(zero), because },
    { ...facts, conditions: greater(written) },
  ]) {
    const confidence = (isSure: boolean) =>
      decidingValue(why as never, () => null, proof as never, isSure)?.confidence;
    expect([confidence(true), confidence(false)]).toEqual(["known", "likely"]);
  }
});

const near = (bound: number) => fc.integer({ min: bound - 2, max: bound + 2 });
const amounts = fc.oneof(
  fc.bigInt({ min: -3n, max: 3n }),
  fc.bigInt({ min: 2n ** 55n - 2n, max: 2n ** 55n + 2n }),
  fc.bigInt({ min: 2n ** 64n - 2n, max: 2n ** 64n + 2n }),
  fc.bigInt({ min: -(2n ** 55n) - 2n, max: -(2n ** 55n) + 2n }),
);

test("it is said on one side of the boundary, and on the other the call succeeds", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...LEVELS), amounts, amounts, async (level, amount, least) => {
      const words = await said(level, "least", [i128(amount), i128(least)]);
      if (amount >= least) return expect(words).toBeNull();
      const of = `(${amount}, argument 1) is less than \`least\` (${least}, argument 2)`;
      expect(words).toBe(`\`least\` failed because \`amount\` ${of}.`);
    }),
    { numRuns: 60 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...LEVELS),
      fc.oneof(near(10), near(20)),
      async (level, value) => {
        const words = await said(level, "within", [u32(value)]);
        if (value >= 10 && value <= 20) return expect(words).toBeNull();
        expect(words).toContain(`because \`value\` (${value}, argument 1) is not 10 to 20.`);
      },
    ),
    { numRuns: 30 },
  );
});
