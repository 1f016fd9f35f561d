// The conditions of tests/contracts/shapes, whose source is the truth, at each level of
// optimization, with overflow checks and without: what is said is what the source means.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { contractEntries, SOURCE } from "../support/executed.ts";
import {
  address,
  bytes,
  CHECKED,
  i32,
  i64,
  i128,
  i256,
  type Json,
  list,
  map,
  OTHER,
  other,
  type Row,
  type Said,
  sayer,
  symbol,
  testRows,
  u32,
  u64,
  u128,
  u256,
  vec,
  WRAPPING,
  wide,
} from "../support/said-why.ts";
import { openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();

const ITSELF = contractEntries(new Uint8Array(), 7).contract;
const balance = (of: string): Json => vec(symbol("Balance"), symbol(of));
const limits = (least: bigint, most: bigint) => map({ least: i128(least), most: i128(most) });
const config = map({
  cap: i128(1000n),
  fee: u32(30),
  limits: limits(50n, 900n),
  owner: address,
  paused: { bool: false },
});
const says = (level: string): Said =>
  sayer(simulator, `shapes-${level}.wasm`, {
    persistent: [
      [vec(symbol("Flags")), u32(9)],
      [vec(symbol("Hash")), bytes("11".repeat(32))],
      [vec(symbol("Owner")), other],
      [vec(symbol("Start")), u64(1795228000n)],
      [balance("rich"), i128(272n)],
    ],
    absent: [balance("poor")],
    instance: [{ key: symbol("config"), val: config }],
  });

const MOST = 2n ** 127n - 1n;
const LEAST = -(2n ** 127n);
const MOST_U64 = 2n ** 64n - 1n;
const token = (amount: bigint, decimals = 7) =>
  map({ amount: i128(amount), asset: address, decimals: u32(decimals) });
const order = (tokens: readonly Json[], least = 1n, most = 2n, memo: Json = "void") =>
  map({ id: u64(1n), limits: limits(least, most), memo, tokens: vec(...tokens) });

/** As reports show one. */
const digest = (byte: string) => `0x${byte.repeat(32)}`;

/** Two arguments that are computed with each other. */
const both = (operator: string, a: unknown, b: unknown, more = "") =>
  `\`a\` (${a}, argument 1) ${operator} \`b\` (${b}, argument 2)${more}`;
const overflow = (operator: string, a: unknown, b: unknown, type: string) =>
  both(operator, a, b, ` does not fit ${/^[iae]/.test(type) ? "an" : "a"} ${type}`);

function product(name: string, of: (number: bigint) => Json, type: string, ...pairs: bigint[][]) {
  return pairs.map(([a = 0n, b = 0n]): Row => [name, [of(a), of(b)], overflow("×", a, b, type)]);
}

const OVERFLOWS: readonly Row[] = [
  ...product("mul_i128", i128, "i128", [MOST, 2n], [-(2n ** 100n), 2n ** 40n], [LEAST, -1n]),
  ...product("mul_u128", u128, "u128", [2n ** 100n, 2n ** 40n], [2n ** 128n - 1n, 2n]),
];

const I128_PAIRS = [
  [MOST, 2n],
  [2n, MOST],
  [2n ** 70n, 2n ** 70n],
  [-(2n ** 100n), 2n ** 40n],
  [2n ** 40n, -(2n ** 100n)],
  [-(2n ** 70n), -(2n ** 70n)],
  [LEAST, -1n],
];

const ROWS: readonly Row[] = [
  ...product("checked_mul", i128, "i128", ...I128_PAIRS),
  ...product("checked_mul_u128", u128, "u128", [2n ** 100n, 2n ** 40n], [2n ** 64n, 2n ** 64n]),
  ...product("checked_mul_u64", u64, "u64", [2n ** 40n, 2n ** 30n], [MOST_U64, 2n]),
  ...product("checked_mul_i64", i64, "i64", [2n ** 40n, 2n ** 30n], [-(2n ** 40n), 2n ** 30n]),
  ["checked_mul_u32", [u32(65536), u32(65536)], overflow("×", 65536, 65536, "u32")],
  ["checked_mul_i32", [i32(-65536), i32(65536)], overflow("×", -65536, 65536, "i32")],
  ["checked_add", [i128(MOST), i128(1n)], overflow("+", MOST, 1, "i128")],
  ["checked_add", [i128(LEAST), i128(-1n)], overflow("+", LEAST, -1, "i128")],
  [
    "checked_add_u128",
    [u128(2n ** 128n - 1n), u128(1n)],
    overflow("+", 2n ** 128n - 1n, 1, "u128"),
  ],
  ["checked_sub", [i128(LEAST), i128(1n)], overflow("−", LEAST, 1, "i128")],
  ["checked_sub", [i128(MOST), i128(-1n)], overflow("−", MOST, -1, "i128")],
  [
    "checked_sub_u128",
    [u128(5n), u128(6n)],
    both("is less than", 5, 6),
    overflow("−", 5, 6, "u128"),
    "`b` (6, argument 2) is greater than `a` (5, argument 1)",
  ],
  [
    "mul_div",
    [i128(2n ** 100n), i128(2n ** 50n), i128(7n)],
    overflow("×", 2n ** 100n, 2n ** 50n, "i128"),
  ],
  ["mul_div", [i128(7n), i128(3n), i128(0n)], "`c` (argument 3) is 0"],
  [
    "fee",
    [i128(2n ** 126n), u32(30)],
    `\`amount\` (${2n ** 126n}, argument 1) × \`basis_points\` (30, argument 2) does not fit an i128`,
  ],
  [
    "percent",
    [i128(1000n), i128(49n)],
    "`amount` (1000, argument 1) × 5 / 100 = 50 is greater than `most` (49, argument 2)",
    "(`amount` (1000, argument 1) × 5) / 100 = 50 is greater than `most` (49, argument 2)",
    "`most` (49, argument 2) is less than (`amount` (1000, argument 1) × 5) / 100 = 50",
  ],
  ["divide_u128", [u128(5n), u128(0n)], "`b` (argument 2) is 0"],
  ["checked_divide", [i128(5n), i128(0n)], "`b` (argument 2) is 0"],
  [
    "checked_divide",
    [i128(LEAST), i128(-1n)],
    overflow("/", LEAST, -1, "i128"),
    `\`a\` (argument 1) is ${LEAST} and \`b\` (argument 2) is -1`,
    `\`b\` (argument 2) is -1 and \`a\` (argument 1) is ${LEAST}`,
    // The first of two checks that both hold.
    "`b` (argument 2) is -1",
    `\`a\` (argument 1) is ${LEAST}`,
  ],
  ["negate", [i128(LEAST)], `\`a\` (argument 1) is ${LEAST}, the lowest i128`],
  [
    "above_const",
    [i128(10n ** 12n + 1n)],
    `\`amount\` (${10n ** 12n + 1n}, argument 1) is greater than ${10n ** 12n}`,
  ],
  [
    "above_const",
    [i128(2n ** 70n)],
    `\`amount\` (${2n ** 70n}, argument 1) is greater than ${10n ** 12n}`,
  ],
  [
    "above_big",
    [i128(10n ** 23n + 1n)],
    `\`amount\` (${10n ** 23n + 1n}, argument 1) is greater than ${10n ** 23n}`,
  ],
  ["below_minus", [i128(-6n)], "`amount` (-6, argument 1) is less than -5"],
  ["below_minus", [i128(-(2n ** 90n))], `\`amount\` (${-(2n ** 90n)}, argument 1) is less than -5`],
  ["not_const", [i128(499n)], "`amount` (499, argument 1) is not 500"],
  ["not_const", [i128(-(2n ** 90n))], `\`amount\` (${-(2n ** 90n)}, argument 1) is not 500`],
  ["not_equal_u128", [u128(5n), u128(2n ** 80n)], both("is not", 5, 2n ** 80n)],
  [
    "within_i128",
    [i128(9n)],
    "`amount` (9, argument 1) is not 10 to 20",
    "`amount` (9, argument 1) is less than 10",
  ],
  [
    "within_i128",
    [i128(21n)],
    "`amount` (21, argument 1) is not 10 to 20",
    "`amount` (21, argument 1) is greater than 20",
  ],
  [
    "within_i128",
    [i128(-(2n ** 90n))],
    `\`amount\` (${-(2n ** 90n)}, argument 1) is not 10 to 20`,
    `\`amount\` (${-(2n ** 90n)}, argument 1) is less than 10`,
  ],
  [
    "checked_sub_u64",
    [u64(5n), u64(6n)],
    both("is less than", 5, 6),
    overflow("−", 5, 6, "u64"),
    "`b` (6, argument 2) is greater than `a` (5, argument 1)",
  ],
  ["checked_sub_i64", [i64(-(2n ** 63n)), i64(1n)], overflow("−", -(2n ** 63n), 1, "i64")],
  ["checked_sub_i32", [i32(2147483647), i32(-1)], overflow("−", 2147483647, -1, "i32")],
  ["checked_add_u64", [u64(MOST_U64), u64(2n)], overflow("+", MOST_U64, 2, "u64")],
  ["checked_add_i64", [i64(2n ** 63n - 1n), i64(2n)], overflow("+", 2n ** 63n - 1n, 2, "i64")],
  [
    "less_i64",
    [i64(-3n), i64(2n)],
    both("is less than", -3, 2),
    "`b` (2, argument 2) is greater than `a` (-3, argument 1)",
  ],
  [
    "below_i64",
    [i64(-7n)],
    "`a` (-7, argument 1) is not greater than -7",
    "`a` (-7, argument 1) is less than -6",
  ],
  [
    "wide",
    [u32(100000), u32(100000)],
    both("×", 100000, 100000, " = 10000000000 is greater than 1000"),
  ],
  ["smaller", [u32(0), u32(3)], "`a` (argument 1) is 0"],
  ["smaller", [u32(3), u32(0)], "`b` (argument 2) is 0"],
  [
    "distance",
    [u32(3), u32(10)],
    both("−", 3, 10, " = -7"),
    "`b` (10, argument 2) − `a` (3, argument 1) = 7 is greater than 5",
  ],
  ["distance", [u32(10), u32(3)], both("−", 10, 3, " = 7 is greater than 5")],
  [
    "left",
    [u32(3), u32(10)],
    "`most` (3, argument 1) is not greater than `used` (10, argument 2)",
    "`most` (3, argument 1) is less than `used` (10, argument 2)",
    "`used` (10, argument 2) is greater than `most` (3, argument 1)",
    "`used` (10, argument 2) is not less than `most` (3, argument 1)",
  ],
  [
    "left",
    [u32(3), u32(3)],
    "`most` (3, argument 1) − `used` (3, argument 2) is 0",
    "`most` (3, argument 1) is not greater than `used` (3, argument 2)",
    "`most` (3, argument 1) equals `used` (3, argument 2)",
  ],

  ["multiple", [u32(11), u32(4)], "`amount` (11, argument 1) % `of` (4, argument 2) = 3 is not 0"],
  ["multiple", [u32(11), u32(0)], "`of` (argument 2) is 0"],
  [
    "odd",
    [u32(11)],
    "`amount` (11, argument 1) & 1 is 1",
    "`amount` (11, argument 1) & 1 = 1 is not 0",
    "`amount` (11, argument 1) % 2 is 1",
    "`amount` (11, argument 1) % 2 = 1 is not 0",
  ],
  ["minutes", [u64(61n)], "`seconds` (61, argument 1) % 60 = 1 is not 0"],
  ["minutes", [u64(MOST_U64)], `\`seconds\` (${MOST_U64}, argument 1) % 60 = 15 is not 0`],
  [
    "multiple_i128",
    [i128(11n), i128(4n)],
    "`amount` (11, argument 1) % `of` (4, argument 2) = 3 is not 0",
  ],
  ["multiple_i128", [i128(11n), i128(0n)], "`of` (argument 2) is 0"],
  ["flag", [u32(3)], "`flags` (3, argument 1) & 4 is 0"],
  ["no_flag", [u32(0x13)], "`flags` (19, argument 1) & 16 = 16 is not 0"],
  ["both_flags", [u32(2)], "`flags` (2, argument 1) & 6 = 2 is not 6"],
  ["flag_u64", [u64(2n ** 41n)], `\`flags\` (${2n ** 41n}, argument 1) & ${2n ** 40n} is 0`],
  [
    "flag_at",
    [u32(5), u32(1)],
    "(`flags` (5, argument 1) >> `bit` (1, argument 2)) & 1 is 0",
    "`flags` (5, argument 1) & (1 << `bit` (1, argument 2)) is 0",
  ],
  ["flag_at_u128", [u128(5n), u32(128)], "`bit` (128, argument 2) is greater than 127"],
  [
    "stored_flag",
    [u32(6)],
    "Flags (9, persistent storage) & `mask` (6, argument 1) is 0",
    "`mask` (6, argument 1) & Flags (9, persistent storage) is 0",
  ],
  [
    "chosen",
    [u32(40)],
    "`code` (40, argument 1) is one of 33, 35, 40, 60, 61",
    // Sets of bits in two ranges.
    "`code` (40, argument 1) is one of 40, 60, 61",
  ],
  [
    "upper",
    [u64(10n * 2n ** 32n)],
    `\`packed\` (${10n * 2n ** 32n}, argument 1) >> 32 = 10 is greater than 9`,
    `\`packed\` (${10n * 2n ** 32n}, argument 1) is not less than ${10n * 2n ** 32n}`,
  ],
  [
    "status",
    [u32(2)],
    "`status` (2, argument 1) is not 0",
    "`status` (2, argument 1) is greater than 0",
  ],
  [
    "status",
    [u32(3)],
    "`status` (3, argument 1) is greater than 2",
    "`status` (3, argument 1) is not less than 3",
  ],
  ["named_status", [u32(1)], "`status` (argument 1) is 1", "`status` (1, argument 1) is not 0"],
  ["named_status", [u32(2)], "`status` (argument 1) is 2", "`status` (2, argument 1) is not 0"],
  [
    "named_status",
    [u32(9)],
    "`status` (9, argument 1) is none of 0, 1, 2",
    "`status` (9, argument 1) is not 0",
    "`status` (9, argument 1) is greater than 2",
  ],

  ["to_u32", [i128(2n ** 32n)], `\`amount\` (${2n ** 32n}, argument 1) does not fit a u32`],
  ["to_u32", [i128(-1n)], "`amount` (-1, argument 1) does not fit a u32"],
  [
    "to_u32",
    [i128(2n ** 90n)],
    `\`amount\` (${2n ** 90n}, argument 1) does not fit a u32`,
    `\`amount\` (${2n ** 90n}, argument 1) does not fit a u64`,
  ],
  ["to_u64", [i128(2n ** 64n)], `\`amount\` (${2n ** 64n}, argument 1) does not fit a u64`],
  ["to_u64", [i128(-1n)], `\`amount\` (-1, argument 1) does not fit a u64`],
  ["to_u128", [i128(-1n)], "`amount` (-1, argument 1) is less than 0"],
  ["to_i128", [u128(2n ** 127n)], `\`amount\` (${2n ** 127n}, argument 1) does not fit an i128`],
  [
    "narrow",
    [u64(2n ** 32n)],
    "`amount` (4294967296, argument 1) does not fit a u32",
    "`amount` (4294967296, argument 1) is not less than 4294967296",
  ],
  [
    "narrow_u8",
    [u32(256)],
    "`amount` (256, argument 1) is greater than 255",
    "`amount` (256, argument 1) is not less than 256",
  ],
  ["fixed", [bytes("00".repeat(31))], "`bytes` (argument 1) has 31 bytes, not 32"],

  [
    "same_hash",
    [bytes("11".repeat(32)), bytes("22".repeat(32))],
    both("is not", digest("11"), digest("22")),
    both("is not", digest("22"), digest("11")),
  ],
  ["zero_hash", [bytes("00".repeat(32))], `\`hash\` (argument 1) is ${digest("00")}`],
  [
    "stored_hash",
    [bytes("22".repeat(32))],
    `Hash (${digest("11")}, persistent storage) is not \`hash\` (${digest("22")}, argument 1)`,
  ],
  [
    "owner",
    [address],
    `\`caller\` (${SOURCE}, argument 1) is not Owner (${OTHER}, persistent storage)`,
  ],
  [
    "itself",
    [{ address: ITSELF }],
    `\`to\` (${ITSELF}, argument 1) equals the contract itself (${ITSELF})`,
  ],
  ["text", [{ string: "howdy" }], '`text` ("howdy", argument 1) is not "hello"'],
  ["long_name", [symbol("transfer_to")], "`name` (transfer_to, argument 1) is not transfer_from"],
  [
    "two_names",
    [symbol("transfer_from"), symbol("transfer_from")],
    both("equals", "transfer_from", "transfer_from"),
  ],
  [
    "two_names",
    [symbol("abc"), symbol("abc")],
    both("equals", "abc", "abc"),
    "`b` (abc, argument 2) equals `a` (abc, argument 1)",
  ],
  ["first_byte", [bytes("08".repeat(32))], "`hash[0]` (8, argument 1) is not 7"],
  ["byte_at", [bytes("00ff"), u32(1)], "`bytes[1]` (255, argument 1) is not less than 10"],
  [
    "byte_at",
    [bytes("00ff"), u32(2)],
    "`index` (2, argument 2) is not less than the length 2 of `bytes` (argument 1)",
    "the length 2 of `bytes` (argument 1) is not greater than `index` (2, argument 2)",
  ],

  [
    "same_length",
    [list(1), list(1, 2)],
    "the length 1 of `a` (argument 1) is not the length 2 of `b` (argument 2)",
  ],
  ["at_most_three", [list(1, 2, 3, 4)], "`list` (argument 1) has 4 elements, more than 3"],
  ["text_length", [{ string: "hello" }], "`text` (argument 1) has 5 characters, more than 4"],
  [
    "has",
    [map({ a: i128(1n) }), symbol("b")],
    "`map` (argument 1) has no key b (`key`, argument 2)",
  ],
  [
    "has_not",
    [map({ a: i128(1n) }), symbol("a")],
    "`map` (argument 1) has the key a (`key`, argument 2)",
  ],
  [
    "value",
    [map({ a: i128(1n) }), symbol("b")],
    "`map` (argument 1) has no key b (`key`, argument 2)",
  ],
  [
    "value_least",
    [map({ a: i128(1n) }), symbol("a"), i128(5n)],
    "`map[a]` (1, argument 1) is less than `least` (5, argument 3)",
    "`least` (5, argument 3) is greater than `map[a]` (1, argument 1)",
  ],
  [
    "value_least",
    [map({ a: i128(1n) }), symbol("b"), i128(5n)],
    "`least` (5, argument 3) is greater than 0, as `map` (argument 1) has no key b (`key`, argument 2)",
  ],
  ["at", [wide(1, 2, -7), u32(2)], "`list[2]` (-7, argument 1) is less than 0"],
  [
    "at",
    [wide(1, 2), u32(2)],
    "`index` (2, argument 2) is not less than the length 2 of `list` (argument 1)",
    "the length 2 of `list` (argument 1) is not greater than `index` (2, argument 2)",
  ],
  ["first", [list()], "`list` (argument 1) has 0 elements"],
  [
    "last",
    [list(1, 2, 30)],
    "`list[last]` (30, argument 1) is greater than 9",
    "`list[last]` (30, argument 1) is not less than 10",
  ],
  ["contains", [list(1, 2), u32(3)], "`list` (argument 1) has no element 3 (`wanted`, argument 2)"],
  ["empty_map", [map({})], "`map` (argument 1) has 0 entries"],

  ["action", [vec(symbol("Market"))], "`action[0]` (argument 1) is Market"],
  ["action", [vec(symbol("Limit"), i128(9n))], "`action[1]` (9, argument 1) is less than 10"],
  [
    "action",
    [vec(symbol("Stop"), u32(1), u64(1001n))],
    "`action[2]` (1001, argument 1) is greater than 1000",
  ],
  ["pair", [vec(u32(1), i128(99n))], "`pair[1]` (99, argument 1) is less than 100"],
  ["tuple", [vec(u32(6), i128(99n))], "`both[0]` (6, argument 1) is greater than 5"],
  [
    "third",
    [order([token(5n), token(6n), token(0n)])],
    "`order.tokens[2].amount` (0, argument 1) is not greater than 0",
    "`order.tokens[2].amount` (0, argument 1) is less than 1",
  ],
  [
    "third",
    [order([token(5n), token(6n)])],
    "`order.tokens` (argument 1) has 2 elements, less than 3",
    "`order.tokens` (argument 1) has 2 elements, not more than 2",
  ],
  [
    "limits",
    [order([], 9n, 8n)],
    "`order.limits.least` (9, argument 1) is greater than `order.limits.most` (8, argument 1)",
    "`order.limits.most` (8, argument 1) is less than `order.limits.least` (9, argument 1)",
  ],
  ["memo", [order([])], "`order.memo` (argument 1) is void"],
  [
    "decimals",
    [order([token(5n), token(6n, 19)])],
    "`order.tokens[1].decimals` (19, argument 1) is greater than 18",
  ],
  ["option", ["void"], "`limit` (argument 1) is void"],
  ["option", [i128(9n)], "`limit` (9, argument 1) is less than 10"],
  [
    "option_some",
    [i128(9n), i128(10n)],
    "`amount` (10, argument 2) is greater than `limit` (9, argument 1)",
    "`limit` (9, argument 1) is less than `amount` (10, argument 2)",
  ],
  ["needed", ["void"], "`who` (argument 1) is void"],

  ["by_index", [wide(1, 2, 0, 3)], "`list[2]` (argument 1) is 0"],
  [
    "sorted",
    [list(1, 5, 3, 9)],
    "`list[2]` (3, argument 1) is less than `list[1]` (5, argument 1)",
    "`list[1]` (5, argument 1) is greater than `list[2]` (3, argument 1)",
  ],
  [
    "total",
    [wide(1, 2, 3), i128(5n)],
    "6 (computed from `list[0]`, `list[1]`, `list[2]`) is greater than `most` (5, argument 2)",
    "`most` (5, argument 2) is less than 6 (computed from `list[0]`, `list[1]`, `list[2]`)",
    "(`list[0]` (1, argument 1) + `list[1]` (2, argument 1)) + `list[2]` (3, argument 1) = 6 is greater than `most` (5, argument 2)",
  ],
  [
    "map_values",
    [map({ a: i128(1n), b: i128(0n) })],
    "`map[b]` (0, argument 1) is not greater than 0",
  ],
  ["matrix", [vec(list(1, 2), list(3, 13))], "`rows[1][1]` (argument 1) is 13"],
  [
    "twins",
    [vec(address, other, address)],
    `\`list[0]\` (${SOURCE}, argument 1) equals \`list[2]\` (${SOURCE}, argument 1)`,
  ],

  ["u256_above", [u256(5n), u256(4n)], both("is greater than", 5, 4)],
  ["u256_above", [u256(2n ** 200n), u256(4n)], both("is greater than", 2n ** 200n, 4)],
  ["i256_negative", [i256(-5n)], "`a` (-5, argument 1) is less than 0"],
  ["wide_mul_div", [i128(1n), i128(1n), i128(0n)], "`c` (argument 3) is 0"],
  [
    "after",
    [{ timepoint: "1895228775" }],
    "the ledger's time (1795228775) is less than `time` (1895228775, argument 1)",
    "`time` (1895228775, argument 1) is greater than the ledger's time (1795228775)",
  ],
  [
    "at_least_a_day",
    [{ duration: "86399" }],
    "`duration` (86399, argument 1) is less than 86400",
    "`duration` (86399, argument 1) is not greater than 86399",
  ],
  [
    "unlocked",
    [u64(99999n)],
    "the ledger's time (1795228775) is less than Start (1795228000, persistent storage) + `wait` (99999, argument 1) = 1795327999",
    "Start (1795228000, persistent storage) + `wait` (99999, argument 1) = 1795327999 is greater than the ledger's time (1795228775)",
  ],
  [
    "valid",
    [i128(1n), u32(204)],
    "`until` (204, argument 2) is less than the ledger's number (205)",
    "the ledger's number (205) is greater than `until` (204, argument 2)",
  ],

  [
    "all_of",
    [u32(1), u32(10), u32(1)],
    "`b` (10, argument 2) is not greater than 10",
    "`b` (10, argument 2) is less than 11",
  ],
  [
    "all_of",
    [u32(1), u32(11), u32(20)],
    "`c` (20, argument 3) is not less than 20",
    "`c` (20, argument 3) is greater than 19",
  ],
  ["all_of", [u32(0), u32(11), u32(1)], "`a` (argument 1) is 0"],
  ["any_of", [i128(1n), i128(0n), { bool: false }], "`b` (0, argument 2) is not greater than 0"],
  ["any_of", [i128(1n), i128(1n), { bool: true }], "`c` (argument 3) is true"],
  ["mixed", [u32(1), u32(1), u32(6)], "`c` (6, argument 3) is greater than 5"],
  ["required", [i128(0n), i128(5n)], "`amount` (0, argument 1) is not greater than 0"],
  [
    "required",
    [i128(6n), i128(5n)],
    "`amount` (6, argument 1) is greater than `most` (5, argument 2)",
    "`most` (5, argument 2) is less than `amount` (6, argument 1)",
  ],
  [
    "asserted",
    [u64(4n)],
    "`amount` (4, argument 1) is less than 5",
    "`amount` (4, argument 1) is not greater than 4",
  ],
  ["asserted_equal", [u32(4), u32(5)], both("is not", 4, 5)],
  ["checked", [i128(-1n)], "`amount` (-1, argument 1) is less than 0"],
  [
    "net",
    [i128(2n ** 126n), u32(30), i128(0n)],
    `\`amount\` (${2n ** 126n}, argument 1) × \`basis_points\` (30, argument 2) does not fit an i128`,
  ],
  [
    "configured",
    [i128(1001n)],
    "config.cap (1000, instance storage) is less than `amount` (1001, argument 1)",
    "`amount` (1001, argument 1) is greater than config.cap (1000, instance storage)",
  ],
  [
    "configured",
    [i128(49n)],
    "`amount` (49, argument 1) is less than config.limits.least (50, instance storage)",
    "config.limits.least (50, instance storage) is greater than `amount` (49, argument 1)",
  ],
  ["initialize", [], 'there is an entry "config" in its instance storage'],
  [
    "spend",
    [symbol("rich"), symbol("poor"), i128(273n)],
    "Balance(rich) (272, persistent storage) is less than `amount` (273, argument 3)",
    "`amount` (273, argument 3) is greater than Balance(rich) (272, persistent storage)",
  ],
  [
    "spend",
    [symbol("poor"), symbol("rich"), i128(3n)],
    "`amount` (3, argument 3) is greater than 0, as there is no entry Balance(poor) in its persistent storage (`from`, argument 1)",
  ],
  [
    "spend",
    [symbol("rich"), symbol("poor"), i128(-3n)],
    "`amount` (-3, argument 3) is less than 0",
  ],
  [
    "least_stored",
    [symbol("poor"), i128(3n)],
    "`most` (3, argument 2) is less than 1000, as there is no entry Balance(poor) in its persistent storage (`key`, argument 1)",
  ],
  ["twice", [i128(1n), i128(-2n)], "`b` (-2, argument 2) is less than 0"],
  [
    "output",
    [i128(100n), i128(1000n), i128(1000n), i128(91n)],
    "(`amount` (100, argument 1) × `to` (1000, argument 3)) / (`amount` (100, argument 1) + `from` (1000, argument 2)) = 90 is less than `least` (91, argument 4)",
    "`least` (91, argument 4) is greater than (`amount` (100, argument 1) × `to` (1000, argument 3)) / (`amount` (100, argument 1) + `from` (1000, argument 2)) = 90",
  ],
  [
    "net",
    [i128(1000n), u32(30), i128(998n)],
    "`amount` (1000, argument 1) − ((`amount` (1000, argument 1) × `basis_points` (30, argument 2)) / 10000) = 997 is less than `least` (998, argument 3)",
    "`least` (998, argument 3) is greater than `amount` (1000, argument 1) − ((`amount` (1000, argument 1) × `basis_points` (30, argument 2)) / 10000) = 997",
  ],
  // Many more instructions than are watched: what was read before them, and after.
  ["busy", [u32(300_000), i128(2n ** 70n), u32(4)], "`limit` (4, argument 3) is less than 5"],
  ["busy", [u32(300_000), i128(6n), u32(9)], "`amount` (6, argument 2) is less than 7"],
  [
    "busy",
    [u32(300_000), i128(-(2n ** 70n)), u32(9)],
    `\`amount\` (${-(2n ** 70n)}, argument 2) is less than 7`,
  ],
  ["tens", [i128(-11n)], "`amount` (-11, argument 1) % 10 = -1 is not 0"],
  [
    "flag_at_u128",
    [u128(2n ** 100n), u32(99)],
    `\`flags\` (${2n ** 100n}, argument 1) & (1 << \`bit\` (99, argument 2)) is 0`,
  ],
  ["u256_fits", [u256(2n ** 128n)], `\`a\` (${2n ** 128n}, argument 1) does not fit a u128`],
  [
    "wide_mul_div",
    [i128(2n ** 100n), i128(2n ** 100n), i128(2n)],
    `(\`a\` (${2n ** 100n}, argument 1) × \`b\` (${2n ** 100n}, argument 2)) / \`c\` (2, argument 3) = ${2n ** 199n} does not fit an i128`,
  ],
];

/** Where no single value decides alone, or none is found; what may be said all the same. */
const SILENT: readonly Row[] = [
  [
    "mixed",
    [u32(6), u32(6), u32(1)],
    "`a` (6, argument 1) is greater than 5",
    "`b` (6, argument 2) is greater than 5",
    "`a` (6, argument 1) is greater than 5 and `b` (6, argument 2) is greater than 5",
  ],
  [
    "any_of",
    [i128(0n), i128(0n), { bool: true }],
    "`a` (0, argument 1) is not greater than 0",
    "`c` (argument 3) is true",
  ],
];

for (const level of [...CHECKED, ...WRAPPING]) {
  const rows = WRAPPING.includes(level) ? ROWS : [...OVERFLOWS, ...ROWS];
  testRows(level, says(level), { rows, silent: SILENT });
}

test("one of several clauses is proven alone, whatever the others are", async () => {
  for (const level of CHECKED) {
    const said = says(level);
    const first = await said("any_of", [i128(0n), i128(0n), { bool: true }], true);
    expect(first).toEndWith("it fails with Error(Contract, #2) again, elsewhere.");
    const divided = await said("checked_divide", [i128(LEAST), i128(-1n)], true);
    expect(divided).toMatch(/\. Run with .*, it succeeds\.$/);
  }
});

test("with debug information the line of the contract's own source is said", async () => {
  const said = sayer(simulator, "panics-debug.wasm", { persistent: [], absent: [] });
  expect(await said("fail", [u32(99)])).toBe(
    "`fail` stopped at ./src/lib.rs:38 because its argument (99, argument 1) is less than 100.",
  );
});

/** A function of two numbers: whether it fails, and the sentence, by its source. */
type Modelled = readonly [
  name: string,
  given: (a: bigint, b: bigint) => readonly Json[],
  fails: (a: bigint, b: bigint) => string | null,
];
const fits = (number: bigint, least: bigint, most: bigint) => number >= least && number <= most;
const clamp = (number: bigint, least: bigint, most: bigint) =>
  number < least ? least : number > most ? most : number;
const numbers = (least: bigint, most: bigint) => {
  const near = (bound: bigint) =>
    fc.bigInt({ min: -2n, max: 2n }).map((more) => clamp(bound + more, least, most));
  const bounds = [0n, 10n, 20n, 60n, 500n, 2n ** 32n, 2n ** 55n, 2n ** 64n, least, most];
  return fc.oneof(...bounds.map(near), ...bounds.map((bound) => near(-bound)));
};
const is128 = numbers(LEAST, MOST);
const overflows =
  (sign: string, made: (a: bigint, b: bigint) => bigint) => (a: bigint, b: bigint) =>
    fits(made(a, b), LEAST, MOST) ? null : overflow(sign, a, b, "i128");
const MODELLED: readonly Modelled[] = [
  ["checked_mul", (a, b) => [i128(a), i128(b)], overflows("×", (a, b) => a * b)],
  ["checked_add", (a, b) => [i128(a), i128(b)], overflows("+", (a, b) => a + b)],
  ["checked_sub", (a, b) => [i128(a), i128(b)], overflows("−", (a, b) => a - b)],
  [
    "not_const",
    (a) => [i128(a)],
    (a) => (a === 500n ? null : `\`amount\` (${a}, argument 1) is not 500`),
  ],
];

test("it is said where the source fails, and nowhere else", async () => {
  const builds = new Map([...CHECKED, ...WRAPPING].map((level) => [level, says(level)]));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...builds.keys()),
      fc.constantFrom(...MODELLED),
      is128,
      is128,
      async (level, [name, given, fails], a, b) => {
        const words = await builds.get(level)?.(name, given(a, b));
        const reason = fails(a, b);
        if (reason === null) return expect(words).toBeNull();
        expect(words).toBe(`\`${name}\` failed because ${reason}.`);
      },
    ),
    { numRuns: 200 },
  );
});
