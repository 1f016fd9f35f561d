// The contract of tests/contracts/reasons, whose source is the truth, at each level of optimization,
// and that of tests/contracts/origins: that a loop began is no reason, a helper that reads storage is
// no arithmetic, and of several alternatives all are named or none.

import { expect, test } from "bun:test";
import { ScVal } from "@stellar/stellar-sdk/xdr";
import fc from "fast-check";
import type { DecidingCondition } from "../../src/model/explanation.ts";
import { contractEntries } from "../support/executed.ts";
import {
  CHECKED,
  caller,
  i128,
  type Json,
  key,
  map,
  type Row,
  type Said,
  type Stored,
  sayer,
  symbol,
  testRows,
  u32,
  u64,
  vec,
  whyOf,
} from "../support/said-why.ts";
import { openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();

const contractOf = (number: number) => contractEntries(new Uint8Array(), number).contract;
const at = (number: number): Json => ({ address: contractOf(number) });
const [P, X, Y, Q, ADMIN, EMERGENCY] = [21, 22, 23, 24, 25, 26].map(at);
const ROLES = [30, 31, 32, 33, 34].map(at);
/** Addresses are keys of a map in their order. */
const members = { map: inOrder([X, true], [P, true], [Y, false]) };

function inOrder(...known: readonly (readonly [Json, boolean])[]) {
  const bytes = ({ address }: Json) => address;
  return known
    .toSorted(([one], [other]) => (bytes(one) < bytes(other) ? -1 : 1))
    .map(([key, val]) => ({ key, val: { bool: val } }));
}

const IDS = [1_000_000n, 0n, 1n, -1n, 3n, 2n ** 100n];
const pairs = IDS.flatMap((id) => IDS.map((other) => key("Pair", i128(id), i128(other))));

function says(wasm: string, list: readonly Json[]): Said {
  return sayer(simulator, wasm, storedWith(list));
}

function storedWith(list: readonly Json[]): Stored {
  const instance = {
    Counts: vec(u64(5), u64(7), u64(9)),
    List: vec(...list),
    Members: members,
    Names: vec(symbol("Abc"), symbol("Def"), symbol("LongSymbolName")),
    Shares: vec(map({ amount: i128(5), who: X }), map({ amount: i128(500), who: P })),
  };
  return {
    persistent: [
      [key("Owner", i128(7)), X],
      [key("Admin"), ADMIN],
      [key("Emergency"), EMERGENCY],
      [key("Step"), vec(symbol("Locked"))],
      ...ROLES.map((role, number) => [key("Role", u32(number)), role] as const),
    ],
    absent: [
      ...[...IDS, 5n, 600n].map((id) => key("Owner", i128(id))),
      ...pairs,
      key("Role", u32(9)),
    ],
    instance: Object.entries(instance).map(([name, val]) => ({ key: symbol(name), val })),
    writesInstance: true,
  };
}

const nameOf = (given: Json) => `\`who\` (${given.address}, argument 1)`;
const element = (index: number, given: Json) =>
  `List[${index}] (${given.address}, instance storage) equals ${nameOf(given)}`;
const [shortName, longName] = ["Abc", "LongSymbolName"].map(symbol);
const NAMES = vec(symbol("Abc"), symbol("Def"), symbol("LongSymbolName"));

/** The list of members, and what is said of a call with it. */
const LISTS: readonly (readonly [list: readonly Json[], rows: readonly Row[]])[] = [
  [[P], [["member_taken", [P], element(0, P)]]],
  [[P, X], [["member_taken", [P], element(0, P)]]],
  [[X, P], [["member_taken", [P], element(1, P)]]],
  [[Y, X, P], [["member_taken", [P], element(2, P)]]],
];

const LOOPS: readonly Row[] = [
  [
    "name_contains",
    [shortName],
    "Names (instance storage) has the element Abc (`name`, argument 1)",
  ],
  ["not_too_many", [shortName], "Names (instance storage) has 3 elements, more than 2"],
  [
    "count_taken",
    [u64(7)],
    "Counts[1] (7, instance storage) equals `number` (7, argument 1)",
    "`number` (7, argument 1) equals Counts[1] (7, instance storage)",
  ],
  ["first_of", [u32(2), u64(7)], "Counts[1] (7, instance storage) equals `number` (7, argument 2)"],
];

/** An inner branch left the loop, or its end did: how many elements there are is no reason. */
const SILENT_LOOPS: readonly Row[] = [
  ...["name_taken", "name_any"].map((name): Row => [name, [shortName]]),
  [
    "name_taken",
    [longName],
    "Names[2] (LongSymbolName, instance storage) equals `name` (LongSymbolName, argument 1)",
  ],
  ["name_given", [NAMES, shortName], "`list[0]` (Abc, argument 1) equals `name` (Abc, argument 2)"],
  ["name_missing", [symbol("Nope")]],
  ["member_missing", [Q]],
  ["member_position", [Q]],
  ["any_inactive", []],
  ["key_taken", [P], `Members[${P.address}] (instance storage) is true`],
];

const entry = (name: string, made = "`id`, argument 1") =>
  `there is no entry ${name} in its persistent storage (${made})`;
const both = "`id`, argument 1; `at`, argument 2";

const HELPERS: readonly Row[] = [
  ...[1_000_000n, 0n, 1n, -1n].flatMap((id): Row[] => [
    ["owned", [i128(id)], entry(`Owner(${id})`)],
    ["owned_pair", [i128(id), i128(3n)], entry(`Pair(${id}, 3)`, both)],
    ["owned_pair", [i128(3n), i128(id)], entry(`Pair(3, ${id})`, both)],
    [
      "pair_at_least",
      [i128(id), i128(3n), i128(5n)],
      `\`least\` (5, argument 3) is greater than 0, as ${entry(`Pair(${id}, 3)`, both)}`,
    ],
    // The one as well as the other would have made the sum another one.
    [
      "pair_amount",
      [i128(3n), i128(id)],
      `${entry(`Pair(${id}, 3)`, "`at`, argument 2; `id`, argument 1")} and ${entry(`Pair(3, ${id})`, both)}`,
      entry(`Pair(${id}, 3)`, "`at`, argument 2; `id`, argument 1"),
    ],
  ]),
  // A function with the same signature that is arithmetic, and a routine.
  [
    "mixed_amount",
    [50n, 7n, 8n].map(i128),
    "`a` (50, argument 1) / `b` (7, argument 2) = 7 is less than 100",
  ],
  [
    "share_of",
    [50n, 7n, 8n].map(i128),
    "`a` (50, argument 1) / `b` (7, argument 2) = 7 is less than 100",
  ],
  [
    "share_of",
    [-500n, 7n, 8n].map(i128),
    "`a` (-500, argument 1) / `b` (7, argument 2) = -71 is less than 100",
  ],
];

const none = (subject: string, ...values: (string | number)[]) =>
  `${subject} is none of ${values.join(", ")}`;
const stored = (name: string, { address }: Json) => `${name} (${address}, persistent storage)`;
const NEITHER = `${nameOf(Q)} is neither ${stored("Admin", ADMIN)} nor ${stored("Emergency", EMERGENCY)}`;
const inRoles = ROLES.map((role, number) => stored(`Role(${number})`, role));
const NO_ROLE = `${nameOf(Q)} is none of ${inRoles.slice(0, -1).join(", ")} and ${inRoles.at(-1)}`;
const role = (name: string) => `\`role\` (${name}, argument 1)`;
const LONG_ROLES = ["Admin", "EmergencyAdmin", "RewardsAdmin", "OperationsAdmin", "PauseAdmin"];

const ALTERNATIVES: readonly Row[] = [
  ["role_short", [symbol("Nobody")], none(role("Nobody"), "Admin", "Rewards", "Emergency")],
  [
    "role_short",
    [symbol("NobodyKnows")],
    none(role("NobodyKnows"), "Admin", "Emergency", "Rewards"),
  ],
  ...["NobodyKnowsThis", "Nobody"].map(
    (name): Row => [
      "role_long",
      [symbol(name)],
      none(role(name), ...LONG_ROLES, "FeeAdmin", "SystemFeeAdmin"),
    ],
  ),
  ["five_stored", [Q], NO_ROLE],
  ...["either_helper", "either_or_panic"].map((name): Row => [name, [Q], NEITHER]),
  ["either_then", [Q, i128(5n)], NEITHER],
  ["either_then", [Q, i128(-5n)], "`amount` (-5, argument 2) is less than 0"],
  [
    "number_of_three",
    [u64(7)],
    none("`n` (7, argument 1)", 10, 3000, 200),
    none("`n` (7, argument 1)", 10, 200, 3000),
  ],
  [
    "wide_of_three",
    [i128(7n)],
    none("`n` (7, argument 1)", 10, 3000, 200),
    none("`n` (7, argument 1)", 10, 200, 3000),
  ],
  [
    "two_subjects",
    [u32(1), u32(2)],
    "`n` (1, argument 1) is not 7 and `m` (2, argument 2) is not 9",
  ],
  ["both_limits", [i128(600n), i128(800n)], "`n` (600, argument 1) is less than 700"],
  ["both_limits", [i128(800n), i128(800n)], "`m` (800, argument 2) is less than 900"],
  [
    "to_oneself",
    [P, Q, i128(8n)],
    `\`amount\` (8, argument 3) is greater than 0, as there is no entry Owner(1) in its persistent storage`,
  ],
  [
    "owner_or_listed",
    [Q],
    `${nameOf(Q)} is not ${stored("Admin", ADMIN)} and List (instance storage) has no element ${Q.address} (\`who\`, argument 1)`,
  ],
];

const SILENT: readonly Row[] = [["step_open", [], "Step[0] (persistent storage) is Locked"]];

for (const level of CHECKED) {
  const wasm = `reasons-${level}.wasm`;
  testRows(wasm, says(wasm, [X]), {
    rows: [...LOOPS, ...HELPERS, ...ALTERNATIVES],
    silent: [...SILENT_LOOPS, ...SILENT],
  });
  for (const [list, rows] of LISTS)
    testRows(`${wasm}, a list of ${list.length}`, says(wasm, list), { rows, silent: [] });
}

/** The same in code of another compiler. */
const ORIGINS: { readonly rows: readonly Row[]; readonly silent: readonly Row[] } = {
  rows: [
    ["join", [P], element(1, P)],
    ["join_flag", [P], element(1, P)],
    [
      "join_number",
      [u32(7)],
      "Counts[1] (7, instance storage) equals `number` (7, argument 1)",
      "`number` (7, argument 1) equals Counts[1] (7, instance storage)",
    ],
    ...[1_000_000n, 0n, 1n, -1n].map((id): Row => ["owned", [i128(id)], entry(`Owner(${id})`)]),
    ["one_of_five", [Q], NO_ROLE],
    ["either", [Q], `${nameOf(Q)} is neither ${inRoles[0]} nor ${inRoles[1]}`],
    [
      "role",
      [symbol("Nobody")],
      none(role("Nobody"), "Fee", "Admin", "Opers", "Pause", "System", "Rewards", "Emergency"),
    ],
    ...["NobodyKnowsThis", "Nobody"].map(
      (name): Row => [
        "role_long",
        [symbol(name)],
        none(role(name), "Admin", "EmergencyAdmin", "RewardsAdmin", "SystemFeeAdmin"),
      ],
    ),
    ["number_of_three", [u32(7)], none("`n` (7, argument 1)", 10, 200, 3000)],
    ["wide_of_three", [i128(7n)], none("`n` (7, argument 1)", 10, 200, 3000)],
    [
      "either_amount",
      [u32(1), u32(2)],
      "`n` (1, argument 1) is not 7 and `m` (2, argument 2) is not 9",
    ],
  ],
  silent: [
    ["join_name", [shortName]],
    ["leave", [Q]],
  ],
};

for (const level of CHECKED) {
  const wasm = `origins-${level}.wasm`;
  const counts = { key: symbol("Counts"), val: vec(u32(5), u32(7), u32(9)) };
  const stored = storedWith([X, P]);
  const others = stored.instance.filter(({ key }: Json) => key.symbol !== "Counts");
  const said = sayer(simulator, wasm, { ...stored, instance: [counts, ...others] });
  testRows(wasm, said, ORIGINS);
}

const numbers = fc.constantFrom(0n, 1n, 7n, 9n, 10n, 200n, 2999n, 3000n, 2n ** 64n + 10n);
const small = fc.constantFrom(...[0, 1, 7, 9].map(u32));
const wide = numbers.map(i128);
const people = fc.constantFrom(P, X, Q, ADMIN, EMERGENCY, ...ROLES);
const names = fc.constantFrom(
  ...["Admin", "Emergency", "Rewards", "Nobody", "Abc", "LongSymbolName", "SystemFeeAdmin"].map(
    symbol,
  ),
);
/** Of each error of theirs, the source has one condition, or several of which one has to hold. */
const CALLS: readonly (readonly [name: string, ...given: fc.Arbitrary<Json>[]])[] = [
  ...["role_short", "role_long", "name_taken", "name_any", "name_contains", "name_missing"].map(
    (name) => [name, names] as const,
  ),
  ...["five_stored", "either_helper", "owner_or_listed", "member_taken", "member_missing"].map(
    (name) => [name, people] as const,
  ),
  ...["member_taken_backwards", "member_position", "key_taken"].map(
    (name) => [name, people] as const,
  ),
  ["either_then", people, wide],
  ["wide_of_three", wide],
  ["two_subjects", small, small],
  ["count_taken", fc.constantFrom(...[5, 6, 7, 9].map(u64))],
  ["number_of_three", fc.constantFrom(...[10, 11, 200, 3000].map(u64))],
  ["sum_too_large", fc.constantFrom(...[4, 20, 21, 22].map(u64))],
  ["share_too_large", people, wide],
  ["mixed_amount", wide, fc.constantFrom(2n, 7n).map(i128), fc.constantFrom(3n).map(i128)],
];

/** Arguments in the place of one that is named, across what is said of it. */
function across({
  relation,
  terms,
  values = [],
}: DecidingCondition): [index: number, given: Json][] {
  return terms.flatMap((term, place): [number, Json][] => {
    const { kind, index, valueXdr, number } = term;
    if (kind !== "argument" || index === undefined || valueXdr === undefined) return [];
    const own = ScVal.fromXdr(valueXdr, "base64").toJson() as Json;
    const [type = ""] = Object.keys(own);
    const other = terms[1 - place];
    const inType = (text: string) =>
      [index, { [type]: type === "u32" ? Number(text) : text }] as const;
    if (relation === "not_one_of") return values.map((value) => [...inType(value)]);
    if (other === undefined) return [];
    if (number !== undefined && other.number !== undefined) {
      const edge = BigInt(other.number);
      const turned = place === 1;
      const moved: Readonly<Record<string, bigint>> = {
        ...{ equal: edge + 1n, not_equal: edge, less: edge, greater: edge },
        less_or_equal: turned ? edge - 1n : edge + 1n,
        greater_or_equal: turned ? edge + 1n : edge - 1n,
      };
      const to = moved[relation];
      return to === undefined || to < 0n ? [] : [[...inType(`${to}`)]];
    }
    if (relation === "not_equal" && other.valueXdr !== undefined)
      return [[index, ScVal.fromXdr(other.valueXdr, "base64").toJson() as Json]];
    if (relation === "equal") return [[index, type === "address" ? at(99) : symbol("Other")]];
    return [];
  });
}

test("a value that is named, changed across what is said of it, changes how the call ends", async () => {
  const calls = new Map(
    CHECKED.map((level) => [level, caller(simulator, `reasons-${level}.wasm`, storedWith([X, P]))]),
  );
  const called = fc.constantFrom(...CALLS).chain(([name, ...given]) => {
    return fc.tuple(fc.constant(name), fc.tuple(...given));
  });
  let changed = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...CHECKED), called, async (level, [name, given]) => {
      const call = calls.get(level);
      const ran = await call?.(name, given);
      if (ran === undefined || ran.execution.outcome.kind === "success") return;
      const found = await whyOf(simulator, ran, false);
      for (const [index, other] of (found?.said?.conditions ?? []).flatMap(across)) {
        const ended = (await call?.(name, given.with(index, other)))?.execution;
        changed += 1;
        expect([name, given, found?.said?.summary, other, ended?.hostError]).not.toEqual([
          ...[name, given, found?.said?.summary, other],
          ran.execution.hostError,
        ]);
      }
    }),
    { numRuns: 300 },
  );
  expect(changed).toBeGreaterThan(100);
}, 120_000);
