// Whatever the order of honest, lying, empty and broken nodes: no replay is said to differ from the
// chain while one of them is honest.

import { afterAll, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { SvcError } from "../../src/base/errors/errors.ts";
import { debugTransaction } from "../../src/debugger/walk/debug-transaction.ts";
import { isRunOfChain } from "../../src/model/verdict.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk, type WalkNodes } from "../support/loopback-walk.ts";
import { openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();
const loopback = openLoopback();
afterAll(() => loopback[Symbol.asyncDispose]());

/** A success that reads an instance, and a failure. Of each, a lie that makes its replay differ. */
const SUBJECTS = [
  [41, "other-instance"],
  [108, "fee-rates"],
  [106, "fee-rates"],
] as const;
type Subject = (typeof SUBJECTS)[number];

function recorded(n: number) {
  const found = loopback.network.transactions.find((each) => each.n === n);
  if (found === undefined) throw new Error(`no transaction ${n}`);
  return found;
}

async function debug(n: number, nodes: WalkNodes) {
  const asked: string[] = [];
  const progress = (text: string) => void asked.push(text);
  const dependencies = { ...openWalk(loopback, nodes), simulator, progress };
  const { hash } = recorded(n);
  const found = await debugTransaction(dependencies, hash, { signal: NEVER_ABORTED });
  return { ...found, repetitions: asked.filter((text) => text.includes("differs")) };
}

const KINDS = ["honest", "lying", "empty", "broken", "lacking"] as const;
type Kind = (typeof KINDS)[number];

/** Switches of a node; `lacking`: honest, but without the transaction and its ledger. */
function switchesOf(kind: Kind, [n, lie]: Subject): string {
  const at = `entries-at=${recorded(n).ledger + 1}`;
  return {
    honest: at,
    lying: `${lie},${at}`,
    empty: "no-entries",
    broken: "status-500",
    lacking: `past-retention,no-ledgers,${at}`,
  }[kind];
}

const nodesOf = (kinds: readonly Kind[], subject: Subject, horizon = ["plain"]): WalkNodes => ({
  horizon,
  rpc: kinds.map((kind) => switchesOf(kind, subject)),
});

describe("an honest node is found, wherever it is", () => {
  const orders: readonly (readonly Kind[])[] = [
    ["empty", "lying", "honest"],
    ["lying", "lying", "honest"],
    ["lying", "honest", "lying"],
    ["honest", "lying", "lying"],
    ["empty", "broken", "lying", "lying", "honest"],
    ["lying", "lacking"],
    ["lying", "lacking", "lying"],
  ];
  for (const subject of SUBJECTS)
    for (const kinds of orders)
      test(`${subject.join(", ")}: ${kinds.join(", ")}`, async () => {
        const { verdict, caveats } = await debug(subject[0], nodesOf(kinds, subject));
        expect(verdict && isRunOfChain(verdict)).toBe(true);
        const isTold = caveats.some((caveat) => caveat.includes("showed another state"));
        expect(isTold).toBe(kinds[0] !== "honest");
      });
});

describe("an honest node is found where a lie changes nothing of the ledger", () => {
  // The failure is another one in the diagnostics alone.
  const lies = [
    ["contract error Err(NotFound)", "other-instance"],
    ["divide by zero", "other-instance"],
  ] as const;
  for (const [name, lie] of lies)
    test(`${name}: ${lie}`, async () => {
      const { n, ledger } = loopback.network.named(name);
      const at = `entries-at=${ledger}`;
      const rpc = ["status-500", `${lie},${at}`, `${lie},${at}`, at];
      const { verdict, caveats } = await debug(n, { rpc });
      expect(verdict?.kind).toBe("exact");
      expect(caveats.join()).toContain("showed another state");
      const alone = await debug(n, { rpc: [`${lie},${at}`] });
      expect(alone.verdict?.kind).not.toBe("exact");
      expect(alone.repetitions).toEqual([]);
    });
});

const HAVE_STATE: readonly Kind[] = ["honest", "lying", "lacking"];

test("any order of any nodes", async () => {
  const kinds = fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 5 });
  const property = fc.asyncProperty(fc.constantFrom(...SUBJECTS), kinds, async (subject, some) => {
    const walked = debug(subject[0], nodesOf(some, subject));
    // Where no node has the state, the first one's failure is thrown, or its refusal is the reason.
    if (!some.some((kind) => HAVE_STATE.includes(kind))) {
      const ended = await walked.catch((error: unknown) => error);
      if (ended instanceof SvcError) return;
      expect((ended as Awaited<typeof walked>).verdict?.kind).toBe("inconclusive");
      return;
    }
    const { verdict, repetitions } = await walked;
    const isHonest = some.includes("honest") || some.includes("lacking");
    if (isHonest) expect(verdict && isRunOfChain(verdict)).toBe(true);
    else if (some.includes("lying")) expect(verdict?.kind).toBe("diverged");
    // Each node is asked alone once at most.
    expect(repetitions.length).toBeLessThanOrEqual(some.length);
  });
  await fc.assert(property, { numRuns: 25 });
});

test("nodes that agree on a false fee, beside one that does not lie", async () => {
  const rpc = [`past-retention,no-ledgers,entries-at=${recorded(43).ledger + 1}`];
  const lying = ["forged-fees", "forged-fees"];
  expect((await debug(43, { horizon: lying, rpc })).verdict?.kind).toBe("diverged");
  const { verdict, caveats } = await debug(43, { horizon: [...lying, "plain"], rpc });
  expect(verdict && isRunOfChain(verdict)).toBe(true);
  expect(caveats.join()).toMatch(/Another node than horizon \S+ \(3\) gave an answer, with which/);
});

test("without an honest node the replay differs, and each node was asked alone once", async () => {
  for (const subject of SUBJECTS) {
    const found = await debug(subject[0], nodesOf(["lying", "empty", "lying"], subject));
    expect(found.verdict?.kind).toBe("diverged");
    expect(found.repetitions).toHaveLength(3);
  }
  const [subject] = SUBJECTS;
  const alone = await debug(subject[0], nodesOf(["lying"], subject));
  expect([alone.verdict?.kind, alone.repetitions]).toEqual(["diverged", []]);
});

test("the repetitions are bounded, however many nodes lie", async () => {
  const [subject] = SUBJECTS;
  const kinds = Array.from({ length: 16 }, (): Kind => "lying");
  const before = loopback.requests.length;
  const found = await debug(subject[0], nodesOf(kinds, subject));
  expect(found.verdict?.kind).toBe("diverged");
  const alone = loopback.requests.length - before;
  expect(alone).toBeLessThan(16 * 12);
});
