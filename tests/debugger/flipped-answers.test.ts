// One wrong bit, or a number that is one too high, in one answer of a node that is Horizon and RPC
// alike: a report with the verdict `exact` shows the same facts as without, a known cause is of the
// same kind or says less, and an error names the node.

import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SvcError } from "../../src/base/errors/errors.ts";
import { debugTransaction } from "../../src/debugger/walk/debug-transaction.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";
import { openTestSimulator } from "../support/simulator.ts";

/** SVC_FLIPS=5000 tries as many others. */
const { SVC_FLIPS } = process.env;
const RUNS = SVC_FLIPS === undefined ? { numRuns: 150, seed: 1 } : { numRuns: Number(SVC_FLIPS) };
const simulator = openTestSimulator();
const loopback = openLoopback();
afterAll(() => loopback[Symbol.asyncDispose]());

const FIELDS = [
  "horizon.envelope_xdr",
  "horizon.result_xdr",
  "horizon.result_meta_xdr",
  "horizon.fee_meta_xdr",
  "horizon.header_xdr",
  "getTransaction.envelopeXdr",
  "getTransaction.resultXdr",
  "getTransaction.resultMetaXdr",
  "getTransaction.ledger",
  "getLedgers.metadataXdr",
  "getLedgers.headerXdr",
  "getLedgers.sequence",
  "getLedgerEntries.key",
  "getLedgerEntries.xdr",
  "getLedgerEntries.lastModifiedLedgerSeq",
  "getLedgerEntries.liveUntilLedgerSeq",
  "getLedgerEntries.latestLedger",
] as const;
/** What an answer with a wrong bit ends with, if it ends the run. */
const CODES = ["NODE_LIED", "NETWORK_BAD_ANSWER", "LEDGER_ENTRY_INVALID", "TRANSACTION_NOT_FOUND"];

/** The error alone, where the words or the state that say more have the bit. */
const LESS = ["contract-error", "trapped", "authorization-refused"];
const SAYS_LESS: Readonly<Record<string, string>> = { "argument-type": "contract-panic" };

function debug(hash: string, switches: string): Promise<Investigation> {
  const walk = openWalk(loopback, { horizon: [switches], rpc: [switches] });
  const dependencies = { ...walk, simulator, progress: () => {} };
  return debugTransaction(dependencies, hash, { signal: NEVER_ABORTED });
}

/** Without what only the node's word shows, and is marked so: limits that were not reached. */
function factsOf({ record, explanation }: Investigation) {
  const { headline, cause, events, changes, tokens, fees, transaction, calls } = explanation;
  const resources = explanation.resources.map(({ name, used, declared }) => [name, used, declared]);
  // Each node writes the changes of a parallel phase in its own order.
  const sorted = changes.map((change) => JSON.stringify(change)).sort();
  const { ledger } = record;
  return {
    headline,
    cause,
    events,
    changes: sorted,
    tokens,
    fees,
    transaction,
    calls,
    resources,
    ledger,
  };
}

describe("a wrong bit of a node's answer", () => {
  test("changes no fact that is called exact, and no cause that is called known", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...loopback.network.transactions),
        fc.constantFrom(...FIELDS),
        fc.nat({ max: 2 ** 24 }),
        async ({ hash }, field, at) => {
          const honest = await debug(hash, "plain");
          const told = await debug(hash, `flip=${field}.${at}`).catch((error: unknown) => error);
          if (told instanceof SvcError) return expect(CODES).toContain(told.code);
          if (told instanceof Error) throw told;
          const { verdict, explanation } = told as Investigation;
          const { kind } = honest.explanation.cause ?? { kind: "none" };
          if (verdict?.kind === "exact")
            expect(factsOf(told as Investigation)).toEqual(factsOf(honest));
          if (explanation.cause?.confidence === "known")
            expect([kind, SAYS_LESS[kind], ...LESS]).toContain(explanation.cause.kind);
        },
      ),
      RUNS,
    );
  }, 600_000);
});
