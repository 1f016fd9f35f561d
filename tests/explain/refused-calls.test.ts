// What the calls of tests/contracts/keys that the host refuses were made of. Its source is the truth,
// and runs at other times are: what is said not to depend on the ledger does not change with it.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { explainStaleState } from "../../src/debugger/walk/find-moved-state.ts";
import { causeOfFailure } from "../../src/explain/cause-of-failure.ts";
import { inWords } from "../../src/explain/words/cause-words.ts";
import type { CauseKind } from "../../src/model/cause-kinds.ts";
import { contractEntries, executeCall, SOURCE } from "../support/executed.ts";
import { ownContract } from "../support/other-code.ts";
import { said } from "../support/said.ts";
import { i128, type Json, key, symbol, u32, u64, vec, whyOf } from "../support/said-why.ts";
import { openTestSimulator } from "../support/simulator.ts";

type Level = (typeof LEVELS)[number];

const LEVELS = ["z", "s", "3"] as const;
const simulator = openTestSimulator();
const OPENED = 1_789_999_810;
/** The clock passed `OPENED + 300` 13 s before. */
const CLOSED = 1_790_000_123;
const SEQUENCE = 5000;
const OTHER = "GAAQEAYEAUDAOCAJBIFQYDIOB4IBCEQTCQKRMFYYDENBWHA5DYPSABOV";
const codes = new Map(
  LEVELS.map((level) => {
    const wasm = ownContract(`keys-${level}.wasm`);
    return [level, [11, 12, 13].map((number) => contractEntries(wasm, number))] as const;
  }),
);
const [CONTRACT = "", SECOND = "", THIRD = ""] = (codes.get("z") ?? []).map((of) => of.contract);

const address = (text: string): Json => ({ address: text });
const order = (amount: number): Json => ({
  map: [
    { key: symbol("amount"), val: i128(amount) },
    { key: symbol("number"), val: u32(5) },
  ],
});

const ROUND: Json = {
  map: [
    { key: symbol("largest"), val: i128(9) },
    { key: symbol("opened"), val: u64(OPENED) },
    { key: symbol("seed"), val: { bytes: "00".repeat(32) } },
    { key: symbol("sown"), val: i128(5) },
  ],
};

interface At {
  readonly time?: number;
  readonly sequence?: number;
  /** Keys of entries that exist, too. */
  readonly present?: readonly Json[];
}

/** `named`: keys of the footprint that do not exist. Null: the call succeeds. */
async function refused(
  level: Level,
  name: string,
  given: readonly Json[],
  named: readonly Json[] = [],
  { time = CLOSED, sequence = SEQUENCE, present = [] }: At = {},
) {
  const [first, ...others] = codes.get(level) ?? [];
  const [own, code] = first?.entries ?? [];
  const data = (contract: string, of: Json, val: Json, durability = "persistent"): Json => ({
    contract_data: { ext: "v0", contract, key: of, durability, val },
  });
  const { executable } = (own as Json).contract_data.val.contract_instance;
  const storage = [{ key: key("Index"), val: u32(160261) }];
  const instance = { contract_instance: { executable, storage } };
  const absent = named.map((of) => {
    const isTemporary = /Pail|Draft/.test(JSON.stringify(of));
    const durability = isTemporary ? "temporary" : "persistent";
    return { contract_data: { contract: CONTRACT, key: of, durability } };
  });
  const { ran, execution, explanation } = await executeCall(simulator, {
    contract: CONTRACT,
    function: name,
    arguments: given,
    readOnly: [
      ...[data(CONTRACT, "ledger_key_contract_instance", instance), code],
      ...others.flatMap(({ entries: [other] }) => other),
    ],
    readWrite: [
      data(CONTRACT, key("Round", u32(160261)), ROUND, "temporary"),
      data(CONTRACT, key("Index"), u32(160261)),
      data(CONTRACT, key("Opened"), u64(OPENED)),
      data(CONTRACT, key("Owner"), address(OTHER)),
      ...present.map((of) => data(CONTRACT, of, u64(1))),
      data(SECOND, key("Index"), u32(77)),
      data(SECOND, key("Live"), i128(5)),
    ],
    absent,
    ledger: { closeTimeUnixSeconds: `${time}`, sequence },
  });
  if (execution.outcome.kind === "success") return null;
  const found = await whyOf(simulator, { ...ran, execution }, true);
  if (found === undefined) throw new Error("nothing is known of it");
  const { why, proof, run } = found;
  const cause = causeOfFailure(ran, execution, null);
  if (cause === null || explanation.cause === null) throw new Error("it has no cause");
  const verdict = { kind: "exact", comparisons: [], caveats: [] } as never;
  const explained = async () => {
    const finding = await explainStaleState(
      { simulator, ledgers: null },
      { ...ran, execution, verdict },
      { cause, conflict: null, why: { why, proof } },
      run,
    );
    return inWords(finding);
  };
  return { why, proof, said: found.said?.summary ?? null, explained };
}

