// The conditions of tests/contracts/vault, which is written as other people write: its source is the
// truth, at each level of optimization, with overflow checks and without.

import { decodeAccountKey, encodeStrkey } from "../../src/base/text/strkey.ts";
import { SOURCE } from "../support/executed.ts";
import {
  address,
  bytes,
  CHECKED,
  i128,
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
  vec,
  WRAPPING,
  wide,
} from "../support/said-why.ts";
import { openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();

const price = (at: number, value: number) => map({ at: u64(at), value: i128(value) });
const terms = (floor: number, slots: number) => map({ floor: price(5, floor), slots: u32(slots) });
const allowance = (from: Json, spender: Json) => key("Allowance", map({ from, spender }));
const allowed = (amount: number, until: number) =>
  map({ amount: i128(amount), expiration_ledger: u32(until) });

const NOW = 1_795_228_000;
const says = (level: string): Said =>
  sayer(simulator, `vault-${level}.wasm`, {
    persistent: [
      [key("Balance", address), i128(272n)],
      [key("Counts"), map({ a: u32(3) })],
      [key("Escrow", u32(1)), key("Created")],
      [key("Escrow", u32(2)), key("Funded", i128(50n))],
      [key("Escrow", u32(3)), key("Released", u64(NOW + 1_000_000), i128(7n))],
      [key("Escrow", u32(4)), key("Closed")],
      [key("Escrow", u32(5)), key("Released", u64(5), i128(7n))],
      [key("Names"), vec(symbol("abc"), symbol("abd"))],
      [key("Nonce", address), u64(7)],
      [key("Owners"), vec(other)],
      [key("Total"), u128(100n)],
      [symbol("price"), price(NOW, 900)],
      [symbol("status"), u32(4_294_967_290)],
    ],
    absent: [key("Balance", other), key("Escrow", u32(9)), key("Nonce", other)],
    temporary: [
      [allowance(address, other), allowed(5, 4_000_000_000)],
      [allowance(address, address), allowed(50, 100)],
    ],
    absentTemporary: [allowance(other, address)],
    instance: [
      { key: symbol("lock"), val: { bool: true } },
      { key: symbol("status"), val: symbol("open") },
      {
        key: key("Config"),
        val: map({
          admin: other,
          asset: key("Code", symbol("USD")),
          enabled: { bool: false },
          fee_bps: u32(30),
          pending: other,
          terms: terms(100, 4),
        }),
      },
    ],
    hasOther: true,
  });

const MUXED = encodeStrkey(
  "muxed",
  Buffer.concat([decodeAccountKey(SOURCE) ?? new Uint8Array(), new Uint8Array(8)]),
);
const MOST = 2n ** 127n - 1n;
const SHORT = `${"0x"}${"00".repeat(32)}`;

const ROWS: readonly Row[] = [
  ["withdraw", [address, i128(0n)], "`amount` (0, argument 2) is not greater than 0"],
  [
    "withdraw",
    [address, i128(273n)],
    `Balance(${SOURCE}) (272, persistent storage) − \`amount\` (273, argument 2) = -1 is less than 0`,
  ],
  [
    "withdraw",
    [other, i128(3n)],
    `0 − \`amount\` (3, argument 2) = -3 is less than 0, as there is no entry Balance(${OTHER}) in its persistent storage (\`of\`, argument 1)`,
  ],
  [
    "take",
    [u128(101n)],
    "Total (100, persistent storage) is less than `amount` (101, argument 1)",
    "Total (100, persistent storage) − `amount` (101, argument 1) does not fit a u128",
  ],
  [
    "count_up",
    [u32(6)],
    "`by` (6, argument 1) + status (4294967290, persistent storage) does not fit a u32",
  ],
  ["sum_all", [wide(1, 0), i128(5n)], "`amounts[1]` (0, argument 1) is not greater than 0"],
  [
    "sum_all",
    [wide(1, 2), i128(5n)],
    "`amounts[0]` (1, argument 1) + `amounts[1]` (2, argument 1) = 3 is not `expected` (5, argument 2)",
    "3 (computed from `amounts[0]`, `amounts[1]`) is not `expected` (5, argument 2)",
  ],
  [
    "shares_of",
    [list(5000, 4000)],
    "`parts[0]` (5000, argument 1) + `parts[1]` (4000, argument 1) = 9000 is not 10000",
  ],
  ["scale", [i128(1n), u32(39)], "`decimals` (39, argument 2) is greater than 38"],
  [
    "scale",
    [i128(2n), u32(38)],
    "`amount` (2, argument 1) × 100000000000000000000000000000000000000 does not fit an i128",
  ],
  [
    "scale",
    [i128(2n ** 126n), u32(1)],
    "`amount` (85070591730234615865843651857942052864, argument 1) × 10 does not fit an i128",
  ],
  ["down", [i128(99n), u32(9), u32(7)], "`amount` (99, argument 1) / 100 is 0"],
  [
    "vested",
    [i128(1000n), u64(NOW - 500_000), i128(501n)],
    "(`total` (1000, argument 1) × (the ledger's time (1795228775) − `start` (1794728000, argument 2))) / 1000000 = 500 is less than `amount` (501, argument 3)",
  ],
  [
    "release",
    [u32(9), i128(1n)],
    "there is no entry Escrow(9) in its persistent storage (`id`, argument 1)",
  ],
  ["release", [u32(1), i128(1n)], "Escrow(1)[0] (persistent storage) is Created"],
  [
    "release",
    [u32(2), i128(51n)],
    "Escrow(2)[1] (50, persistent storage) is less than `least` (51, argument 2)",
  ],
  ["release", [u32(4), i128(1n)], "Escrow(4)[0] (persistent storage) is Closed"],
  [
    "is_state",
    [u32(1), key("Closed")],
    "Escrow(1)[0] (persistent storage) is Created and `state[0]` (argument 2) is Closed",
  ],
  [
    "is_state",
    [u32(2), key("Funded", i128(51n))],
    "Escrow(2)[1] (50, persistent storage) is not `state[1]` (51, argument 2)",
  ],
  [
    "is_state",
    [u32(3), key("Released", u64(NOW + 1_000_000), i128(8n))],
    "Escrow(3)[2] (7, persistent storage) is not `state[2]` (8, argument 2)",
  ],
  [
    "pays_in",
    [key("Code", symbol("EUR"))],
    "`asset[1]` (EUR, argument 1) is not Config.asset[1] (USD, instance storage)",
  ],
  [
    "pays_in",
    [key("Code", symbol("USDC"))],
    "`asset[1]` (USDC, argument 1) is not Config.asset[1] (USD, instance storage)",
  ],
  [
    "not_in",
    [key("Code", symbol("USD"))],
    "`asset[1]` (USD, argument 1) equals Config.asset[1] (USD, instance storage)",
    "Config.asset[1] (USD, instance storage) equals `asset[1]` (USD, argument 1)",
  ],
  ["locked", [], "lock (instance storage) is true"],
  [
    "status",
    [symbol("close")],
    "status (open, instance storage) is not `wanted` (close, argument 1)",
    "`wanted` (close, argument 1) is not status (open, instance storage)",
  ],
  ["enabled", [], "Config.enabled (instance storage) is false"],
  [
    "accept",
    [address],
    `Config.pending (${OTHER}, instance storage) is not \`caller\` (${SOURCE}, argument 1)`,
    `\`caller\` (${SOURCE}, argument 1) is not Config.pending (${OTHER}, instance storage)`,
  ],
  [
    "is_pending",
    [address],
    `Config.pending (${OTHER}, instance storage) is not \`caller\` (${SOURCE}, argument 1)`,
    `\`caller\` (${SOURCE}, argument 1) is not Config.pending (${OTHER}, instance storage)`,
  ],
  [
    "as_admin",
    [address, u32(1)],
    `Config.admin (${OTHER}, instance storage) is not \`caller\` (${SOURCE}, argument 1)`,
  ],
  [
    "as_admin",
    [other, u32(61)],
    "`bps` (61, argument 2) is greater than Config.fee_bps (30, instance storage) × 2 = 60",
    "Config.fee_bps (30, instance storage) × 2 = 60 is less than `bps` (61, argument 2)",
  ],
  [
    "owner_only",
    [address],
    `Owners (persistent storage) has no element ${SOURCE} (\`who\`, argument 1)`,
  ],
  [
    "new_owner",
    [other],
    `Owners[0] (${OTHER}, persistent storage) equals \`who\` (${OTHER}, argument 1)`,
  ],
  ["named", [symbol("abe")], "`name` (abe, argument 1) is none of abc, abd"],
  ["sorted_has", [list(1, 3), u32(2)], "`ids` (argument 1) has no element 2 (`id`, argument 2)"],
  ["find_id", [list(1, 3), u32(2)], "`id` (2, argument 2) is none of 1, 3"],
  [
    "rising",
    [list(1, 3, 3)],
    "`ids[1]` (3, argument 1) is not less than `ids[2]` (3, argument 1)",
    "`ids[2]` (3, argument 1) is not greater than `ids[1]` (3, argument 1)",
  ],
  ["owner_only", [{ address: MUXED }], "`who` (argument 1) is a muxed address, not an address"],
  ["rising", [list()], "`ids` (argument 1) has 0 elements"],
  [
    "counted",
    [symbol("a"), u32(3)],
    "Counts.a (3, persistent storage) is not less than `most` (3, argument 2)",
    "Counts[a] (3, persistent storage) is not less than `most` (3, argument 2)",
  ],
  [
    "counted",
    [symbol("b"), u32(0)],
    "`most` (argument 2) is 0, as Counts (persistent storage) has no key b (`name`, argument 1)",
  ],
  [
    "wait",
    [u64(NOW), u64(1000)],
    "the ledger's time (1795228775) − `start` (1795228000, argument 1) = 775 is less than `wait` (1000, argument 2)",
  ],
  [
    "grace",
    [u64(NOW), u64(700)],
    "the ledger's time (1795228775) is greater than `deadline` (1795228000, argument 1) + `grace` (700, argument 2) = 1795228700",
    "`deadline` (1795228000, argument 1) + `grace` (700, argument 2) = 1795228700 is less than the ledger's time (1795228775)",
  ],
  [
    "fresh",
    [i128(899n)],
    "the ledger's time (1795228775) − price.at (1795228000, persistent storage) = 775 is greater than 300",
  ],
  [
    "spend",
    [address, other, i128(6n)],
    `Allowance({from: ${SOURCE}, spender: ${OTHER}}).amount (5, temporary storage) is less than \`amount\` (6, argument 3)`,
  ],
  [
    "spend",
    [other, address, i128(6n)],
    `\`amount\` (6, argument 3) is greater than 0, as there is no live entry Allowance({from: ${OTHER}, spender: ${SOURCE}}) in its temporary storage (\`from\`, argument 1; \`spender\`, argument 2)`,
  ],
  [
    "allow",
    [i128(1n), u32(100)],
    "`expiration_ledger` (100, argument 2) is less than the ledger's number (205)",
    "the ledger's number (205) is greater than `expiration_ledger` (100, argument 2)",
  ],
  [
    "allow",
    [i128(1n), u32(4_294_967_295)],
    "(the last ledger to which a TTL can be extended (3110604) − the ledger's number (205)) + the ledger's number (205) = 3110604 is less than `expiration_ledger` (4294967295, argument 2)",
    "the ledger's number (205) + (the last ledger to which a TTL can be extended (3110604) − the ledger's number (205)) = 3110604 is less than `expiration_ledger` (4294967295, argument 2)",
  ],
  [
    "nonce",
    [address, u64(9)],
    `Nonce(${SOURCE}) (7, persistent storage) + 1 = 8 is not \`nonce\` (9, argument 2)`,
  ],
  [
    "min_out",
    [i128(94n), i128(100n), u32(500)],
    "((10000 − `bps` (500, argument 3)) × `quote` (100, argument 2)) / 10000 = 95 is greater than `out` (94, argument 1)",
    "`out` (94, argument 1) is less than ((10000 − `bps` (500, argument 3)) × `quote` (100, argument 2)) / 10000 = 95",
  ],
  [
    "slipped",
    [i128(94n), i128(100n), i128(500n)],
    "`out` (94, argument 1) × 10000 = 940000 is less than (10000 − `bps` (500, argument 3)) × `quote` (100, argument 2) = 950000",
  ],
  [
    "fee",
    [i128(1000n), u32(30), i128(2n)],
    "(`amount` (1000, argument 1) × `bps` (30, argument 2)) / 10000 = 3 is greater than `most` (2, argument 3)",
  ],
  [
    "fee",
    [i128(MOST), u32(30), i128(2n)],
    `\`amount\` (${MOST}, argument 1) × \`bps\` (30, argument 2) does not fit an i128`,
  ],
  [
    "band",
    [i128(89n), i128(100n)],
    "(`last` (100, argument 2) × 9) / 10 = 90 is greater than `price` (89, argument 1)",
    "`price` (89, argument 1) is less than (`last` (100, argument 2) × 9) / 10 = 90",
  ],
  [
    "band",
    [i128(111n), i128(100n)],
    "(`last` (100, argument 2) × 11) / 10 = 110 is less than `price` (111, argument 1)",
    "`price` (111, argument 1) is greater than (`last` (100, argument 2) × 11) / 10 = 110",
  ],
  [
    "collateral",
    [i128(100n), i128(149n)],
    "(`value` (149, argument 2) × 10000) / `debt` (100, argument 1) = 14900 is less than 15000",
  ],
  ["collateral", [i128(0n), i128(149n)], "`debt` (argument 1) is 0"],
  [
    "offered",
    [map({ id: u32(1), terms: terms(99, 4) })],
    "`offer.terms.floor.value` (99, argument 1) is less than Config.terms.floor.value (100, instance storage)",
  ],
  [
    "offered",
    [map({ id: u32(1), terms: terms(100, 5) })],
    "`offer.terms.slots` (5, argument 1) is greater than Config.terms.slots (4, instance storage)",
    "Config.terms.slots (4, instance storage) is less than `offer.terms.slots` (5, argument 1)",
  ],
  ["sign", [i128(0n)], "`amount` (0, argument 1) is not greater than 0"],
  ["sign", [i128(-4n)], "`amount` (-4, argument 1) is not greater than 0"],
  [
    "change",
    [i128(100n), i128(89n), i128(10n)],
    "`before` (100, argument 1) − `after` (89, argument 2) = 11 is greater than `most` (10, argument 3)",
  ],
  [
    "change",
    [i128(89n), i128(100n), i128(10n)],
    "`after` (100, argument 2) − `before` (89, argument 1) = 11 is greater than `most` (10, argument 3)",
  ],
  ["tens", [i128(-11n)], "`amount` (-11, argument 1) % 10 = -1 is not 0"],
  ["tens", [i128(11n)], "`amount` (11, argument 1) % 10 = 1 is not 0"],
  ["in_range", [u64(59)], "`number` (59, argument 1) is not 60 to 86400"],
  ["in_range", [u64(86_401)], "`number` (86401, argument 1) is not 60 to 86400"],
  [
    "revealed",
    [bytes("00".repeat(32)), bytes("11".repeat(32))],
    "the Keccak-256 of `secret` (0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563, argument 1) is not `hash` (0x1111111111111111111111111111111111111111111111111111111111111111, argument 2)",
  ],
  ["not_zero", [bytes("00".repeat(32))], `\`hash\` (argument 1) is ${SHORT}`],
  ["all_zero", [bytes("00".repeat(32))], `\`hash\` (argument 1) is ${SHORT}`],
  [
    "same_name",
    [symbol("abc"), symbol("abc")],
    "`a` (abc, argument 1) equals `b` (abc, argument 2)",
    "`b` (abc, argument 2) equals `a` (abc, argument 1)",
  ],
  ["is_usd", [symbol("EUR")], "`code` (EUR, argument 1) is not USD"],
];

/** Where nothing is said at one level of optimization, or at all. */
const SILENT: readonly Row[] = [
  [
    "sum_all",
    [vec(i128(MOST), i128(1n)), i128(5n)],
    `\`amounts[0]\` (${MOST}, argument 1) + \`amounts[1]\` (1, argument 1) does not fit an i128`,
  ],
  [
    "release",
    [u32(3), i128(1n)],
    "Escrow(3)[1] (1796228000, persistent storage) is greater than the ledger's time (1795228775)",
    "the ledger's time (1795228775) is less than Escrow(3)[1] (1796228000, persistent storage)",
  ],
  [
    "release",
    [u32(5), i128(1n)],
    "Escrow(5)[1] (5, persistent storage) is not greater than the ledger's time (1795228775)",
  ],
  [
    "pays_in",
    [key("Native")],
    "Config.asset[0] (instance storage) is Code and `asset[0]` (argument 1) is Native",
  ],
  [
    "pays_in",
    [key("Token", other)],
    "Config.asset[0] (instance storage) is Code and `asset[0]` (argument 1) is Token",
  ],
  ["signed_by", [vec(other, address), u32(2)], "`threshold` (2, argument 2) is greater than 1"],
  [
    "wait",
    [u64(NOW + 5_000), u64(1000)],
    "`wait` (1000, argument 2) is greater than 0, as `start` (1795233000, argument 1) is greater than the ledger's time (1795228775)",
  ],
  [
    "spend",
    [address, address, i128(6n)],
    `\`amount\` (6, argument 3) is greater than 0, as the ledger's number (205) is greater than Allowance({from: ${SOURCE}, spender: ${SOURCE}}).expiration_ledger (100, temporary storage)`,
  ],
  [
    "nonce",
    [other, u64(9)],
    "`nonce` (9, argument 2) is not 1",
    `\`nonce\` (9, argument 2) is not 1, as there is no entry Nonce(${OTHER}) in its persistent storage (\`of\`, argument 1)`,
  ],
];

for (const level of [...CHECKED, ...WRAPPING])
  testRows(level, says(level), { rows: ROWS, silent: SILENT });
