// An entry between two checkpoints, by replays: where the archive itself proves it too, both agree.

import { afterAll, expect } from "bun:test";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import type { ArchivePlace } from "../../src/history-archive/opened-archive.ts";
import { NETWORKS } from "../../src/model/networks.ts";
import type { StateReport } from "../../src/model/state/proven-state.ts";
import { reportsByReplays } from "../../src/verify/state-by-replays.ts";
import { instanceKeyOfContract } from "../../src/xdr/values/value-parts.ts";
import {
  ARCHIVE,
  archivedRecords,
  configuredArchive,
  ofArchive,
} from "../support/archived-records.ts";
import { opened } from "../support/opened.ts";

const { test } = ofArchive;
const cache = mkdtempSync(join(tmpdir(), "svc-replayed-"));
afterAll(() => rmSync(cache, { recursive: true }));

const options = {
  networkPassphrase: NETWORKS.testnet.passphrase,
  program: { path: SIMULATOR_BINARY },
  signal: new AbortController().signal,
};
const ENOUGH = 20;
const unknown = { kind: "unknown", reason: "not asked" } as const;
const shownBy = ({ entry, liveUntil }: StateReport) => [
  entry.kind === "known" ? entry.value.entryXdr : entry.kind,
  liveUntil?.kind === "known" ? liveUntil.value : (liveUntil?.kind ?? null),
];

test("what replays show is what the next checkpoint proves, and more is known than without", async () => {
  const archive = await configuredArchive([ARCHIVE], cache);
  const replayed = (report: StateReport) =>
    archive.ask((place: ArchivePlace) => reportsByReplays(place, [report], options));
  const counts = { agreed: 0, shown: 0, open: 0 };
  for await (const record of archivedRecords(200)) {
    const { readOnly = [], readWrite = [] } = opened({ record }).envelope.soroban?.footprint ?? {};
    for (const keyXdr of [...readOnly, ...readWrite])
      for (const before of [record.hash, null]) {
        const known = await archive.report(keyXdr, record.ledger.sequence, before);
        const isKnown = known.entry.kind !== "unknown" && known.liveUntil?.kind !== "unknown";
        if (isKnown && counts.agreed === ENOUGH) continue;
        const asked = isKnown
          ? { ...known, entry: unknown, liveUntil: known.liveUntil && unknown }
          : known;
        const [found = asked] = await replayed(asked);
        if (found.entry.kind === "unknown" || found.liveUntil?.kind === "unknown") {
          if (!isKnown) counts.open += 1;
          continue;
        }
        if (isKnown)
          expect([keyXdr, before, shownBy(found)]).toEqual([keyXdr, before, shownBy(known)]);
        counts[isKnown ? "agreed" : "shown"] += 1;
      }
  }
  expect(counts.agreed).toBe(ENOUGH);
  expect(counts.shown).toBeGreaterThan(counts.open);
}, 120_000);

test("several keys together are what each is alone", async () => {
  const archive = await configuredArchive([ARCHIVE], cache);
  const declared = await archive.ask(async ({ chain }) => {
    const found = new Set<string>();
    for (let ledger = 512; ledger < 576; ledger += 1)
      for (const { readOnly, readWrite } of await chain.footprints(ledger))
        for (const keyXdr of [...readOnly, ...readWrite]) found.add(keyXdr);
    return [...found];
  });
  const open: StateReport[] = [];
  for (const keyXdr of declared) {
    const report = await archive.report(keyXdr, 556);
    if (report.entry.kind === "unknown" || report.liveUntil?.kind === "unknown") open.push(report);
  }
  expect(open.length).toBeGreaterThan(20);
  const replayed = (reports: readonly StateReport[]) =>
    archive.ask((place) => reportsByReplays(place, reports, options));
  const together = await replayed(open);
  expect(together.some(({ entry }) => entry.kind === "known")).toBeTrue();
  for (const [index, report] of open.entries()) {
    if (index % 4 !== 0) continue;
    const [alone] = await replayed([report]);
    // More replays show more: what one key alone leaves open may be known beside others.
    if (alone?.entry.kind !== "unknown" && alone?.liveUntil?.kind !== "unknown")
      expect(shownBy(together[index] ?? report)).toEqual(shownBy(alone ?? report));
  }
}, 60_000);

test("nothing is replayed of an archive that unknown validators signed, or whose files are altered", async () => {
  const strangers = [["GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"]];
  const unsigned = await configuredArchive([ARCHIVE], cache, strangers);
  const contract =
    instanceKeyOfContract("CCLBPEYS3XFK65MYYXSBMOGKUI4ODN5S7SUZBGD7NALUQF64QILLX5B5") ?? "";
  const report = await unsigned.report(contract, 540);
  expect(report.entry.kind).toBe("unknown");
  const replayed = (of: typeof unsigned) =>
    of.ask((each) => reportsByReplays(each, [report], options));
  expect(await replayed(unsigned)).toEqual([report]);
  const [known] = await replayed(await configuredArchive([ARCHIVE], cache));
  expect(known?.entry).toMatchObject({
    kind: "known",
    proof: { step: "replayed", checkpoint: 511 },
  });
  // Sets, results or headers of the same ledgers, with one bit changed.
  for (const category of ["transactions", "results", "ledger"]) {
    const altered = mkdtempSync(join(cache, "altered-"));
    cpSync(ARCHIVE, altered, { recursive: true, filter: (path) => !path.includes("/bucket/") });
    const file = join(altered, category, "00/00/02", `${category}-0000023f.xdr.gz`);
    const bytes = Bun.gunzipSync(readFileSync(file));
    const middle = bytes.length >> 1;
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    writeFileSync(file, Bun.gzipSync(bytes));
    const found = await configuredArchive([altered], cache)
      .then(replayed, (error) => error)
      .catch((error) => error);
    expect([category, found.code]).toEqual([category, expect.stringMatching(/^(ARCHIVE_|XDR_)/)]);
  }
}, 60_000);
