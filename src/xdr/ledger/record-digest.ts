// One hash over all that a chain records of an execution, in the form of svc-sim's digest
// (src/svc-sim/README.md, "Digest"): with equal hashes every comparison of a verdict is equal.
// Invariant: null where the record lacks a part of it, has one in an unusual form, or contradicts
// itself.

import { feeSourceKeyOf, type SorobanOperation } from "../envelope/envelope-facts.ts";
import { sliceDiagnostics } from "../outcome/diagnostic-slices.ts";
import { feeEventsXdr } from "../outcome/fee-events.ts";
import { balanceGain, gainOfPhase } from "../outcome/fees.ts";
import { type MetaChanges, readSorobanFees, type SorobanFees } from "../outcome/meta.ts";
import { REFUND_AFTER_ALL_PROTOCOL } from "../outcome/refund.ts";
import { decodeBase64, XdrCursor } from "../reader/cursor.ts";
import { sha256 } from "../reader/hash.ts";
import { ENTRY_TYPE } from "../reader/keys.ts";
import { arrayShapeOf, shapeOf, xdrSource } from "../reader/shape.ts";
import { setUint32 } from "../reader/words.ts";
import type { SlicedChange } from "./keyed-change.ts";
import type { LedgerTransaction } from "./ledger-close-meta.ts";

export interface DigestedParts {
  readonly networkPassphrase: string;
  readonly protocolVersion: number;
  readonly operation: SorobanOperation;
  readonly succeeded: boolean;
  readonly feeChargedStroops: string;
  readonly transaction: LedgerTransaction;
  readonly meta: MetaChanges;
  readonly operationChanges: readonly SlicedChange[];
}

/** Each `null` is something that the node did not record. */
export interface RecordDigest {
  /** Hex. */
  readonly hash: string;
  /** There are diagnostic events; without any the hash has none of the execution's either. */
  readonly hasDiagnostics: boolean;
  /** Hash of the core metrics, hex. */
  readonly metricsHash: string | null;
  readonly fees: SorobanFees | null;
  readonly refundStroops: string;
}

interface Recorded {
  /** Ranges of the meta. */
  readonly returnValue: Uint8Array | null;
  readonly events: Uint8Array;
  readonly transactionEvents: Uint8Array;
  readonly fees: SorobanFees | null;
  /** Null: a meta without room for any. */
  readonly diagnosticsAt: number | null;
}

const KINDS: Readonly<Record<string, number>> = { created: 0, updated: 1, removed: 2, restored: 4 };
const NOTHING = new Uint8Array(0);
const NO_EVENTS = new Uint8Array(4);

const contractEvents = arrayShapeOf("ContractEvent");
const scVal = shapeOf("ScVal");
const transactionEvents = arrayShapeOf("TransactionEvent");

export function digestRecord(parts: DigestedParts): RecordDigest | null {
  const { transaction, operation, succeeded } = parts;
  const changes = changesByKey(parts);
  const recorded = readRecorded(transaction.meta, parts.meta);
  const refund = refundOf(parts);
  if (changes === null || recorded === null || refund === null) return null;
  if (!isOfFee(recorded.transactionEvents, parts, refund)) return null;
  const invokes = operation === "invoke_host_function";
  const diagnostics = sliceDiagnostics(transaction.meta, recorded.diagnosticsAt);
  if (diagnostics === null) return null;
  const form = new Form();
  form.bytes(transaction.result);
  const returned = succeeded && invokes ? recorded.returnValue : NOTHING;
  if (returned === null) return null;
  form.bytes(returned);
  form.raw(recorded.events);
  form.count(changes.length);
  for (const { kind, key, before, after } of changes) {
    form.count(KINDS[kind] as number);
    form.bytes(key);
    form.bytes(before);
    form.bytes(after);
  }
  form.count(diagnostics.events);
  form.raw(diagnostics.eventBytes);
  const metrics = invokes && diagnostics.count > diagnostics.events ? diagnostics.metrics : [];
  if (metrics === null) return null;
  const hash = form.hash();
  return {
    hash,
    hasDiagnostics: diagnostics.count > 0,
    metricsHash: metrics.length === 0 ? null : hashOf(metrics),
    fees: recorded.fees,
    refundStroops: refund.toString(),
  };
}

function hashOf(values: readonly Uint8Array[]): string {
  const form = new Form();
  for (const value of values) form.raw(value);
  return form.hash();
}

/** The TTLs that the operation updated, as they were before. */
export function ttlsBefore(changes: readonly SlicedChange[]): SlicedChange[] {
  const first = new Map<string, SlicedChange>();
  const updated = new Map<string, SlicedChange>();
  for (const change of changes) {
    if (change.type !== ENTRY_TYPE.ttl) continue;
    const start = first.get(change.keyXdr);
    if (start === undefined) first.set(change.keyXdr, change);
    else if (change.kind === "updated") updated.set(change.keyXdr, start);
  }
  return [...updated.values()];
}

