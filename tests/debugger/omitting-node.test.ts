// A node that leaves out an entry that it has is told from one that is right only by what the chain
// did with the entry. That is never a finding against the chain.

import { afterAll, expect, test } from "bun:test";
import { debugTransaction } from "../../src/debugger/walk/debug-transaction.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";
import { openTestSimulator } from "../support/simulator.ts";

const WALKS_MILLISECONDS = 120_000;
const simulator = openTestSimulator();
const loopback = openLoopback();
afterAll(() => loopback[Symbol.asyncDispose]());

/** What is true too, and all that can be said without the contract's code or instance. */
const LESS_SPECIFIC: Readonly<Record<string, string>> = {
  "argument-type": "contract-panic",
  "token-balance": "contract-error",
};

for (const omitted of [0, 1, 2])
  test(
    `key ${omitted} of the footprint left out: no divergence, and no cause that is not the chain's`,
    async () => {
      const debug = (hash: string, switches: string) => {
        const dependencies = { ...openWalk(loopback, { rpc: [switches] }), simulator };
        const options = { signal: NEVER_ABORTED };
        return debugTransaction({ ...dependencies, progress: () => {} }, hash, options);
      };
      let found = 0;
      const kinds: Record<string, number> = {};
      for (const { hash, ledger, name, soroban } of loopback.network.transactions) {
        if (!soroban) continue;
        const whole = await debug(hash, `entries-at=${ledger}`);
        const { verdict, explanation } = await debug(hash, `entries-at=${ledger},omit=${omitted}`);
        kinds[verdict?.kind ?? "none"] = (kinds[verdict?.kind ?? "none"] ?? 0) + 1;
        expect({ name, kind: verdict?.kind }).not.toEqual({ name, kind: "diverged" });
        const trueKind = whole.explanation.cause?.kind ?? "none";
        const kind = explanation.cause?.kind ?? "none";
        const isTrue = kind === trueKind || kind === LESS_SPECIFIC[trueKind];
        if (kind !== "none" && isTrue) found += 1;
        if (explanation.cause?.confidence === "known")
          expect({ name, kind, isTrue }).toMatchObject({ isTrue: true });
      }
      // Without a replay that ends alike, the cause is what the node's diagnostics show.
      expect(found).toBeGreaterThan(25);
      expect(kinds.inconclusive ?? 0).toBeGreaterThan(50);
    },
    WALKS_MILLISECONDS,
  );
