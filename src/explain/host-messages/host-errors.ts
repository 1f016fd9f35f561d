// Errors of the contract host in plain words, by type and code, for errors whose message is missing
// or unknown. Types and codes: Stellar-contract.x, SCErrorType and SCErrorCode.

import type { Wording } from "../../base/phrase.ts";
import type { CauseKind } from "../../model/cause-kinds.ts";
import type { HostError } from "../../model/execution.ts";

export interface HostErrorWords {
  readonly kind: CauseKind;
  /** A clause without a full stop. */
  readonly words: string;
  readonly remedy: Wording | null;
}

const SIMULATE =
  "Simulate the transaction again and send it with the simulated footprint and resources.";
/** It is unknown which of them ran out, and only instructions are declared. */
export const DECLARE_OR_DO_LESS =
  "Simulate again and declare the instructions that the simulation reports. If the simulation " +
  "fails too, a limit of the network is exceeded: make the call do less.";
const CHECK_TYPES = "Check the arguments against the types of the contract's specification.";

const WORDS: Readonly<Record<string, HostErrorWords>> = {
  "Budget ExceededLimit": row(
    "budget-exceeded",
    "the transaction exhausted its instructions, memory or stack",
    DECLARE_OR_DO_LESS,
  ),
  "Storage ExceededLimit": row(
    "footprint-miss",
    "the transaction accessed a ledger entry outside its footprint",
    `${SIMULATE} The footprint must list every entry.`,
  ),
  "Storage MissingValue": row(
    "missing-entry",
    "the transaction read a ledger entry that does not exist",
    "Check that the contract is deployed and initialized, and that the entry has not expired.",
  ),
  "Storage ExistingValue": row(
    "entry-exists",
    "the transaction created a ledger entry that already exists",
    "Use the entry that exists, or create one with another key or salt.",
  ),
  "Storage InvalidAction": row(
    "storage-action",
    "the transaction used storage in a way that is not allowed, such as writing a read-only entry",
    SIMULATE,
  ),
  "Storage InvalidInput": row("storage-input", "an access to storage had an invalid input"),
  "Auth InvalidAction": row(
    "authorization-missing",
    "an authorization that the contract requires is missing, or was refused",
    "If none was signed, sign an authorization entry for that address and call. If one was, the log of the " +
      "error shows why it was refused.",
  ),
  "Auth InvalidInput": row(
    "authorization-invalid",
    "an authorization entry is not valid, for example because it expired or its signature is wrong",
    "Simulate again, and sign the new authorization entry with a later expiration ledger.",
  ),
  "Auth ExistingValue": row(
    "authorization-reused",
    "the nonce of an authorization entry was already used; or, where authorizations are recorded (a simulation, a " +
      "unit test), a contract required the authorization of one address twice in one call",
    "If the nonce was used, and the call is to be made once more: simulate again, and sign the new authorization " +
      "entry. In a simulation or a test, look for a second `require_auth` of the same address in one call.",
  ),
  "WasmVm InvalidAction": row(
    "contract-panic",
    "the contract's code trapped: a panic, an overflow or an unreachable instruction",
  ),
  "WasmVm InvalidInput": row(
    "wasm-invalid",
    "the contract's code is not wasm that the host accepts",
    "Build the code for the target wasm32v1-none, for this network's protocol.",
  ),
  "WasmVm MissingValue": row(
    "function-missing",
    "the contract has no function of that name",
    "Check the function's name and the contract's version.",
  ),
  "WasmVm UnexpectedSize": row(
    "argument-count",
    "the function was called with the wrong number of arguments",
    "Check the arguments against the contract's interface.",
  ),
  "WasmVm UnexpectedType": row(
    "wasm-error",
    "the contract's code has that function with a different type",
  ),
  "WasmVm IndexBounds": row(
    "memory-out-of-bounds",
    "the contract's code accessed something outside its memory or tables",
  ),
  "WasmVm ArithDomain": row(
    "arithmetic-overflow",
    "the contract's code divided by zero, or a number did not fit its type",
  ),
  "Context InvalidAction": row(
    "contract-action",
    "the contract did something that the host does not allow there, such as calling itself again",
  ),
  "Context ExceededLimit": row(
    "value-too-deep",
    "a value or the calls were nested too deeply",
    "Make values flatter, and nest contract calls less deeply.",
  ),
  "Context UnexpectedType": row(
    "contract-action",
    "the contract failed with an error that only the host may return",
    "Fail with errors of the contract's own error enum.",
  ),
  "Context MissingValue": row(
    "function-missing",
    "the contract has no function of that name",
    "Check the function's name.",
  ),
  "Object IndexBounds": row(
    "index-out-of-bounds",
    "the contract accessed a position beyond the end of a vector, map or bytes",
    "Check that the vector, map or bytes are not empty or too short.",
  ),
  "Object MissingValue": row(
    "map-key-missing",
    "the contract looked up a key that a map does not have",
    "Check the arguments or the stored map: the contract expects that key.",
  ),
  "Object ArithDomain": row(
    "arithmetic-overflow",
    "an integer operation overflowed or divided by zero",
    "Check the amounts that were passed.",
  ),
  "Object UnexpectedSize": row(
    "value-shape",
    "a map, vector or bytes do not have the size that the contract reads",
    CHECK_TYPES,
  ),
  "Object UnexpectedType": row("value-type", "a host object has the wrong type", CHECK_TYPES),
  "Object InvalidInput": row("value-invalid", "a host object cannot be created from a value"),
  "Object ExceededLimit": row("value-too-large", "a vector is longer than the host allows"),
  "Value ArithDomain": row("arithmetic-overflow", "a number does not fit its type"),
  "Value InvalidInput": row(
    "value-type",
    "a value is malformed, or has a type that the host function does not accept",
    CHECK_TYPES,
  ),
  "Value UnexpectedType": row("value-type", "a value has the wrong type", CHECK_TYPES),
  "Value UnexpectedSize": row(
    "bytes-length",
    "bytes or a string have the wrong length",
    "Use exactly the length in the contract's specification.",
  ),
  "Value MissingValue": row("enum-case-unknown", "a value is not a case of its enum"),
  "Crypto InvalidInput": row(
    "crypto-input",
    "a cryptographic function was called with an invalid key, signature or point",
    "Check the encoding of keys, signatures and points.",
  ),
};

