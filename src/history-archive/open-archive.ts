// Opens a history archive from settings: its files, its chain and the buckets that are kept.

import { join } from "node:path";
import { SvcError } from "../base/errors/errors.ts";
import { cacheDirectory } from "../base/files/cache-directory.ts";
import type { Http } from "../base/http/http.ts";
import { ofMost, type RecentlyUsed } from "../base/recently-used.ts";
import { NETWORKS, type Network, networkInWords } from "../model/networks.ts";
import type { ArchiveExcerpt } from "../model/snapshot.ts";
import { hasEnoughSignatures } from "../model/state/proven-state.ts";
import {
  type ArchiveFiles,
  archiveDirectory,
  archiveUrl,
  checkpointOf,
  openArchiveFiles,
  USUAL_LEDGERS_PER_CHECKPOINT,
} from "./archive-files.ts";
import { type ArchiveValues, archivesOf } from "./archive-settings.ts";
import { openInTurn } from "./archives-in-turn.ts";
import { type BucketStore, openBucketStore } from "./bucket-store.ts";
import { openArchivedChain, type TrustedHeader } from "./chain.ts";
import { type AskForDownload, openAllowance } from "./download-allowance.ts";
import { notSet } from "./errors.ts";
import { excerptFiles, excerptOfArchive, noting } from "./excerpt.ts";
import type { EntryBefore, OpenedArchive } from "./opened-archive.ts";
import { openSingleArchive, type SingleArchiveOptions } from "./single-archive.ts";

