// The contract of tests/contracts/roles, whose source is the truth, at each level of optimization:
// of several names that would pass all are named, of joined conditions each that could decide, and
// of an allowance that is over what made it so.

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
  symbol,
  u32,
  whyOf,
} from "../support/said-why.ts";
import { openTestRecorder, openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();
const recorder = openTestRecorder();

/** P holds a role and is frozen, X is above that role, Q is nothing. */
const [P, X, Q, ADMIN] = [21, 22, 24, 25].map(addressOf);
const text = (letters: string): Json => ({ string: letters });
const letters = (of: string) => bytes(Buffer.from(of).toString("hex"));
const LEDGER = 205;

interface State {
  readonly admin?: boolean;
  readonly paused?: boolean;
  readonly allowed?: number;
}

function stored({ admin = true, paused = false, allowed = 100 }: State = {}): Stored {
  const held = [
    [key("Held", P, symbol("minter")), u32(0)],
    [key("Held", X, symbol("boss")), u32(0)],
  ] as const;
  const roles = ["minter", "boss", "other"].map(symbol);
  const all = [P, X, Q, ADMIN].flatMap((who) => roles.map((role) => key("Held", who, role)));
  const isKept = (each: Json) => held.some(([of]) => Bun.deepEquals(of, each));
  return {
    persistent: [
      ...held,
      [key("RoleAdmin", symbol("minter")), symbol("boss")],
      [key("Frozen", P), { bool: true }],
      [key("Frozen", X), { bool: false }],
      [key("Future", u32(0)), X],
    ],
    temporary: [
      [key("Allowance", P), map({ amount: i128(allowed), live_until: u32(5) })],
      [key("Allowance", X), map({ amount: i128(100), live_until: u32(90_000) })],
    ],
    absent: [
      key("Future", u32(1)),
      ...all.filter((each) => !isKept(each)),
      ...["other", "boss"].map((role) => key("RoleAdmin", symbol(role))),
      ...[Q, ADMIN].map((who) => key("Frozen", who)),
    ],
    absentTemporary: [Q, ADMIN].map((who) => key("Allowance", who)),
    instance: [
      ...(admin ? [{ key: key("Admin"), val: ADMIN }] : []),
      { key: key("Limit"), val: i128(1000) },
      { key: key("Paused"), val: { bool: paused } },
      { key: key("Used"), val: i128(600) },
    ],
    writesInstance: true,
  };
}

/** What is said, and how the run ends that proves it. */
type Row = readonly [
  name: string,
  given: readonly Json[],
  means: string | null | readonly (string | null)[],
  run: string | null | readonly (string | null)[],
  state?: State,
];

const role = (name: string) => `\`role\` (${name}, argument 1)`;
const kind = (name: string) => `\`kind\` (${name}, argument 1)`;
const ALL =
  "Admin, EmergencyAdmin, RewardsAdmin, OperationsAdmin, PauseAdmin, EmergencyPauseAdmin, SystemFeeAdmin";
const notAdmin = ({ address }: Json, of: string, place: number) =>
  `\`${of}\` (${address}, argument ${place}) is not Admin (${ADMIN.address}, instance storage)`;
const noEntry = (name: string, made: string) =>
  `there is no entry ${name} in its persistent storage (${made})`;
const byCaller = "`caller`, argument 2; RoleAdmin(minter), persistent storage";
const notHeld = ({ address }: Json) => noEntry(`Held(${address}, boss)`, byCaller);
const NO_ADMIN = "there is no entry Admin in its instance storage";
const adminPasses = `Run with \`caller\` ${ADMIN.address}, it succeeds.`;
const frozen = ({ address }: Json) => `Frozen(${address})`;
const LIVE = `is less than the ledger's number (${LEDGER})`;

const NAMES: readonly Row[] = [
  ...["Nobody", "Admi", "NobodyKnowsThis"].flatMap((name): Row[] => [
    [
      "number",
      [symbol(name)],
      `${role(name)} is none of ${ALL}`,
      "Run with `role` Admin, it succeeds.",
    ],
    // Six of the names have the same error, and are no way out.
    [
      ...["members", [symbol(name)], `${role(name)} is not EmergencyPauseAdmin`],
      "Run with `role` EmergencyPauseAdmin, it succeeds.",
    ] as unknown as Row,
    [
      ...["future", [symbol(name)], `${role(name)} is none of Admin, EmergencyAdmin`],
      "Run with `role` Admin, it succeeds.",
    ] as unknown as Row,
  ]),
  ...["bu", "hold"].flatMap((name): Row[] =>
    ["kind", "kind_any", "kind_packed"].map((called) => [
      ...([called, [symbol(name)]] as const),
      `${kind(name)} is none of buy, sell, swap`,
      // The first one of the code.
      ["buy", "swap"].map((first) => `Run with \`kind\` ${first}, it succeeds.`),
    ]),
  ),
  [
    "kind_beside",
    [symbol("sell"), u32(3)],
    "`number` (3, argument 2) is less than 6",
    "Run with `number` 6, it succeeds.",
  ],
  [
    "asset_named",
    [text("USDT")],
    '`name` ("USDT", argument 1) is neither "USDC" nor "EURC"',
    'Run with `name` "USDC", it succeeds.',
  ],
  // No letter alone is a reason.
  ["asset", [text("USDT")], null, null],
  ["asset", [text("AQUB")], null, null],
  ["selector", [letters("transfer_one")], null, null],
  ["selector", [letters("withdraw_one")], null, null],
];

const JOINED: readonly Row[] = [
  ["revoke", [symbol("minter"), Q], `${notAdmin(Q, "caller", 2)} and ${notHeld(Q)}`, adminPasses],
  ["revoke", [symbol("minter"), P], `${notAdmin(P, "caller", 2)} and ${notHeld(P)}`, adminPasses],
  // Nothing alone makes it a role's administrator.
  ["revoke", [symbol("other"), Q], notAdmin(Q, "caller", 2), adminPasses],
  [
    "revoke",
    [symbol("minter"), Q],
    `${notHeld(Q)} and ${NO_ADMIN}`,
    [
      `Run with the entry Held(${Q.address}, boss) set to 0, it succeeds.`,
      `Run with the entry Admin set to ${Q.address}, it succeeds.`,
    ],
    { admin: false },
  ],
  // Neither an administrator nor one of the role.
  [
    "revoke",
    [symbol("other"), Q],
    [`${noEntry("RoleAdmin(other)", "`role`, argument 1")} and ${NO_ADMIN}`, null],
    [`Run with the entry Admin set to ${Q.address}, it succeeds.`, null],
    { admin: false },
  ],
  [
    "revoke_or_panic",
    [symbol("other"), Q],
    [`${noEntry("RoleAdmin(other)", "`role`, argument 1")} and ${NO_ADMIN}`, null],
    [
      `Run with the entry Admin set to ${Q.address}, it fails with Error(Contract, #9) instead.`,
      null,
    ],
    { admin: false },
  ],
  [
    "renounce",
    [symbol("minter"), Q],
    noEntry(`Held(${Q.address}, minter)`, "`caller`, argument 2; `role`, argument 1"),
    `Run with the entry Held(${Q.address}, minter) set to 0, it succeeds.`,
  ],
  [
    "neither",
    [Q, u32(5)],
    `\`number\` (5, argument 2) is less than 100 and Admin (${ADMIN.address}, instance storage) is not \`caller\` (${Q.address}, argument 1)`,
    "Run with `number` 100, it succeeds.",
  ],
  [
    "blocked",
    [P, i128(1)],
    `${frozen(P)} (persistent storage) is true`,
    `Run with ${frozen(P)} false, it succeeds.`,
  ],
  [
    "blocked",
    [P, i128(1)],
    `${frozen(P)} (persistent storage) is true and Paused (instance storage) is true`,
    `Run with ${frozen(P)} false, it fails with Error(Contract, #5) again, elsewhere.`,
    { paused: true },
  ],
  [
    "blocked",
    [X, i128(1)],
    "Paused (instance storage) is true",
    "Run with Paused false, it succeeds.",
    { paused: true },
  ],
  // That nothing froze it is no reason: with such an entry it fails as well.
  [
    "blocked",
    [Q, i128(1)],
    ["Paused (instance storage) is true", null],
    ["Run with Paused false, it succeeds.", null],
    { paused: true },
  ],
  [
    "blocked_after",
    [P, i128(1)],
    `there is an entry ${frozen(P)} in its persistent storage (\`who\`, argument 1)`,
    `Run without the entry ${frozen(P)}, it succeeds.`,
  ],
  [
    "beyond",
    [i128(2000), i128(3000)],
    "`amount` (2000, argument 1) is greater than Limit (1000, instance storage) and `other` (3000, argument 2) is greater than Limit (1000, instance storage)",
    "Run with `amount` 1000, it fails with Error(Contract, #5) again, elsewhere.",
  ],
  [
    "within",
    [i128(500)],
    "Used (600, instance storage) + `amount` (500, argument 1) = 1100 is greater than Limit (1000, instance storage)",
    "Run with `amount` 400, it succeeds.",
  ],
];

const ALLOWANCES: readonly Row[] = [
  ...["approve", "approve_or_panic", "approve_checked"].flatMap((called): Row[] =>
    [3, 0].map((until) => [
      called,
      [Q, i128(5), u32(until)],
      ["", "`amount` (5, argument 2) is not 0 and "].map(
        (also) => `${also}\`live_until\` (${until}, argument 3) ${LIVE}`,
      ),
      `Run with \`live_until\` ${LEDGER}, it succeeds.`,
    ]),
  ),
  [
    "approve",
    [Q, i128(-1), u32(3)],
    "`amount` (-1, argument 2) is less than 0",
    "Run with `amount` 0, it succeeds.",
  ],
  ...["spend", "spend_or_panic"].flatMap((called): Row[] => [
    [
      called,
      [P, i128(5)],
      `\`amount\` (5, argument 2) is greater than 0, as Allowance(${P.address}).live_until (5, temporary storage) ${LIVE}`,
      "Run with `amount` 0, it succeeds.",
    ],
    [
      called,
      [X, i128(500)],
      `Allowance(${X.address}).amount (100, temporary storage) is less than \`amount\` (500, argument 2)`,
      "Run with `amount` 100, it succeeds.",
    ],
    [
      called,
      [Q, i128(5)],
      `\`amount\` (5, argument 2) is greater than 0, as there is no live entry Allowance(${Q.address}) in its temporary storage (\`owner\`, argument 1)`,
      "Run with `amount` 0, it succeeds.",
    ],
    // That the allowance is over is no reason where it was 0 before.
    [
      called,
      [P, i128(5)],
      "`amount` (5, argument 2) is greater than 0",
      "Run with `amount` 0, it succeeds.",
      { allowed: 0 },
    ],
  ]),
];

for (const level of CHECKED)
  describe(`roles-${level}.wasm`, () => {
    for (const [name, given, means, run, state] of [...NAMES, ...JOINED, ...ALLOWANCES])
      test(`${name} ${JSON.stringify(given)} ${JSON.stringify(state ?? {})}`, async () => {
        const ran = await caller(simulator, `roles-${level}.wasm`, stored(state))(name, given);
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
