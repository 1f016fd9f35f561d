// Reads the parts of a TransactionResult that svc needs. The names of codes are those of the XDR,
// in camel case.

import { type ResultCode, transactionCode } from "../../model/result-code.ts";
import { readBase64, XdrCursor } from "../reader/cursor.ts";
import { memberNames, resolved, schemaNamed } from "../reader/schema.ts";
import { shapeOf, xdrSource } from "../reader/shape.ts";
import { decode, encode } from "../reader/value.ts";

export interface ResultFacts {
  readonly feeChargedStroops: string;
  /** The XDR name of the outermost code, such as `txFailed` or `txFeeBumpInnerFailed`. */
  readonly code: string;
  /** The code of a fee-bump's inner transaction, if it was reached. */
  readonly innerCode: string | null;
  readonly innerHash: string | null;
  readonly innerFeeChargedStroops: string | null;
  /** The OperationResults of the (inner) transaction; empty if none ran. */
  readonly operationResultsXdr: readonly string[];
  /** The codes of these results. */
  readonly operationResults: readonly ResultCode[];
  /** The hash in INVOKE_HOST_FUNCTION_SUCCESS, hex. */
  readonly successHash: string | null;
  readonly success: boolean;
}

const CODE = {
  feeBumpSuccess: 1,
  success: 0,
  failed: -1,
  internalError: -11,
  feeBumpFailed: -13,
} as const;
/** The OperationType. */
export const INVOKE_HOST_FUNCTION = 24;

const transactionResult = shapeOf("TransactionResult");
const operationResult = shapeOf("OperationResult");
const codeNames = memberNames("TransactionResultCode");

/** Throws XDR_INVALID if the text is not a TransactionResult. */
export function readTransactionResult(resultXdr: string): ResultFacts {
  return readBase64(resultXdr, "TransactionResult", (cursor) =>
    readResultBytes(cursor.take(transactionResult)),
  );
}

/**
 * False if stellar-core refused the Soroban transaction before its operation ran (bad sequence or
 * signature, malformed, resources over the limits), so that there is nothing to replay.
 */
export function reachedHost(result: ResultFacts): boolean {
  const code = result.innerCode ?? result.code;
  // An exception ended the running operation, and its results were not kept.
  if (code === "txInternalError") return true;
  const [first] = result.operationResults;
  if (code !== "txSuccess" && code !== "txFailed") return false;
  return first !== undefined && first.operation !== null && first.code !== "malformed";
}

/** Codes of operations that stellar-core can return before it applies one (doCheckValid). */
const UNAPPLIED: ReadonlySet<string> = new Set([
  "success",
  "malformed",
  "badFlags",
  "unknownFlag",
  "thresholdOutOfRange",
  "badSigner",
  "invalidHomeDomain",
  "invalidName",
  "notSupportedYet",
]);

/**
 * True if an operation ended in a way that only an applied one can. The transaction is then in a
 * ledger.
 */
export function isApplied({ operationResults }: ResultFacts): boolean {
  return operationResults.some(
    ({ operation, code }) =>
      operation !== null &&
      !UNAPPLIED.has(code) &&
      !(operation === "bumpSequence" && code === "badSeq"),
  );
}

/** The first operation that did not succeed; undefined when none failed, or none was applied. */
export function failedOperation({ operationResults }: ResultFacts): ResultCode | undefined {
  return operationResults.find((each) => !isSuccess(each));
}

export function isSuccess({ operation, code }: ResultCode): boolean {
  return operation !== null && code === "success";
}

/** How a transaction with one operation ended: that operation, or the transaction before it. */
export function endOf({ operationResults, innerCode, code }: ResultFacts): ResultCode {
  return operationResults[0] ?? transactionCode(innerCode ?? code);
}

/**
 * Makes a TransactionResult with the operation's result and no fee, for a run whose charge by the
 * network is unknown. `operationResultXdr` is null after an internal error.
 */
export function resultOfOperation(operationResultXdr: string | null, success: boolean): string {
  const head = { feeCharged: 0n, ext: { v: 0 } } as const;
  if (operationResultXdr === null)
    return encode("TransactionResult", { ...head, result: { code: CODE.internalError } });
  const results = [decode("OperationResult", operationResultXdr)];
  const code = success ? CODE.success : CODE.failed;
  return encode("TransactionResult", { ...head, result: { code, results } });
}

/**
 * Makes a TransactionResult of a code that comes without results of operations, with no fee, for a
 * text that has only the name of the code. Null: the code is of another kind.
 */
