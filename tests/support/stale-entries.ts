// The 478 entries of CAP-76 as ledgers: written with their correct value, evicted, and restored, 84 of
// them with the stale value that the network restored.

import { readFileSync } from "node:fs";
import { corpusPath } from "./corpus.ts";
import type { MadeLedger, MadeTransaction } from "./made-ledgers.ts";

export interface ArchivedEntry {
  readonly keyXdr: string;
  readonly correctXdr: string;
  readonly archivedXdr: string;
  readonly evictedLedger: number;
  /** Null: not before protocol 24 had put it right. */
  readonly restoredLedger: number | null;
}

const FIRST_LEDGER = 100;

export function readStaleEntries(): ArchivedEntry[] {
  const packed = readFileSync(corpusPath("cap-0076", "corrupted-hot-archive-entries.csv.gz"));
  const [, ...lines] = Buffer.from(Bun.gunzipSync(packed)).toString("utf8").trim().split("\n");
  return lines.map((line) => {
    const [keyXdr = "", correctXdr = "", archivedXdr = "", evicted, restored] = line.split(",");
    const restoredLedger = restored?.trim() === "not-restored" ? null : Number(restored);
    return { keyXdr, correctXdr, archivedXdr, evictedLedger: Number(evicted), restoredLedger };
  });
}

/** As RESTORED shows it: with the ledger in which it came back. */
export function restoredIn(entryXdr: string, ledger: number): string {
  const bytes = Buffer.from(entryXdr, "base64");
  bytes.writeUInt32BE(ledger);
  return bytes.toString("base64");
}

/** `shown`: the entry as the meta has it that restores it. */
export function staleLedgers(
  entries: readonly ArchivedEntry[],
  shown: (entryXdr: string, ledger: number) => string,
) {
  const real = entries.flatMap((each) => [each.evictedLedger, each.restoredLedger ?? 0]);
  const sorted = [...new Set(real.filter((ledger) => ledger > 0))].sort((a, b) => a - b);
  // The ledgers between are left out: each real one gets the next number.
  const sequences = new Map(sorted.map((ledger, i) => [ledger, FIRST_LEDGER + 1 + i]));
  const after = FIRST_LEDGER + sequences.size + 1;
  const restoring = (entries: readonly string[]): MadeTransaction => ({
    operation: "restore",
    changes: entries.map((entry) => ["restored", entry]),
  });
  const created = entries.map(({ correctXdr }) => ["created", correctXdr] as const);
  const ledgers: MadeLedger[] = [
    { sequence: FIRST_LEDGER, upgrades: [{ changes: created }] },
    ...[...sequences].map(([ledger, sequence]) => {
      const restored = entries.filter((each) => each.restoredLedger === ledger);
      const evicted = entries.filter((each) => each.evictedLedger === ledger);
      const shownEntries = restored.map((each) => shown(each.archivedXdr, sequence));
      return {
        sequence,
        transactions: restored.length === 0 ? [] : [restoring(shownEntries)],
        evicted: evicted.map((each) => each.keyXdr),
      };
    }),
    {
      sequence: after,
      transactions: [
        restoring(
          entries
            .filter((each) => each.restoredLedger === null)
            .map((each) => shown(each.correctXdr, after)),
        ),
      ],
    },
  ];
  return { ledgers, at: (ledger: number) => sequences.get(ledger) ?? 0 };
}
