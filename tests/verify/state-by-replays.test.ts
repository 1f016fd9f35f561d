// An entry between two checkpoints, by replays: where the archive itself proves it too, both agree.

import { afterAll, expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import type { ArchivePlace } from "../../src/history-archive/open-archive.ts";
import { NETWORKS } from "../../src/model/networks.ts";
import type { StateReport } from "../../src/model/state.ts";
import { reportByReplays } from "../../src/verify/state-by-replays.ts";
import { ARCHIVE, archivedRecords, configuredArchive } from "../support/archived-records.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { needs } from "../support/needs.ts";
import { opened } from "../support/opened.ts";

const { test } = needs("the history archive of the corpus", hasCorpus(...ARCHIVE));
const cache = mkdtempSync(join(tmpdir(), "svc-replayed-"));
afterAll(() => rmSync(cache, { recursive: true }));

const options = {
  networkPassphrase: NETWORKS.testnet.passphrase,
  simulatorPath: SIMULATOR_BINARY,
  signal: new AbortController().signal,
};
const unknown = { kind: "unknown", reason: "not asked" } as const;
const shownBy = ({ entry, liveUntil }: StateReport) => [
  entry.kind === "known" ? entry.value.entryXdr : entry.kind,
  liveUntil?.kind === "known" ? liveUntil.value : (liveUntil?.kind ?? null),
];

test("what replays show is what the next checkpoint proves, and more is known than without", async () => {
  const archive = await configuredArchive([corpusPath(...ARCHIVE)], cache);
  const replayed = (report: StateReport) =>
    archive.ask((place: ArchivePlace) => reportByReplays(place, report, options));
  const counts = { agreed: 0, shown: 0, open: 0 };
  for (const record of await archivedRecords(120)) {
    const { readOnly = [], readWrite = [] } = opened({ record }).envelope.soroban?.footprint ?? {};
    for (const keyXdr of [...readOnly, ...readWrite])
      for (const before of [record.hash, null]) {
        const known = await archive.report(keyXdr, record.ledger.sequence, before);
        const isKnown = known.entry.kind !== "unknown" && known.liveUntil?.kind !== "unknown";
        const asked = isKnown
          ? { ...known, entry: unknown, liveUntil: known.liveUntil && unknown }
          : known;
        const found = await replayed(asked);
        if (found.entry.kind === "unknown" || found.liveUntil?.kind === "unknown") {
          if (!isKnown) counts.open += 1;
          continue;
        }
        if (isKnown)
          expect([keyXdr, before, shownBy(found)]).toEqual([keyXdr, before, shownBy(known)]);
        counts[isKnown ? "agreed" : "shown"] += 1;
      }
  }
  expect(counts.agreed).toBeGreaterThan(30);
  expect(counts.shown).toBeGreaterThan(counts.open);
}, 120_000);
