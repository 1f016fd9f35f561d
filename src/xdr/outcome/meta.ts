// Reads the parts of a TransactionMeta (versions 0 to 4) and of LedgerEntryChanges that svc needs.
// The meta of a transaction that failed early may have no operations.

import { ofTexts } from "../../base/recently-used.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import { readBase64, XdrCursor } from "../reader/cursor.ts";
import { keyBytesOfEntry } from "../reader/keys.ts";
import { arrayShapeOf, type Shape, shapeOf, xdrSource } from "../reader/shape.ts";

export type EntryChangeKind = "created" | "updated" | "removed" | "state" | "restored";

export interface EntryChange {
  readonly kind: EntryChangeKind;
  /** A LedgerKey. */
  readonly keyXdr: string;
  /** A LedgerEntry; null only for `removed`. */
  readonly entryXdr: string | null;
}

export interface SorobanFees {
  readonly nonRefundableStroops: string;
  /** The fee that was charged after the refund. */
  readonly refundableStroops: string;
  readonly rentStroops: string;
}

export interface TransactionMetaFacts {
  readonly version: number;
  readonly changesBefore: readonly EntryChange[];
  readonly operationChanges: readonly (readonly EntryChange[])[];
  readonly changesAfter: readonly EntryChange[];
  readonly returnValueXdr: string | null;
  /** The contract and system events of the operations, in order. */
  readonly eventsXdr: readonly string[];
  /** TransactionEvents: the fee and its refund (meta V4). */
  readonly transactionEventsXdr: readonly string[];
  readonly diagnosticsXdr: readonly string[];
  /** Null for classic transactions, and if the node did not write it. */
  readonly sorobanFees: SorobanFees | null;
}

/** A change as a range of the bytes: the entry, or the key for `removed`. */
export interface ChangeSlice {
  readonly kind: EntryChangeKind;
  readonly bytes: Uint8Array;
}

export interface ChangeSlices {
  readonly changesBefore: readonly ChangeSlice[];
  readonly operationChanges: readonly (readonly ChangeSlice[])[];
  readonly changesAfter: readonly ChangeSlice[];
}

/** A TransactionMeta as ranges of its own bytes. Nothing is copied. */
export interface MetaSlices extends ChangeSlices {
  readonly version: number;
  readonly returnValue: Uint8Array | null;
  readonly events: readonly Uint8Array[];
  readonly transactionEvents: readonly Uint8Array[];
  readonly diagnostics: readonly Uint8Array[];
  readonly sorobanFees: SorobanFees | null;
}

const KINDS: readonly EntryChangeKind[] = ["created", "updated", "removed", "state", "restored"];

const contractEvent = shapeOf("ContractEvent");
const contractEvents = arrayShapeOf("ContractEvent");
const diagnosticEvent = shapeOf("DiagnosticEvent");
const ledgerEntry = shapeOf("LedgerEntry");
const ledgerKey = shapeOf("LedgerKey");
const scVal = shapeOf("ScVal");
const transactionEvent = shapeOf("TransactionEvent");

/** Reads LedgerEntryChanges; null has none. Throws XDR_INVALID. */
export function readEntryChanges(changesXdr: string | null): EntryChange[] {
  if (changesXdr === null) return [];
  return readBase64(changesXdr, "LedgerEntryChanges", sliceChanges).map(toEntryChange);
}

/** Returns the diagnostic events that a node reported, in the meta or beside it. */
export function reportedDiagnostics({
  resultMetaXdr,
  diagnosticEventsXdr,
}: Pick<ChainRecord, "resultMetaXdr" | "diagnosticEventsXdr">): readonly string[] {
  const ofMeta = resultMetaXdr === null ? [] : readTransactionMeta(resultMetaXdr).diagnosticsXdr;
  return ofMeta.length > 0 ? ofMeta : diagnosticEventsXdr;
}

/** The meta of the current transaction is read again and again. */
const metas = ofTexts<TransactionMetaFacts>(2 ** 18);

/** Throws XDR_INVALID if the text is not a TransactionMeta. */
export function readTransactionMeta(metaXdr: string): TransactionMetaFacts {
  return metas.of(metaXdr, readFacts);
}