interface DigestedChange {
  readonly kind: string;
  readonly key: Uint8Array;
  /** Empty where there is none. Of a TTL entry svc-sim knows the ledger alone. */
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/**
 * Equals `operationChanges` of outcome/operation-changes.ts, in the order of the keys' bytes. Null
 * for changes that the fold leaves out, and for one without its state before.
 */
function changesByKey({ meta, operationChanges }: DigestedParts): DigestedChange[] | null {
  let count = 0;
  for (const changes of meta.operationChanges) count += changes.length;
  if (count !== operationChanges.length) return null;
  const first = new Map<string, SlicedChange>();
  const changed = new Map<string, DigestedChange>();
  for (const change of operationChanges) {
    const { kind, key, keyXdr, bytes, type } = change;
    const start = first.get(keyXdr);
    if (start === undefined) first.set(keyXdr, change);
    if (kind === "state") continue;
    const hasBefore = start?.kind === "state" || start?.kind === "restored";
    if (!hasBefore && (kind === "updated" || kind === "removed")) return null;
    const before = hasBefore && type !== ENTRY_TYPE.ttl ? start.bytes : NOTHING;
    changed.set(keyXdr, { kind, key, before, after: kind === "removed" ? NOTHING : bytes });
  }
  return [...changed.values()].sort((a, b) => Buffer.compare(a.key, b.key));
}

/** The fields after the changes in a meta of version 3 or 4. */
function readRecorded(meta: Uint8Array, changes: MetaChanges): Recorded | null {
  const { eventsAt, endsAt, operationChanges } = changes;
  if (endsAt === 0 || operationChanges.length > 1) return null;
  const cursor = new XdrCursor(xdrSource(meta), endsAt);
  const isV3 = new XdrCursor(cursor.source).int32() === 3;
  const soroban = cursor.boolean("sorobanMeta");
  const fees = soroban ? readSorobanFees(cursor) : null;
  if (isV3) {
    const none = { fees, events: NO_EVENTS, transactionEvents: NO_EVENTS };
    if (!soroban) return { ...none, returnValue: null, diagnosticsAt: null };
    const events = cursor.take(contractEvents);
    const returnValue = cursor.take(scVal);
    return { ...none, events, returnValue, diagnosticsAt: cursor.at };
  }
  const returnValue = soroban && cursor.boolean("returnValue") ? cursor.take(scVal) : null;
  const ofTransaction = cursor.take(transactionEvents);
  const events = eventsAt === null ? NO_EVENTS : eventsFrom(meta, eventsAt);
  const at = cursor.at;
  return { fees, events, transactionEvents: ofTransaction, returnValue, diagnosticsAt: at };
}

function eventsFrom(meta: Uint8Array, at: number): Uint8Array {
  return new XdrCursor(xdrSource(meta), at).take(contractEvents);
}

/** None, where the node emits none, or those of the fee charged and its refund. */
function isOfFee(events: Uint8Array, parts: DigestedParts, refunded: bigint): boolean {
  if (Buffer.compare(events, NO_EVENTS) === 0) return true;
  const { networkPassphrase, protocolVersion, transaction, feeChargedStroops } = parts;
  const feeSourceKey = feeSourceKeyOf(transaction.envelopeXdr);
  const taken = BigInt(feeChargedStroops) + refunded;
  const fee = { networkPassphrase, protocolVersion, feeSourceKey, taken, refunded };
  const expected = feeEventsXdr(fee).map((each) => decodeBase64(each, "TransactionEvent"));
  const count = new Uint8Array(4);
  setUint32(count, 0, expected.length);
  return Buffer.concat([count, ...expected]).equals(events);
}

/** Stroops; null when the ledger does not have the refund phase. */
function refundOf({ protocolVersion, transaction, meta }: DigestedParts): bigint | null {
  if (protocolVersion < REFUND_AFTER_ALL_PROTOCOL) return balanceGain(meta.changesAfter);
  return transaction.refundChanges && gainOfPhase(transaction.refundChanges);
}

/** Bytes that are hashed together. One is in use at a time. */
class Form {
  private static scratch = new Uint8Array(64 * 1024);
  private at = 0;

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length).set(bytes, this.at);
    this.at += bytes.length;
  }

  bytes(bytes: Uint8Array): void {
    this.count(bytes.length);
    this.raw(bytes);
  }

  count(value: number): void {
    setUint32(this.reserve(4), this.at, value);
    this.at += 4;
  }

  hash(): string {
    return sha256(Form.scratch.subarray(0, this.at)).toHex();
  }

  private reserve(size: number): Uint8Array {
    const { scratch } = Form;
    if (this.at + size <= scratch.length) return scratch;
    Form.scratch = new Uint8Array(2 * (this.at + size));
    Form.scratch.set(scratch);
    return Form.scratch;
  }
}
