// What is told of a transaction is what the chain recorded, however little of its state is known:
// a replay on half of it gives other fees, changes and costs, and those are no facts.

import { afterAll, expect, test } from "bun:test";
import { debugTransaction } from "../../src/debugger/walk/debug-transaction.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk, type WalkNodes } from "../support/loopback-walk.ts";
import { openTestSimulator } from "../support/simulator.ts";

const WALKS_MILLISECONDS = 120_000;
const simulator = openTestSimulator();
const loopback = openLoopback();
afterAll(() => loopback[Symbol.asyncDispose]());
const soroban = loopback.network.transactions.filter((each) => each.soroban);

function debug(hash: string, nodes: WalkNodes): Promise<Investigation> {
  const dependencies = { ...openWalk(loopback, nodes), simulator, progress: () => {} };
  return debugTransaction(dependencies, hash, { signal: NEVER_ABORTED });
}

const whole = ({ ledger }: { readonly ledger: number }) => ({ rpc: [`entries-at=${ledger}`] });
const NOTHING: WalkNodes = { rpc: ["no-entries"] };

/** Names depend on the contracts that are at hand; these do not. */
function factsOf({ explanation }: Investigation) {
  const { fees, resources, changes, events, tokens } = explanation;
  return {
    fees,
    used: resources.map(({ name, unit, used }) => `${name} ${unit} ${used}`),
    changes: changes.map(({ kind, before, after }) => `${kind} ${before} ${after}`).sort(),
    events: events.map(({ kind, contract, topics, data }) => ({ kind, contract, topics, data })),
    moves: tokens.moves.map(({ kind, from, to, units }) => ({ kind, from, to, units })),
  };
}

test(
  "the same is told of every transaction with all of its state and with none of it",
  async () => {
    let inconclusive = 0;
    for (const { hash, ledger, name } of soroban) {
      const found = await debug(hash, NOTHING);
      if (found.verdict === null) continue;
      const known = await debug(hash, whole({ ledger }));
      expect({ name, ...factsOf(found) }).toEqual({ name, ...factsOf(known) });
      if (found.verdict.kind !== "inconclusive") continue;
      inconclusive += 1;
      expect(found.explanation.replayOnly.filter((fact) => fact !== "calls")).toEqual([]);
    }
    expect(inconclusive).toBeGreaterThan(10);
  },
  WALKS_MILLISECONDS,
);

test(
  "what was charged is the sum of its parts, and so is the declared resource fee",
  async () => {
    for (const { hash, ledger, name } of soroban) {
      const { explanation, verdict } = await debug(hash, whole({ ledger }));
      if (verdict === null) continue;
      const { fees } = explanation;
      const sum = (...parts: readonly (string | null)[]) =>
        parts.reduce((all, part) => all + BigInt(part ?? Number.NaN), 0n).toString();
      const { inclusionFeeStroops, nonRefundableStroops, refundableConsumedStroops } = fees;
      const used = [nonRefundableStroops, refundableConsumedStroops];
      expect(`${name}: ${sum(inclusionFeeStroops, ...used)}`).toBe(
        `${name}: ${fees.chargedStroops}`,
      );
      expect(`${name}: ${sum(...used, fees.refundStroops)}`).toBe(
        `${name}: ${fees.resourceFeeStroops}`,
      );
      expect(fees.refundNotDeductedStroops).toBeNull();
    }
  },
  WALKS_MILLISECONDS,
);
