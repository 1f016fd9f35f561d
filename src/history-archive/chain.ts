// The proven headers of an archive: each has its hash and names the one before it. The transaction
// set of the next ledger names it too, and the validators signed that set (stellar-core,
// HerderSCPDriver.cpp: the value that SCP agrees on has the set's hash; TxSetFrame.cpp).

import { isProtocolUnknown, ofLedger } from "../model/protocols.ts";
import { hasEnoughSignatures, type StateSignatures } from "../model/state/proven-state.ts";
import {
  hashOfEnvelope,
  readSorobanFacts,
  type SorobanFootprint,
} from "../xdr/envelope/envelope-facts.ts";
import { type LedgerHeaderFacts, readHeaderHistoryEntry } from "../xdr/ledger/header.ts";
import type { PlacedEnvelope } from "../xdr/ledger/transaction-set.ts";
import { XdrCursor } from "../xdr/reader/cursor.ts";
import { networkId, sha256 } from "../xdr/reader/hash.ts";
import { xdrSource } from "../xdr/reader/shape.ts";
import { decodeBytes } from "../xdr/reader/value.ts";
import { checkpointOf, type HistoryArchive } from "./archive-files.ts";
import {
  emptySets,
  KEPT_LEDGERS,
  messagesOf,
  NO_RESULTS_HASH,
  noResults,
  openRecords,
  type ResultSet,
  remembered,
  type TransactionSet,
} from "./archive-records.ts";
import { archiveDamaged, lacking } from "./errors.ts";
import { DROPPED_SET, signaturesOf, type Validators } from "./validators.ts";

export interface ArchivedHeader extends LedgerHeaderFacts {
  readonly hash: string;
  readonly bucketListHash: string;
}

/** The ledgers that were read. */
export interface ChainUses {
  readonly sets: ReadonlySet<number>;
  /**
   * Sets that a signature or a result needs. The others were read to find the writer of an entry.
   */
  readonly neededSets: ReadonlySet<number>;
  readonly results: ReadonlySet<number>;
  readonly messages: ReadonlySet<number>;
}

/** A header whose hash the user knows. */
export interface TrustedHeader {
  readonly ledger: number;
  readonly hash: string;
}

export interface ArchivedTransaction extends PlacedEnvelope {
  /** Hex. For a fee-bump, the outer hash. */
  readonly hash: string;
  /** A TransactionResult. */
  readonly result: Uint8Array;
}

export interface DeclaredFootprint extends SorobanFootprint {
  readonly envelope: Uint8Array;
}

export interface ArchivedChain {
  readonly archive: HistoryArchive;
  readonly uses: ChainUses;
  /**
   * Returns a header that has its hash, in a chain of headers up to the checkpoint's. Throws
   * PROTOCOL_UNKNOWN, also if only the checkpoint's header is of a later protocol.
   */
  header(ledger: number): Promise<ArchivedHeader>;
  /** Returns the TransactionEnvelopes of the ledger, from a set that has the hash in the header. */
  envelopes(ledger: number): Promise<readonly Uint8Array[]>;
  /** Returns the footprints that the contract transactions among them declare. */
  footprints(ledger: number): Promise<readonly DeclaredFootprint[]>;
  /**
   * Returns the transactions in apply order, which is the order of the results. The results have
   * the hash in the header, too (stellar-core, LedgerManagerImpl.cpp).
   */
  transactions(ledger: number): Promise<readonly ArchivedTransaction[]>;
  /**
   * Returns a TransactionResult from results that have the hash in the header, and its position,
   * from 1.
   */
  result(
    ledger: number,
    hash: string,
  ): Promise<{ readonly bytes: Uint8Array; readonly order: number }>;
  /** Returns the validators' signatures for the header, or null if the archive cannot show them. */
  signatures(ledger: number): Promise<StateSignatures | null>;
}

interface HeaderChainOptions {
  /** The chain records the ledgers that are used, for an excerpt. A verification needs none. */
  readonly notes?: boolean;
}

const OTHER_HASH = "their hash is not the header's";
/** The most checkpoints between a header and the trusted one: a week of a public network. */
const MOST_LINKED = 2_000;
/** Each lookup in a state needs one of these files, which have some 64 headers. */
const KEPT_HEADERS = 64;

