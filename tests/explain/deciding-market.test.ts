// The conditions of tests/contracts/market, which is written as contracts in production are: its
// source is the truth, at each level of optimization, with overflow checks and without.

import { SOURCE } from "../support/executed.ts";
import {
  address,
  bytes,
  CHECKED,
  i128,
  i256,
  type Json,
  key,
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
const unlock = (amount: bigint, at: number) => map({ amount: i128(amount), at: u64(at) });
const draft = (voted: number, against: number, ends: number, quorum: Json = "void", done = false) =>
  map({
    against: u32(against),
    ends: u64(ends),
    executed: { bool: done },
    quorum,
    voted: u32(voted),
  });

const NOW = 1_795_228_000;
const says = (level: string): Said =>
  sayer(simulator, `market-${level}.wasm`, {
    persistent: [
      [key("Reserves"), map({ a: i128(1000n), b: i128(2000n), shares: i128(1500n) })],
      [key("Balance", address), i128(272n)],
      [key("Balances"), { map: [{ key: address, val: i128(50n) }] }],
      [key("Members"), vec(other)],
      [key("Stage"), u32(2)],
      [key("Role", address), key("Trader")],
      [key("Draft", u32(1)), draft(5, 5, NOW + 1_000_000, "void", true)],
      [key("Draft", u32(2)), draft(5, 5, NOW - 1_000_000)],
      [key("Draft", u32(3)), draft(60, 30, NOW, u32(100))],
      [key("Draft", u32(4)), draft(10, 40, NOW)],
      [key("Unlocks"), vec(unlock(100n, NOW - 1_000_000), unlock(200n, NOW + 1_000_000))],
      [key("Lock"), u64(NOW - 2_000_000)],
      [key("Bits"), u128(2n ** 100n)],
    ],
    absent: [
      key("Balance", other),
      key("Role", other),
      key("Position", address, u32(7)),
      key("Draft", u32(9)),
    ],
    temporary: [
      [key("Allowance", address, other), map({ amount: i128(5n), until: u32(4_000_000_000) })],
    ],
    absentTemporary: [key("Allowance", other, address)],
    instance: [{ key: key("Admin"), val: other }],
    hasOther: true,
  });

const MOST = 2n ** 127n - 1n;
const MOST_U64 = 2n ** 64n - 1n;

/** What `minted` failed for, in either order of the factors. */
function minted(amount: number): [string, string] {
  const [given, shares] = [
    `\`amount\` (${amount}, argument 1)`,
    "Reserves.shares (1500, persistent storage)",
  ];
  const product = (factors: string) =>
    `(${factors}) / Reserves.a (1000, persistent storage) = ${amount} is not greater than 0`;
  return [product(`${given} × ${shares}`), product(`${shares} × ${given}`)];
}

const ROWS: readonly Row[] = [
  [
    "swap",
    [i128(100n), i128(182n)],
    "((`amount` (100, argument 1) × 997) × Reserves.b (2000, persistent storage)) / ((Reserves.a (1000, persistent storage) × 1000) + (`amount` (100, argument 1) × 997)) = 181 is less than `least` (182, argument 2)",
  ],
  [
    "swap",
    [i128(MOST), i128(182n)],
    "`amount` (170141183460469231731687303715884105727, argument 1) × 997 does not fit an i128",
  ],
  [
    "swap",
    [i128(2n ** 110n), i128(182n)],
    "(`amount` (1298074214633706907132624082305024, argument 1) × 997) × Reserves.b (2000, persistent storage) does not fit an i128",
  ],
  [
    "swap",
    [i128(2n ** 105n), i128(2n ** 100n)],
    "((`amount` (40564819207303340847894502572032, argument 1) × 997) × Reserves.b (2000, persistent storage)) / ((Reserves.a (1000, persistent storage) × 1000) + (`amount` (40564819207303340847894502572032, argument 1) × 997)) = 1999 is less than `least` (1267650600228229401496703205376, argument 2)",
  ],
  [
    "price",
    [i128(6_000_000n)],
    "(Reserves.a (1000, persistent storage) × 10000000) / Reserves.b (2000, persistent storage) = 5000000 is less than `least` (6000000, argument 1)",
  ],
  [
    "shares",
    [i128(10n), i128(16n)],
    "(`amount` (10, argument 1) × Reserves.shares (1500, persistent storage)) / Reserves.a (1000, persistent storage) = 15 is less than `least` (16, argument 2)",
  ],
  [
    "shares",
    [i128(2n ** 120n), i128(2n ** 126n)],
    "`least` (85070591730234615865843651857942052864, argument 2) is greater than (`amount` (1329227995784915872903807060280344576, argument 1) × Reserves.shares (1500, persistent storage)) / Reserves.a (1000, persistent storage) = 1993841993677373809355710590420516864",
  ],
  [
    "minted",
    [i128(0n)],
    ...minted(0),
    "0 (computed from `amount`, Reserves.a, Reserves.shares) is not greater than 0",
  ],
  [
    "minted",
    [i128(-1n)],
    ...minted(-1),
    "-1 (computed from `amount`, Reserves.a, Reserves.shares) is not greater than 0",
  ],
  [
    "remove",
    [i128(1501n), i128(1n), i128(1n)],
    "Reserves.shares (1500, persistent storage) is less than `shares` (1501, argument 1)",
  ],
  [
    "remove",
    [i128(10n), i128(7n), i128(1n)],
    "(Reserves.a (1000, persistent storage) × `shares` (10, argument 1)) / Reserves.shares (1500, persistent storage) = 6 is less than `least_a` (7, argument 2)",
  ],
  [
    "remove",
    [i128(10n), i128(1n), i128(100n)],
    "(Reserves.b (2000, persistent storage) × `shares` (10, argument 1)) / Reserves.shares (1500, persistent storage) = 13 is less than `least_b` (100, argument 3)",
  ],
  [
    "remove",
    [i128(10n), i128(9n), i128(100n)],
    "(Reserves.a (1000, persistent storage) × `shares` (10, argument 1)) / Reserves.shares (1500, persistent storage) = 6 is less than `least_a` (9, argument 2)",
  ],
  ["add", [wide(1, -2)], "`amounts[1]` (-2, argument 1) is less than 0"],
  ["add", [wide(0, 0)], "`amounts[0]` (0, argument 1) + `amounts[1]` (0, argument 1) is 0"],
  ["add", [wide(1, 2, 3)], "`amounts` (argument 1) has 3 elements, not 2"],
  [
    "invariant",
    [i128(1000n), i128(1999n)],
    "`a` (1000, argument 1) × `b` (1999, argument 2) = 1999000 is less than Reserves.a (1000, persistent storage) × Reserves.b (2000, persistent storage) = 2000000",
    "`a` (1000, argument 1) × `b` (1999, argument 2) = 1999000 is less than Reserves.b (2000, persistent storage) × Reserves.a (1000, persistent storage) = 2000000",
  ],
  [
    "wide_mul_div",
    [i128(2n ** 100n), i128(2n ** 100n), i128(2n)],
    "(`a` (1267650600228229401496703205376, argument 1) × `b` (1267650600228229401496703205376, argument 2)) / `by` (2, argument 3) = 803469022129495137770981046170581301261101496891396417650688 does not fit an i128",
  ],
  ["wide_mul_div", [i128(5n), i128(7n), i128(0n)], "`by` (argument 3) is 0"],
  [
    "utilization",
    [i128(96n), i128(100n)],
    "(`borrowed` (96, argument 1) × 10000000) / `supplied` (100, argument 2) = 9600000 is greater than 9500000",
  ],
  [
    "interest",
    [u64(1n), u64(NOW + 10_000_000)],
    "the ledger's time (1795228775) is less than `since` (1805228000, argument 2)",
  ],
  [
    "interest",
    [u64(MOST_U64), u64(5n)],
    "`rate` (18446744073709551615, argument 1) × (the ledger's time (1795228775) − `since` (5, argument 2)) does not fit a u64",
  ],
  [
    "interest",
    [u64(1000n), u64(5n)],
    "`rate` (1000, argument 1) × (the ledger's time (1795228775) − `since` (5, argument 2)) = 1795228770000 is not less than 3185136000",
  ],
  ["fee", [i128(100n), u32(10001)], "`points` (10001, argument 2) is greater than 10000"],
  [
    "fee",
    [i128(1n), u32(5)],
    "((`amount` (1, argument 1) × `points` (5, argument 2)) + 9999) / 10000 = 1 is not less than `amount` (1, argument 1)",
    "`amount` (1, argument 1) is not greater than ((`amount` (1, argument 1) × `points` (5, argument 2)) + 9999) / 10000 = 1",
  ],
  ["root", [i128(10n), i128(10n)], "10 (computed from `a`, `b`) is not greater than 1000"],
  [
    "root",
    [i128(2n ** 100n), i128(2n ** 100n)],
    "`a` (1267650600228229401496703205376, argument 1) × `b` (1267650600228229401496703205376, argument 2) does not fit an i128",
  ],
  [
    "deviation",
    [i128(120n), i128(100n)],
    "(`price` (120, argument 1) − `last` (100, argument 2)) × 10000 = 200000 is greater than `last` (100, argument 2) × 500 = 50000",
  ],
  ["clamped", [i128(-5n)], "`amount` (-5, argument 1) is not greater than 0"],
  ["clamped", [i128(0n)], "`amount` (0, argument 1) is not greater than 0"],
  ["least_of", [i128(5n), i128(100n)], "`a` (5, argument 1) is less than 10"],
  ["least_of", [i128(100n), i128(5n)], "`b` (5, argument 2) is less than 10"],
  ["most_of", [u64(5n), u64(100n)], "`b` (100, argument 2) is greater than 10"],
  [
    "chain",
    [i128(MOST), i128(1n), i128(1n)],
    "`a` (170141183460469231731687303715884105727, argument 1) + `b` (1, argument 2) does not fit an i128",
  ],
  [
    "u256",
    [u256(900n), u256(101n)],
    "`a` (900, argument 1) + `b` (101, argument 2) = 1001 is not less than 1000",
  ],
  [
    "i256",
    [i256(-(2n ** 200n))],
    "`a` (-1606938044258990275541962092341162602522202993782792835301376, argument 1) does not fit an i128",
  ],
  ["u256_u64", [u256(2n ** 64n)], "`a` (18446744073709551616, argument 1) does not fit a u64"],
  [
    "u256_u64",
    [u256(2n ** 128n)],
    "`a` (340282366920938463463374607431768211456, argument 1) does not fit a u128",
  ],
  [
    "transfer",
    [address, other, i128(273n)],
    `Balance(${SOURCE}) (272, persistent storage) is less than \`amount\` (273, argument 3)`,
  ],
  [
    "transfer",
    [other, address, i128(3n)],
    `\`amount\` (3, argument 3) is greater than 0, as there is no entry Balance(${OTHER}) in its persistent storage (\`from\`, argument 1)`,
  ],
  ["transfer", [address, other, i128(-3n)], "`amount` (-3, argument 3) is less than 0"],
  [
    "spend_allowance",
    [address, other, i128(6n)],
    `Allowance(${SOURCE}, ${OTHER}).amount (5, temporary storage) is less than \`amount\` (6, argument 3)`,
  ],
  [
    "spend_allowance",
    [other, address, i128(6n)],
    `\`amount\` (6, argument 3) is greater than 0, as there is no live entry Allowance(${OTHER}, ${SOURCE}) in its temporary storage (\`from\`, argument 1; \`spender\`, argument 2)`,
  ],
  [
    "approve",
    [i128(1n), u32(5)],
    "the ledger's number (205) is greater than `until` (5, argument 2)",
  ],
  [
    "admin_only",
    [address],
    `\`caller\` (${SOURCE}, argument 1) is not Admin (${OTHER}, instance storage)`,
  ],
  ["initialize", [address], "there is an entry Admin in its instance storage"],
  [
    "map_balance",
    [address, i128(51n)],
    `Balances[${SOURCE}] (50, persistent storage) − \`amount\` (51, argument 2) = -1 is less than 0`,
  ],
  [
    "map_balance",
    [other, i128(51n)],
    `0 − \`amount\` (51, argument 2) = -51 is less than 0, as Balances (persistent storage) has no key ${OTHER} (\`of\`, argument 1)`,
  ],
  [
    "member",
    [address],
    `Members (persistent storage) has no element ${SOURCE} (\`who\`, argument 1)`,
  ],
  [
    "not_member",
    [other],
    `Members (persistent storage) has the element ${OTHER} (\`who\`, argument 1)`,
  ],
  [
    "open_only",
    [],
    "Stage (2, persistent storage) is not 1",
    "Stage (2, persistent storage) & 3 = 2 is not 1",
  ],
  [
    "advance",
    [u32(1)],
    "`next` (1, argument 1) is not 3",
    "`next` (1, argument 1) is not 3 and Stage (persistent storage) is 2",
  ],
  ["role", [address], `Role(${SOURCE})[0] (persistent storage) is Trader`],
  [
    "role",
    [other],
    `there is no entry Role(${OTHER}) in its persistent storage (\`who\`, argument 1)`,
  ],
  ["given_role", [key("Reader")], "`role[0]` (argument 1) is Reader"],
  [
    "vote",
    [u32(9), u32(1)],
    "there is no entry Draft(9) in its persistent storage (`number`, argument 1)",
  ],
  [
    "vote",
    [u32(2), u32(1)],
    "the ledger's time (1795228775) is greater than Draft(2).ends (1794228000, persistent storage)",
  ],
  [
    "execute",
    [u32(3)],
    "Draft(3).voted (60, persistent storage) + Draft(3).against (30, persistent storage) = 90 is less than Draft(3).quorum (100, persistent storage)",
  ],
  [
    "execute",
    [u32(4)],
    "Draft(4).voted (10, persistent storage) × 100 = 1000 is less than (Draft(4).voted (10, persistent storage) + Draft(4).against (40, persistent storage)) × 60 = 3000",
  ],
  [
    "position",
    [address, u32(7)],
    `there is no entry Position(${SOURCE}, 7) in its persistent storage (\`of\`, argument 1; \`number\`, argument 2)`,
  ],
  [
    "claim",
    [i128(101n)],
    "`amount` (101, argument 1) is greater than Unlocks[0].amount (100, persistent storage)",
    "Unlocks[0].amount (100, persistent storage) is less than `amount` (101, argument 1)",
    "100 (computed from Unlocks[0].amount, Unlocks[1].amount) is less than `amount` (101, argument 1)",
    "100 (computed from Unlocks[0].amount) is less than `amount` (101, argument 1)",
    "100 (computed from Unlocks[0].amount) is less than `amount` (101, argument 1), as the ledger's time (1795228775) is less than Unlocks[1].at (1796228000, persistent storage)",
  ],
  [
    "claim_one",
    [u32(1)],
    "the ledger's time (1795228775) is less than Unlocks[1].at (1796228000, persistent storage)",
  ],
  [
    "claim_one",
    [u32(2)],
    "the length 2 of Unlocks (persistent storage) is not greater than `index` (2, argument 1)",
  ],
  [
    "in_window",
    [u64(NOW + 10_000_000), u64(NOW + 20_000_000)],
    "the ledger's time (1795228775) is less than `begins` (1805228000, argument 1)",
  ],
  [
    "in_window",
    [u64(5), u64(10)],
    "the ledger's time (1795228775) is greater than `ends` (10, argument 2)",
  ],
  [
    "cooled",
    [u64(1_000_000_000)],
    "the ledger's time (1795228775) − Lock (1793228000, persistent storage) = 2000775 is less than `wait` (1000000000, argument 1)",
  ],
  [
    "deadline",
    [u64(5)],
    "the ledger's time (1795228775) is not less than `deadline` (5, argument 1)",
  ],
  [
    "mature",
    [u32(4_000_000_000)],
    "the ledger's number (205) is less than `from` (4000000000, argument 1) + 17280 = 4000017280",
    "`from` (4000000000, argument 1) + 17280 = 4000017280 is greater than the ledger's number (205)",
  ],
  [
    "weights",
    [list(5000, 4999)],
    "`weights[0]` (5000, argument 1) + `weights[1]` (4999, argument 1) = 9999 is not 10000",
  ],
  ["any_zero", [wide(1, 0, 3)], "`amounts[1]` (argument 1) is 0"],
  [
    "find_small",
    [vec(unlock(1n, 5), unlock(2n, 6)), u64(6)],
    "`unlocks[1].amount` (2, argument 1) is less than 6",
  ],
  ["pairs", [vec(address), wide(1)], "`path` (argument 1) has 1 element, less than 2"],
  [
    "pairs",
    [vec(address, other), wide(1, 2)],
    "the length 2 of `amounts` (argument 2) + 1 = 3 is not the length 2 of `path` (argument 1)",
  ],
  [
    "ends_differ",
    [vec(address, other, address)],
    `\`path[0]\` (${SOURCE}, argument 1) equals \`path[last]\` (${SOURCE}, argument 1)`,
  ],
  [
    "ordered",
    [other, address],
    `\`a\` (${OTHER}, argument 1) is not less than \`b\` (${SOURCE}, argument 2)`,
  ],
  [
    "most",
    [list(1, 7, 3), u32(6)],
    "`items[1]` (7, argument 1) is greater than `most` (6, argument 2)",
  ],
  [
    "zipped",
    [wide(1, 2, 3), wide(1, 2, 4)],
    "`amounts[2]` (3, argument 1) is less than `leasts[2]` (4, argument 2)",
  ],
  ["popped", [list()], "`items` (argument 1) has 0 elements"],
  ["popped", [list(1, 100)], "`items[last]` (100, argument 1) is not less than 100"],
  ["no_others", [u32(4)], "`flags` (4, argument 1) & 4294967284 = 4 is not 0"],
  [
    "claimed",
    [vec(u64(0n), u64(2n)), u32(65)],
    "(`words[1]` (2, argument 1) >> (`index` (65, argument 2) % 64)) & 1 = 1 is not 0",
  ],
  [
    "claimed",
    [vec(u64(0n), u64(2n)), u32(128)],
    "`index` (128, argument 2) >> 6 = 2 is not less than the length 2 of `words` (argument 1)",
  ],
  [
    "unlock",
    [bytes("00"), bytes("11".repeat(32))],
    "the SHA-256 of `secret` (0x6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d, argument 1) is not `hash` (0x1111111111111111111111111111111111111111111111111111111111111111, argument 2)",
  ],
  ["prefix", [bytes("010203")], "`data` (argument 1) has 3 bytes, less than 4"],
  ["prefix", [bytes("0102030506")], "`data[0..4]` (0x01020305, argument 1) is not 0x01020304"],
  ["version", [bytes("02")], "`data[0]` (2, argument 1) is not 1"],
  ["named", [{ string: "" }], "`name` (argument 1) has 0 characters"],
  ["named", [{ string: "a".repeat(33) }], "`name` (argument 1) has 33 characters, more than 32"],
  ["first_letter", [{ string: "C".repeat(56) }], "`name[0]` (67, argument 1) is not 71"],
  ["first_letter", [{ string: "C".repeat(55) }], "`name` (argument 1) has 55 characters, not 56"],
  ["signature", [bytes("00".repeat(63))], "`signature` (argument 1) has 63 bytes, not 64"],
  [
    "nested",
    [unlock(5n, 1), i128(6n)],
    "`limit.amount` (5, argument 1) is less than `amount` (6, argument 2)",
  ],
  ["either", ["void", "void"], "`b` (argument 2) is void"],
  ["either", ["void", i128(0n)], "`b` (0, argument 2) is not greater than 0"],
  ["either", [i128(-1n), i128(0n)], "`a` (-1, argument 1) is not greater than 0"],
  ["both", [u32(6), u32(5)], "`a` (6, argument 1) is greater than `b` (5, argument 2)"],
  ["some_and", ["void"], "`limit` (argument 1) is void"],
  ["some_and", [u64(5n)], "`limit` (5, argument 1) is less than 6"],
  [
    "flagged",
    [{ bool: true }, i128(101n)],
    "`paused` (argument 1) is true",
    "`amount` (101, argument 2) is greater than 100",
    "`amount` (101, argument 2) is greater than 100, as `paused` (argument 1) is true",
    "`amount` (101, argument 2) is greater than 100 and `paused` (argument 1) is true",
  ],
  [
    "asserted",
    [u32(3), u32(3)],
    "`a` (3, argument 1) equals `b` (3, argument 2)",
    "`b` (3, argument 2) equals `a` (3, argument 1)",
  ],
  ["one_of_two", [i128(0n), i128(0n)], "`b` (argument 2) is 0 and `a` (argument 1) is 0"],
  [
    "one_of_two",
    [i128(1n), i128(2n)],
    "`b` (2, argument 2) is greater than 0",
    "`a` (1, argument 1) is greater than 0 and `b` (2, argument 2) is greater than 0",
  ],
  [
    "settle",
    [u32(150_000), wide(5, 7, 9), i128(8n)],
    "`amounts[1]` (7, argument 2) is less than `least` (8, argument 3)",
  ],
  [
    "settle_fee",
    [u32(150_000), wide(5, 7, 9), i128(8n)],
    "2 (computed from `amounts[0]`) is less than `least` (8, argument 3)",
    "`amounts[0]` (5, argument 2) − 3 = 2 is less than `least` (8, argument 3)",
  ],
  [
    "checked_before",
    [u32(150_000), i128(1000n)],
    "`amount` (1000, argument 2) is not less than 1000",
  ],
  [
    "quoted",
    [other, i128(30n), i128(11n)],
    `the result of \`quote\` of ${OTHER} (10) is less than \`least\` (11, argument 3); \`quote\` returned \`amount\` (30, argument 1) / 3`,
  ],
  [
    "quoted",
    [other, i128(1001n), i128(11n)],
    "`amount` (1001, argument 1) is greater than 1000; `amount` is `amount` (argument 2) of `quoted`",
  ],
  ["tried", [other, i128(1001n)], `the result of \`quote\` of ${OTHER} is an error`],
  [
    "tried_or",
    [other, i128(1001n), i128(5n)],
    `\`least\` (5, argument 3) is greater than 0, as the result of \`quote\` of ${OTHER} is an error`,
  ],
  [
    "tried_or",
    [other, i128(6n), i128(5n)],
    `the result of \`quote\` of ${OTHER} (2) is less than \`least\` (5, argument 3); \`quote\` returned \`amount\` (6, argument 1) / 3`,
  ],
  [
    "add",
    [vec(i128(MOST), i128(1n))],
    "`amounts[0]` (170141183460469231731687303715884105727, argument 1) + `amounts[1]` (1, argument 1) does not fit an i128",
  ],
  ["decimals", [u32(39)], "`decimals` (39, argument 1) is greater than 38"],
  [
    "asset",
    [key("Other", symbol("BTC")), key("Other", symbol("BTC"))],
    "`asset[1]` (BTC, argument 1) equals `other[1]` (BTC, argument 2)",
    "`other[1]` (BTC, argument 2) equals `asset[1]` (BTC, argument 1)",
  ],
  ["vote", [u32(1), u32(1)], "Draft(1).executed (persistent storage) is true"],
  ["find", [vec(unlock(1n, 5), unlock(2n, 6)), u64(7)], "`at` (7, argument 2) is none of 5, 6"],
  ["listed", [symbol("USD")], "[XLM, BTC] has no element USD (`of`, argument 1)"],
  [
    "zero",
    [bytes("00".repeat(32))],
    "`hash` (argument 1) is 0x0000000000000000000000000000000000000000000000000000000000000000",
  ],
];

/** Where nothing is said at one level of optimization, or at all. */
const SILENT: readonly Row[] = [
  ["all_even", [list(2, 4, 5, 6)], "`numbers[2]` (5, argument 1) % 2 = 1 is not 0"],
  ["shares", [i128(2n ** 127n - 1n), i128(2n ** 126n)]],
  [
    "fee",
    [i128(0n), u32(5)],
    "`amount` (0, argument 1) is not greater than 0 (computed from `amount`, `points`)",
  ],
  [
    "chain",
    [i128(1n), i128(1n), i128(2n)],
    "((`a` (1, argument 1) + `b` (1, argument 2)) − `c` (2, argument 3)) × 2 = 0 is not greater than 0",
  ],
  ["chain", [i128(2n ** 126n), i128(1n), i128(0n)]],
  ["i256", [i256(2n ** 127n)]],
  [
    "asset",
    [key("Other", symbol("USD")), key("Other", symbol("BTC"))],
    "`asset[1]` (argument 1) is USD",
  ],
  ["find_small", [vec(unlock(1n, 5), unlock(2n, 6)), u64(7)]],
  ["unique", [list(1, 2, 1)], "`items[2]` (1, argument 1) is already a key of {1: true, 2: true}"],
  ["most", [list(), u32(6)], "`items` (argument 1) has 0 elements"],
  ["count_of", [vec({ bool: true }, { bool: false }), u32(2)]],
  ["few_bits", [u32(15)]],
  [
    "is_set",
    [u32(49)],
    "(Bits (1267650600228229401496703205376, persistent storage) >> (`index` (49, argument 1) × 2)) & 1 is 0",
    "(Bits (1267650600228229401496703205376, persistent storage) >> ((`index` (49, argument 1) × 2) & 126)) & 1 is 0",
  ],
  ["power", [u64(12n)]],
  ["power", [u64(0n)]],
  ["version", [bytes("")], "`data` (argument 1) has 0 bytes"],
  ["any_value", [i128(5n)], "`value` (argument 1) is an i128, not a u32"],
  ["any_value", [u32(3)], "`value` (3, argument 1) is less than 4"],
  [
    "found",
    [u32(150_000), list(30, 30)],
    "`items[1]` (30, argument 2) is not less than 10",
    "`items[1]` (30, argument 2) is greater than 9",
    "`items[0]` (30, argument 2) is not less than 10",
    "`items[0]` (30, argument 2) is greater than 9",
  ],
];

for (const level of [...CHECKED, ...WRAPPING])
  testRows(level, says(level), { rows: ROWS, silent: SILENT });
