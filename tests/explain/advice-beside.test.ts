// Beside the condition that decided nothing else is advised: no look-up, no absent entry, no argument
// that the code does nothing with. The source of tests/contracts/advice is the truth.

import { describe, expect, test } from "bun:test";
import { RunSet } from "../../src/debugger/run/run-set.ts";
import { traceHostCalls } from "../../src/debugger/walk/further-runs.ts";
import { explain } from "../../src/explain/explain.ts";
import { replayRequest } from "../../src/simulator/requests.ts";
import {
  contractEntries,
  type Executed,
  executeCall,
  executeCreation,
} from "../support/executed.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { ownContract } from "../support/other-code.ts";
import {
  address,
  i128,
  type Json,
  key,
  symbol,
  u32,
  u64,
  vec,
  whyOf,
} from "../support/said-why.ts";
import { openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();
const WASM = "advice-z.wasm";
const { contract, entries } = contractEntries(ownContract(WASM), 7);
const NO_LIMIT = {
  contract_data: { contract, key: key("Limit", address), durability: "persistent" },
};
const BIG = 10n ** 38n;
const MOST = 2n ** 127n - 1n;

/** Explained with the deciding value, and without. */
async function explained({ execution, ran }: Executed) {
  const options = { trace: true, diagnostics: true, feeTakenStroops: null };
  const request = replayRequest(ran.record, ran.snapshot, options);
  const optional = { signal: NEVER_ABORTED, caveats: [] };
  const tracedTree = await traceHostCalls(new RunSet({ simulator }, request), execution, optional);
  const found = await whyOf(simulator, { ...ran, execution }, true);
  const why = found && { why: found.why, proof: found.proof };
  return {
    decided: explain(ran, execution, null, { tracedTree, ...(why && { why }) }),
    undecided: explain(ran, execution, null, { tracedTree }),
  };
}

const called = async (name: string, given: readonly Json[]) =>
  explained(
    await executeCall(simulator, {
      ...{ contract, function: name, arguments: given },
      ...{ readOnly: entries, absent: [NO_LIMIT] },
    }),
  );

const CHECK_DENOMINATION =
  "Check `denomination`: the key is made of it. If the value should exist, first send the " +
  "transaction that sets it.";

describe("what decided is all that is said, and what helps is about that", () => {
  const rows: readonly (readonly [
    string,
    readonly Json[],
    reason: string,
    remedy: string | null,
  ])[] = [
    [
      "flagged",
      [i128(-5)],
      "`limit` (-5, argument 1) is less than 0",
      "Pass at least 0 as `limit`.",
    ],
    [
      "refused",
      [i128(-5)],
      "`limit` (-5, argument 1) is less than 0",
      "Pass at least 0 as `limit`.",
    ],
    [
      "limited",
      [address, i128(700)],
      "`amount` (700, argument 2) is greater than 500",
      "Pass at most 500 as `amount`.",
    ],
    ["initialize", [u32(5000)], "`fee` (5000, argument 1) is greater than 1000", null],
    ["currency", [symbol("EUR")], "there is no entry Currency(EUR)", CHECK_DENOMINATION],
    ["currency_or", [symbol("EUR")], "there is no entry Currency(EUR)", CHECK_DENOMINATION],
    [
      "share",
      [i128(BIG), i128(7), i128(0)],
      "× 1000 does not fit an i128",
      `Pass at most ${MOST / 1000n} as \`a\`.`,
    ],
    [
      "product",
      [u64(2n ** 64n - 1n), u64(2)],
      "does not fit a u64",
      `Pass at most ${2n ** 63n - 1n} as \`a\`.`,
    ],
    [
      "priced",
      [i128(10n ** 35n), i128(90_000)],
      "does not fit an i128",
      `Pass at most ${MOST / 90_000n} as \`reserve\`.`,
    ],
    [
      "listed",
      [vec(), u32(20)],
      "`limit` (20, argument 2) is greater than 10",
      "Pass at most 10 as `limit`.",
    ],
  ];
  for (const [name, given, reason, remedy] of rows)
    test(`${name}: ${reason}`, async () => {
      const { decided } = await called(name, given);
      expect(decided.evidence).toHaveLength(1);
      expect(decided.evidence[0]).toContain(reason);
      expect(decided.remedy).toBe(remedy);
    });
});

describe("where nothing decided", () => {
  test("nothing is suspected that no run shows, and no value picked", async () => {
    for (const [name, given] of [
      ["share", [i128(BIG), i128(7), i128(0)]],
      ["product", [u64(2n ** 64n - 1n), u64(2)]],
    ] as const) {
      const { undecided } = await called(name, given);
      for (const sentence of undecided.evidence) expect(sentence).not.toContain("`");
    }
  });

  test("a look-up is evidence; what helps is about its key, and is no first call of a first call", async () => {
    const { undecided: currency } = await called("currency_or", [symbol("EUR")]);
    expect(currency.evidence[0]).toStartWith("The contract looked up Currency(EUR)");
    expect(currency.remedy).toBe(CHECK_DENOMINATION);
    expect((await called("refused", [i128(-5)])).undecided.remedy).toStartWith(
      "If the contract has to be initialized, do that first",
    );
    expect((await called("initialize", [u32(5000)])).undecided.remedy).toBeNull();
  });
});

test("a constructor's error, arguments and condition are those of the code that is named", async () => {
  const created = await executeCreation(simulator, {
    wasm: ownContract(WASM),
    arguments: [address, u32(5000)],
  });
  const { decided, undecided } = await explained(created);
  for (const { cause } of [decided, undecided])
    expect(cause?.summary).toMatch(
      /^__constructor\(admin: G\w{55}, fee: 5000\) of contract C\w{55} failed with AdviceError::FeeTooHigh \(Error\(Contract, #4\)\)\.$/,
    );
  expect(decided.evidence).toEqual([
    "`__constructor` failed because `fee` (5000, argument 2) is greater than 1000. Run with `fee` 1000, it succeeds.",
  ]);
});

test("an absent persistent entry whose key no argument is part of has to be set, and no argument is to be checked", async () => {
  const { contract: keys, entries: readOnly } = contractEntries(ownContract("keys-s.wasm"), 7);
  const index = { contract_data: { contract: keys, key: key("Index"), durability: "persistent" } };
  const made = { contract: keys, function: "index", arguments: [], readOnly, absent: [index] };
  const { decided } = await explained(await executeCall(simulator, made));
  expect(decided.evidence[0]).toContain("there is no entry Index in its persistent storage");
  expect(decided.remedy).toStartWith("If the contract has to be initialized, do that first");
});

test("a first call that finds something set is not to be made again, if it was", async () => {
  const { contract: market, entries: known } = contractEntries(ownContract("market-z.wasm"), 7);
  const [own, code] = known as Json[];
  own.contract_data.val.contract_instance.storage = [{ key: key("Admin"), val: address }];
  const made = { contract: market, function: "initialize", arguments: [address] };
  const ran = await executeCall(simulator, { ...made, readOnly: [own, code] });
  const { decided } = await explained(ran);
  expect(decided.evidence[0]).toContain("there is an entry Admin in its instance storage");
  expect(decided.remedy).toBe(
    "If the contract is initialized already, do not call `initialize` again.",
  );
});