export function openArchivedChain(
  archive: HistoryArchive,
  validators: Validators,
  networkPassphrase: string,
  trusted: TrustedHeader | null = null,
  { notes = false }: HeaderChainOptions = {},
): ArchivedChain {
  const network = networkId(networkPassphrase);
  const headers = remembered(async (checkpoint) => {
    const frames = await archive.frames("ledger", checkpoint);
    if (frames === null) throw lacking(`ledger headers of checkpoint ${checkpoint}`);
    return linked(frames, checkpoint);
  }, KEPT_HEADERS);
  const { sets, results, messages } = openRecords(archive);
  const uses = noUses();
  const note = (kind: keyof typeof uses, ledger: number) => {
    if (notes) uses[kind].add(ledger);
  };

  async function header(ledger: number): Promise<ArchivedHeader> {
    const archivedHeader = (await headers(checkpointOf(ledger, archive))).get(ledger);
    if (archivedHeader === undefined) throw lacking(`header of ledger ${ledger}`);
    return archivedHeader;
  }

  /** Returns the set with the header's hash. stellar-core archives no set without transactions. */
  async function provenSet(of: ArchivedHeader): Promise<TransactionSet> {
    note("sets", of.sequence);
    if (of.transactionSetHash === DROPPED_SET)
      return { hash: DROPPED_SET, previousHash: of.previousHash, placed: [] };
    const archived = await sets(of.sequence);
    const candidates = archived === null ? emptySets(of.previousHash) : [archived];
    const transactionSet = candidates.find(({ hash }) => hash === of.transactionSetHash);
    if (transactionSet !== undefined) return transactionSet;
    throw archiveDamaged(`the transactions of ledger ${of.sequence}`, OTHER_HASH);
  }

  async function provenResults(ledger: number): Promise<ResultSet["results"]> {
    note("results", ledger);
    const resultSet = await results(ledger);
    const { resultSetHash } = await header(ledger);
    if (resultSetHash === NO_RESULTS_HASH) return noResults().results;
    if (resultSet.hash === resultSetHash) return resultSet.results;
    throw archiveDamaged(`the results of ledger ${ledger}`, OTHER_HASH);
  }

  async function readSignatures(ledger: number): Promise<StateSignatures | null> {
    if (ledger >= archive.latestCheckpoint) return null;
    const [own, next] = [await header(ledger), await header(ledger + 1)];
    const set = await provenSet(next);
    if (set.previousHash !== own.hash) return null;
    note("neededSets", ledger + 1);
    note("messages", ledger + 1);
    const signed = { ledger: ledger + 1, ...set };
    const all = (await messages(ledger + 1)).map((frame) =>
      signaturesOf(messagesOf(frame, ledger + 1), signed, validators, networkPassphrase),
    );
    return all.toSorted((left, right) => right.organisations - left.organisations)[0] ?? null;
  }

  const envelopes = async (ledger: number) =>
    (await provenSet(await header(ledger))).placed.map(({ envelope }) => envelope);

  return {
    archive,
    uses,
    header,
    envelopes,
    footprints: remembered(
      async (ledger) =>
        (await envelopes(ledger)).flatMap((envelope) => {
          const footprint = readSorobanFacts(envelope)?.footprint;
          return footprint === undefined ? [] : { ...footprint, envelope };
        }),
      KEPT_LEDGERS,
    ),
    async transactions(ledger) {
      const { placed } = await provenSet(await header(ledger));
      return applied(ledger, placed, await provenResults(ledger), network);
    },
    async result(ledger, hash) {
      note("neededSets", ledger);
      const all = await provenResults(ledger);
      const bytes = all.get(hash);
      if (bytes !== undefined) return { bytes, order: [...all.keys()].indexOf(hash) + 1 };
      throw archiveDamaged(`the results of ledger ${ledger}`, `transaction ${hash} has none`);
    },
    signatures: remembered(async (ledger) => {
      const signatures = await readSignatures(ledger);
      if (trusted === null || hasEnoughSignatures(signatures)) return signatures;
      if (!(await isBefore(trusted, ledger, { archive, header }))) return signatures;
      const none = { signers: [], organisations: 0, needed: 0 };
      return { ...(signatures ?? none), trustedLedger: trusted.ledger };
    }),
  };
}

