// A simulator that dies in any run but the replay itself costs nothing but what that run would have
// shown, and the report says so. Two of these runs took the whole answer with them.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { SvcError } from "../../src/base/errors/errors.ts";
import { debugTransaction } from "../../src/debugger/walk/debug-transaction.ts";
import type { DebugOptions } from "../../src/debugger/walk/replay-captured.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import { renderText } from "../../src/report/text/render-text.ts";
import { openPool } from "../../src/simulator/pool.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";

const loopback = openLoopback();
const real = openPool({ path: SIMULATOR_BINARY, size: 1 });
beforeAll(ensureBuilt, 900_000);
afterAll(async () => {
  await real[Symbol.asyncDispose]();
  await loopback[Symbol.asyncDispose]();
});

const signal = NEVER_ABORTED;
const WORDS = "the helper ended";

/** Dies in its `dying`th run, from 1; counts all. */
function mortal(dying: number): Simulator & { runs: number } {
  const simulator = {
    runs: 0,
    replay: (...request: Parameters<Simulator["replay"]>) => {
      simulator.runs += 1;
      if (simulator.runs !== dying) return real.replay(...request);
      const error = new SvcError("SIMULATOR_DIED", { message: `${WORDS}.`, remedy: "Try again." });
      return Promise.reject(error);
    },
    [Symbol.asyncDispose]: async () => {},
  };
  return simulator;
}

/** Without what each run measures anew. */
function lasting({ execution, ...rest }: Investigation) {
  return { ...rest, execution: execution && { ...execution, hostNanoseconds: 0 } };
}

const cases: readonly {
  readonly what: string;
  readonly name: string;
  readonly options?: Partial<DebugOptions>;
}[] = [
  {
    what: "the place of a trap, the functions of a profile, a fix",
    name: "panic -> unreachable trap",
    options: { locate: { wasm: null }, profile: true },
  },
  {
    what: "the host calls of an authorization, a fix",
    name: "admin_set, no auth entries",
  },
  {
    what: "the proof that an entry was absent",
    name: "get of missing key -> contract error",
  },
  {
    what: "a conflicting transaction",
    name: "same ledger race: get #1",
  },
];

test("a run that takes too long to say why is not repeated", async () => {
  const { hash } = loopback.network.named("panic -> unreachable trap");
  let asked = 0;
  const replay: Simulator["replay"] = (request, options) => {
    if (request.options?.why !== true) return real.replay(request, options);
    asked += 1;
    const error = { message: `${WORDS} late.`, remedy: "Try again." };
    return Promise.reject(new SvcError("SIMULATOR_TIMEOUT", error));
  };
  const simulator = { replay, [Symbol.asyncDispose]: async () => {} };
  const dependencies = { ...openWalk(loopback), simulator, progress: () => {} };
  const options = { signal, locate: { wasm: null } };
  const { caveats, execution } = await debugTransaction(dependencies, hash, options);
  expect([asked, execution?.location?.kind]).toEqual([1, "known"]);
  expect(caveats.join(" ")).toContain(`To find which value decided, svc ran the transaction again`);
  expect(caveats.join(" ")).toContain(`${WORDS} late.`);
});

test("the caveats have one order, whichever run fails first", async () => {
  const { hash } = loopback.network.named("same ledger race: get #1");
  const caveatsOf = async (stepsOf: (run: number) => number) => {
    let runs = 0;
    const replay: Simulator["replay"] = async (...request) => {
      runs += 1;
      if (runs === 1) return real.replay(...request);
      for (let step = stepsOf(runs); step > 0; step -= 1) await Promise.resolve();
      throw new SvcError("SIMULATOR_DIED", { message: `${WORDS}.`, remedy: "Try again." });
    };
    const simulator = { replay, [Symbol.asyncDispose]: async () => {} };
    const dependencies = { ...openWalk(loopback), simulator, progress: () => {} };
    return (await debugTransaction(dependencies, hash, { signal })).caveats;
  };
  const caveats = await caveatsOf((run) => run * 1000);
  expect(new Set(caveats).size).toBeGreaterThan(1);
  expect(await caveatsOf((run) => 10_000 - run * 1000)).toEqual(caveats);
});

describe("a simulator that dies beside the replay", () => {
  for (const { what, name, options = {} } of cases) {
    test(`${what}: ${name}`, async () => {
      const transaction = loopback.network.named(name);
      const walk = openWalk(loopback);
      const debug = (simulator: Simulator): Promise<Investigation> => {
        const dependencies = { ...walk, simulator, progress: () => {} };
        return debugTransaction(dependencies, transaction.hash, { signal, ...options });
      };
      const whole = mortal(0);
      const expected = await debug(whole);
      expect(whole.runs).toBeGreaterThan(1);
      for (let dying = 2; dying <= whole.runs; dying += 1) {
        const found = await debug(mortal(dying));
        expect(found.explanation.cause?.kind).toBe(expected.explanation.cause?.kind);
        expect(found.execution?.outcome).toEqual(expected.execution?.outcome as never);
        const { verdict, fix, caveats, execution } = found;
        // Without its proof a verdict is weaker, and only then.
        const weaker = verdict?.kind !== expected.verdict?.kind;
        expect(weaker ? verdict?.kind : "equivalent").toBe("equivalent");
        // The text report says what the investigation does.
        const shown = renderText(found, { color: false }).replaceAll(/\s+/g, " ");
        for (const sentence of caveats) expect(shown).toContain(sentence);
        const said = [caveats, fix?.summary, execution?.location, execution?.functionProfile];
        // What one run was asked for together, a run for each shows too: then nothing is lost.
        if (!JSON.stringify(said).includes(WORDS))
          expect(lasting(found)).toEqual(lasting(expected));
      }
      await expect(debug(mortal(1))).rejects.toThrow(WORDS);
    });
  }
});
