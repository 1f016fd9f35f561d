// Makes another envelope with something changed: declared resources, fees, arguments and
// authorizations of a Soroban transaction. Everything else stays, including a fee-bump's outer
// transaction. Signatures stay too, although they are no longer valid: the resource fee depends on
// their size, and a replay does not check them. `withoutSignatures` returns an envelope to sign.

import { SvcError } from "../../base/errors/errors.ts";
import type { OverriddenLimits } from "../../model/overrides.ts";
import { INVOKE_HOST_FUNCTION } from "../outcome/result.ts";
import { fromJson } from "../reader/from-json.ts";
import { decode, encode, type Value } from "../reader/value.ts";
import { type Envelope, openEnvelope } from "./envelope.ts";
import type { DecoratedSignature } from "./envelope-terms.ts";

/** Absent fields do not change. */
export type PatchedResources = Omit<OverriddenLimits, "memoryBytes" | "eventsBytes">;

export interface PatchedFootprint {
  /** LedgerKeys, base64. */
  readonly readOnly: readonly string[];
  readonly readWrite: readonly string[];
  /** `archivedSorobanEntries` (protocol 23+): positions in `readWrite` (default: none). */
  readonly archivedEntryIndexes?: readonly number[];
}

/** Throws XDR_INVALID if the envelope has no Soroban data, as do the functions below. */
export function withResources(envelope: Envelope, patched: PatchedResources): Envelope {
  const { resourceFeeStroops, ...resources } = patched;
  return withSorobanData(envelope, (data) => ({
    ...data,
    resources: { ...data.resources, ...resources },
    resourceFee: BigInt(resourceFeeStroops ?? data.resourceFee),
  }));
}

export function withFootprint(envelope: Envelope, patched: PatchedFootprint): Envelope {
  const footprint = {
    readOnly: patched.readOnly.map((key) => decode("LedgerKey", key)),
    readWrite: patched.readWrite.map((key) => decode("LedgerKey", key)),
  };
  const archivedSorobanEntries = [...(patched.archivedEntryIndexes ?? [])];
  return withSorobanData(envelope, (data) => ({
    ...data,
    ext:
      archivedSorobanEntries.length === 0
        ? { v: 0 }
        : { v: 1, resourceExt: { archivedSorobanEntries } },
    resources: { ...data.resources, footprint },
  }));
}

/**
 * Sets the declared resources from a SorobanTransactionData. The envelope need not have declared
 * any.
 */
export function withSorobanTransactionData(envelope: Envelope, dataXdr: string): Envelope {
  const sorobanData = decode("SorobanTransactionData", dataXdr);
  return withTransaction(envelope, (tx) => ({ ...tx, ext: { v: 1, sorobanData } }));
}

/**
 * Sets the fee bid. For a fee-bump it is that of the outer transaction, which is the one charged.
 */
export function withFee(envelope: Envelope, stroops: bigint): Envelope {
  const decoded = envelope.decoded;
  if (decoded.type !== FEE_BUMP) return withInnerFee(envelope, stroops);
  const { tx, signatures } = decoded.feeBump;
  return changed(envelope, { ...decoded, feeBump: { tx: { ...tx, fee: stroops }, signatures } });
}

/** Sets the fee of the transaction itself, which a fee-bump around it replaces. */
export function withInnerFee(envelope: Envelope, stroops: bigint): Envelope {
  return withTransaction(envelope, (tx) => ({ ...tx, fee: Number(stroops) }));
}

export function withSequenceNumber(envelope: Envelope, sequence: bigint): Envelope {
  return withTransaction(envelope, (tx) => ({ ...tx, seqNum: sequence }));
}

/** `entriesXdr` are SorobanAuthorizationEntries. */
export function withAuthorizations(envelope: Envelope, entriesXdr: readonly string[]): Envelope {
  const auth = entriesXdr.map((entry) => decode("SorobanAuthorizationEntry", entry));
  return withInvocation(envelope, (invocation) => ({ ...invocation, auth }));
}

/**
 * `argumentsXdr` are ScVals: those of the function that is called, or of the constructor of the
 * contract to create. Throws XDR_INVALID also if the transaction does neither.
 */
export function withArguments(envelope: Envelope, argumentsXdr: readonly string[]): Envelope {
  const args = argumentsXdr.map((argument) => decode("ScVal", argument));
  return withInvocation(envelope, (invocation) => {
    const { hostFunction } = invocation;
    if (hostFunction.type === CREATE_CONTRACT_V2) {
      const createContractV2 = { ...hostFunction.createContractV2, constructorArgs: args };
      return { ...invocation, hostFunction: { ...hostFunction, createContractV2 } };
    }
    if (hostFunction.type !== INVOKE_CONTRACT) throw notOfKind("calls no contract function");
    const invokeContract = { ...hostFunction.invokeContract, args };
    return { ...invocation, hostFunction: { ...hostFunction, invokeContract } };
  });
}

