// A LedgerCloseMeta (versions 0 to 2) as a view over its bytes. One pass finds the positions of its
// parts, and a part becomes base64 only when it is read.
// Invariant: a transaction's envelope has, under the passphrase, the hash that its result names.

import { SvcError } from "../../base/errors/errors.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { hashOfEnvelope, innerHashOfEnvelope } from "../envelope/envelope-facts.ts";
import { XdrCursor } from "../reader/cursor.ts";
import { HASH_SIZE, networkId } from "../reader/hash.ts";
import { arrayShapeOf, isUnknownXdr, shapeOf, xdrSource } from "../reader/shape.ts";
import { type LedgerHeaderFacts, readHeaderHistoryEntry } from "./header.ts";
import { refuseLaterHeader, refuseLaterLedger } from "./later-protocol.ts";
import { type PlacedEnvelope, readClassicSet, readGeneralizedSet } from "./transaction-set.ts";

export interface LedgerUpgradeMeta {
  /** A LedgerUpgrade. */
  readonly upgrade: Uint8Array;
  /** LedgerEntryChanges. */
  readonly changes: Uint8Array;
}

export interface LedgerCloseMetaView {
  /** The bytes of the whole ledger. */
  readonly bytes: Uint8Array;
  readonly version: number;
  /** The facts of the header, after the ledger's own upgrades. */
  readonly facts: LedgerHeaderFacts;
  /**
   * The GeneralizedTransactionSet, a range of the ledger's bytes; null before LedgerCloseMeta V1.
   */
  readonly transactionSet: Uint8Array | null;
  /** The transactions in apply order. */
  readonly transactions: readonly LedgerTransaction[];
  readonly upgrades: readonly LedgerUpgradeMeta[];
  /**
   * The LedgerKeys that were evicted when this ledger closed, for temporary entries also their TTL
   * keys.
   */
  readonly evictedKeys: readonly Uint8Array[];
  /**
   * The rent fee per KB after this ledger (LedgerCloseMetaExtV1), which the next ledger's
   * transactions pay. Null if the node does not write it.
   */
  readonly nextRentFeePer1KbStroops: string | null;
  /** The average of the state-size window after this ledger; null before LedgerCloseMeta V1. */
  readonly averageStateSizeBytes: string | null;
}

/**
 * One transaction of a ledger. Its byte fields are ranges of the ledger's bytes, and its Xdr fields
 * are their base64.
 */
export class LedgerTransaction {
  constructor(
    /** The position in apply order, from 1. */
    readonly order: number,
    /** The hash of the envelope, hex. */
    readonly hash: string,
    readonly result: Uint8Array,
    readonly meta: Uint8Array,
    readonly feeChanges: Uint8Array,
    /** LedgerEntryChanges of the refund phase; null before LedgerCloseMeta V2. */
    readonly refundChanges: Uint8Array | null,
    private readonly envelopes: EnvelopeIndex,
  ) {}

  /** The envelope with its stage and cluster. Throws XDR_INVALID if no envelope has the hash. */
  get placed(): PlacedEnvelope {
    return this.envelopes.find(this.hash);
  }

  /**
   * False if no envelope of the ledger has the hash, for example with another network's passphrase.
   */
  get hasEnvelope(): boolean {
    return this.envelopes.has(this.hash);
  }

  /** The hash of the inner transaction, hex; null unless it is a fee-bump. */
  get innerHash(): string | null {
    return this.envelopes.innerHash(this.placed.envelope);
  }

  get envelopeXdr(): string {
    return this.placed.envelope.toBase64();
  }

  get resultXdr(): string {
    return this.result.toBase64();
  }

  get metaXdr(): string {
    return this.meta.toBase64();
  }

  get feeChangesXdr(): string {
    return this.feeChanges.toBase64();
  }

  get refundChangesXdr(): string | null {
    return this.refundChanges?.toBase64() ?? null;
  }
}

