// Opens a history archive from settings: its files, its chain and the buckets that are kept.

import { join } from "node:path";
import { NODE_ERRORS } from "../base/errors/base-errors.ts";
import { SvcError } from "../base/errors/errors.ts";
import { cacheDirectory } from "../base/files/cache-directory.ts";
import type { Http } from "../base/http/http.ts";
import { flag, phrase } from "../base/phrase.ts";
import { ofMost, type RecentlyUsed } from "../base/recently-used.ts";
import { type ChainRecord, seedOrder } from "../model/chain-record.ts";
import { NETWORKS, type Network, networkInWords } from "../model/networks.ts";
import type { ArchiveExcerpt } from "../model/snapshot.ts";
import { hasEnoughSignatures, type StateReport } from "../model/state/proven-state.ts";
import { hashOfEnvelope } from "../xdr/envelope/envelope-facts.ts";
import { XDR_ERRORS } from "../xdr/errors.ts";
import { headerFacts } from "../xdr/ledger/facts-before-upgrades.ts";
import { readLedgerHeader } from "../xdr/ledger/header.ts";
import { networkId, sha256 } from "../xdr/reader/hash.ts";
import { describeKey } from "../xdr/values/value.ts";
import {
  type ArchiveFiles,
  archiveDirectory,
  archiveUrl,
  checkpointOf,
  openArchiveFiles,
  USUAL_LEDGERS_PER_CHECKPOINT,
} from "./archive-files.ts";
import { type ArchiveValues, archivesOf } from "./archive-settings.ts";
import { readArchivedFacts, readArchivedLedger } from "./archived-ledger.ts";
import { type BucketStore, openBucketStore } from "./bucket-store.ts";
import { type ArchivedChain, openArchivedChain, type TrustedHeader } from "./chain.ts";
import { type Allowance, type AskForDownload, openAllowance } from "./download-allowance.ts";
import { behind, lacking, notSet } from "./errors.ts";
import { excerptFiles, excerptOfArchive, noting } from "./excerpt.ts";
import { StateReader } from "./state-at.ts";
import type { Validators } from "./validators.ts";

const SHOWN_CHARACTERS = 2_000;

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

export interface OpenedArchive {
  readonly name: string;
  /** The latest ledger for which the archive can have signatures, according to the archive. */
  readonly latestLedger: number;
  /**
   * Reports an entry by its LedgerKey (base64). `before` is the hash of a transaction of the
   * ledger, and the state is that just before it. Null means the state after the ledger.
   */
  report(keyXdr: string, ledger: number, before?: string | null): Promise<StateReport>;
  before(keyXdr: string, ledger: number, hash: string): Promise<EntryBefore>;
  /**
   * Returns true if validators signed the ledger of the transaction. Throws NODE_LIED if they
   * signed another result or header than the record has, or the ledger without the transaction, and
   * ARCHIVE_BEHIND if the archive does not have the ledger.
   */
  checkRecord(record: ChainRecord): Promise<boolean>;
  /**
   * Asks several archives in turn until one answers. `restsOn` is the latest ledger that the answer
   * depends on. An archive in which validators signed the header of that ledger is preferred,
   * because an archive can make up ledgers that agree with each other.
   */
  ask<T>(question: (place: ArchivePlace) => Promise<T>, restsOn?: number): Promise<T>;
  /** Returns an excerpt of everything that was read, or null if it is too large. */
  excerpt(): Promise<ArchiveExcerpt | null>;
}

/** One archive. */
export interface ArchivePlace {
  readonly name: string;
  readonly chain: ArchivedChain;
  readonly states: StateReader;
}

