// Changes to a TransactionEnvelope, base64 to base64: declared resources, fees, arguments and
// authorizations of a Soroban transaction. Everything else stays, including a fee-bump's outer
// transaction. Signatures stay too, although they are no longer valid: the resource fee depends on
// their size, and a replay does not check them. `withoutSignatures` returns an envelope to sign.

import {
  LedgerKey,
  ScVal,
  SorobanAuthorizationEntry,
  TransactionEnvelope,
} from "@stellar/stellar-sdk/xdr";
import { SvcError } from "../../base/errors/errors.ts";
import { decodeBase64 } from "../reader/cursor.ts";

/** Absent fields do not change. */
export interface PatchedResources {
  readonly instructions?: number;
  readonly diskReadBytes?: number;
  readonly writeBytes?: number;
  readonly resourceFeeStroops?: string;
}

export interface PatchedFootprint {
  /** LedgerKeys, base64. */
  readonly readOnly: readonly string[];
  readonly readWrite: readonly string[];
  /** `archivedSorobanEntries` (protocol 23+): positions in `readWrite`. Absent: none. */
  readonly archivedEntryIndexes?: readonly number[];
}

/** Throws XDR_INVALID, like all below, when there is no envelope or no Soroban data in it. */
export function withResources(envelopeXdr: string, patched: PatchedResources): string {
  const { resourceFeeStroops, ...resources } = patched;
  return withSorobanData(envelopeXdr, (data) => ({
    ...data,
    resources: { ...data.resources, ...resources },
    resourceFee: BigInt(resourceFeeStroops ?? data.resourceFee),
  }));
}

export function withFootprint(envelopeXdr: string, patched: PatchedFootprint): string {
  const footprint = {
    readOnly: patched.readOnly.map((key) => decode(LedgerKey, key, "LedgerKey")),
    readWrite: patched.readWrite.map((key) => decode(LedgerKey, key, "LedgerKey")),
  };
  const archivedSorobanEntries = [...(patched.archivedEntryIndexes ?? [])];
  return withSorobanData(envelopeXdr, (data) => ({
    ...data,
    ext:
      archivedSorobanEntries.length === 0
        ? { v: 0 }
        : { v: 1, resourceExt: { archivedSorobanEntries } },
    resources: { ...data.resources, footprint },
  }));
}

/** The fee bid; for a fee-bump that of the outer transaction, which is the one charged. */
export function withFee(envelopeXdr: string, stroops: string): string {
  const envelope = decode(TransactionEnvelope, envelopeXdr, "TransactionEnvelope");
  if (envelope.type !== FEE_BUMP) return withInnerFee(envelopeXdr, stroops);
  const { tx, signatures } = envelope.feeBump;
  const feeBump = { tx: { ...tx, fee: BigInt(stroops) }, signatures };
  return encode({ ...envelope, feeBump });
}

/** The fee of the transaction itself, which a fee-bump around it replaces. */
export function withInnerFee(envelopeXdr: string, stroops: string): string {
  return withTransaction(envelopeXdr, (tx) => ({ ...tx, fee: Number(stroops) }));
}

/** `sequenceNumber`: an int64, decimal. */
export function withSequenceNumber(envelopeXdr: string, sequenceNumber: string): string {
  return withTransaction(envelopeXdr, (tx) => ({ ...tx, seqNum: BigInt(sequenceNumber) }));
}

/** `entriesXdr`: SorobanAuthorizationEntries. */
export function withAuthorizations(envelopeXdr: string, entriesXdr: readonly string[]): string {
  const auth = entriesXdr.map((entry) =>
    decode(SorobanAuthorizationEntry, entry, "SorobanAuthorizationEntry"),
  );
  return withInvocation(envelopeXdr, (invocation) => ({ ...invocation, auth }));
}

/** `argumentsXdr`: ScVals. Throws XDR_INVALID too when it calls no contract function. */
export function withArguments(envelopeXdr: string, argumentsXdr: readonly string[]): string {
  const args = argumentsXdr.map((argument) => decode(ScVal, argument, "ScVal"));
  return withInvocation(envelopeXdr, (invocation) => {
    const { hostFunction } = invocation;
    if (hostFunction.type !== INVOKE_CONTRACT) throw notOfKind("calls no contract function");
    const invokeContract = { ...hostFunction.invokeContract, args };
    return { ...invocation, hostFunction: { ...hostFunction, invokeContract } };
  });
}

/** Removes the upper time and ledger bounds. */
export function withoutExpiry(envelopeXdr: string): string {
  return withTransaction(envelopeXdr, (tx) => ({ ...tx, cond: unending(tx.cond) }));
}

