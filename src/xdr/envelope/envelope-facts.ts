// Reads from the bytes of a TransactionEnvelope, without decoding it: its hashes, who pays, its
// operations and, for a Soroban transaction, the declared footprint and resources. It reads V0, V1
// and fee-bump envelopes. The bytes must have been walked before, and be exactly one envelope.

import { concatBytes } from "../../base/bytes.ts";
import { encodeStrkey } from "../../base/text/strkey.ts";
import { decodeBase64, XdrCursor } from "../reader/cursor.ts";
import { sha256 } from "../reader/hash.ts";
import { memberNames } from "../reader/schema.ts";
import { type Shape, shapeOf, unknownXdr, xdrSource } from "../reader/shape.ts";

export interface SorobanFootprint {
  /** LedgerKeys, base64. */
  readonly readOnly: readonly string[];
  readonly readWrite: readonly string[];
}

export type SorobanOperation =
  | "invoke_host_function"
  | "extend_footprint_ttl"
  | "restore_footprint";

export interface SorobanFacts {
  readonly operation: SorobanOperation;
  readonly footprint: SorobanFootprint;
  readonly instructions: number;
  readonly diskReadBytes: number;
  readonly writeBytes: number;
  readonly resourceFeeStroops: string;
  /** `archivedSorobanEntries`: positions in `footprint.readWrite` (protocol 23+). */
  readonly archivedEntryIndexes: readonly number[];
}

export interface EnvelopeFacts {
  readonly isFeeBump: boolean;
  /** Strkey (M… if the envelope has a muxed account). */
  readonly feeSource: string;
  /** Strkey of the source account of the inner transaction. */
  readonly sourceAccount: string;
  /** The outermost fee field. */
  readonly feeBidStroops: string;
  /** The sequence number of the inner transaction. */
  readonly sequence: bigint;
  /** XDR names of the operations, such as `invokeHostFunction`. */
  readonly operationKinds: readonly string[];
  readonly soroban: SorobanFacts | null;
}

/** The EnvelopeType of a transaction envelope. */
export const ENVELOPE_TYPE = { v0: 0, v1: 2, feeBump: 5 } as const;
const SOROBAN_OPERATIONS: ReadonlyMap<number, SorobanOperation> = new Map([
  [24, "invoke_host_function"],
  [25, "extend_footprint_ttl"],
  [26, "restore_footprint"],
]);

const memo = shapeOf("Memo");
const muxedAccount = shapeOf("MuxedAccount");
const operation = shapeOf("Operation");
const preconditions = shapeOf("Preconditions");
const ledgerKey = shapeOf("LedgerKey");
const transactionByType: ReadonlyMap<number, Shape> = new Map([
  [ENVELOPE_TYPE.v0, shapeOf("TransactionV0")],
  [ENVELOPE_TYPE.v1, shapeOf("Transaction")],
  [ENVELOPE_TYPE.feeBump, shapeOf("FeeBumpTransaction")],
]);

export function readEnvelopeFacts(envelope: Uint8Array): EnvelopeFacts {
  const cursor = new XdrCursor(xdrSource(envelope));
  const type = cursor.int32();
  if (type !== ENVELOPE_TYPE.feeBump) return readTransaction(cursor, type);
  const feeSource = readMuxedAccount(cursor);
  const feeBidStroops = cursor.int64().toString();
  const inner = readTransaction(cursor, cursor.int32());
  return { ...inner, isFeeBump: true, feeSource, feeBidStroops };
}

/** Reads only the Soroban part. Returns null for a classic transaction. */
export function readSorobanFacts(envelope: Uint8Array): SorobanFacts | null {
  const cursor = new XdrCursor(xdrSource(envelope));
  let type = cursor.int32();
  if (type === ENVELOPE_TYPE.feeBump) {
    cursor.skip(muxedAccount);
    cursor.int64();
    type = cursor.int32();
  }
  if (type === ENVELOPE_TYPE.v0) return null;
  cursor.skip(muxedAccount);
  return readBody(cursor).soroban;
}

/**
 * Returns the ed25519 key of the account that pays the fee, which is at the beginning of an
 * envelope.
 */
export function feeSourceKeyOf(envelopeXdr: string): Uint8Array {
  const head = decodeBase64(envelopeXdr.slice(0, 64), "TransactionEnvelope");
  const cursor = new XdrCursor(xdrSource(head));
  if (cursor.int32() !== ENVELOPE_TYPE.v0 && cursor.int32() !== 0) cursor.opaque(8);
  return cursor.opaque(32);
}

