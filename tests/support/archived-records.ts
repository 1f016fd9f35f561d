// Transactions of the archive of the corpus, as a chain record has them: what the archive shows, and
// no meta.

import { systemClock } from "../../src/base/clock.ts";
import { openHttp } from "../../src/base/http/http.ts";
import { archiveDirectory, openArchiveFiles } from "../../src/history-archive/archive-files.ts";
import { readArchivedLedger } from "../../src/history-archive/archived-ledger.ts";
import { openArchivedChain } from "../../src/history-archive/chain.ts";
import { openConfiguredArchive } from "../../src/history-archive/open-archive.ts";
import type { ChainRecord } from "../../src/model/chain-record.ts";
import { NETWORKS } from "../../src/model/networks.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import { decidingSettingKeys } from "../../src/snapshot/settings/deciding-settings.ts";
import { readSorobanFacts } from "../../src/xdr/envelope/envelope-facts.ts";
import { settingName } from "../../src/xdr/reader/keys.ts";
import { corpusPath, hasCorpus } from "./corpus.ts";
import { needs } from "./needs.ts";
import { opened } from "./opened.ts";

const PARTS = ["history-archive", "testnet-1-6015"];
/** The directory of the archive, which begins with the network's first ledger. */
export const ARCHIVE = corpusPath(...PARTS);
export const HAS_ARCHIVE = hasCorpus(...PARTS);
/** `test` and `describe` where tests read the archive. */
export const ofArchive = needs("the history archive of the corpus", HAS_ARCHIVE);
const { passphrase, validators } = NETWORKS.testnet;
const ASSUMED = { kind: "assumed", detail: "nobody knows" } as const;

/** Every `step`th Soroban transaction of the archive. */
export async function* archivedRecords(step: number): AsyncGenerator<ChainRecord> {
  const archive = await openArchiveFiles(archiveDirectory(ARCHIVE));
  const chain = openArchivedChain(archive, validators, passphrase);
  let count = 0;
  for (let sequence = 700; sequence < 5900; sequence += 1) {
    const envelopes = await chain.envelopes(sequence);
    const wanted = envelopes.filter(
      (envelope) => readSorobanFacts(envelope) !== null && count++ % step === 0,
    );
    if (wanted.length === 0) continue;
    const { transactions } = await readArchivedLedger(chain, sequence, passphrase);
    const xdrs = wanted.map((envelope) => envelope.toBase64());
    for (const { record } of transactions)
      if (xdrs.includes(record.envelopeXdr)) yield { ...record, origins: {} };
  }
}

export async function firstRecord(): Promise<ChainRecord> {
  for await (const record of archivedRecords(1)) return record;
  throw new Error("The archive has no Soroban transaction.");
}

/** Nothing is known but the names of what is needed. */
export function ignorantSnapshot(record: ChainRecord): Snapshot {
  const { readOnly = [], readWrite = [] } = opened({ record }).envelope.soroban?.footprint ?? {};
  return {
    entries: [],
    settings: decidingSettingKeys(record.ledger.protocolVersion).map((key) => ({
      ...{ name: settingName(key), entryXdr: "", provenance: ASSUMED },
    })),
    rentFeePer1KbStroops: null,
    unknown: [...readOnly, ...readWrite].map((keyXdr) => ({ keyXdr, reason: "nobody was asked" })),
  };
}

export const ARCHIVE_DEFAULTS = {
  ...{ historyArchive: null, validators: null, archiveCache: null, download: false },
  ...{ archiveCacheSize: 2 ** 33, sorobanOnly: false, trustedHeader: null },
} as const;

/** `cache`: the directory for buckets. */
export function configuredArchive(
  places: readonly string[],
  cache: string,
  known: typeof validators = validators,
  keepsExcerpt = false,
) {
  const settings = {
    ...ARCHIVE_DEFAULTS,
    ...{ historyArchive: places, validators: known, archiveCache: cache },
  };
  return openConfiguredArchive(settings, {
    http: openHttp({ clock: systemClock, timeoutMilliseconds: 5_000, userAgent: "svc" }),
    signal: new AbortController().signal,
    ...{ network: "testnet", networkPassphrase: passphrase, environment: {} },
    keepsExcerpt,
  });
}
