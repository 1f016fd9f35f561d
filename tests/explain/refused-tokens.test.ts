// Which value decides that the asset contract refuses a call: the amount and the balance in words of
// tokens, and where the amount came from. The source of tests/contracts/founded is the truth, and
// runs with the amounts on both sides of the boundary are.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ASSET, account, asset, ISSUER, trustline } from "../support/asset-entries.ts";
import { contractEntries, executeCall, SOURCE } from "../support/executed.ts";
import { ownContract } from "../support/other-code.ts";
import {
  CHECKED,
  i128,
  type Json,
  key,
  map,
  symbol,
  u32,
  vec,
  whyOf,
} from "../support/said-why.ts";
import { openTestRecorder, openTestSimulator } from "../support/simulator.ts";
import { softwareSigner } from "../support/software-signer.ts";

const simulator = openTestSimulator();
const recorder = openTestRecorder();

const HELD = 500_000_000n;
const ROOM = 300_000_000n;
const ALLOWED = 40_000_000n;
const SEQUENCE = 205;
const RECEIVER = softwareSigner("the receiver").address;
const STRANGER = softwareSigner("a stranger").address;
const CONTRACT = contractEntries(new Uint8Array(), 7).contract;
const SECOND = contractEntries(new Uint8Array(), 8).contract;
const EMPTY = contractEntries(new Uint8Array(), 6).contract;

const LAB = { credit_alphanum4: { asset_code: "LAB", issuer: ISSUER } };

const address = (text: string): Json => ({ address: text });
const token = address(ASSET);
const receiver = address(RECEIVER);

function data(contract: string, of: Json, val: Json, durability = "persistent"): Json {
  return { contract_data: { ext: "v0", contract, key: of, durability, val } };
}

const balance = (holder: string, amount: bigint, authorized = true) =>
  data(
    ASSET,
    key("Balance", address(holder)),
    map({ amount: i128(amount), authorized: { bool: authorized }, clawback: { bool: false } }),
  );
const allowanceKey = (from: string, spender: string) =>
  key("Allowance", map({ from: address(from), spender: address(spender) }));
const rich = (holder: string) => account(holder, "100000000");

interface Amounts {
  readonly frozen?: "contract" | "receiver";
  readonly held: bigint;
  readonly room: bigint;
  readonly allowed: bigint;
}

const AMOUNTS: Amounts = { held: HELD, room: ROOM, allowed: ALLOWED };

async function call(
  level: string,
  name: string,
  given: readonly Json[],
  { held, room, allowed, frozen }: Amounts = AMOUNTS,
) {
  const wasm = ownContract(`founded-${level}.wasm`);
  const [instance, code] = contractEntries(wasm, 7).entries as Json[];
  const others = [8, 6].map((number) => contractEntries(wasm, number).entries[0] as Json);
  instance.contract_data.val.contract_instance.storage = [
    { key: symbol("amount"), val: i128(held + 9n) },
  ];
  const absent = (of: Json, durability = "persistent") => ({
    contract_data: { contract: ASSET, key: of, durability },
  });
  const allowance = map({ amount: i128(allowed), live_until_ledger: u32(100_000) });
  const invoked = (contract: string, called: string, args: readonly Json[]) => ({
    contract_fn: { contract_address: contract, function_name: called, args },
  });
  const below = {
    function: invoked(ASSET, "transfer", [given[1], address(CONTRACT), given[2]]),
    sub_invocations: [],
  };
  const root = {
    function: invoked(CONTRACT, name, given),
    sub_invocations: name === "collect" ? [below] : [],
  };
  const { ran, execution } = await executeCall(simulator, {
    ...{ contract: CONTRACT, function: name, arguments: given },
    authorizations: [{ credentials: "source_account", root_invocation: root }],
    readOnly: [instance, code, ...others, asset(), ...[RECEIVER, ISSUER].map(rich)],
    readWrite: [
      balance(CONTRACT, held, frozen !== "contract"),
      balance(SECOND, held * 2n),
      trustline(RECEIVER, "1", {
        limit: `${room + 1n}`,
        ...(frozen === "receiver" && { flags: 0 }),
      }),
      trustline(SOURCE, `${held}`),
      data(ASSET, allowanceKey(SOURCE, CONTRACT), allowance, "temporary"),
    ],
    absent: [
      { trustline: { account_id: STRANGER, asset: LAB } },
      absent(key("Balance", address(EMPTY))),
      absent(allowanceKey(RECEIVER, CONTRACT), "temporary"),
      absent(allowanceKey(CONTRACT, SOURCE), "temporary"),
    ],
  });
  return { ...ran, execution };
}