function readFacts(metaXdr: string): TransactionMetaFacts {
  const slices = readBase64(metaXdr, "TransactionMeta", sliceTransactionMeta);
  return {
    version: slices.version,
    changesBefore: slices.changesBefore.map(toEntryChange),
    operationChanges: slices.operationChanges.map((changes) => changes.map(toEntryChange)),
    changesAfter: slices.changesAfter.map(toEntryChange),
    returnValueXdr: slices.returnValue?.toBase64() ?? null,
    eventsXdr: slices.events.map((event) => event.toBase64()),
    transactionEventsXdr: slices.transactionEvents.map((event) => event.toBase64()),
    diagnosticsXdr: slices.diagnostics.map((event) => event.toBase64()),
    sorobanFees: slices.sorobanFees,
  };
}

/** Reads the TransactionMeta at the cursor and moves the cursor behind it. */
export function sliceTransactionMeta(cursor: XdrCursor): MetaSlices {
  const version = cursor.int32();
  if (version < 0 || version > 4) return cursor.noArm("TransactionMeta", version);
  const takeAll = (name: string, shape: Shape) => cursor.array(name, () => cursor.take(shape));
  const events: Uint8Array[] = [];
  const changes = sliceVersion(cursor, version, () =>
    events.push(...takeAll("events", contractEvent)),
  );
  const none = { returnValue: null, transactionEvents: [], diagnostics: [], sorobanFees: null };
  const isThere = version > 2 && cursor.boolean("sorobanMeta");
  if (version < 3 || (version === 3 && !isThere)) return { version, ...changes, events, ...none };
  const sorobanFees = isThere ? readSorobanFees(cursor) : null;
  if (version === 3) events.push(...takeAll("events", contractEvent));
  const returns = version === 3 || (isThere && cursor.boolean("returnValue"));
  const returnValue = returns ? cursor.take(scVal) : null;
  const transactionEvents = version === 3 ? [] : takeAll("transaction events", transactionEvent);
  const diagnostics = takeAll("diagnostics", diagnosticEvent);
  return { version, ...changes, returnValue, events, transactionEvents, diagnostics, sorobanFees };
}

/** Reads the changes without the events. The meta must have been walked before. */
export function sliceMetaChanges(meta: Uint8Array): ChangeSlices {
  const cursor = new XdrCursor(xdrSource(meta));
  return sliceVersion(cursor, cursor.int32(), () => cursor.skip(contractEvents));
}

/**
 * V0 has operations; V1 has changes and operations; later versions have changes before, operations
 * and changes after. In V4, `passEvents` moves the cursor behind the events of each operation.
 */
function sliceVersion(cursor: XdrCursor, version: number, passEvents: () => void): ChangeSlices {
  if (version > 2) cursor.noExtension();
  const changesBefore = version === 0 ? [] : sliceChanges(cursor);
  const operationChanges = cursor.array("OperationMeta", () => {
    if (version === 4) cursor.noExtension();
    const changes = sliceChanges(cursor);
    if (version === 4) passEvents();
    return changes;
  });
  const changesAfter = version > 1 ? sliceChanges(cursor) : [];
  return { changesBefore, operationChanges, changesAfter };
}

export function sliceChanges(cursor: XdrCursor): ChangeSlice[] {
  return cursor.array("LedgerEntryChanges", () => {
    const arm = cursor.int32();
    const kind = KINDS[arm] ?? cursor.noArm("LedgerEntryChange", arm);
    return { kind, bytes: cursor.take(kind === "removed" ? ledgerKey : ledgerEntry) };
  });
}

/** Returns the LedgerKey of a change. */
export function keyOfChange(change: ChangeSlice): Uint8Array {
  return change.kind === "removed" ? change.bytes : keyBytesOfEntry(change.bytes);
}

function toEntryChange(change: ChangeSlice): EntryChange {
  return {
    kind: change.kind,
    keyXdr: keyOfChange(change).toBase64(),
    entryXdr: change.kind === "removed" ? null : change.bytes.toBase64(),
  };
}

/** Reads a SorobanTransactionMetaExt. */
function readSorobanFees(cursor: XdrCursor): SorobanFees | null {
  const extension = cursor.int32();
  if (extension === 0) return null;
  if (extension !== 1) return cursor.noArm("SorobanTransactionMetaExt", extension);
  cursor.noExtension();
  return {
    nonRefundableStroops: cursor.int64().toString(),
    refundableStroops: cursor.int64().toString(),
    rentStroops: cursor.int64().toString(),
  };
}
