// In 2025 protocol 23 put entries into the hot archive with values from before their last change
// (CAP-76). 84 of 478 came back so, and protocol 24 put the others right in the archive, which no
// meta shows: an entry that comes back must be what the ledgers made of it.

import { beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { verifyLedgerFiles } from "../../src/verify/verify-ledgers.ts";
import { sameData } from "../../src/xdr/reader/keys.ts";
import { chained } from "../support/chained-ledgers.ts";
import { hasCorpus } from "../support/corpus.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { framed } from "../support/made-archive.ts";
import { MADE_PASSPHRASE, type MadeLedger, makeLedgers } from "../support/made-ledgers.ts";
import { needs } from "../support/needs.ts";
import { readStaleEntries, restoredIn, staleLedgers } from "../support/stale-entries.ts";

beforeAll(ensureBuilt, 900_000);

const shapes = [
  // Metas of stellar-core show the ledger in which an entry came back: 7 of them were stale in
  // nothing but the ledger that had last modified them.
  { name: "as metas show them", shown: restoredIn, reported: 77 },
  { name: "with their own last-modified ledger", shown: (entry: string) => entry, reported: 84 },
];

const corpus = needs("../shared/corpus", hasCorpus("cap-0076"));

corpus.describe("84 stale entries and 394 that were put right", () => {
  for (const { name, shown, reported } of shapes)
    test(`${name}: ${reported} are reported in their own ledger, no other`, async () => {
      const entries = readStaleEntries();
      const { ledgers, at } = staleLedgers(entries, shown);
      const { stateMismatches, mismatches } = await verify(ledgers);
      expect(stateMismatches).toBe(reported);
      const stale = entries.filter((each) => each.restoredLedger !== null);
      expect(stale).toHaveLength(84);
      for (const { keyXdr, correctXdr, archivedXdr, restoredLedger } of stale) {
        const found = mismatches.find((each) => each.keyXdr === keyXdr);
        if (reported < 84 && sameData(correctXdr, archivedXdr)) {
          expect(found).toBeUndefined();
          continue;
        }
        expect(found).toMatchObject({ kind: "restored", ledger: at(restoredLedger ?? 0) });
        expect(found?.foldedXdr).toBe(correctXdr);
        expect(sameData(found?.onChainXdr ?? null, archivedXdr)).toBe(true);
      }
    });
});

async function verify(made: readonly MadeLedger[]) {
  const directory = mkdtempSync(join(tmpdir(), "svc-"));
  try {
    const path = join(directory, "ledgers.xdr");
    const metas = chained(makeLedgers(made)).map(({ ledgerCloseMeta }) => ledgerCloseMeta);
    writeFileSync(path, framed(metas));
    const dependencies = {
      program: { path: SIMULATOR_BINARY },
      networkPassphrase: MADE_PASSPHRASE,
      jobs: 1,
      keepNotExact: 1000,
      workerCommand: null,
      rehearseProtocol: null,
      progress: () => {},
    };
    return await verifyLedgerFiles(dependencies, [path], { signal: NEVER_ABORTED });
  } finally {
    rmSync(directory, { recursive: true });
  }
}
