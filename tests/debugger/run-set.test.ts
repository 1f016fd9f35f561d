// A question is answered from a run that recorded at least what is asked, and only then: whatever is
// asked in which order, svc-sim runs once for the first of each kind.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SvcError } from "../../src/base/errors/errors.ts";
import { type Recorded, RunSet } from "../../src/debugger/run/run-set.ts";
import type { ReplayRequest } from "../../src/simulator/wire-schema.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";

const signal = NEVER_ABORTED;
const REQUEST: ReplayRequest = {
  envelope_xdr: "AAAA",
  result_meta_xdr: "",
  ledger_entries: {},
  options: { trace: true, profile: true, deadline_milliseconds: 20_000 },
};

/** Answers each request with its own options. */
function openEcho(fails: (request: ReplayRequest) => SvcError | null = () => null) {
  const asked: ReplayRequest[] = [];
  const simulator = {
    replay: async (request: ReplayRequest) => {
      asked.push(request);
      const error = fails(request);
      if (error !== null) throw error;
      return { options: request.options } as never;
    },
    [Symbol.asyncDispose]: async () => {},
  };
  return { asked, runs: new RunSet({ simulator }, REQUEST) };
}

const named = fc.constantFrom({}, { wasm: "AAAA" });
const branch = fc.record({
  frame: fc.nat(1),
  code: fc.constant("c"),
  address: fc.constant(1),
  count: fc.constant(1),
});
const recorded: fc.Arbitrary<Recorded> = fc.record(
  {
    trace: fc.constantFrom(false, true, "calls" as const, "host_calls" as const),
    profile: fc.boolean(),
    why: fc.boolean(),
    locate: named,
    functions: named,
    branch,
  },
  { requiredKeys: [] },
);

const TRACE = new Map<unknown, number>([
  [undefined, 0],
  [false, 0],
  ["calls", 1],
  [true, 1],
  ["host_calls", 2],
]);

/** The run has all that was asked for. */
function serves(given: Recorded, wanted: Recorded): boolean {
  const same = (one: unknown, other: unknown) =>
    other === undefined || JSON.stringify(one) === JSON.stringify(other);
  return (
    (TRACE.get(given.trace) ?? 0) >= (TRACE.get(wanted.trace) ?? 0) &&
    (given.profile === true || wanted.profile !== true) &&
    (given.why === true || wanted.why !== true) &&
    same(given.locate, wanted.locate) &&
    same(given.functions, wanted.functions) &&
    same(given.branch, wanted.branch)
  );
}

describe("a set of runs", () => {
  test("answers from a run that recorded enough, and runs again only without one", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(recorded, { maxLength: 8 }), async (questions) => {
        const { asked, runs } = openEcho();
        for (const wanted of questions) {
          const before = asked.map(({ options = {} }) => options);
          const found = (await runs.get(wanted, { signal })) as unknown as ReplayRequest;
          expect(serves(found.options ?? {}, wanted)).toBe(true);
          const known = before.some((each) => serves(each, wanted));
          expect(asked.length).toBe(before.length + (known ? 0 : 1));
        }
      }),
    );
  });

  test("keeps the deadline of the request, records nothing of its own accord", async () => {
    const { asked, runs } = openEcho();
    await runs.get({ why: true }, { signal, milliseconds: 1_500 });
    await runs.get({ trace: "host_calls" }, { signal });
    expect(asked.map(({ options }) => options)).toEqual([
      { why: true, diagnostics: true, deadline_milliseconds: 1_500 },
      { trace: "host_calls", diagnostics: true, deadline_milliseconds: 20_000 },
    ]);
  });

  const failure = (code: "SIMULATOR_TIMEOUT" | "SIMULATOR_DIED") =>
    new SvcError(code, { message: "It failed.", remedy: "Try again." });

  test("runs again for each question where the run for all of them died", async () => {
    const { asked, runs } = openEcho(({ options }) =>
      options?.why === true && options.trace === "host_calls" ? failure("SIMULATOR_DIED") : null,
    );
    void runs.start({ trace: "host_calls", why: true }, { signal, milliseconds: 1_500 });
    await runs.get({ why: true }, { signal, milliseconds: 1_500 });
    await runs.get({ trace: "host_calls" }, { signal });
    expect(asked.length).toBe(3);
  });

  test("does not repeat a run that took too long, but for a question with more time", async () => {
    const { asked, runs } = openEcho(({ options }) =>
      options?.deadline_milliseconds === 1_500 ? failure("SIMULATOR_TIMEOUT") : null,
    );
    void runs.start({ trace: "host_calls", why: true }, { signal, milliseconds: 1_500 });
    const again = runs.get({ why: true }, { signal, milliseconds: 1_500 });
    await expect(again).rejects.toThrow("It failed.");
    await runs.get({ trace: "host_calls" }, { signal });
    expect(asked.length).toBe(2);
  });

  test("ends when no run is under way, whether or not one failed", async () => {
    const { runs } = openEcho(() => failure("SIMULATOR_DIED"));
    void runs.start({ why: true }, { signal });
    await runs.ended();
  });
});
