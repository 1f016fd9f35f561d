// A result code in its two parts: the operation, and how it ended. The chain's results and svc-sim's
// are both read into this form where they enter, so no other code looks at the spelling of a name.

export interface ResultCode {
  /**
   * The operation that defines the code, e.g. `invokeHostFunction`. Null for a code of a whole
   * transaction, and for a code of an operation that was not applied.
   */
  readonly operation: string | null;
  /** E.g. `trapped`. Without an operation, the whole name: `txBadSeq`, `opBadAuth`. */
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

const SOROBAN_OPERATIONS: ReadonlySet<string | null> = new Set([
  "invokeHostFunction",
  "extendFootprintTtl",
  "restoreFootprint",
]);

/** The name in the XDR, in camel case: `invokeHostFunctionTrapped`. */
export function resultCodeName({ operation, code }: ResultCode): string {
  if (operation === null) return code;
  return `${operation}${code.charAt(0).toUpperCase()}${code.slice(1)}`;
}

export function invokeHostFunctionCode(code: SorobanCode): ResultCode {
  return { operation: "invokeHostFunction", code };
}

/** `name`: of a TransactionResultCode, e.g. `txInternalError`. */
export function transactionCode(name: string): ResultCode {
  return { operation: null, code: name };
}

/** The operation ended with one of these codes. */
export function endedWith(
  result: ResultCode | null | undefined,
  ...codes: readonly SorobanCode[]
): boolean {
  if (result === null || result === undefined || result.operation === null) return false;
  return codes.some((code) => code === result.code);
}

export function isSorobanResult({ operation }: ResultCode): boolean {
  return SOROBAN_OPERATIONS.has(operation);
}

/** The same name as the XDR itself writes it: `INVOKE_HOST_FUNCTION_TRAPPED`. */
export function resultCodeConstant(result: ResultCode): string {
  return resultCodeName(result)
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .toUpperCase();
}

const WORDS = /_([a-z])/g;

/** `INVOKE_HOST_FUNCTION` → `invokeHostFunction`. */
export function camelCase(xdrName: string): string {
  return xdrName.toLowerCase().replace(WORDS, (_, letter: string) => letter.toUpperCase());
}
