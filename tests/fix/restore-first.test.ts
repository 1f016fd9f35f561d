// Before protocol 23 a transaction cannot restore the entries that it reads; another one has to
// come first. Transactions of stellar-core's own test ledgers, with the entries that they read
// archived.

import { expect } from "bun:test";
import { openFixContext } from "../../src/debugger/fix/fix-transaction.ts";
import { runVariant } from "../../src/debugger/run/run-variant.ts";
import { findFix } from "../../src/fix/find-fix.ts";
import { endedWith } from "../../src/model/result-code.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { isSorobanKey, isTemporaryKey } from "../../src/xdr/reader/keys.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { type FoldedSnapshot, foldedStream } from "../support/folded-stream.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { needs } from "../support/needs.ts";
import { openAnywhere, opened } from "../support/opened.ts";
import { openTestSimulator } from "../support/simulator.ts";

const STREAMS_MILLISECONDS = 120_000;
const signal = NEVER_ABORTED;

const simulator = openTestSimulator();

const corpus = needs("../shared/corpus", hasCorpus("core-streams"));

corpus.test(
  "archived entries are restored by a transaction that is sent first",
  async () => {
    let fixed = 0;
    for await (const { record, snapshot } of oldTransactions()) {
      if (snapshot === null || snapshot.unknown.length > 0) continue;
      const archived = withArchived(snapshot, record.ledger.sequence - 1);
      const recorded = opened({ record, snapshot });
      const captured = { ...recorded, snapshot: archived };
      const [live, gone] = await Promise.all([
        runVariant({ simulator }, recorded, {}, { signal }),
        runVariant({ simulator }, captured, {}, { signal }),
      ]);
      const isArchived = gone.outcome.kind === "failed" && endedWith(gone.outcome, "entryArchived");
      if (live.outcome.kind !== "success" || !isArchived) continue;
      const cause = { by: "archived", kind: "entry-archived", facts: {} } as const;
      const context = openFixContext(
        { simulator, progress: () => {} },
        { ...captured, cause, execution: gone },
        { signal },
      );
      const fix = await findFix(context);
      expect(fix).toMatchObject({ kinds: ["restore"], proof: { outcome: "succeeds" } });
      const restoring = fix.prelude?.envelopeXdr ?? "";
      const restored = await runVariant(
        { simulator },
        captured,
        { envelope: openEnvelope(restoring, record.networkPassphrase) },
        { signal },
      );
      expect(restored.outcome).toEqual({ kind: "success" });
      const [failed, first, second] = [record.envelopeXdr, restoring, fix.envelopeXdr ?? ""];
      const numbers = [failed, first, second].map((xdr) => openAnywhere(xdr).terms.sequence);
      const [before = 0n] = numbers;
      expect(numbers).toEqual([before, before + 1n, before + 2n]);
      fixed += 1;
    }
    expect(fixed).toBeGreaterThan(0);
  },
  STREAMS_MILLISECONDS,
);

function withArchived(snapshot: Snapshot, liveUntilLedger: number): Snapshot {
  const entries = snapshot.entries.map((entry) => {
    const persistent = isSorobanKey(entry.keyXdr) && !isTemporaryKey(entry.keyXdr);
    return persistent && entry.entryXdr !== null ? { ...entry, liveUntilLedger } : entry;
  });
  return { ...snapshot, entries };
}

async function* oldTransactions(): AsyncGenerator<FoldedSnapshot> {
  for (const path of await streamsBefore(23)) yield* foldedStream(path);
}

async function streamsBefore(protocol: number): Promise<string[]> {
  const text = await Bun.file(corpusPath("core-streams", "index.jsonl")).text();
  const rows = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const old = rows.filter(({ proto }) => proto < protocol);
  return [...new Set(old.map(({ dir, file }) => corpusPath("core-streams", dir, `${file}.zst`)))];
}