function noUses() {
  const none = () => new Set<number>();
  return { sets: none(), neededSets: none(), results: none(), messages: none() };
}

/** True if the headers from the ledger to the trusted one name each other. */
async function isBefore(
  trusted: TrustedHeader,
  ledger: number,
  { archive, header }: Pick<ArchivedChain, "archive" | "header">,
): Promise<boolean> {
  const { ledgersPerCheckpoint } = archive;
  const last = checkpointOf(trusted.ledger, archive);
  const first = checkpointOf(ledger, archive);
  const isNear = last - first <= MOST_LINKED * ledgersPerCheckpoint;
  if (ledger > trusted.ledger || last > archive.latestCheckpoint || !isNear) return false;
  if ((await header(trusted.ledger)).hash !== trusted.hash)
    throw archiveDamaged(`header of ledger ${trusted.ledger}`, "its hash is not the trusted one");
  for (let at = first; at < last; at += ledgersPerCheckpoint)
    await linkedHeaders({ header }, at + 1);
  return true;
}

/**
 * Returns the ledger's header and the one before, which it names. The headers of one file name each
 * other, but the first of a file may not name the last of the file before. Throws ARCHIVE_DAMAGED.
 */
export async function linkedHeaders(
  { header }: Pick<ArchivedChain, "header">,
  ledger: number,
): Promise<Readonly<Record<"before" | "own", ArchivedHeader>>> {
  const [before, own] = [await header(ledger - 1), await header(ledger)];
  if (own.previousHash === before.hash) return { before, own };
  throw archiveDamaged(`header of ledger ${ledger}`, `it does not follow ledger ${ledger - 1}`);
}

function linked(
  frames: readonly Uint8Array[],
  checkpoint: number,
): ReadonlyMap<number, ArchivedHeader> {
  const headers = new Map<number, ArchivedHeader>();
  const name = `ledger headers of checkpoint ${checkpoint}`;
  let later: ArchivedHeader | null = null;
  for (const [at, frame] of frames.toReversed().entries()) {
    const own = ofLedger(checkpoint - at, () => headerOf(frame, name));
    const { hash, sequence } = own;
    if (later !== null && (later.previousHash !== hash || later.sequence !== sequence + 1))
      throw archiveDamaged(name, `ledger ${sequence} is not the one before ${later.sequence}`);
    headers.set(sequence, own);
    later = own;
  }
  if (!headers.has(checkpoint)) throw archiveDamaged(name, "the last one is missing");
  return headers;
}

function headerOf(frame: Uint8Array, name: string): ArchivedHeader {
  const facts = decodedHeader(frame, name);
  const hash = sha256(facts.header).toHex();
  if (hash !== facts.hash) throw archiveDamaged(name, `ledger ${facts.sequence} has another hash`);
  const { bucketListHash } = decodeBytes("LedgerHeader", facts.header);
  return { ...facts, hash, bucketListHash: bucketListHash.toHex() };
}

function decodedHeader(frame: Uint8Array, name: string): LedgerHeaderFacts {
  try {
    return readHeaderHistoryEntry(new XdrCursor(xdrSource(frame)));
  } catch (cause) {
    if (isProtocolUnknown(cause)) throw cause;
    throw archiveDamaged(name, "no LedgerHeaderHistoryEntry", cause);
  }
}

function applied(
  ledger: number,
  placed: readonly PlacedEnvelope[],
  results: ResultSet["results"],
  network: Uint8Array,
): ArchivedTransaction[] {
  const byHash = new Map(placed.map((each) => [hashOfEnvelope(each.envelope, network), each]));
  return [...results].map(([hash, result]) => {
    const envelope = byHash.get(hash);
    if (envelope !== undefined && results.size === placed.length)
      return { ...envelope, hash, result };
    throw archiveDamaged(`the results of ledger ${ledger}`, "they are not of its transactions");
  });
}
