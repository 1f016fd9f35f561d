// The records in an archive's files, by ledger: transaction sets, results and the messages of
// validators, each read from its frame and not yet proven by a header.

import { ofMost } from "../base/recently-used.ts";
import {
  type PlacedEnvelope,
  readClassicSet,
  readGeneralizedSet,
} from "../xdr/ledger/transaction-set.ts";
import { XdrCursor } from "../xdr/reader/cursor.ts";
import { sha256 } from "../xdr/reader/hash.ts";
import { shapeOf, xdrSource } from "../xdr/reader/shape.ts";
import { decodeBytes, encodeBytes, type Value } from "../xdr/reader/value.ts";
import { uint32At } from "../xdr/reader/words.ts";
import { type ArchiveCategory, checkpointOf, type HistoryArchive } from "./archive-files.ts";
import { archiveDamaged } from "./errors.ts";

const PARALLEL = 1;
/** The ledgers between two checkpoints, through which an entry is followed, for two intervals. */
export const KEPT_LEDGERS = 128;

/** Groups the records of a checkpoint's files by ledger, because only few of them are read. */
export function openRecords(archive: HistoryArchive) {
  const records = (category: ArchiveCategory, ledgerIn: (frame: Uint8Array) => number) => {
    const files = remembered(async (checkpoint) => {
      const frames = (await archive.frames(category, checkpoint)) ?? [];
      try {
        return Map.groupBy(frames, ledgerIn);
      } catch (cause) {
        throw archiveDamaged(
          `${category} of checkpoint ${checkpoint}`,
          "a record has no ledger",
          cause,
        );
      }
    });
    return async (ledger: number) => (await files(checkpointOf(ledger, archive))).get(ledger) ?? [];
  };
  const setRecords = records("transactions", ledgerOfRecord);
  const resultRecords = records("results", ledgerOfRecord);
  const sets = remembered(async (ledger) => {
    const frame = (await setRecords(ledger)).at(-1);
    return frame === undefined ? null : setOf(frame, ledger);
  }, KEPT_LEDGERS);
  const results = remembered(async (ledger) => {
    const frame = (await resultRecords(ledger)).at(-1);
    return frame === undefined ? noResults() : resultsOf(frame, ledger);
  }, KEPT_LEDGERS);
  return { sets, results, messages: records("scp", ledgerOfMessages) };
}

/** Keeps a few answers by checkpoint or ledger, because callers ask for neighbors. */
export function remembered<T>(read: (sequence: number) => Promise<T>, limit = 4) {
  const kept = ofMost<number, Promise<T>>(limit);
  return (sequence: number): Promise<T> => kept.of(sequence, read);
}

export interface TransactionSet {
  readonly hash: string;
  readonly previousHash: string;
  readonly placed: readonly PlacedEnvelope[];
}

export interface ResultSet {
  readonly hash: string;
  /** TransactionResults by the hash of the transaction, in order. */
  readonly results: ReadonlyMap<string, Uint8Array>;
}

const classicSet = shapeOf("TransactionSet");
const generalizedSet = shapeOf("GeneralizedTransactionSet");
const quorumSet = shapeOf("ScpQuorumSet");
const transactionResult = shapeOf("TransactionResult");
const resultEntry = shapeOf("TransactionHistoryResultEntry");
/** The first ledger's header has this. Nothing was applied, and no results have this hash. */
export const NO_RESULTS_HASH = "0".repeat(64);
export const noResults = (): ResultSet => ({
  hash: sha256(new Uint8Array(4)).toHex(),
  results: new Map(),
});

/** TransactionHistoryEntry and TransactionHistoryResultEntry begin with the ledger. */
export function ledgerOfRecord(frame: Uint8Array): number {
  return uint32At(frame, 0);
}

/** An ScpHistoryEntry has its ledger after the quorum sets. */
function ledgerOfMessages(frame: Uint8Array): number {
  const cursor = new XdrCursor(xdrSource(frame));
  cursor.int32();
  cursor.array("quorumSets", () => cursor.skip(quorumSet));
  return cursor.uint32();
}

/** Reads a TransactionHistoryResultEntry: the ledger, the set, an extension. */
function resultsOf(frame: Uint8Array, ledger: number): ResultSet {
  try {
    const cursor = new XdrCursor(xdrSource(frame));
    cursor.skip(resultEntry);
    cursor.done("TransactionHistoryResultEntry");
    cursor.at = 0;
    cursor.uint32();
    const results = cursor.array(
      "results",
      () => [cursor.opaque(32).toHex(), cursor.take(transactionResult)] as const,
    );
    const hash = sha256(frame.subarray(4, cursor.at)).toHex();
    return { hash, results: new Map(results) };
  } catch (cause) {
    throw archiveDamaged(
      `the results of ledger ${ledger}`,
      "no TransactionHistoryResultEntry",
      cause,
    );
  }
}

/** Reads a TransactionHistoryEntry: the ledger, a classic set, and another one if that is empty. */
function setOf(frame: Uint8Array, ledger: number): TransactionSet {
  try {
    const cursor = new XdrCursor(xdrSource(frame));
    cursor.uint32();
    const bytes = cursor.take(classicSet);
    const version = cursor.int32();
    const set = version === 1 ? cursor.take(generalizedSet) : null;
    cursor.done("TransactionHistoryEntry");
    if (set !== null) return generalized(set);
    const placed = readClassicSet(new XdrCursor(xdrSource(bytes)));
    const previous = bytes.subarray(0, 32);
    const hash = sha256(previous, ...placed.map(({ envelope }) => envelope)).toHex();
    return { hash, previousHash: previous.toHex(), placed };
  } catch (cause) {
    throw archiveDamaged(
      `the transactions of ledger ${ledger}`,
      "no TransactionHistoryEntry",
      cause,
    );
  }
}

function generalized(bytes: Uint8Array): TransactionSet {
  return {
    hash: sha256(bytes).toHex(),
    // The hash of the previous ledger follows the version of the set.
    previousHash: bytes.subarray(4, 36).toHex(),
    placed: readGeneralizedSet(new XdrCursor(xdrSource(bytes))),
  };
}

/**
 * Returns the sets without a transaction: classic, with a phase for contracts, and with a parallel
 * one.
 */
export function emptySets(previousHash: string): TransactionSet[] {
  const previousLedgerHash = Uint8Array.fromHex(previousHash);
  const plain = { v: 0, v0Components: [] } as const;
  const parallel = {
    v: PARALLEL,
    parallelTxsComponent: { baseFee: null, executionStages: [] },
  } as const;
  const sets = [
    [plain, plain],
    [plain, parallel],
  ].map((phases) =>
    generalized(
      encodeBytes("GeneralizedTransactionSet", {
        v: 1,
        v1TxSet: { previousLedgerHash, phases },
      }),
    ),
  );
  const hash = sha256(previousLedgerHash).toHex();
  return [...sets, { hash, previousHash, placed: [] }];
}

export function messagesOf(frame: Uint8Array, ledger: number): Value<"ScpHistoryEntry"> {
  try {
    return decodeBytes("ScpHistoryEntry", frame);
  } catch (cause) {
    throw archiveDamaged(`the messages of ledger ${ledger}`, "no ScpHistoryEntry", cause);
  }
}
