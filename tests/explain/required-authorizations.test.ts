// What the calls of a replay required, from real runs of recorded transactions: where a transaction
// succeeded, each requirement is in an authorization that was supplied.

import { afterAll, expect, test } from "bun:test";
import { debugTransaction } from "../../src/debugger/walk/debug-transaction.ts";
import type { NamedInvocation } from "../../src/model/authorizations.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import { authorizationColumns } from "../../src/report/document/authorizations.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";
import { openTestSimulator } from "../support/simulator.ts";

const MILLISECONDS = 120_000;
const loopback = openLoopback();
const simulator = openTestSimulator();
afterAll(() => loopback[Symbol.asyncDispose]());
const { transactions } = loopback.network;

function investigate(hash: string, hostCalls: boolean): Promise<Investigation> {
  const dependencies = { ...openWalk(loopback), simulator, progress: () => {} };
  return debugTransaction(dependencies, hash, { signal: NEVER_ABORTED, hostCalls });
}

function named(name: string, hostCalls = true): Promise<Investigation> {
  const found = transactions.find((each) => each.name === name);
  if (found === undefined) throw new Error(`No transaction is called ${name}.`);
  return investigate(found.hash, hostCalls);
}

/** The calls that an invocation allows, as text. */
function callsOf(invocation: NamedInvocation): string[] {
  const { contract, function: name, calls } = invocation;
  return [JSON.stringify([contract, name, invocation.arguments]), ...calls.flatMap(callsOf)];
}

function shownOf(investigation: Investigation): string {
  return JSON.stringify(authorizationColumns(investigation));
}

test(
  "of every transaction that succeeded, each is supplied, by the caller, or the source account's",
  async () => {
    let required = 0;
    const by = new Set<string>();
    for (const { hash, name, soroban, status } of transactions) {
      if (!soroban || status !== "SUCCESS") continue;
      const { explanation } = await investigate(hash, true);
      const supplied = explanation.authorizations.map(({ signer, invocation }) => ({
        signer: signer ?? explanation.transaction.sourceAccount,
        calls: callsOf(invocation),
      }));
      for (const each of explanation.requiredAuthorizations?.list ?? []) {
        expect([name, each.refused]).toEqual([name, false]);
        if (each.by !== null) by.add(each.by);
        else {
          required += 1;
          const [call = ""] = callsOf(each.invocation);
          const covered = supplied.some(
            ({ signer, calls }) => signer === each.signer && calls.includes(call),
          );
          expect([name, each.signer, call, covered]).toEqual([name, each.signer, call, true]);
        }
      }
    }
    expect(required).toBeGreaterThan(10);
    expect([...by].sort()).toEqual(["call", "contract"]);
  },
  MILLISECONDS,
);

test("a page shows them beside the supplied ones, whether or not there is a fix", async () => {
  const succeeded = shownOf(await named("auth tree: two signers, sub-invocation"));
  expect(succeeded).toContain("Supplied in the envelope");
  expect(succeeded).toContain("Required by the calls of the replay");
  const failed = shownOf(await named("SAC transfer insufficient balance"));
  expect(failed).toContain("Required by the calls of the replay");
  const without = await named("auth tree: two signers, sub-invocation", false);
  expect(without.explanation.requiredAuthorizations).toBeNull();
  expect(shownOf(without)).not.toContain("Required");
});

test("the one that the host refused is marked", async () => {
  const refusing = await named("admin_set, no auth entries");
  const { list = [] } = refusing.explanation.requiredAuthorizations ?? {};
  expect(list.map(({ refused }) => refused)).toEqual([true]);
  const withoutFix = shownOf({ ...refusing, fix: null });
  expect(withoutFix).toContain("None.");
  expect(withoutFix).toContain('"badge":"refused"');
});
