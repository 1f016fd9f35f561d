// A list of calls keeps each of them as it is, whatever was set again or removed between.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { CallList } from "../../src/rehearsal/call-list.ts";
import { COSTS, GROUPS, type RehearsedCall } from "../../src/rehearsal/rehearsal.ts";

const amount = fc.nat({ max: Number.MAX_SAFE_INTEGER });
/** Few, so that calls are set again; most begin with the same bytes. */
const hash = fc.nat({ max: 20 }).map((number) => {
  const end = number.toString(16).padStart(2, "0");
  return `${(number % 3 === 0 ? end : "00").padEnd(14, "ab")}${end.repeat(25)}`;
});
const call: fc.Arbitrary<RehearsedCall> = fc.record({
  hash,
  ledger: fc.nat({ max: 2 ** 32 - 1 }),
  applicationOrder: fc.option(fc.integer({ min: 1, max: 1000 })),
  contract: fc.option(fc.string()),
  function: fc.option(fc.string()),
  reached: fc.array(
    fc.record({ contract: fc.string(), function: fc.string(), nested: fc.boolean() }),
    { maxLength: 2 },
  ),
  group: fc.constantFrom(...(Object.keys(GROUPS) as (keyof typeof GROUPS)[])),
  differences: fc.constantFrom([], [{ kind: "events", before: 1, after: 2 } as const]),
  redeclared: fc.array(fc.string(), { maxLength: 1 }),
  signers: fc.array(fc.string(), { maxLength: 1 }),
  unconfirmed: fc.boolean(),
  raisedProtocol: fc.option(fc.integer({ min: 20, max: 30 })),
  files: fc.constantFrom(
    null,
    { kind: "capsule", file: "a.capsule.json" } as const,
    { kind: "ledgers", files: ["1.xdr", "2.xdr"], networkPassphrase: "made" } as const,
  ),
  costs: fc.option(
    fc.tuple(...Object.keys(COSTS).map(() => fc.tuple(amount, amount))).map((pairs) => {
      const named = Object.keys(COSTS).map((name, at) => [name, pairs[at]]);
      return Object.fromEntries(named) as NonNullable<RehearsedCall["costs"]>;
    }),
  ),
});
const steps = fc.array(fc.oneof({ weight: 4, arbitrary: call }, { weight: 1, arbitrary: hash }), {
  maxLength: 60,
});

test("the calls are those of a map, in the order of the chain", () => {
  fc.assert(
    fc.property(steps, fc.option(fc.integer({ min: 1, max: 30 })), (list, last) => {
      const calls = new CallList();
      const model = new Map<string, RehearsedCall>();
      for (const step of list) {
        if (typeof step === "string") {
          calls.delete(step);
          model.delete(step);
        } else {
          calls.set(step);
          const all = [step, model.get(step.hash) ?? step].map(({ files }) =>
            JSON.stringify(files),
          );
          const [first = "null"] = all.filter((text) => text !== "null").sort();
          model.set(step.hash, { ...step, files: JSON.parse(first) });
        }
        expect(calls.size).toBe(model.size);
      }
      const order = (each: RehearsedCall) => each.applicationOrder ?? 0;
      const sorted = [...model.values()].sort(
        (left, right) =>
          left.ledger - right.ledger ||
          order(left) - order(right) ||
          (left.hash < right.hash ? -1 : 1),
      );
      const expected = last === null ? sorted : sorted.slice(-last);
      const inOrder = calls.inOrder(last);
      expect(inOrder.length).toBe(expected.length);
      expect([...inOrder]).toEqual(expected);
    }),
  );
});

test("more calls than one block holds are all there", () => {
  const calls = new CallList();
  const [sample] = fc.sample(call, { seed: 1, numRuns: 1 });
  if (sample === undefined) throw new Error("there is a sample");
  const count = 3000;
  for (let ledger = 1; ledger <= count; ledger += 1)
    calls.set({ ...sample, ledger, hash: ledger.toString(16).padStart(64, "0") });
  const ledgers = Array.from(calls.inOrder(null), (each) => each.ledger);
  expect(ledgers).toEqual(Array.from({ length: count }, (_, at) => at + 1));
});
