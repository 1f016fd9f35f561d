// A ChainRecord holds what the chain recorded about one transaction: the envelope, the result, and
// the facts of its ledger. All XDR is base64 that is not interpreted yet. Capsules contain it
// unchanged.
// Invariant: with the passphrase, the envelope hashes to `hash`. The sources check this.

import * as v from "valibot";
import { type Parsed, uint32 } from "../base/wire.ts";

const MAXIMUM_EVENTS = 10_000;
/** The position in a ledger has 20 bits in every Stellar id of an operation (SEP-35). */
const MAXIMUM_ORDER = 2 ** 20 - 1;

export const hash = v.pipe(
  v.string(),
  v.regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hex characters"),
);
export const xdr = v.pipe(
  v.string(),
  v.regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, "must be base64"),
);
export const integerText = v.pipe(v.string(), v.regex(/^\d{1,20}$/, "must be a decimal number"));
export const boundedText = v.pipe(v.string(), v.maxLength(2000));

const ledgerSchema = v.strictObject({
  sequence: uint32,
  protocolVersion: uint32,
  /** A TimePoint is 64 bits wide. */
  closeTimeUnixSeconds: integerText,
  /**
   * The Unix milliseconds, from protocol 30 on (CAP-88). Absent for earlier ledgers, and if they
   * are unknown. Neither transactions nor contracts see them.
   */
  closeTimeUnixMilliseconds: v.exactOptional(integerText),
  baseFeeStroops: uint32,
  baseReserveStroops: uint32,
  /**
   * The hash `scpValue.txSetHash` (hex), which is the base PRNG seed of the ledger's transactions.
   */
  transactionSetHash: hash,
  /**
   * For a fork's ledger that repeats a transaction: how much later its position in the network's
   * ledger was, because the position also seeds its random numbers. Absent if the position is the
   * same.
   */
  seedShift: v.exactOptional(v.pipe(uint32, v.minValue(1), v.maxValue(MAXIMUM_ORDER))),
  /** Present for a fork's ledger, whose header says so. */
  isFork: v.exactOptional(v.literal(true)),
});

/** Ledger header facts that the contract host or the fee rules read. */
export type LedgerFacts = Parsed<typeof ledgerSchema>;

/** Parts of a chain record that no hash in a capsule covers. */
const RECORD_PARTS = ["result", "ledger-header", "meta", "fee-changes"] as const;
export type RecordPart = (typeof RECORD_PARTS)[number];

export const chainRecordSchema = v.strictObject({
  /** The hash that the user requested, outer or inner. */
  requestedHash: hash,
  /** The hash of the envelope; for a fee-bump, the outer hash. */
  hash,
  /** The hash of the inner transaction of a fee-bump; null otherwise. */
  innerHash: v.nullable(hash),
  networkPassphrase: boundedText,
  /** A TransactionEnvelope. */
  envelopeXdr: xdr,
  /** A TransactionResult. */
  resultXdr: xdr,
  /** A TransactionMeta; null if no source had it. */
  resultMetaXdr: v.nullable(xdr),
  /** LedgerEntryChanges of the fee phase; null if no source had them. */
  feeChangesXdr: v.nullable(xdr),
  /** LedgerEntryChanges of the refund phase (protocol 23+, LedgerCloseMeta V2); null if unknown. */
  refundChangesXdr: v.nullable(xdr),
  /**
   * DiagnosticEvents that a node returned beside the meta; empty if they are in the meta or
   * missing.
   */
  diagnosticEventsXdr: v.pipe(v.array(xdr), v.maxLength(MAXIMUM_EVENTS)),
  ledger: ledgerSchema,
  /** The LedgerHeader of that ledger, after its own upgrades; absent if no source had it. */
  ledgerHeaderXdr: v.exactOptional(xdr),
  /** The position among the ledger's transactions in apply order, from 1, as Stellar RPC counts. */
  applicationOrder: v.pipe(uint32, v.minValue(1), v.maxValue(MAXIMUM_ORDER)),
  /**
   * One sentence for each part of `ledger` and `applicationOrder` that no source had and that was
   * filled in. Any of them prevents an exact verdict. Absent if nothing was filled in.
   */
  assumedFacts: v.exactOptional(v.pipe(v.array(boundedText), v.maxLength(20))),
  /** The name of the source of each field, for the report. */
  origins: v.record(boundedText, boundedText),
  /**
   * The parts that only a capsule claims. This is set when a capsule is read, and is in no file.
   * The envelope has the transaction's hash. Absent if everything is from nodes and ledgers.
   */
  claimed: v.exactOptional(
    v.strictObject({ by: v.literal("capsule"), parts: v.array(v.picklist(RECORD_PARTS)) }),
  ),
});

export type ChainRecord = Parsed<typeof chainRecordSchema>;

/**
 * Removes the claims about the result and the header, which validators signed. No signature covers
 * the other parts.
 */
export function withSignedResult(record: ChainRecord): ChainRecord {
  const { claimed } = record;
  if (claimed === undefined) return record;
  const parts = claimed.parts.filter((part) => part !== "result" && part !== "ledger-header");
  return { ...record, claimed: { ...claimed, parts } };
}

type Seeded = Pick<ChainRecord, "ledger" | "applicationOrder">;
const PLACES = MAXIMUM_ORDER + 1;

/** Returns the position in a ledger, from 1, that seeds the transaction's random numbers. */
export function seedOrder({ ledger: { seedShift = 0 }, applicationOrder }: Seeded): number {
  return ((applicationOrder - 1 + seedShift) % PLACES) + 1;
}

/** Returns the shift that seeds a transaction at `applicationOrder` like one at `order`. */
export function seedShiftOf(applicationOrder: number, order: number): number {
  return (order - applicationOrder + PLACES) % PLACES;
}