/** The parts of a source's TransactionAnswer. */
export interface LedgerTransactionParts {
  readonly envelopeXdr: string;
  readonly resultXdr: string;
  readonly resultMetaXdr: string;
  readonly feeChangesXdr: string;
  readonly refundChangesXdr: string | null;
  readonly diagnosticEventsXdr: readonly string[];
  readonly ledgerSequence: number;
  /** The position, from 1. */
  readonly applicationOrder: number;
}

interface EnvelopeIndex {
  has(hash: string): boolean;
  find(hash: string): PlacedEnvelope;
  innerHash(envelope: Uint8Array): string | null;
}

const closeMetaExt = shapeOf("LedgerCloseMetaExt");
const changesShape = arrayShapeOf("LedgerEntryChange");
const ledgerCloseMeta = shapeOf("LedgerCloseMeta");
const ledgerKey = shapeOf("LedgerKey");
const ledgerUpgrade = shapeOf("LedgerUpgrade");
const scpHistory = arrayShapeOf("ScpHistoryEntry");
const transactionMeta = shapeOf("TransactionMeta");
const transactionResult = shapeOf("TransactionResult");
const unusedEntries = arrayShapeOf("LedgerEntry");

/** `bytes` must be exactly one LedgerCloseMeta. Throws XDR_INVALID and PROTOCOL_UNKNOWN. */
export function readLedgerCloseMeta(
  bytes: Uint8Array,
  networkPassphrase: string,
): LedgerCloseMetaView {
  const { cursor, version, nextRentFeePer1KbStroops } = openAtHeader(bytes);
  const facts = readHeaderHistoryEntry(cursor);
  const setStart = cursor.at;
  const envelopes = version === 0 ? readClassicSet(cursor) : readGeneralizedSet(cursor);
  const transactionSet = version === 0 ? null : bytes.subarray(setStart, cursor.at);
  const index = indexEnvelopes(envelopes, networkPassphrase, facts.sequence);
  const transactions = readTransactions(cursor, version, index);
  const upgrades = cursor.array("upgradesProcessing", () => {
    return { upgrade: cursor.take(ledgerUpgrade), changes: cursor.take(changesShape) };
  });
  cursor.skip(scpHistory);
  const averageStateSizeBytes = version === 0 ? null : cursor.uint64().toString();
  const evictedKeys =
    version === 0 ? [] : cursor.array("evictedKeys", () => cursor.take(ledgerKey));
  if (version === 1) cursor.skip(unusedEntries);
  cursor.done("LedgerCloseMeta");
  return {
    bytes,
    version,
    facts,
    transactionSet,
    transactions,
    upgrades,
    evictedKeys,
    nextRentFeePer1KbStroops,
    averageStateSizeBytes,
  };
}

/** A function with the signature of `readLedgerCloseMeta`. */
export type OpenLedger = typeof readLedgerCloseMeta;

/**
 * Opens a ledger that is read several times only once. It is read again if its memory was needed in
 * between.
 */
export function openOnce(): OpenLedger {
  const views = new WeakMap<Uint8Array, WeakRef<LedgerCloseMetaView>>();
  return (bytes, networkPassphrase) => {
    const known = views.get(bytes)?.deref();
    if (known !== undefined) return known;
    const view = readLedgerCloseMeta(bytes, networkPassphrase);
    views.set(bytes, new WeakRef(view));
    return view;
  };
}

/** Reads the header's facts without walking the rest. Throws XDR_INVALID and PROTOCOL_UNKNOWN. */
export function ledgerFactsOf(bytes: Uint8Array): LedgerHeaderFacts {
  return readHeaderHistoryEntry(openAtHeader(bytes).cursor);
}

export function ledgerSequenceOf(bytes: Uint8Array): number {
  return ledgerFactsOf(bytes).sequence;
}

/**
 * Returns the length of the LedgerCloseMeta at the beginning of `bytes`. Throws XDR_INVALID and
 * PROTOCOL_UNKNOWN.
 */
export function endOfLedgerCloseMeta(bytes: Uint8Array): number {
  const { cursor } = openAtHeader(bytes);
  const hash = cursor.opaque(HASH_SIZE);
  refuseLaterHeader(cursor.source, cursor.at, hash);
  return ledgerCloseMeta.skip(cursor.source, 0, 0);
}

