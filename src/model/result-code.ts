// A result code in its two parts: the operation, and its end. The results of the chain and of
// svc-sim are both read into this form where they enter, so no other code looks at the spelling of
// a name.

export interface ResultCode {
  /**
   * The operation that defines the code, such as `invokeHostFunction`. Null for a code of a whole
   * transaction, and for a code of an operation that was not applied.
   */
  readonly operation: string | null;
  /** A name such as `trapped`. Without an operation it is the whole name: `txBadSeq`, `opBadAuth`. */
  readonly code: string;
}

/** The codes of the three operations that run in the contract host. */
export type SorobanCode =
  | "success"
  | "malformed"
  | "trapped"
  | "resourceLimitExceeded"
  | "entryArchived"
  | "insufficientRefundableFee";

/** The operations that run in the contract host. */
export const SOROBAN_OPERATIONS: ReadonlySet<string> = new Set([
  "invokeHostFunction",
  "extendFootprintTtl",
  "restoreFootprint",
]);

/** Returns the name in the XDR, in camel case: `invokeHostFunctionTrapped`. */
export function resultCodeName({ operation, code }: ResultCode): string {
  if (operation === null) return code;
  return `${operation}${code.charAt(0).toUpperCase()}${code.slice(1)}`;
}

export function invokeHostFunctionCode(code: SorobanCode): ResultCode {
  return { operation: "invokeHostFunction", code };
}

/** `name` is that of a TransactionResultCode, such as `txInternalError`. */
export function transactionCode(name: string): ResultCode {
  return { operation: null, code: name };
}

/** True if the operation ended with one of these codes. */
export function endedWith(
  result: ResultCode | null | undefined,
  ...codes: readonly SorobanCode[]
): boolean {
  if (result === null || result === undefined || result.operation === null) return false;
  return codes.some((code) => code === result.code);
}

export function isSorobanResult({ operation }: ResultCode): boolean {
  return operation !== null && SOROBAN_OPERATIONS.has(operation);
}

/** The same name as the XDR itself writes it: `INVOKE_HOST_FUNCTION_TRAPPED`. */
export function resultCodeConstant(result: ResultCode): string {
  return resultCodeName(result)
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .toUpperCase();
}

const WORDS = /_([a-z])/g;

/** Turns `INVOKE_HOST_FUNCTION` into `invokeHostFunction`. */
export function camelCase(xdrName: string): string {
  return xdrName.toLowerCase().replace(WORDS, (_, letter: string) => letter.toUpperCase());
}