type Row = readonly [
  name: string,
  given: readonly Json[],
  named: readonly Json[],
  said: string,
  more?: string,
];

const PAIL = `asked for the entry Pail(${SOURCE}, 160262) in its temporary storage, made of \`farmer\` (argument 1) and Index (160261, persistent storage) + 1`;
const LATER =
  "because the ledger's time (1790000123) is not less than Opened (1789999810, persistent storage) + 300 = 1790000110. Run with the ledger's time 1790000109, it succeeds.";
const block = (number: number) => key("Block", u64(number));
const asked = (number: number) => `asked for the entry Block(${number}) in its persistent storage`;
const OF_INDEX = `${asked(160261)}, made of Index (persistent storage).`;

const ROWS: readonly Row[] = [
  ["by_time", [], [], `${asked(5966667)}, made of the ledger's time (1790000123) / 300.`],
  ["by_sequence", [], [], `${asked(500)}, made of the ledger's number (5000) / 10.`],
  ["by_index", [], [], OF_INDEX],
  ["given", [u64(5)], [], `${asked(5)}, made of \`number\` (argument 1).`],
  ["next", [address(SOURCE)], [key("Pail", address(SOURCE), u32(160261))], `${PAIL}, ${LATER}`],
  ["stays", [address(SOURCE)], [key("Pail", address(SOURCE), u32(160261))], `${PAIL}, ${LATER}`],
  [
    "sow",
    [address(SOURCE), i128(7)],
    [key("Pail", address(SOURCE), u32(160261))],
    `${PAIL.replace("persistent", "instance")}, ${LATER.replace("Opened (1789999810, persistent", "Round(160261).opened (1789999810, temporary")}`,
  ],
  [
    "both",
    [],
    [],
    `${asked(6126928)}, made of (the ledger's time (1790000123) / 300) + Index (160261, persistent storage).`,
  ],
  ["guarded", [], [], OF_INDEX],
  ["guarded_panic", [], [], OF_INDEX],
  ["noted", [], [], OF_INDEX],
  ["ended", [], [key("Live")], `asked for the entry Ended in its persistent storage, ${LATER}`],
  [
    "rewritten",
    [],
    [block(160261)],
    `${asked(160262)}, made of Index (written earlier in this transaction); Index was written as Index (160261, persistent storage) + 1, ${LATER}`,
  ],
  ["slot", [], [], `${asked(160261)}, made of Index (persistent storage) and the ledger's time.`],
  [
    "sum",
    [vec(u64(3), u64(4))],
    [],
    `${asked(7)}, made of \`numbers[0]\` (3, argument 1) + \`numbers[1]\` (4, argument 1).`,
  ],
  [
    "remove",
    [u64(4)],
    [],
    "asked to delete the entry Block(8) in its persistent storage, made of 8 (computed from `number`).",
    "asked to delete the entry Block(8) in its persistent storage, made of `number` (4, argument 1) × 2.",
  ],
  [
    "keep",
    [u64(4)],
    [block(5)],
    "asked to extend the TTL of the entry Block(5) in its persistent storage, made of `number` (4, argument 1) + 1.",
  ],
  [
    "by_round_of",
    [address(SECOND)],
    [],
    `${asked(5966667)}, made of the result of \`round\` of ${SECOND}; \`round\` returned the ledger's time (1790000123) / 300.`,
  ],
  [
    "by_index_of",
    [address(SECOND)],
    [],
    `${asked(77)}, made of the result of \`index\` of ${SECOND}; \`index\` returned Index (persistent storage).`,
  ],
  [
    "ask",
    [address(SECOND), u64(5)],
    [],
    `${asked(6)}, made of \`number\` (argument 1); \`number\` is \`number\` (5, argument 2) + 1 in \`ask\`.`,
  ],
  [
    "ask_by_time",
    [address(SECOND)],
    [],
    `${asked(5966667)}, made of \`number\` (argument 1); \`number\` is the ledger's time (1790000123) / 300 in \`ask_by_time\`.`,
  ],
  [
    "ask_when",
    [address(SECOND), u64(5)],
    [],
    `${asked(5)}, made of \`number\` (argument 1); \`number\` is \`number\` (argument 2) of \`ask_when\`, ${LATER}`,
  ],
  [
    "chain",
    [vec(address(SECOND), address(THIRD)), u64(9)],
    [],
    `${asked(9)}, made of \`number\` (argument 2); \`number\` is \`number\` (argument 2) of \`chain\`.`,
  ],
  ["owned", [], [], `required the authorization of Owner (${OTHER}, persistent storage).`],
  [
    "signed",
    [address(OTHER)],
    [],
    `required the authorization of \`from\` (${OTHER}, argument 1).`,
  ],
  [
    "signed_if",
    [address(OTHER), i128(101)],
    [],
    `required the authorization of \`from\` (${OTHER}, argument 1), because \`amount\` (101, argument 2) is not less than 101. Run with \`amount\` 100, it succeeds.`,
    `required the authorization of \`from\` (${OTHER}, argument 1), because \`amount\` (101, argument 2) is greater than 100. Run with \`amount\` 100, it succeeds.`,
  ],
  [
    "at",
    [vec(u32(1)), u32(7)],
    [],
    "called the host's `vec_get` with `values` (argument 1) and `index` (7, argument 2).",
  ],
  [
    "of_map",
    [{ map: [{ key: u32(1), val: u32(1) }] }, u32(9)],
    [],
    "called the host's `map_get` with `map` (argument 1) and `key` (9, argument 2).",
  ],
  [
    "call",
    [address(SECOND), symbol("nothing")],
    [],
    `called \`nothing\` of \`other\` (${SECOND}, argument 1).`,
  ],
];