export type EntryBefore = Pick<StateReport, "entry" | "liveUntil">;

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
  const { open, ask } = inOrder(places, (place) => {
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

/** Archives that are opened when they are first asked. */
function inOrder(places: readonly string[], openOne: (place: string) => Promise<OpenedArchive>) {
  const opening = new Map<string, Promise<OpenedArchive>>();
  /**
   * The archives in the order in which they are asked. One that does not answer, or lies, is
   * removed.
   */
  let order = [...places];
  const open = (place: string) => {
    const archive = opening.get(place) ?? openOne(place);
    opening.set(place, archive);
    return archive;
  };
  async function ask<T>(
    question: (archive: OpenedArchive) => Promise<T>,
    isEnough: (answer: T, archive: OpenedArchive) => boolean | Promise<boolean> = () => true,
  ): Promise<T> {
    const answers: T[] = [];
    let failure: SvcError | null = null;
    const places = order;
    for (const place of places) {
      try {
        const archive = await open(place);
        const answer = await question(archive);
        answers.push(answer);
        // The answer of the only archive is returned, even if it is not enough.
        if (places.length === 1 || (await isEnough(answer, archive))) return answer;
      } catch (error) {
        if (!(error instanceof SvcError) || !HANDED_OVER.has(error.code)) throw error;
        failure ??= error;
        if (MAY_HAVE_OTHERS.has(error.code) || order.length === 1) continue;
        order = order.filter((each) => each !== place);
        continue;
      }
      order = [...order.filter((each) => each !== place), place];
    }
    const [answer] = answers;
    if (answers.length === 0 && failure !== null) throw failure;
    return answer as T;
  }
  return { open, ask };
}

function networkWith(networkPassphrase: string): Network | undefined {
  return Object.values(NETWORKS).find(({ passphrase }) => passphrase === networkPassphrase);
}

/** The errors of one archive after which another one may succeed. */
const HANDED_OVER: ReadonlySet<string> = new Set([
  "ARCHIVE_BEHIND",
  "ARCHIVE_DAMAGED",
  "ARCHIVE_DOWNLOAD_LARGE",
  "ARCHIVE_LACKS",
  "FILE_UNREADABLE",
  ...Object.keys(NODE_ERRORS),
  ...Object.keys(XDR_ERRORS),
]);
/** The errors of an archive that can still answer other questions. */
const MAY_HAVE_OTHERS: ReadonlySet<string> = new Set([
  "ARCHIVE_BEHIND",
  "ARCHIVE_DOWNLOAD_LARGE",
  "ARCHIVE_LACKS",
]);

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
  const opened = openFiles(openArchivedChain(archive, validators, networkPassphrase, trusted), {
    networkPassphrase,
    network: networkInWords(networkPassphrase),
    validators,
    store: openConfiguredStore(settings, environment),
    allowance: { allow: async () => {}, fetching: (work) => work() },
  });
  const before: OpenedArchive["before"] = async (...query) => {
    try {
      return await opened.before(...query);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      const unknown = { kind: "unknown", reason: error.message } as const;
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

interface Opening extends Pick<OpenArchiveOptions, "network" | "networkPassphrase"> {
  readonly validators: Validators;
  readonly store: BucketStore;
  readonly allowance: Allowance;
}

async function openPlace(
  place: string,
  options: OpenArchiveOptions &
    Opening & {
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
  return { ...openFiles(chain, options), excerpt };
}

function openFiles(
  chain: ArchivedChain,
  { network, networkPassphrase, store, allowance }: Opening,
): Omit<OpenedArchive, "excerpt"> {
  const { archive } = chain;
  const states = new StateReader({ chain, store, networkPassphrase, ...allowance });
  const latestLedger = archive.latestCheckpoint - archive.ledgersPerCheckpoint;
  return {
    name: archive.name,
    latestLedger,
    ask: (question) => question({ name: archive.name, chain, states }),
    async report(keyXdr, ledger, before = null) {
      const key = Uint8Array.fromBase64(keyXdr);
      const place = { network, archive: archive.name, ledger, keyXdr };
      const named = { ...place, key: describeKey(keyXdr, SHOWN_CHARACTERS) };
      const shown = (state: EntryBefore) => {
        if (state.entry.kind !== "unknown" || !states.hasClassic) return { ...named, ...state };
        const after = checkpointOf(ledger, archive);
        const all = [after - archive.ledgersPerCheckpoint, after];
        const checkpoints = all.filter((each) => each > 0 && each <= latestLedger);
        return { ...named, ...state, checkpoints };
      };
      if (before === null) return shown(await states.at(key, ledger));
      const { transactions } = await readArchivedLedger(chain, ledger, networkPassphrase);
      const transaction = transactions.find(({ record }) =>
        [record.hash, record.innerHash].includes(before),
      );
      if (transaction === undefined) throw lacking(`transaction ${before} in ledger ${ledger}`);
      const { hash } = transaction.record;
      return { ...shown(await states.before(key, ledger, hash)), before: hash };
    },
    before: (keyXdr, ledger, hash) => states.before(Uint8Array.fromBase64(keyXdr), ledger, hash),
    async checkRecord(record) {
      const { hash, ledger, ledgerHeaderXdr } = record;
      const { sequence } = ledger;
      if (sequence > latestLedger) throw behind("signatures for", sequence, latestLedger);
      const id = networkId(networkPassphrase);
      const envelopes = await chain.envelopes(sequence);
      const isIn = envelopes.some((envelope) => hashOfEnvelope(envelope, id) === hash);
      if (!hasEnoughSignatures(await chain.signatures(sequence))) {
        if (isIn) return false;
        throw lacking(`transaction ${hash} in its ledger ${sequence}`);
      }
      if (!isIn)
        throw contradicted(
          hash,
          `Validators signed ledger ${sequence} without transaction ${hash}.`,
        );
      const other = (part: string) =>
        contradicted(
          hash,
          `Validators signed another ${part} of transaction ${hash} than is recorded.`,
        );
      const { bytes, order } = await chain.result(sequence, hash);
      if (bytes.toBase64() !== record.resultXdr) throw other("result");
      // The verdict names the facts that are assumed.
      const isAssumed = record.assumedFacts !== undefined;
      // The random numbers of the transaction follow from its position.
      if (!isAssumed && seedOrder(record) !== order) throw other("place in the ledger");
      if (ledgerHeaderXdr === undefined) return true;
      const own = await chain.header(sequence);
      if (sha256(readLedgerHeader(ledgerHeaderXdr).header).toHex() !== own.hash)
        throw other("ledger header");
      // Upgrades come after the transactions, so the header before has the facts that these ran
      // under.
      const facts = await readArchivedFacts(chain, own);
      if (!isAssumed && JSON.stringify(facts) !== JSON.stringify(headerFacts(ledger)))
        throw other("protocol, base fee or base reserve for the ledger");
      return true;
    },
  };
}

function contradicted(hash: string, message: string): SvcError {
  return new SvcError("NODE_LIED", {
    message,
    remedy: phrase`Debug it by its hash, with another node: set one with ${flag("rpcUrl")}.`,
    details: { hash },
  });
}
