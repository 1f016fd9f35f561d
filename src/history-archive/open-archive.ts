// A history archive, opened from settings: its files, its chain and the buckets that are kept.

import { homedir } from "node:os";
import { join } from "node:path";
import { SvcError } from "../base/errors/errors.ts";
import type { Http } from "../base/http/http.ts";
import { NETWORKS } from "../model/networks.ts";
import type { StateReport } from "../model/state.ts";
import { hashOfEnvelope } from "../xdr/envelope/envelope-facts.ts";
import { networkId } from "../xdr/reader/hash.ts";
import { describeKey } from "../xdr/values/value.ts";
import { archiveDirectory, archiveUrl, openArchive } from "./archive-files.ts";
import type { ArchiveValues } from "./archive-settings.ts";
import { openBucketStore } from "./bucket-store.ts";
import { openChain } from "./chain.ts";
import { lacking } from "./errors.ts";
import { StateReader } from "./state-at.ts";

const SHOWN_CHARACTERS = 2_000;
/** More than this is only downloaded where the user allows it. */
const FREE_BYTES = 64 * 1024 * 1024;

export interface OpenArchiveOptions {
  readonly http: Http;
  readonly signal: AbortSignal;
  readonly network: string;
  readonly networkPassphrase: string;
  /** Downloads may be large. */
  readonly download: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface OpenedArchive {
  readonly name: string;
  /** The latest ledger whose state validators have signed. */
  readonly latestLedger: number;
  /** `keyXdr`: LedgerKey, base64. */
  report(keyXdr: string, ledger: number): Promise<StateReport>;
  before(keyXdr: string, ledger: number, hash: string): Promise<EntryBefore>;
  /** Throws ARCHIVE_LACKS where the archive does not have it, or no signature for it yet. */
  checkTransaction(hash: string, ledger: number): Promise<void>;
}

export type EntryBefore = Pick<StateReport, "entry" | "liveUntil">;

/** Throws ARCHIVE_LACKS where the network has no archive, and what `archive` throws. */
export async function openConfiguredArchive(
  settings: Omit<ArchiveValues, "origins">,
  { http, signal, network, networkPassphrase, download, environment }: OpenArchiveOptions,
): Promise<OpenedArchive> {
  const known = Object.values(NETWORKS).find(({ passphrase }) => passphrase === networkPassphrase);
  const place = settings.historyArchive ?? known?.historyArchives[0] ?? null;
  if (place === null) throw lacking(`archive of the network "${network}"`);
  const isUrl = /^https?:\/\//.test(place);
  const archive = await openArchive(
    isUrl ? archiveUrl(place, http, { signal }) : archiveDirectory(place),
  );
  const chain = openChain(
    archive,
    settings.validators ?? known?.validators ?? [],
    networkPassphrase,
  );
  const cache = environment.XDG_CACHE_HOME || join(environment.HOME ?? homedir(), ".cache");
  const store = openBucketStore(settings.archiveCache ?? join(cache, "svc", "buckets"));
  const allow = (bytes: number, buckets: number) => {
    if (!download && bytes > FREE_BYTES) throw large(archive.name, bytes, buckets);
  };
  const states = new StateReader({ chain, store, networkPassphrase, allow });
  const latestLedger = archive.latestCheckpoint - archive.ledgersPerCheckpoint;
  return {
    name: archive.name,
    latestLedger,
    async report(keyXdr, ledger) {
      const key = describeKey(keyXdr, SHOWN_CHARACTERS);
      const found = await states.at(Uint8Array.fromBase64(keyXdr), ledger);
      return { network, archive: archive.name, ledger, keyXdr, key, ...found };
    },
    before: (keyXdr, ledger, hash) => states.before(Uint8Array.fromBase64(keyXdr), ledger, hash),
    async checkTransaction(hash, ledger) {
      if (ledger > latestLedger)
        throw lacking(`signatures for ledger ${ledger}: they end with ledger ${latestLedger}`);
      const id = networkId(networkPassphrase);
      const envelopes = await chain.envelopes(ledger);
      if (!envelopes.some((envelope) => hashOfEnvelope(envelope, id) === hash))
        throw lacking(`transaction ${hash} in its ledger ${ledger}`);
    },
  };
}

function large(name: string, bytes: number, buckets: number): SvcError {
  const megabytes = Math.ceil(bytes / 1e6);
  return new SvcError("ARCHIVE_DOWNLOAD_LARGE", {
    message: `The state at that ledger needs ${buckets} buckets of ${name}: ${megabytes} MB.`,
    remedy:
      "Add `--download`: what is downloaded is kept, and most of it serves later ledgers too.",
    details: { bytes, buckets },
  });
}