export interface OpenArchiveOptions extends AskForDownload {
  readonly http: Http;
  readonly network: string;
  readonly networkPassphrase: string;
  /** Files other than buckets that were read before, by place and name, within one run. */
  readonly files?: ReadFiles;
  /** The store of several transactions, so that they wait for each other's downloads. */
  readonly store?: BucketStore;
  /** True if the files that are read are kept for `excerpt`. */
  readonly keepsExcerpt?: boolean;
  /**
   * If the first archive does not reach this ledger, the next one is asked. With `latest`, the next
   * one is asked if validators did not sign the ledger that the first archive calls its latest.
   */
  readonly wantedLedger?: number | "latest";
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Opens several archives in order. If one lacks something, lies or does not answer, the next one is
 * asked. Throws ARCHIVE_NOT_SET if the network has no archive, and the error of the first archive
 * if all fail.
 */
export async function openConfiguredArchive(
  settings: Omit<ArchiveValues, "origins">,
  options: OpenArchiveOptions,
): Promise<OpenedArchive> {
  const { network, networkPassphrase } = options;
  const known = networkWith(networkPassphrase);
  const places = archivesOf(settings, networkPassphrase);
  if (places.length === 0) throw notSet(network);
  const store = options.store ?? openConfiguredStore(settings, options.environment);
  const validators = settings.validators ?? known?.validators ?? [];
  const trusted = settings.trustedHeader;
  const allowance = openAllowance(settings.download, options);
  let signed: OpenedArchive | null = null as OpenedArchive | null;
  const { open, ask } = openInTurn(places, (place) => {
    const brief = places.at(-1) !== place;
    return openPlace(place, { ...options, trusted, validators, store, allowance, brief });
  });
  const { wantedLedger = 0 } = options;
  const { name, latestLedger } = await ask(
    async (archive) => archive,
    (archive) =>
      wantedLedger === "latest"
        ? isSignedAt(archive, archive.latestLedger)
        : archive.latestLedger >= wantedLedger,
  );
  /**
   * An answer that an entry is unknown also rests on ledgers, which an archive may have made up.
   */
  const isSettled =
    (ledger: number) =>
    ({ entry }: EntryBefore, archive: OpenedArchive) =>
      entry.kind === "unknown"
        ? isSignedAt(archive, ledger)
        : hasEnoughSignatures(entry.proof.signatures);
  return {
    name,
    latestLedger,
    async report(keyXdr, ledger, before) {
      const archiveReport = await ask(
        (archive) => archive.report(keyXdr, ledger, before),
        isSettled(ledger),
      );
      const { entry } = archiveReport;
      if (
        entry.kind === "unknown" ||
        hasEnoughSignatures(entry.proof.signatures) ||
        places.length === 1
      )
        return archiveReport;
      const { checkpoint, headerHash } = entry.proof;
      const hasIt = async (place: string) =>
        (await open(place)).ask(async ({ chain }) => (await chain.header(checkpoint)).hash);
      const hashes = await Promise.all(places.map((place) => hasIt(place).catch(() => null)));
      const archives = hashes.filter((hash) => hash === headerHash).length;
      return { ...archiveReport, agreement: { archives, asked: places.length } };
    },
    before: (keyXdr, ledger, hash) =>
      ask((archive) => archive.before(keyXdr, ledger, hash), isSettled(ledger)),
    checkRecord: (record) =>
      ask(
        async (archive) => {
          const isSigned = await archive.checkRecord(record);
          if (isSigned) signed = archive;
          return isSigned;
        },
        (isSigned) => isSigned,
      ),
    ask: (question, restsOn) =>
      ask(
        (archive) => archive.ask(question),
        (_, archive) => restsOn === undefined || isSignedAt(archive, restsOn),
      ),
    excerpt: async () => (await signed?.excerpt()) ?? null,
  };
}

/** True if validators signed the header of the checkpoint after the ledger, and so that file. */
function isSignedAt({ ask }: OpenedArchive, ledger: number): Promise<boolean> {
  return ask(async ({ chain }) =>
    hasEnoughSignatures(await chain.signatures(checkpointOf(ledger, chain.archive))),
  );
}

function networkWith(networkPassphrase: string): Network | undefined {
  return Object.values(NETWORKS).find(({ passphrase }) => passphrase === networkPassphrase);
}

export function openConfiguredStore(
  { archiveCache, archiveCacheSize, sorobanOnly }: Omit<ArchiveValues, "origins">,
  environment: OpenArchiveOptions["environment"],
): BucketStore {
  const directory = archiveCache ?? join(cacheDirectory(environment), "buckets");
  return openBucketStore(directory, { limitBytes: archiveCacheSize, sorobanOnly });
}

/**
 * Opens a capsule's proof without a request. State that neither the proof nor a kept bucket shows
 * is unknown.
 */
export async function openExcerpt(
  excerpt: ArchiveExcerpt,
  settings: Omit<ArchiveValues, "origins">,
  { networkPassphrase, environment }: Pick<OpenArchiveOptions, "networkPassphrase" | "environment">,
): Promise<OpenedArchive> {
  const files = await openArchiveFiles(excerptFiles(excerpt), excerpt);
  const archive = { ...files, bucket: () => null };
  const validators = settings.validators ?? networkWith(networkPassphrase)?.validators ?? [];
  const { trustedHeader: trusted } = settings;
  const opened = openSingleArchive(
    openArchivedChain(archive, validators, networkPassphrase, trusted),
    {
      networkPassphrase,
      network: networkInWords(networkPassphrase),
      validators,
      store: openConfiguredStore(settings, environment),
      allowance: { allow: async () => {}, fetching: (work) => work() },
    },
  );
  const before: OpenedArchive["before"] = async (...query) => {
    try {
      return await opened.before(...query);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      const reason = error.clause ?? error.message;
      const unknown = { kind: "unknown", reason } as const;
      return { entry: unknown, liveUntil: unknown };
    }
  };
  return { ...opened, before, excerpt: async () => excerpt };
}

export type ReadFiles = RecentlyUsed<string, Promise<Uint8Array | null>>;

/** The files of some checkpoints of a public network. */
const MOST_READ_FILES = 64;

/** The memory of files that several openings share. */
export function openReadFiles(): ReadFiles {
  return ofMost(MOST_READ_FILES);
}

function readOnce(files: ArchiveFiles, place: string, known: ReadFiles): ArchiveFiles {
  return {
    ...files,
    read(name) {
      const id = `${place} ${name}`;
      const reading = known.of(id, () => files.read(name));
      // A failed read may succeed when it is repeated.
      reading.catch(() => known.delete(id));
      return reading;
    },
  };
}

async function openPlace(
  place: string,
  options: OpenArchiveOptions &
    SingleArchiveOptions & {
      readonly trusted: TrustedHeader | null;
      /** True if another archive is asked after this one. */
      readonly brief: boolean;
    },
): Promise<OpenedArchive> {
  const { http, signal, store, validators, trusted, brief } = options;
  const isUrl = /^https?:\/\//.test(place);
  const files = isUrl
    ? archiveUrl(place, http, { signal, brief }, store.pieces)
    : archiveDirectory(place, signal);
  const once = options.files ? readOnce(files, place, options.files) : files;
  const { noted, files: read } = noting(once);
  const isPublic = networkWith(options.networkPassphrase) !== undefined;
  const archive = await openArchiveFiles(
    options.keepsExcerpt ? read : once,
    isPublic ? { ledgersPerCheckpoint: USUAL_LEDGERS_PER_CHECKPOINT } : {},
  );
  const notes = options.keepsExcerpt ?? false;
  const chain = openArchivedChain(archive, validators, options.networkPassphrase, trusted, {
    notes,
  });
  const excerpt = async () => excerptOfArchive(noted, archive, chain.uses);
  return { ...openSingleArchive(chain, options), excerpt };
}
