// Calls that fail for one reason are counted together, and pieces of a range give the reasons of
// one run, whatever the order in which their calls were judged.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { VariantExplanation } from "../../src/debugger/what-if/explain-variant.ts";
import { FailureReasons, MOST_DECIDED, mergeReasons } from "../../src/rehearsal/failure-reasons.ts";
import type { GroupKind, RehearsedCall } from "../../src/rehearsal/rehearsal.ts";

function callOf(ledger: number, name: string, group: GroupKind): RehearsedCall {
  const contract = "CARMABI77YBQPFUXOF227XIUXLT3GILPIWWJ2ESXRCYRFEC4L7BJJDFF";
  const after = { kind: "host-error", type: "WasmVm", code: "InvalidAction" } as const;
  const cause = {
    kind: "cause",
    cause: "contract-panic",
    failed: { contract, function: name },
    after,
    summary: `${name} panicked in ledger ${ledger}.`,
  } as const;
  return {
    hash: ledger.toString(16).padStart(64, "0"),
    ledger,
    applicationOrder: 1,
    contract,
    function: name,
    reached: [],
    group,
    differences: group === "same" ? [] : [cause],
    redeclared: [],
    signers: [],
    unconfirmed: false,
    files: null,
    raisedProtocol: null,
    costs: null,
  };
}

/** The reasons of calls that were judged in this order. */
async function reasonsOf(calls: readonly RehearsedCall[], judged: readonly RehearsedCall[]) {
  const reasons = new FailureReasons();
  let decided = 0;
  for (const call of judged)
    reasons.note(call, async () => {
      decided += 1;
      const summary = `${call.hash} decided it.`;
      return { cause: { summary }, decidedBy: { summary } } as unknown as VariantExplanation;
    });
  const found = await reasons.of(calls);
  expect(decided).toBeLessThanOrEqual(MOST_DECIDED);
  return found;
}

const kinds = fc.constantFrom<GroupKind>("newly-failing", "other-failure", "same");
const names = fc.nat({ max: 40 }).map((number) => `f${number}`);
const lists = fc.array(fc.tuple(names, kinds), { maxLength: 120 });

test("each reason has its calls, its first one, and what decided that one", async () => {
  await fc.assert(
    fc.asyncProperty(lists, fc.func(fc.nat()), async (list, rank) => {
      const calls = list.map(([name, group], at) => callOf(at + 1, name, group));
      const judged = calls.toSorted((left, right) => rank(left.hash) - rank(right.hash));
      const reasons = await reasonsOf(calls, judged);
      const groups = Map.groupBy(
        calls.filter(({ group }) => group !== "same"),
        (call) => `${call.group} ${call.function}`,
      );
      expect(reasons.map((each) => [`${each.group} ${each.failed?.function}`, each.calls])).toEqual(
        [...groups].map(([key, { length }]) => [key, length]),
      );
      const firsts = [...groups.values()].map(([first]) => first?.hash ?? "");
      expect(reasons.map(({ first }) => first.hash)).toEqual(firsts);
      expect(reasons.map(({ decided }) => decided?.summary ?? null)).toEqual(
        firsts.map((hash, at) => (at < MOST_DECIDED ? `${hash} decided it.` : null)),
      );
    }),
  );
});

test("the reasons of pieces are those of one run", async () => {
  await fc.assert(
    fc.asyncProperty(
      lists,
      fc.array(fc.nat({ max: 120 }), { maxLength: 4 }),
      async (list, cuts) => {
        const calls = list.map(([name, group], at) => callOf(at + 1, name, group));
        const ends = [...cuts.toSorted((left, right) => left - right), calls.length];
        const pieces = ends.map((end, at) => calls.slice(ends[at - 1] ?? 0, end));
        const reasons = await Promise.all(pieces.map((each) => reasonsOf(each, each)));
        // Pieces of files are in no order.
        const merged = mergeReasons(calls, reasons.toReversed());
        expect(merged).toEqual(await reasonsOf(calls, calls));
      },
    ),
  );
});