/** Returns the hash in hex, or null if the envelope is not a fee-bump. */
export function innerHashOfEnvelope(envelope: Uint8Array, network: Uint8Array): string | null {
  const cursor = new XdrCursor(xdrSource(envelope));
  if (cursor.int32() !== ENVELOPE_TYPE.feeBump) return null;
  cursor.skip(muxedAccount);
  cursor.int64();
  return hashOfEnvelope(envelope.subarray(cursor.at), network);
}

/**
 * Returns sha256(network id ‖ envelope type ‖ transaction) in hex. A V0 transaction is hashed like
 * the same V1 transaction: with type 2 and KEY_TYPE_ED25519 before its source (CAP-15).
 */
export function hashOfEnvelope(envelope: Uint8Array, network: Uint8Array): string {
  const type = new XdrCursor(xdrSource(envelope)).int32();
  const end = endOfTransaction(envelope, type);
  if (type === ENVELOPE_TYPE.v0) {
    const prefix = new Uint8Array([0, 0, 0, ENVELOPE_TYPE.v1, 0, 0, 0, 0]);
    return sha256(network, prefix, envelope.subarray(4, end)).toHex();
  }
  return sha256(network, envelope.subarray(0, end)).toHex();
}

/** Reads the fields of Transaction and TransactionV0 up to the extension. */
function readTransaction(cursor: XdrCursor, type: number): EnvelopeFacts {
  const sourceAccount =
    type === ENVELOPE_TYPE.v0
      ? encodeStrkey("account", cursor.opaque(32))
      : readMuxedAccount(cursor);
  const { feeBidStroops, sequence, operations, soroban } = readBody(cursor);
  return {
    isFeeBump: false,
    feeSource: sourceAccount,
    sourceAccount,
    feeBidStroops,
    sequence,
    operationKinds: operations.map(
      (operationType) => memberNames("OperationType").get(operationType) ?? "unknown",
    ),
    soroban,
  };
}

/** Reads the fields after the source account. */
function readBody(cursor: XdrCursor) {
  const feeBidStroops = cursor.uint32().toString();
  const sequence = cursor.int64();
  // An optional TimeBounds (V0) has the same bytes as a PRECOND_NONE or PRECOND_TIME (V1).
  cursor.skip(preconditions);
  cursor.skip(memo);
  const operations = readOperationTypes(cursor);
  const soroban = cursor.int32() === 0 ? null : readSoroban(cursor, operations);
  return { feeBidStroops, sequence, operations, soroban };
}

function readMuxedAccount(cursor: XdrCursor): string {
  const type = cursor.int32();
  if (type === 0) return encodeStrkey("account", cursor.opaque(32));
  // XDR has the id before the key, a strkey has it after.
  const id = cursor.opaque(8);
  const key = cursor.opaque(32);
  return encodeStrkey("muxed", concatBytes([key, id]));
}

function readOperationTypes(cursor: XdrCursor): number[] {
  return cursor.array("operations", () => {
    const start = cursor.at;
    if (cursor.boolean("operation source")) cursor.skip(muxedAccount);
    const type = cursor.int32();
    cursor.at = start;
    cursor.skip(operation);
    return type;
  });
}

/**
 * Reads a SorobanTransactionData. Returns null if the operation is none of the three Soroban ones.
 */
function readSoroban(cursor: XdrCursor, operations: readonly number[]): SorobanFacts | null {
  const only = operations.length === 1 ? operations[0] : undefined;
  const kind = only === undefined ? undefined : SOROBAN_OPERATIONS.get(only);
  const extension = cursor.int32();
  if (extension < 0 || extension > 1) cursor.noArm("SorobanTransactionData", extension);
  const archivedEntryIndexes =
    extension === 0 ? [] : cursor.array("archivedSorobanEntries", () => cursor.uint32());
  const footprint = {
    readOnly: cursor.base64Array(ledgerKey),
    readWrite: cursor.base64Array(ledgerKey),
  };
  const instructions = cursor.uint32();
  const diskReadBytes = cursor.uint32();
  const writeBytes = cursor.uint32();
  const resourceFeeStroops = cursor.int64().toString();
  if (kind === undefined) return null;
  return {
    operation: kind,
    footprint,
    instructions,
    diskReadBytes,
    writeBytes,
    resourceFeeStroops,
    archivedEntryIndexes,
  };
}

/** Returns the offset just after the `tx` field, where the signatures begin. */
function endOfTransaction(envelope: Uint8Array, type: number): number {
  const transaction = transactionByType.get(type);
  if (transaction === undefined) throw unknownXdr("TransactionEnvelope", 0, `no arm ${type}`);
  return transaction.skip(xdrSource(envelope), 4, 0);
}