const BY_TYPE: Readonly<Record<string, HostErrorWords>> = {
  Contract: row(
    "contract-error",
    "a contract refused the call with this error number",
    "Look the number up among the errors of the contract that raised it.",
  ),
  WasmVm: row("wasm-error", "the contract's code failed in the VM"),
  Context: row("host-context", "the host could not continue in this context"),
  Storage: row("storage-error", "an access to a ledger entry failed"),
  Object: row("object-error", "the contract misused a host object"),
  Crypto: row("crypto-error", "a cryptographic check or input failed"),
  Events: row("events-error", "an event could not be emitted"),
  Budget: row("budget-exceeded", "the transaction exhausted its resources"),
  Value: row("value-error", "a value is not what the host expects"),
  Auth: row("authorization-failed", "authorization failed"),
};

/** The host ends a call with this error when it reaches an unexpected state. */
const INTERNAL_ERROR = row(
  "host-internal",
  "the host reached a state that should be impossible; the fault is in the ledger, the network's " +
    "settings or the host itself, or in a unit test in the test, such as storage that is used outside of a contract",
  "Report it to the maintainers of the network's software, with this transaction. In a unit test, read the message " +
    "of the log first.",
);

const INVALID_WASM = row(
  "wasm-invalid",
  "the code to upload is not wasm that the host accepts",
  "Build the code for the target wasm32v1-none, for this network's protocol.",
);

function row(kind: CauseKind, words: string, remedy: Wording | null = null): HostErrorWords {
  return { kind, words, remedy };
}

/** wasmi's TrapCode, and the words with which it prints each. */
export const TRAPS: Readonly<Record<string, readonly [words: string, printed: string]>> = {
  UnreachableCodeReached: [
    "usual reasons are a panic, an arithmetic overflow, a failed unwrap, or an argument of the wrong type",
    "wasm `unreachable` instruction executed",
  ],
  MemoryOutOfBounds: ["it read or wrote outside its memory", "out of bounds memory access"],
  TableOutOfBounds: [
    "it called through a table entry that does not exist",
    "undefined element: out of bounds table access",
  ],
  IndirectCallToNull: ["it called through an empty table entry", "uninitialized element 2"],
  IntegerDivisionByZero: ["it divided by zero", "integer divide by zero"],
  IntegerOverflow: ["an integer operation overflowed", "integer overflow"],
  BadConversionToInteger: [
    "a number could not be converted to an integer",
    "invalid conversion to integer",
  ],
  BadSignature: [
    "it called a function with a different signature through a table",
    "indirect call type mismatch",
  ],
  StackOverflow: ["its calls were nested too deeply", "call stack exhausted"],
  OutOfFuel: ["it exhausted its instructions", "all fuel consumed by WebAssembly"],
  GrowthOperationLimited: ["it may not have more memory", "growth operation limited"],
};

/**
 * A trap in words, by its name or by wasmi's text, alone or after `VM call trapped: `; null for
 * another text.
 */
export function trapInWords(
  text: string,
): { readonly name: string; readonly words: string } | null {
  const trapText = text.replace(/^(?:VM call trapped|wasm trap): /i, "").toLowerCase();
  const trapRow = Object.entries(TRAPS).find(
    ([name, [, printed]]) => name.toLowerCase() === trapText || printed === trapText,
  );
  return trapRow === undefined ? null : { name: trapRow[0], words: trapRow[1][0] };
}

/** Says whether the host's type and code have words of their own. */
export function isKnownError({ type, code }: HostError): boolean {
  return `${type} ${code}` in WORDS;
}

const TRAPPED_OR_INVALID = row(
  "wasm-error",
  "a contract's code trapped (a panic, an overflow or an unreachable instruction), or the code to " +
    "upload is not wasm that the host accepts",
  "If the transaction uploads code, build it for the target wasm32v1-none, for this network's " +
    "protocol. If it calls a contract, check the arguments and the state that the contract expects.",
);

/**
 * The error in words. `upload` is true if the transaction uploads code that has not run yet; null
 * if nothing shows whether it does.
 */
export function hostErrorInWords(error: HostError, upload: boolean | null = null): HostErrorWords {
  if (upload && error.type === "WasmVm") return INVALID_WASM;
  if (upload === null && error.type === "WasmVm" && error.code === "InvalidAction")
    return TRAPPED_OR_INVALID;
  if (error.contractCode === null && error.code === "InternalError") return INTERNAL_ERROR;
  return (
    WORDS[`${error.type} ${error.code}`] ??
    BY_TYPE[error.type] ??
    row("host-error", "the host reported an error")
  );
}