describe("what a refused call was made of is what the source says", () => {
  for (const level of LEVELS) {
    for (const [name, given, named, ...means] of ROWS) {
      test(`${level}: ${name} ${means[0]}`, async () => {
        const words = (await refused(level, name, given, named))?.said ?? "";
        expect(means).toContain(words.replace(/^`\w+` /, ""));
      });
    }
  }
});

describe("a value is followed to the call that gave it, and proven there", () => {
  const rows: readonly (readonly [name: string, given: Json, ...ends: string[]])[] = [
    [
      "at_least",
      i128(5),
      "; `amount` is `amount` (argument 2) of `at_least`. Run with 700 as `amount` of `at_least`, it succeeds.",
    ],
    [
      "order_least",
      order(5),
      "; `amount` is `order.amount` (argument 2) of `order_least`. Run with 700 as `order.amount` of `order_least`, it succeeds.",
    ],
    [
      "spend",
      i128(7),
      "; `stored` returned Live (persistent storage). Run with Live of `stored` 7, it succeeds.",
      "; `stored` returned Live (persistent storage). Run with `amount` 5, it succeeds.",
    ],
  ];
  for (const level of LEVELS) {
    test(`${level}: an absent entry says what its key was made of`, async () => {
      const words = (await refused(level, "must", [u64(2)], [block(160263)]))?.said ?? "";
      expect(words).toMatch(
        /there is no entry Block\(160263\) in its persistent storage \((Index \(160261, persistent storage\) \+ `number` \(2, argument 1\)|`number` \(2, argument 1\) \+ Index \(160261, persistent storage\))\)\./,
      );
    });
    test(`${level}: and what decided that it was that one`, async () => {
      const at = { present: [block(160261)] };
      const words = (await refused(level, "must_next", [], [block(160262)], at))?.said ?? "";
      expect(words).toContain("there is no entry Block(160262) in its persistent storage");
      expect(words).toEndWith(`; it asked for that entry ${LATER}`);
      expect(words).not.toStartWith("Likely");
    });
    for (const [name, given, ...ends] of rows) {
      test(`${level}: ${name} ${ends[0]}`, async () => {
        const words = (await refused(level, name, [address(SECOND), given]))?.said ?? "";
        expect(ends.find((end) => words.endsWith(end)) ?? words).toBeOneOf(ends);
        expect(words).toStartWith(name === "spend" ? "`spend` failed" : "`least` stopped");
      });
    }
  }
});