/** Ready to be signed; for a fee-bump both transactions are. */
export function withoutSignatures(envelopeXdr: string): string {
  const envelope = decode(TransactionEnvelope, envelopeXdr, "TransactionEnvelope");
  switch (envelope.type) {
    case V0:
      return encode({ ...envelope, v0: { ...envelope.v0, signatures: [] } });
    case V1:
      return encode({ ...envelope, v1: { ...envelope.v1, signatures: [] } });
    case FEE_BUMP: {
      const { tx } = envelope.feeBump;
      const innerTx = { ...tx.innerTx, v1: { ...tx.innerTx.v1, signatures: [] } };
      return encode({ ...envelope, feeBump: { tx: { ...tx, innerTx }, signatures: [] } });
    }
  }
}

const V0 = 0;
const V1 = 2;
const FEE_BUMP = 5;
const INVOKE_CONTRACT = 0;
const INVOKE_HOST_FUNCTION = 24;
const PRECOND_TIME = 1;
const PRECOND_V2 = 2;

type Envelope = ReturnType<typeof TransactionEnvelope.schema.decode>;
type Transaction = Extract<Envelope, { type: 2 }>["v1"]["tx"];
type Preconditions = Transaction["cond"];
type Body = Transaction["operations"][number]["body"];
type Invocation = Extract<Body, { type: 24 }>["invokeHostFunctionOp"];
type SorobanData = Extract<Transaction["ext"], { v: 1 }>["sorobanData"];

function withTransaction(envelopeXdr: string, patch: (tx: Transaction) => Transaction): string {
  const envelope = decode(TransactionEnvelope, envelopeXdr, "TransactionEnvelope");
  switch (envelope.type) {
    case V0:
      throw notOfKind("is a V0 envelope, which cannot have Soroban data");
    case V1:
      return encode({ ...envelope, v1: { ...envelope.v1, tx: patch(envelope.v1.tx) } });
    case FEE_BUMP: {
      const { feeBump } = envelope;
      const { innerTx } = feeBump.tx;
      const v1 = { ...innerTx.v1, tx: patch(innerTx.v1.tx) };
      const tx = { ...feeBump.tx, innerTx: { ...innerTx, v1 } };
      return encode({ ...envelope, feeBump: { ...feeBump, tx } });
    }
  }
}

function withSorobanData(envelopeXdr: string, patch: (data: SorobanData) => SorobanData): string {
  return withTransaction(envelopeXdr, (tx) => {
    if (tx.ext.v === 0) throw notOfKind("declares no Soroban resources");
    return { ...tx, ext: { ...tx.ext, sorobanData: patch(tx.ext.sorobanData) } };
  });
}

export function withInvocation(envelopeXdr: string, patch: (of: Invocation) => Invocation): string {
  return withTransaction(envelopeXdr, (tx) => {
    const [operation] = tx.operations;
    if (operation?.body.type !== INVOKE_HOST_FUNCTION) throw notOfKind("invokes no host function");
    const { body } = operation;
    const invokeHostFunctionOp = patch(body.invokeHostFunctionOp);
    return { ...tx, operations: [{ ...operation, body: { ...body, invokeHostFunctionOp } }] };
  });
}

function unending(conditions: Preconditions): Preconditions {
  switch (conditions.type) {
    case PRECOND_TIME:
      return { ...conditions, timeBounds: { ...conditions.timeBounds, maxTime: 0n } };
    case PRECOND_V2: {
      const { v2 } = conditions;
      const timeBounds = v2.timeBounds && { ...v2.timeBounds, maxTime: 0n };
      const ledgerBounds = v2.ledgerBounds && { ...v2.ledgerBounds, maxLedger: 0 };
      return { ...conditions, v2: { ...v2, timeBounds, ledgerBounds } };
    }
    default:
      return conditions;
  }
}

interface Codec<Value> {
  readonly schema: { decode(bytes: Uint8Array): Value };
}

function decode<Value>({ schema }: Codec<Value>, xdr: string, name: string): Value {
  const bytes = decodeBase64(xdr, name);
  try {
    return schema.decode(bytes);
  } catch (cause) {
    throw new SvcError("XDR_INVALID", {
      message: `The ${name} cannot be decoded.`,
      remedy: "Check that the value is complete.",
      cause,
      details: { type: name },
    });
  }
}

function encode(envelope: Envelope): string {
  return TransactionEnvelope.schema.encode(envelope).toBase64();
}

function notOfKind(what: string): SvcError {
  return new SvcError("XDR_INVALID", {
    message: `The transaction ${what}.`,
    remedy: "Change only parts that the transaction has.",
    details: { type: "TransactionEnvelope" },
  });
}
