// Questions to nodes about one ledger go side by side. What is known of their failures does not
// depend on which question is answered first.

import { expect, test } from "bun:test";
import { SvcError } from "../../src/base/errors/errors.ts";
import { AskedNodes } from "../../src/snapshot/gather/node-states.ts";
import type { CurrentLedgerEntries, Source } from "../../src/sources/source.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";

const context = { signal: NEVER_ABORTED };
const NOTHING: CurrentLedgerEntries = { latestLedger: 7, entries: new Map() };

const failed = (about: string) =>
  new SvcError("NETWORK_UNREACHABLE", { message: `${about} failed.`, remedy: "Try again." });

/** Asks for two keys at once. The answers for them come in that order. */
async function asked(order: readonly string[], fails: readonly string[]) {
  const answers = new Map(["one", "two"].map((key) => [key, Promise.withResolvers<void>()]));
  const node = {
    name: "node",
    async fetchLedgerEntries(keysXdr: readonly string[]) {
      const [key = ""] = keysXdr;
      await answers.get(key)?.promise;
      if (fails.includes(key)) throw failed(key);
      return NOTHING;
    },
  } as unknown as Source;
  const nodes = new AskedNodes([node]);
  const asking = new Map(["one", "two"].map((key) => [key, nodes.ask([key], context)]));
  for (const key of order) {
    answers.get(key)?.resolve();
    await asking.get(key);
  }
  return {
    unanswered: nodes.unanswered?.message,
    failures: nodes.failures.map((each) => each.message),
  };
}

test("a failure stays known when another question is answered", async () => {
  for (const order of [
    ["one", "two"],
    ["two", "one"],
  ])
    for (const key of ["one", "two"])
      expect(await asked(order, [key])).toEqual({
        unanswered: `${key} failed.`,
        failures: [`${key} failed.`],
      });
});

test("failures are in the order of the questions", async () => {
  for (const order of [
    ["one", "two"],
    ["two", "one"],
  ]) {
    const { failures } = await asked(order, ["one", "two"]);
    expect(failures).toEqual(["one failed.", "two failed."]);
  }
});

test("the next ledger forgets them", async () => {
  const nodes = new AskedNodes([
    { name: "node", fetchLedgerEntries: () => Promise.reject(failed("it")) } as unknown as Source,
  ]);
  await nodes.ask(["one"], context);
  expect(nodes.unanswered).not.toBeNull();
  nodes.beginLedger();
  expect([nodes.unanswered, nodes.failures]).toEqual([null, []]);
});