export function resultOfRefusal(name: string): string | null {
  const [code] = [...codeNames].find(([, each]) => each === name) ?? [];
  const hasMore = code === undefined || code >= CODE.failed || code === CODE.feeBumpFailed;
  if (hasMore) return null;
  // All of these codes are encoded in the same way.
  const result = { code: code as typeof CODE.internalError };
  return encode("TransactionResult", { feeCharged: 0n, result, ext: { v: 0 } });
}

/** `result` must have been walked before. */
export function readResultBytes(result: Uint8Array): ResultFacts {
  const cursor = new XdrCursor(xdrSource(result));
  const feeChargedStroops = cursor.int64().toString();
  const code = cursor.int32();
  const outer = { feeChargedStroops, code: nameOf(codeNames, code) };
  if (code !== CODE.feeBumpSuccess && code !== CODE.feeBumpFailed) {
    return {
      ...outer,
      innerCode: null,
      innerHash: null,
      innerFeeChargedStroops: null,
      ...readOperationResults(cursor, code),
      success: code === CODE.success,
    };
  }
  const innerHash = cursor.opaque(32).toHex();
  const innerFeeChargedStroops = cursor.int64().toString();
  const innerCode = cursor.int32();
  return {
    ...outer,
    innerCode: nameOf(codeNames, innerCode),
    innerHash,
    innerFeeChargedStroops,
    ...readOperationResults(cursor, innerCode),
    success: code === CODE.feeBumpSuccess,
  };
}

function readOperationResults(cursor: XdrCursor, code: number) {
  const hasResults = code === CODE.success || code === CODE.failed;
  const results = hasResults
    ? cursor.array("OperationResult", () => cursor.take(operationResult))
    : [];
  const facts = results.map(readOperation);
  return {
    operationResultsXdr: results.map((bytes) => bytes.toBase64()),
    operationResults: facts.map((each) => each.result),
    successHash: facts.findLast((each) => each.successHash !== null)?.successHash ?? null,
  };
}

/** Returns the code of an OperationResult. Throws XDR_INVALID. */
export function readOperationResult(operationResultXdr: string): ResultCode {
  return readBase64(operationResultXdr, "OperationResult", (cursor) =>
    readOperation(cursor.take(operationResult)),
  ).result;
}

function readOperation(bytes: Uint8Array): { result: ResultCode; successHash: string | null } {
  const cursor = new XdrCursor(xdrSource(bytes));
  const outcome = cursor.int32();
  if (outcome !== 0) {
    const code = nameOf(memberNames("OperationResultCode"), outcome);
    return { result: { operation: null, code }, successHash: null };
  }
  const type = cursor.int32();
  const code = cursor.int32();
  const succeeded = type === INVOKE_HOST_FUNCTION && code === 0;
  return {
    result: resultCodes(type).get(code) ?? { operation: null, code: `unknown ${code}` },
    successHash: succeeded ? cursor.opaque(32).toHex() : null,
  };
}

const codesByType = new Map<number, ReadonlyMap<number, ResultCode>>();

/** The codes of an operation, which begin with its name: `paymentNoTrust`. */
function resultCodes(type: number): ReadonlyMap<number, ResultCode> {
  let codes = codesByType.get(type);
  if (codes === undefined) {
    const names = operationCodeNames(type);
    // `createPassiveSellOffer` has the codes of `manageSellOffer`.
    const operation = (names.get(0) ?? "").slice(0, -"Success".length);
    codes = new Map(
      [...names].map(([value, name]) => {
        const codeName = name.slice(operation.length);
        return [value, { operation, code: codeName.charAt(0).toLowerCase() + codeName.slice(1) }];
      }),
    );
    codesByType.set(type, codes);
  }
  return codes;
}

type Names = ReadonlyMap<number, string>;

/** Returns the codes of every operation: `payment` → `paymentSuccess`, `paymentMalformed`, …. */
export function allOperationCodes(): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...memberNames("OperationType")].map(([type, name]) => [
      name,
      [...operationCodeNames(type).values()],
    ]),
  );
}

/**
 * Returns the names of an operation type's result codes, from the discriminant of its union arm.
 */
function operationCodeNames(type: number): Names {
  const results = schemaNamed("OperationResultTr");
  const field = results.kind === "union" ? results.cases.get(type) : undefined;
  const result = field ? resolved(field[1]) : null;
  const codes = result?.kind === "union" ? resolved(result.switchOn) : null;
  return codes?.kind === "enum" ? codes.nameByValue : new Map();
}

function nameOf(names: Names, value: number): string {
  return names.get(value) ?? `unknown ${value}`;
}