/** Null: it succeeds. */
async function found(...made: Parameters<typeof call>) {
  const ran = await call(...made);
  if (ran.execution.outcome.kind === "success") return null;
  const why = await whyOf(simulator, ran, true, recorder);
  if (!why?.said) throw new Error("nothing is said");
  return { ...why, said: why.said, ran };
}

const BALANCE = `greater than the balance of ${CONTRACT} (500000000, 50 LAB)`;
const own = address(SECOND);
const ROWS: readonly (readonly [name: string, given: readonly Json[], because: string])[] = [
  [
    "pay",
    [token, own, i128(HELD + 1n)],
    `\`amount\` (500000001, 50.0000001 LAB, argument 3) is ${BALANCE}. Run with \`amount\` 500000000, it succeeds.`,
  ],
  [
    "pay",
    [token, receiver, i128(ROOM + 1n)],
    `\`amount\` (300000001, 30.0000001 LAB, argument 3) is greater than the amount that ${RECEIVER} can still receive (300000000, 30 LAB). Run with \`amount\` 300000000, it succeeds.`,
  ],
  // With the balance, the receiver's limit refuses it with the same error.
  [
    "pay",
    [token, receiver, i128(HELD + 1n)],
    `\`amount\` (500000001, 50.0000001 LAB, argument 3) is ${BALANCE}.`,
  ],
  [
    "pay",
    [token, own, i128(-5)],
    "`amount` (-5, argument 3) is less than 0. Run with `amount` 0, it succeeds.",
  ],
  [
    "pay_with_tip",
    [token, own, i128(HELD), i128(3)],
    `\`amount\` (500000000, argument 3) + \`tip\` (3, argument 4) = 500000003 is ${BALANCE}. Run with \`amount\` 499999997, it succeeds.`,
  ],
  [
    "pay_through",
    [own, token, address(CONTRACT), i128(HELD * 2n + 1n)],
    `\`amount\` (1000000001, 100.0000001 LAB, argument 3) is greater than the balance of ${SECOND} (1000000000, 100 LAB); \`amount\` is \`amount\` (argument 4) of \`pay_through\`. Run with 1000000000 as \`amount\` of \`pay_through\`, it succeeds.`,
  ],
  [
    "pay_through",
    [address(EMPTY), token, own, i128(3)],
    `\`amount\` (3, 0.0000003 LAB, argument 3) is greater than the balance of ${EMPTY} (0, 0 LAB); \`amount\` is \`amount\` (argument 4) of \`pay_through\`. Run with 0 as \`amount\` of \`pay_through\`, it succeeds.`,
  ],
  [
    "pay_all",
    [token, own, vec(i128(100_000_000), i128(400_000_001))],
    `\`amounts[1]\` (400000001, 40.0000001 LAB, argument 3) is greater than the balance of ${CONTRACT} (400000000, 40 LAB). Run with \`amounts[1]\` 400000000, it succeeds.`,
  ],
  [
    "pay_stored",
    [token, own],
    `amount (500000009, 50.0000009 LAB, instance storage) is ${BALANCE}. Run with amount 500000000, it succeeds.`,
  ],
  ["pay_constant", [token, own], `1000000000000 = 100,000 LAB is ${BALANCE}.`],
  [
    "pay_checked",
    [token, own, i128(HELD + 1n), i128(1)],
    `\`amount\` (500000001, 50.0000001 LAB, argument 3) is ${BALANCE}. Run with \`amount\` 500000000, it fails with Error(Contract, #2) instead.`,
  ],
  // The authorization of the call below has the other amount: the runs record new ones.
  [
    "collect",
    [token, address(SOURCE), i128(HELD + 1n)],
    `\`amount\` (500000001, 50.0000001 LAB, argument 3) is greater than the amount that ${SOURCE} can spend (500000000, 50 LAB). Run with \`amount\` 500000000 and newly recorded authorizations and footprint, it succeeds.`,
  ],
  [
    "pull",
    [token, address(SOURCE), i128(ALLOWED + 1n)],
    `\`amount\` (40000001, 4.0000001 LAB, argument 3) is greater than the allowance of ${CONTRACT} from ${SOURCE} (40000000, 4 LAB). Run with \`amount\` 40000000, it succeeds.`,
  ],
  [
    "pull",
    [token, receiver, i128(1)],
    `\`amount\` (1, 0.0000001 LAB, argument 3) is greater than the allowance of ${CONTRACT} from ${RECEIVER} (0, 0 LAB). Run with \`amount\` 0, it succeeds.`,
  ],
  [
    "allow",
    [token, address(SOURCE), i128(5), u32(SEQUENCE - 1)],
    "`until` (204, argument 4) is less than the ledger's number (205). Run with `until` 205, it succeeds.",
  ],
  [
    "burn",
    [token, i128(HELD + 1n)],
    `\`amount\` (500000001, 50.0000001 LAB, argument 2) is ${BALANCE}. Run with \`amount\` 500000000, it succeeds.`,
  ],
];