/** Whose keys depend on what; `named`: the key of the footprint. */
const KEYS: readonly (readonly [
  name: string,
  given: readonly Json[],
  named: readonly Json[],
  kind: CauseKind,
  says: string,
])[] = [
  ["by_time", [], [block(5966666)], "stale-close-time", " s earlier, the transaction succeeds."],
  [
    "next",
    [address(SOURCE)],
    [key("Pail", address(SOURCE), u32(160261))],
    "stale-close-time",
    " 14 s earlier, the transaction succeeds.",
  ],
  [
    "sow",
    [address(SOURCE), i128(7)],
    [key("Pail", address(SOURCE), u32(160261))],
    "stale-close-time",
    " 14 s earlier, the transaction succeeds.",
  ],
  ["ended", [], [key("Live")], "stale-close-time", " 14 s earlier, the transaction succeeds."],
  [
    "by_sequence",
    [],
    [block(499)],
    "stale-simulation",
    "The ledger's number decided: 1 ledger earlier, the transaction succeeds.",
  ],
  [
    "chance",
    [],
    [],
    "stale-simulation",
    "The key depends on a random number, which differs in each run.",
  ],
  [
    "by_index",
    [],
    [block(160260)],
    "stale-simulation",
    "The key depends on the state of the contract, and not on the ledger's time or number.",
  ],
  [
    "by_index_of",
    [address(SECOND)],
    [block(76)],
    "stale-simulation",
    "The key depends on the state of the contract, and not on the ledger's time or number.",
  ],
  [
    "noted",
    [],
    [block(160260)],
    "stale-simulation",
    "The key depends on the state of the contract, and not on the ledger's time or number.",
  ],
  [
    "remove",
    [u64(4)],
    [block(7)],
    "footprint-miss",
    "The key depends on the arguments of the call alone, so the footprint is that of another call.",
  ],
  // The clock might have refused, and an entry might have expired.
  [
    "guarded",
    [],
    [block(160260)],
    "stale-simulation",
    "The key depends on something that changed since: a ledger's time, or its state.",
  ],
  [
    "draft",
    [],
    [key("Draft", u32(1)), block(160260)],
    "stale-simulation",
    "The key depends on something that changed since: a ledger's time, or its state.",
  ],
];

describe("a stale simulation says whose key it is: the clock's, the state's, or chance's", () => {
  for (const level of LEVELS) {
    for (const [name, given, named, kind, says] of KEYS) {
      test(`${level}: ${name}`, async () => {
        const found = await (await refused(level, name, given, named))?.explained();
        expect(found?.cause.summary).toEndWith(says);
        expect(found?.cause.kind).toBe(kind);
        expect(found?.cause.confidence).toBe(
          kind === "stale-close-time" ? "known" : found?.cause.confidence,
        );
        const ofState = says.includes("state of the contract");
        const remedy = said(found?.remedy);
        expect(remedy.includes("state that other transactions change")).toBe(ofState);
        expect(found?.cause.summary).not.toContain("state moved on");
      });
    }
  }
});

test("what is said not to depend on the ledger does not change with it", async () => {
  const calls: readonly (readonly [string, readonly Json[]])[] = [
    ...KEYS.map(([name, given]) => [name, given] as const),
    ...["stays", "both", "guarded_panic", "rewritten", "slot", "sum", "given"].map(
      (name) =>
        [
          name,
          name === "stays"
            ? [address(SOURCE)]
            : name === "sum"
              ? [vec(u64(3))]
              : name === "given"
                ? [u64(5)]
                : [],
        ] as const,
    ),
    ["by_round_of", [address(SECOND)]],
    ["ask", [address(SECOND), u64(5)]],
    ["ask_by_time", [address(SECOND)]],
    ["ask_when", [address(SECOND), u64(5)]],
  ];
  let differed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...LEVELS),
      fc.constantFrom(...calls),
      fc.record({
        time: fc.integer({ min: OPENED - 500, max: OPENED + 2000 }),
        sequence: fc.integer({ min: 4900, max: 5100 }),
      }),
      async (level, [name, given], at) => {
        const first = await refused(level, name, given, []);
        const second = await refused(level, name, given, [], at);
        const known = first?.why.refused;
        // A guard that the clock does not pass shows no key.
        if (known === undefined || (second !== null && second.why.refused === undefined)) return;
        const ofLedger = [...known.values, ...known.control].some((of) =>
          ["time", "sequence", "random"].includes(of),
        );
        const [one, other] = [first, second].map((run) => run?.why.refused?.arguments[0]?.keyXdr);
        if (one !== other) differed += 1;
        if (one !== other)
          expect({ name, known: known.complete && !ofLedger }).toEqual({ name, known: false });
      },
    ),
    { numRuns: 100 },
  );
  expect(differed).toBeGreaterThan(10);
}, 60_000);
