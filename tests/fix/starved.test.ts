// Something that they need is taken from transactions that succeeded, and they are fixed: each must
// succeed again, with no more than it needs. These failures were not recorded, so no code can be
// tuned to them.

import { afterAll, describe, expect, test } from "bun:test";
import { openFixContext } from "../../src/debugger/fix/fix-transaction.ts";
import { runVariant } from "../../src/debugger/run/run-variant.ts";
import { captureTransaction } from "../../src/debugger/walk/capture-transaction.ts";
import { findFix } from "../../src/fix/find-fix.ts";
import type { FixContext } from "../../src/fix/fix-context.ts";
import type { ChainRecord } from "../../src/model/chain-record.ts";
import type { Execution } from "../../src/model/execution.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import { takeEntries } from "../../src/snapshot/gather/take-snapshot.ts";
import type { Source } from "../../src/sources/source.ts";
import { readAuthorizations } from "../../src/xdr/envelope/authorizations.ts";
import { readSorobanFacts, type SorobanFacts } from "../../src/xdr/envelope/envelope.ts";
import {
  withAuthorizations,
  withFootprint,
  withResources,
} from "../../src/xdr/envelope/patch-envelope.ts";
import { entriesOf } from "../../src/xdr/envelope/source-authorization.ts";
import { decodeBase64 } from "../../src/xdr/reader/cursor.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";
import type { RecordedTransaction } from "../support/recorded-network.ts";
import { openTestSimulator } from "../support/simulator.ts";

const FIXES_MILLISECONDS = 300_000;
const signal = NEVER_ABORTED;

interface Case {
  readonly record: ChainRecord;
  readonly snapshot: Snapshot;
  readonly facts: SorobanFacts;
  readonly sources: readonly Source[];
}

/** What is taken away; null when there is nothing to take. */
type Starve = (of: Case, used: Execution) => string | null;

const STARVED: Readonly<Record<string, Starve>> = {
  "half the instructions": ({ record }, { metrics }) =>
    lowered(record, "instructions", Math.floor(Number(metrics.cpu_insn) / 2)),
  "one instruction": ({ record }, { metrics }) =>
    lowered(record, "instructions", Number(metrics.cpu_insn) - 1),
  "all write bytes": ({ record }, { metrics }) =>
    Number(metrics.ledger_write_byte) === 0 ? null : lowered(record, "writeBytes", 0),
  "one disk read byte": ({ record }, { metrics }) =>
    lowered(record, "diskReadBytes", Number(metrics.ledger_read_byte) - 1),
  "one stroop": ({ record }, { fees }) => {
    const needed = BigInt(fees.nonRefundableStroops) + BigInt(fees.refundableConsumedStroops);
    return withResources(record.envelopeXdr, { resourceFeeStroops: String(needed - 1n) });
  },
  "the whole footprint": ({ record }) =>
    withFootprint(record.envelopeXdr, { readOnly: [], readWrite: [] }),
  "the right to write": ({ record, facts: { footprint, archivedEntryIndexes } }) =>
    footprint.readWrite.length === 0 || archivedEntryIndexes.length > 0
      ? null
      : withFootprint(record.envelopeXdr, {
          readOnly: [...footprint.readOnly, ...footprint.readWrite],
          readWrite: [],
        }),
  "the source account's authorizations": ({ record: { envelopeXdr } }) => {
    const authorizations = readAuthorizations(envelopeXdr);
    const others = entriesOf(envelopeXdr).filter((_, i) => authorizations[i]?.address !== null);
    return others.length === authorizations.length ? null : withAuthorizations(envelopeXdr, others);
  },
  everything: ({ record }) =>
    withResources(withFootprint(record.envelopeXdr, { readOnly: [], readWrite: [] }), {
      instructions: 1,
      diskReadBytes: 0,
      writeBytes: 0,
      resourceFeeStroops: "1",
    }),
};

function lowered(
  { envelopeXdr }: ChainRecord,
  name: "instructions" | "diskReadBytes" | "writeBytes",
  value: number,
): string | null {
  return value < 0 || Number.isNaN(value) ? null : withResources(envelopeXdr, { [name]: value });
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
    const { record, snapshot } = captured;
    const facts = readSorobanFacts(decodeBase64(record.envelopeXdr, "envelope"));
    if (snapshot === null || facts === null) throw new Error("not a Soroban transaction");
    return { record, snapshot, facts, sources: walk.sources };
  }

  /** As if the starved envelope had been on the chain, on the captured state. */
  async function fixOf({ record, snapshot, sources }: Case, envelopeXdr: string) {
    const starved = { ...record, envelopeXdr };
    const execution = await runVariant(
      { simulator },
      { record, snapshot },
      { envelopeXdr },
      { signal },
    );
    if (execution.outcome.kind === "success") return null;
    const bare: FixContext = openFixContext(
      { simulator, progress: () => {} },
      {
        record: starved,
        snapshot,
        cause: { kind: "starved", summary: "", confidence: "known" },
      },
      { signal },
    );
    return findFix({
      ...bare,
      findEntries: (keysXdr) => takeEntries({ sources }, record, keysXdr, { signal }),
    });
  }

  for (const [what, starve] of Object.entries(STARVED)) {
    test(
      `of ${what}, succeeds with its fix`,
      async () => {
        let fixed = 0;
        for (const transaction of loopback.network.transactions) {
          if (transaction.status !== "SUCCESS" || !transaction.soroban) continue;
          const given = await caseOf(transaction);
          const used = await runVariant({ simulator }, given, {}, { signal });
          // Some ran with settings that a later, unrecorded ledger changed.
          if (used.outcome.kind !== "success") continue;
          const envelopeXdr = starve(given, used);
          if (envelopeXdr === null) continue;
          const fix = await fixOf(given, envelopeXdr);
          if (fix === null) continue;
          fixed += 1;
          if (fix.proof?.outcome !== "succeeds" || fix.envelopeXdr === null) {
            throw new Error(`${transaction.name}: ${fix.summary}`);
          }
          const again = await runVariant(
            { simulator },
            given,
            { envelopeXdr: fix.envelopeXdr },
            { signal },
          );
          expect(again.outcome).toEqual({ kind: "success" });
          const facts = readSorobanFacts(decodeBase64(fix.envelopeXdr, "envelope"));
          expect(facts?.writeBytes).toBeLessThanOrEqual(given.facts.writeBytes);
          expect(facts?.diskReadBytes).toBeLessThanOrEqual(given.facts.diskReadBytes);
          expect(facts?.footprint.readWrite.length).toBeLessThanOrEqual(
            given.facts.footprint.readWrite.length,
          );
        }
        expect(fixed).toBeGreaterThan(0);
      },
      FIXES_MILLISECONDS,
    );
  }
});
