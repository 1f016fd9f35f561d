// Something that they need is taken from transactions that succeeded, and they are fixed: each must
// succeed again, with no more than it needs. These failures were not recorded, so no code can be
// tuned to them.

import { afterAll, describe, expect, test } from "bun:test";
import { openFixContext } from "../../src/debugger/fix/fix-transaction.ts";
import { type Replayable, runVariant } from "../../src/debugger/run/run-variant.ts";
import { captureTransaction } from "../../src/debugger/walk/capture-transaction.ts";
import { withMaximumResources } from "../../src/fix/declared-resources.ts";
import { findFix } from "../../src/fix/find-fix.ts";
import type { FixContext } from "../../src/fix/fix-context.ts";
import type { Execution } from "../../src/model/execution.ts";
import { type SnapshotDependencies, takeEntries } from "../../src/snapshot/gather/take-snapshot.ts";
import { type Envelope, openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import type { SorobanFacts } from "../../src/xdr/envelope/envelope-facts.ts";
import { openRecord } from "../../src/xdr/envelope/opened-record.ts";
import {
  withAuthorizations,
  withFootprint,
  withResources,
} from "../../src/xdr/envelope/patch-envelope.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";
import { sorobanOf } from "../support/opened.ts";
import type { RecordedTransaction } from "../support/recorded-network.ts";
import { openTestSimulator } from "../support/simulator.ts";

const FIXES_MILLISECONDS = 300_000;
const signal = NEVER_ABORTED;

interface Case extends Replayable {
  readonly facts: SorobanFacts;
  readonly walk: SnapshotDependencies;
}

/** For what is taken away whatever a transaction used. */
const NOTHING_USED = { metrics: {} } as Execution;

/** What is taken away; null when there is nothing to take. */
type Starve = (of: Case, used: Execution) => Envelope | null;

const STARVED: Readonly<Record<string, Starve>> = {
  "half the instructions": ({ envelope }, { metrics }) =>
    lowered(envelope, "instructions", Math.floor(Number(metrics.cpu_insn) / 2)),
  "one instruction": ({ envelope }, { metrics }) =>
    lowered(envelope, "instructions", Number(metrics.cpu_insn) - 1),
  "all write bytes": ({ envelope }, { metrics }) =>
    Number(metrics.ledger_write_byte) === 0 ? null : lowered(envelope, "writeBytes", 0),
  "one disk read byte": ({ envelope }, { metrics }) =>
    lowered(envelope, "diskReadBytes", Number(metrics.ledger_read_byte) - 1),
  "one stroop": ({ envelope }, { fees }) => {
    const needed = BigInt(fees.nonRefundableStroops) + BigInt(fees.refundableConsumedStroops);
    return withResources(envelope, { resourceFeeStroops: String(needed - 1n) });
  },
  "the whole footprint": ({ envelope }) => withFootprint(envelope, { readOnly: [], readWrite: [] }),
  "the right to write": ({ envelope, facts: { footprint, archivedEntryIndexes } }) =>
    footprint.readWrite.length === 0 || archivedEntryIndexes.length > 0
      ? null
      : withFootprint(envelope, {
          readOnly: [...footprint.readOnly, ...footprint.readWrite],
          readWrite: [],
        }),
  "the source account's authorizations": ({ envelope }) => {
    const { authorizations, authorizationsXdr } = envelope;
    const others = authorizationsXdr.filter((_, i) => authorizations[i]?.address !== null);
    return others.length === authorizations.length ? null : withAuthorizations(envelope, others);
  },
  everything: ({ envelope }) =>
    withResources(withFootprint(envelope, { readOnly: [], readWrite: [] }), {
      instructions: 1,
      diskReadBytes: 0,
      writeBytes: 0,
      resourceFeeStroops: "1",
    }),
};

function lowered(
  envelope: Envelope,
  name: "instructions" | "diskReadBytes" | "writeBytes",
  value: number,
): Envelope | null {
  return value < 0 || Number.isNaN(value) ? null : withResources(envelope, { [name]: value });
}

describe("a transaction that succeeded, and is starved", () => {
  const loopback = openLoopback();
  const simulator = openTestSimulator();
  afterAll(() => loopback[Symbol.asyncDispose]());

  async function caseOf(transaction: RecordedTransaction): Promise<Case> {
    const { network } = loopback;
    const before = network.file(transaction).preEntries?.result?.latestLedger;
    const walk = openWalk(loopback, { rpc: [`entries-at=${before ?? transaction.ledger}`] });
    const captured = await captureTransaction({ ...walk, progress: () => {} }, transaction.hash, {
      signal,
    });
    const { snapshot } = captured;
    if (snapshot === null) throw new Error("nothing ran");
    return { ...captured, snapshot, facts: sorobanOf(captured.envelope), walk };
  }

  /** As if the starved envelope had been on the chain, on the captured state. */
  function contextOf(given: Case, envelope: Envelope, execution: Execution): FixContext {
    const { record, snapshot, walk } = given;
    const context = openFixContext(
      { simulator, progress: () => {} },
      {
        ...openRecord({ ...record, envelopeXdr: envelope.xdr }, envelope),
        snapshot,
        execution,
        cause: { by: "host-error", kind: "host-error", facts: {} },
      },
      { signal },
    );
    return {
      ...context,
      findEntries: (keysXdr) => takeEntries(walk, given, keysXdr, { signal }),
    };
  }

  async function fixOf(given: Case, envelope: Envelope) {
    const ran = await runVariant({ simulator }, given, { envelope }, { signal });
    return ran.outcome.kind === "success" ? null : findFix(contextOf(given, envelope, ran));
  }

  for (const [what, starve] of Object.entries(STARVED)) {
    test(
      `of ${what}, succeeds with its fix`,
      async () => {
        let count = 0;
        for (const transaction of loopback.network.transactions) {
          if (transaction.status !== "SUCCESS" || !transaction.soroban) continue;
          const given = await caseOf(transaction);
          const used = await runVariant({ simulator }, given, {}, { signal });
          // Some ran with settings that a later, unrecorded ledger changed.
          if (used.outcome.kind !== "success") continue;
          const envelope = starve(given, used);
          if (envelope === null) continue;
          const fix = await fixOf(given, envelope);
          if (fix === null) continue;
          count += 1;
          if (fix.proof?.outcome !== "succeeds" || fix.envelopeXdr === null) {
            throw new Error(`${transaction.name}: ${fix.summary}`);
          }
          const fixed = openEnvelope(fix.envelopeXdr, given.record.networkPassphrase);
          const again = await runVariant({ simulator }, given, { envelope: fixed }, { signal });
          expect(again.outcome).toEqual({ kind: "success" });
          const facts = sorobanOf(fixed);
          expect(facts.writeBytes).toBeLessThanOrEqual(given.facts.writeBytes);
          expect(facts.diskReadBytes).toBeLessThanOrEqual(given.facts.diskReadBytes);
          expect(facts.footprint.readWrite.length).toBeLessThanOrEqual(
            given.facts.footprint.readWrite.length,
          );
        }
        expect(count).toBeGreaterThan(0);
      },
      FIXES_MILLISECONDS,
    );
  }

  test(
    "no fix has a value that the network would not take, also where another failure follows",
    async () => {
      const followed = new Set<string>();
      for (const transaction of loopback.network.transactions) {
        if (transaction.status === "SUCCESS" || !transaction.soroban) continue;
        const given = await caseOf(transaction);
        for (const starve of [STARVED["the whole footprint"], STARVED.everything]) {
          const starved = starve?.(given, NOTHING_USED) ?? given.envelope;
          const ran = await runVariant({ simulator }, given, { envelope: starved }, { signal });
          const context = contextOf(given, starved, ran);
          const { proof, changes } = await findFix(context);
          if (proof?.outcome === "fails-next") followed.add(transaction.hash);
          const envelope = withMaximumResources(starved, context.limits);
          const attempt = { envelope, entries: new Map(), restoredFirst: [] };
          const most: Readonly<Record<string, bigint>> = {
            instructions: BigInt(context.limits.instructions ?? 0),
            "disk read bytes": BigInt(context.limits.diskReadBytes ?? 0),
            "write bytes": BigInt(context.limits.writeBytes ?? 0),
            // The charge for the most that the network allows.
            "resource fee": BigInt((await context.run(attempt)).fees.nonRefundableStroops) * 2n,
          };
          for (const { what, to } of changes)
            if (what in most) expect(BigInt(to ?? 0)).toBeLessThanOrEqual(most[what] ?? 0n);
        }
      }
      expect(followed.size).toBeGreaterThan(0);
    },
    FIXES_MILLISECONDS,
  );
});
