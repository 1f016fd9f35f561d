// Which value decides that a constructor fails: its arguments decide as those of a call do, whether
// the transaction creates the contract or another contract does. The source of
// tests/contracts/founded is the truth, at each level of optimization.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { runVariant } from "../../src/debugger/run/run-variant.ts";
import { buildVariant } from "../../src/debugger/what-if/build-variant.ts";
import { provenRemedy } from "../../src/explain/naming/proven-remedy.ts";
import { NO_OVERRIDES } from "../../src/model/overrides.ts";
import { contractEntries, createdBy, executeCall, executeCreation } from "../support/executed.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { ownContract } from "../support/other-code.ts";
import { address, CHECKED, i128, type Json, key, u32, whyOf } from "../support/said-why.ts";
import { openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();

type Given = readonly [how: number, amount: bigint, fee: number];

const codeOf = (level: string) => ownContract(`founded-${level}.wasm`);
const values = ([how, amount, fee]: Given) => [u32(how), i128(amount), u32(fee), address];

async function created(level: string, given: Given) {
  const { ran, execution } = await executeCreation(simulator, {
    wasm: codeOf(level),
    arguments: values(given),
    absent: [key("Plan", u32(given[2]))],
  });
  return { ...ran, execution };
}

/** The contract number 7 calls `found`, which creates another one. */
async function founded(level: string, [how, amount, fee]: Given) {
  const wasm = codeOf(level);
  const { contract, entries } = contractEntries(wasm, 7);
  const instance = { key: "ledger_key_contract_instance", durability: "persistent" };
  const code = { bytes: new Bun.CryptoHasher("sha256").update(wasm).digest("hex") };
  const { ran, execution } = await executeCall(simulator, {
    ...{ contract, function: "found", readOnly: entries as Json[] },
    arguments: [code, ...values([how, amount, fee])],
    absent: [
      { contract_data: { contract: createdBy(contract, new Uint8Array(32).fill(6)), ...instance } },
    ],
  });
  return { ...ran, execution };
}

/** Null: it succeeds. */
async function said(ran: Awaited<ReturnType<typeof created>>) {
  if (ran.execution.outcome.kind === "success") return null;
  const found = await whyOf(simulator, ran, true);
  if (!found?.said) throw new Error("nothing is said");
  return { ...found, said: found.said, remedy: provenRemedy(found.said, ran.record.ledger) };
}

type Row = readonly [given: Given, because: string, remedy: string | null];

const NO_PLAN = "there is no entry Plan(3) in its persistent storage (`fee`, argument 3)";
const ROWS: readonly Row[] = [
  [[1, -5n, 1], "`amount` (-5, argument 2) is less than 0", "Pass at least 0 as `amount`."],
  [[2, 0n, 9], "`fee` (9, argument 3) is not 10 to 1000", "Pass 10 to 1000 as `fee`."],
  [[2, 0n, 1001], "`fee` (1001, argument 3) is not 10 to 1000", "Pass 10 to 1000 as `fee`."],
  [[3, 8n, 0], "`amount` (8, argument 2) is not 7", "Pass 7 as `amount`."],
  [
    [4, 0n, 400_000_000],
    "`fee` (400000000, argument 3) is greater than 294967295",
    "Pass at most 294967295 as `fee`.",
  ],
  [[5, 0n, 3], NO_PLAN, null],
  [
    [6, 0n, 3],
    `${NO_PLAN}; it asked for that entry because \`how\` (argument 1) is 6`,
    "Pass a value other than 6, such as 7, as `how` (by the state of ledger 205).",
  ],
  [[7, 0n, 0], "`fee` (argument 3) is 0", "Pass a value other than 0, such as 1, as `fee`."],
  // The owner authorizes the constructor's call: with another amount, that of the other call.
  [[8, 501n, 0], "`amount` (501, argument 2) is greater than 500", "Pass at most 500 as `amount`."],
];

describe.each(CHECKED)("%s", (level) => {
  test.each(ROWS)("the transaction creates it with %p", async (given, because, remedy) => {
    const found = await said(await created(level, given));
    expect(found?.said.summary).toContain(` because ${because}.`);
    expect(found?.remedy ?? null).toBe(remedy);
    expect(found?.said.confidence).toBe("known");
  });

  test("a contract creates it: the argument is that of the function that does", async () => {
    const amount = "its argument is `amount` (-7, argument 3) + 1 in `found`";
    const found = await said(await founded(level, [1, -7n, 1]));
    expect(found?.said.summary).toBe(
      `\`__constructor\` failed because its argument (-6, argument 2) is less than 0; ${amount}. Run with -1 as \`amount\` of \`found\`, it succeeds.`,
    );
    const fee = await said(await founded(level, [2, 0n, 1001]));
    expect(fee?.said.summary).toBe(
      "`__constructor` failed because its argument (1001, argument 3) is not 10 to 1000; its argument is `fee` " +
        "(argument 4) of `found`. Run with 1000 as `fee` of `found`, it succeeds.",
    );
  });
});

test("the number that is named decides: it succeeds, and the next one fails as before", async () => {
  const numbers = fc.record({
    how: fc.constantFrom(1, 2, 3, 4, 7, 8),
    amount: fc.bigInt({ min: -600n, max: 600n }),
    fee: fc.oneof(fc.nat(1100), fc.integer({ min: 294_967_290, max: 294_967_300 })),
    level: fc.constantFrom(...CHECKED),
  });
  await fc.assert(
    fc.asyncProperty(numbers, async ({ how, amount, fee, level }) => {
      const given: Given = [how, amount, fee];
      const found = await said(await created(level, given));
      if (found === null) return;
      const { proof } = found.said;
      if (proof === null) throw new Error(found.said.summary);
      const place = proof.name === "`amount`" ? 1 : 2;
      const at = (number: bigint): Given =>
        place === 1 ? [how, number, fee] : [how, amount, Number(number)];
      const number = BigInt(proof.value);
      const ends = async (other: bigint) =>
        (await created(level, at(other))).execution.outcome.kind === "success";
      expect(await ends(number)).toBe(true);
      const step = number > BigInt(proof.was) ? -1n : 1n;
      if (number + step >= 0n || place === 1) expect(await ends(number + step)).toBe(false);
    }),
    { numRuns: 40 },
  );
});

test("an argument of a constructor is overridden by its name", async () => {
  const ran = await created("z", [2, 0n, 1001]);
  const overrides = { ...NO_OVERRIDES, arguments: new Map([["fee", 1000]]) };
  const run = { signal: NEVER_ABORTED };
  const draft = await buildVariant({ simulator, recorder: null }, ran, overrides, run);
  expect(draft.changed).toEqual([
    { kind: "argument", what: "argument fee of __constructor", before: "1001", after: "1000" },
  ]);
  const { outcome } = await runVariant({ simulator }, ran, draft, run);
  expect(outcome.kind).toBe("success");
  expect(draft.envelope.hostFunction?.argumentsXdr).toHaveLength(4);
  expect(draft.envelope.authorizationsXdr).toHaveLength(1);
});