/** Makes an account (strkey) the source of the only operation. */
export function withOperationSource(envelope: Envelope, account: string): Envelope {
  const sourceAccount = fromJson("MuxedAccount", account);
  return withTransaction(envelope, (tx) => ({
    ...tx,
    operations: tx.operations.map((operation) => ({ ...operation, sourceAccount })),
  }));
}

/** Removes the upper time and ledger bounds. */
export function withoutExpiry(envelope: Envelope): Envelope {
  return withTransaction(envelope, (tx) => ({ ...tx, cond: unending(tx.cond) }));
}

/**
 * Removes all signatures, for a fee-bump those of both transactions. The envelope is then ready to
 * be signed.
 */
export function withoutSignatures(envelope: Envelope): Envelope {
  const unsigned = withSignatures(envelope, []);
  const decoded = unsigned.decoded;
  if (decoded.type !== FEE_BUMP) return unsigned;
  const { tx } = decoded.feeBump;
  const innerTx = { ...tx.innerTx, v1: { ...tx.innerTx.v1, signatures: [] } };
  return changed(envelope, { ...decoded, feeBump: { ...decoded.feeBump, tx: { ...tx, innerTx } } });
}

/** Replaces the signatures. For a fee-bump they are those of the outer transaction. */
export function withSignatures(
  envelope: Envelope,
  decorated: readonly DecoratedSignature[],
): Envelope {
  const decoded = envelope.decoded;
  const signatures = [...decorated];
  switch (decoded.type) {
    case V0:
      return changed(envelope, { ...decoded, v0: { ...decoded.v0, signatures } });
    case V1:
      return changed(envelope, { ...decoded, v1: { ...decoded.v1, signatures } });
    case FEE_BUMP:
      return changed(envelope, { ...decoded, feeBump: { ...decoded.feeBump, signatures } });
  }
}

const V0 = 0;
const V1 = 2;
const FEE_BUMP = 5;
const INVOKE_CONTRACT = 0;
const CREATE_CONTRACT_V2 = 3;
const PRECOND_TIME = 1;
const PRECOND_V2 = 2;

type DecodedEnvelope = Value<"TransactionEnvelope">;
type Transaction = Extract<DecodedEnvelope, { type: 2 }>["v1"]["tx"];
type Preconditions = Transaction["cond"];
type OperationBody = Transaction["operations"][number]["body"];
type Invocation = Extract<OperationBody, { type: 24 }>["invokeHostFunctionOp"];
type SorobanData = Extract<Transaction["ext"], { v: 1 }>["sorobanData"];

function withTransaction(envelope: Envelope, patch: (tx: Transaction) => Transaction): Envelope {
  const decoded = envelope.decoded;
  switch (decoded.type) {
    case V0:
      throw notOfKind("is a V0 envelope, which cannot have Soroban data");
    case V1:
      return changed(envelope, { ...decoded, v1: { ...decoded.v1, tx: patch(decoded.v1.tx) } });
    case FEE_BUMP: {
      const { feeBump } = decoded;
      const { innerTx } = feeBump.tx;
      const v1 = { ...innerTx.v1, tx: patch(innerTx.v1.tx) };
      const tx = { ...feeBump.tx, innerTx: { ...innerTx, v1 } };
      return changed(envelope, { ...decoded, feeBump: { ...feeBump, tx } });
    }
  }
}

function withSorobanData(envelope: Envelope, patch: (data: SorobanData) => SorobanData): Envelope {
  return withTransaction(envelope, (tx) => {
    if (tx.ext.v === 0) throw notOfKind("declares no Soroban resources");
    return { ...tx, ext: { ...tx.ext, sorobanData: patch(tx.ext.sorobanData) } };
  });
}

export function withInvocation(
  envelope: Envelope,
  patch: (of: Invocation) => Invocation,
): Envelope {
  return withTransaction(envelope, (tx) => {
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

/** Returns the envelope itself if nothing in it is different. */
function changed(envelope: Envelope, decoded: DecodedEnvelope): Envelope {
  const xdr = encode("TransactionEnvelope", decoded);
  return xdr === envelope.xdr ? envelope : openEnvelope(xdr, envelope.networkPassphrase);
}

function notOfKind(problem: string): SvcError {
  return new SvcError("XDR_INVALID", {
    message: `The transaction ${problem}.`,
    remedy: "Change only parts that the transaction has.",
    details: { type: "TransactionEnvelope" },
  });
}