/**
 * Returns the transaction with that outer or inner hash (hex), or null if the ledger does not have
 * it.
 */
export function transactionInLedger(
  view: LedgerCloseMetaView,
  hash: string,
): LedgerTransactionParts | null {
  const ledgerTransaction =
    view.transactions.find((transaction) => transaction.hash === hash) ??
    view.transactions.find((transaction) => transaction.innerHash === hash);
  if (ledgerTransaction === undefined) return null;
  return {
    envelopeXdr: ledgerTransaction.envelopeXdr,
    resultXdr: ledgerTransaction.resultXdr,
    resultMetaXdr: ledgerTransaction.metaXdr,
    feeChangesXdr: ledgerTransaction.feeChangesXdr,
    refundChangesXdr: ledgerTransaction.refundChangesXdr,
    diagnosticEventsXdr: [],
    ledgerSequence: view.facts.sequence,
    applicationOrder: ledgerTransaction.order,
  };
}

/** Returns a cursor at the LedgerHeaderHistoryEntry. */
function openAtHeader(bytes: Uint8Array) {
  const cursor = new XdrCursor(xdrSource(bytes));
  const version = cursor.int32();
  try {
    if (version < 0 || version > 2) return cursor.noArm("LedgerCloseMeta", version);
    return {
      cursor,
      version,
      nextRentFeePer1KbStroops: version === 0 ? null : readExtension(cursor),
    };
  } catch (error) {
    if (isUnknownXdr(error)) refuseLaterLedger(bytes);
    throw error;
  }
}

/** Reads sorobanFeeWrite1KB of LedgerCloseMetaExtV1. */
function readExtension(cursor: XdrCursor): string | null {
  const start = cursor.at;
  cursor.skip(closeMetaExt);
  const end = cursor.at;
  cursor.at = start;
  const arm = cursor.int32();
  if (arm === 1) cursor.noExtension();
  const fee = arm === 1 ? cursor.int64().toString() : null;
  cursor.at = end;
  return fee;
}

/** The envelopes are hashed when the first one is read. */
function indexEnvelopes(
  envelopes: readonly PlacedEnvelope[],
  networkPassphrase: string,
  sequence: number,
): EnvelopeIndex {
  let byHash: Map<string, PlacedEnvelope> | null = null;
  const network = networkId(networkPassphrase);
  const lookUp = (hash: string): PlacedEnvelope | undefined => {
    byHash ??= new Map(envelopes.map((each) => [hashOfEnvelope(each.envelope, network), each]));
    return byHash.get(hash);
  };
  return {
    has: (hash) => lookUp(hash) !== undefined,
    find(hash) {
      const placed = lookUp(hash);
      if (placed !== undefined) return placed;
      throw new SvcError("XDR_INVALID", {
        message: `No envelope of ledger ${sequence} has the hash ${hash} under the passphrase "${networkPassphrase}".`,
        remedy: phrase`Set the network that the ledger belongs to with ${flag("network")} or ${flag("networkPassphrase")}.`,
        details: { sequence, hash, networkPassphrase },
      });
    },
    innerHash: (envelope) => innerHashOfEnvelope(envelope, network),
  };
}

/** Reads TransactionResultMetas (V0, V1) or TransactionResultMetaV1s (V2). */
function readTransactions(
  cursor: XdrCursor,
  version: number,
  envelopes: EnvelopeIndex,
): LedgerTransaction[] {
  return cursor.array("txProcessing", (i) => {
    if (version === 2) cursor.noExtension();
    const hash = cursor.opaque(HASH_SIZE).toHex();
    const result = cursor.take(transactionResult);
    const feeChanges = cursor.take(changesShape);
    const meta = cursor.take(transactionMeta);
    const refundChanges = version === 2 ? cursor.take(changesShape) : null;
    return new LedgerTransaction(i + 1, hash, result, meta, feeChanges, refundChanges, envelopes);
  });
}