/** What no number decides has no proof. */
const UNTESTED: typeof ROWS = [
  [
    "pay",
    [token, address(STRANGER), i128(1)],
    `\`to\` (${STRANGER}, argument 2) has no trustline for LAB:${ISSUER}.`,
  ],
  [
    "pay_through",
    [own, token, address(STRANGER), i128(1)],
    `\`to\` (${STRANGER}, argument 2) has no trustline for LAB:${ISSUER}; \`to\` is \`to\` (argument 3) of \`pay_through\`.`,
  ],
];

describe.each(CHECKED)("%s", (level) => {
  for (const [name, given, because] of [...ROWS, ...UNTESTED])
    test(`${name}: ${because}`, async () => {
      const failed = await found(level, name, given);
      expect(failed?.said.summary.replace(/^`\w+` failed because /, "")).toBe(because);
      expect(failed?.said.confidence).toBe("known");
      expect(failed?.said.end).toBe("refused");
    });
});

test("a number with which it is not refused for that is not named as the most", async () => {
  for (const level of CHECKED) {
    const given = [token, own, i128(300_000_000)];
    const failed = await found(level, "pay_twice", given);
    // Half of the balance can be paid twice, and that is more than what the first one left.
    expect(failed?.said.summary).toStartWith("`pay_twice` called `transfer` of `token` (");
    expect(failed?.proof).toBeNull();
  }
});

test("an amount that is named decides: it succeeds, and one unit more is refused as before", async () => {
  const amount = fc.bigInt({ min: -20n, max: 60n });
  const some = fc.record({
    ...{ amount, held: fc.bigInt({ min: 0n, max: 40n }), room: fc.bigInt({ min: 0n, max: 40n }) },
    allowed: fc.bigInt({ min: 0n, max: 40n }),
    name: fc.constantFrom("pay", "pull", "burn", "collect"),
    level: fc.constantFrom(...CHECKED),
  });
  await fc.assert(
    fc.asyncProperty(some, async ({ amount: units, name, level, ...amounts }) => {
      const given = (of: bigint) => {
        if (name === "burn") return [token, i128(of)];
        return [token, name === "pay" ? receiver : address(SOURCE), i128(of)];
      };
      const failed = await found(level, name, given(units), amounts);
      const { held, room, allowed } = amounts;
      const limits = { pay: [held, room], burn: [held], pull: [allowed, held], collect: [held] };
      const [most] = limits[name as keyof typeof limits].filter((limit) => units > limit);
      expect(failed === null).toBe(units >= 0n && most === undefined);
      if (failed === null) return;
      const [{ terms: [, limit] = [] } = { terms: [] }] = failed.why.conditions;
      expect(limit?.number).toBe(`${units < 0n ? 0n : most}`);
      const { proof } = failed;
      if (proof === null) return;
      const number = proof.other.kind === "number" ? BigInt(proof.other.number) : -1n;
      expect(`${number}`).toBe(`${limit?.number}`);
      const ends = async (of: bigint) =>
        (await call(level, name, given(of), amounts)).execution.outcome.kind;
      expect(await ends(number)).toBe(proof.error === null ? "success" : "failed");
      expect(await ends(number + (units < 0n ? -1n : 1n))).toBe("failed");
    }),
    { numRuns: 60 },
  );
}, 60_000);

describe("a frozen balance is named, and the call succeeds once it is authorized", () => {
  const told = (name: string, given: string) => `the issuer has not authorized ${name} (${given}`;
  const ROWS = [
    ["pay", "contract", CONTRACT],
    ["pay", "receiver", RECEIVER],
  ] as const;
  for (const level of CHECKED)
    for (const [name, frozen, holder] of ROWS)
      test(`${level}: ${name}, ${frozen}`, async () => {
        const why = await found(level, name, [token, receiver, i128(1)], { ...AMOUNTS, frozen });
        const summary = why?.said.summary ?? "";
        const of = frozen === "contract" ? "the contract itself" : "`to`";
        expect(summary).toContain(`to hold LAB:${ISSUER}`);
        expect([summary.includes(told(of, holder)), summary]).toEqual([true, summary]);
        expect(summary).toEndWith("authorized, it succeeds.");
        expect(why?.said.confidence).toBe("known");
      });
});
