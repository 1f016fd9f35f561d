// The authorization entries that an InvokeHostFunction operation carries: who signed for which
// call.

import {
  CreateContractArgs,
  CreateContractArgsV2,
  HostFunction,
  Memo,
  MuxedAccount,
  Preconditions,
  ScVal,
  SorobanAuthorizationEntry,
  TransactionEnvelope,
} from "@stellar/stellar-sdk/xdr";
import { readBase64, type XdrCursor } from "./cursor.ts";
import { shapeOf } from "./shape.ts";
import { readAddress } from "./value-text.ts";

export interface AuthorizedCall {
  /** Null for the creation of a contract. */
  readonly contract: string | null;
  readonly function: string | null;
  readonly argumentsXdr: readonly string[];
  readonly calls: readonly AuthorizedCall[];
}

export interface AuthorizationFacts {
  /** Null: the credentials of the transaction's (or operation's) source account. */
  readonly address: string | null;
  readonly expirationLedger: number | null;
  /** False when the signature is void. */
  readonly signed: boolean;
  readonly root: AuthorizedCall;
}

const scVal = shapeOf(ScVal);
const authorizationEntry = shapeOf(SorobanAuthorizationEntry);
const hostFunction = shapeOf(HostFunction);
const createShapes = [shapeOf(CreateContractArgs), shapeOf(CreateContractArgsV2)];

const envelope = shapeOf(TransactionEnvelope);
const memo = shapeOf(Memo);
const muxedAccount = shapeOf(MuxedAccount);
const preconditions = shapeOf(Preconditions);

const ENVELOPE_V1 = 2;
const ENVELOPE_FEE_BUMP = 5;
const INVOKE_HOST_FUNCTION = 24;
const SOURCE_ACCOUNT = 0;
const ADDRESS_CREDENTIALS: readonly number[] = [1, 2];
const CONTRACT_FUNCTION = 0;
const SCV_VOID = 1;

/**
 * Of the first operation, which is the only one of a Soroban transaction; empty for others. Entries
 * of kinds not known here are left out.
 */
export function readAuthorizations(envelopeXdr: string): AuthorizationFacts[] {
  return readBase64(envelopeXdr, "TransactionEnvelope", (cursor) => {
    cursor.take(envelope);
    cursor.at = 0;
    const found = toInvocation(cursor) ? readEntries(cursor) : [];
    cursor.at = cursor.source.end;
    return found;
  });
}

/** To the InvokeHostFunctionOp; false when the first operation is another one. */
function toInvocation(cursor: XdrCursor): boolean {
  let type = cursor.int32();
  if (type === ENVELOPE_FEE_BUMP) {
    cursor.skip(muxedAccount);
    cursor.int64();
    type = cursor.int32();
  }
  if (type !== ENVELOPE_V1) return false;
  cursor.skip(muxedAccount);
  cursor.uint32();
  cursor.int64();
  cursor.skip(preconditions);
  cursor.skip(memo);
  if (cursor.length("operations") === 0) return false;
  if (cursor.boolean("operation source")) cursor.skip(muxedAccount);
  return cursor.int32() === INVOKE_HOST_FUNCTION;
}

function readEntries(cursor: XdrCursor): AuthorizationFacts[] {
  cursor.skip(hostFunction);
  const count = cursor.length("auth");
  const found: AuthorizationFacts[] = [];
  for (let i = 0; i < count; i += 1) {
    const start = cursor.at;
    cursor.skip(authorizationEntry);
    const end = cursor.at;
    cursor.at = start;
    const entry = readEntry(cursor);
    if (entry !== null) found.push(entry);
    cursor.at = end;
  }
  return found;
}

function readEntry(cursor: XdrCursor): AuthorizationFacts | null {
  const kind = cursor.int32();
  if (kind === SOURCE_ACCOUNT) {
    return { address: null, expirationLedger: null, signed: true, root: readCall(cursor) };
  }
  if (!ADDRESS_CREDENTIALS.includes(kind)) return null;
  const address = readAddress(cursor);
  cursor.int64();
  const expirationLedger = cursor.uint32();
  const signed = cursor.peekInt32() !== SCV_VOID;
  cursor.skip(scVal);
  return { address, expirationLedger, signed, root: readCall(cursor) };
}

/** SorobanAuthorizedInvocation; the shape has bounded its depth. */
function readCall(cursor: XdrCursor): AuthorizedCall {
  const kind = cursor.int32();
  if (kind !== CONTRACT_FUNCTION) {
    const created = createShapes[kind - 1];
    if (created !== undefined) cursor.skip(created);
    return { contract: null, function: null, argumentsXdr: [], calls: readCalls(cursor) };
  }
  const contract = readAddress(cursor);
  const length = cursor.uint32();
  const name = new TextDecoder().decode(cursor.opaque(length));
  cursor.opaque((4 - (length % 4)) % 4);
  const argumentsXdr = cursor.base64Array(scVal);
  return { contract, function: name, argumentsXdr, calls: readCalls(cursor) };
}

function readCalls(cursor: XdrCursor): AuthorizedCall[] {
  const count = cursor.length("subInvocations");
  return Array.from({ length: count }, () => readCall(cursor));
}
