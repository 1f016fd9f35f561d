// Errors of the contract host in plain words, by type and code: for those whose message is not at
// hand or not known. Types and codes: Stellar-contract.x, SCErrorType and SCErrorCode.

import type { HostError } from "../../model/execution.ts";

interface HostErrorWords {
  /** Stable name for machines. */
  readonly kind: string;
  /** A clause without a full stop. */
  readonly words: string;
  readonly remedy: string | null;
}

const SIMULATE = "Simulate the transaction again and send what the simulation declares.";
const CHECK_TYPES = "Check the arguments against the types of the contract's specification.";

const WORDS: Readonly<Record<string, HostErrorWords>> = {
  "Budget ExceededLimit": row(
    "budget-exceeded",
    "it used up its instructions, memory or stack",
    "Declare more instructions (simulate again), or make the call do less.",
  ),
  "Storage ExceededLimit": row(
    "footprint-miss",
    "it accessed a ledger entry outside its footprint",
    `${SIMULATE} The footprint must name every entry.`,
  ),
  "Storage MissingValue": row(
    "missing-entry",
    "it read a ledger entry that does not exist",
    "Check that the contract is deployed and initialised, and the entry not expired.",
  ),
  "Storage ExistingValue": row("entry-exists", "it made a ledger entry that exists already"),
  "Storage InvalidAction": row(
    "storage-action",
    "it used storage in a way that is not allowed, such as writing a read-only entry",
    SIMULATE,
  ),
  "Storage InvalidInput": row("storage-input", "it asked storage for what cannot be"),
  "Auth InvalidAction": row(
    "authorization-missing",
    "an authorization that the contract requires was not given, or was refused",
    "Sign an authorization entry for that address and call, then send again.",
  ),
  "Auth InvalidInput": row(
    "authorization-invalid",
    "an authorization entry is not valid: expired, or its signature does not fit",
    "Sign a new authorization entry with a later expiration ledger.",
  ),
  "Auth ExistingValue": row(
    "authorization-reused",
    "the nonce of an authorization entry was used before",
    "Sign a new authorization entry with a fresh nonce.",
  ),
  "WasmVm InvalidAction": row(
    "contract-panic",
    "the contract's code trapped: a panic, an overflow or an unreachable instruction",
  ),
  "WasmVm InvalidInput": row(
    "wasm-invalid",
    "the contract's code is not wasm that the host accepts",
    "Build it for the target wasm32v1-none, for this network's protocol.",
  ),
  "WasmVm MissingValue": row(
    "function-missing",
    "the contract has no function of that name",
    "Check the function's name and the contract's version.",
  ),
  "WasmVm UnexpectedSize": row(
    "argument-count",
    "the function was called with another number of arguments than it takes",
    "Check the arguments against the contract's interface.",
  ),
  "WasmVm UnexpectedType": row(
    "wasm-error",
    "the contract's code has a function of another type than is called",
  ),
  "WasmVm IndexBounds": row(
    "memory-out-of-bounds",
    "the contract's code reached outside its memory or tables",
  ),
  "WasmVm ArithDomain": row(
    "arithmetic-overflow",
    "the contract's code divided by zero, or a number did not fit its type",
  ),
  "Context InvalidAction": row(
    "contract-action",
    "the contract did what the host does not allow there, such as calling itself again",
  ),
  "Context ExceededLimit": row(
    "value-too-deep",
    "a value or the calls were nested too deep",
    "Make values flatter, and contracts call each other less deep.",
  ),
  "Context UnexpectedType": row(
    "contract-action",
    "the contract failed with an error that is not a contract's to give",
    "Fail with errors of the contract's own error enum.",
  ),
  "Context MissingValue": row(
    "function-missing",
    "the contract has no function of that name",
    "Check the function's name.",
  ),
  "Object IndexBounds": row(
    "index-out-of-bounds",
    "it looked beyond the end of a vector, map or bytes",
    "Check that what it takes from is not empty or too short.",
  ),
  "Object MissingValue": row(
    "map-key-missing",
    "it looked up a key that a map does not have",
    "Check the arguments or the stored map: the contract expects that key.",
  ),
  "Object ArithDomain": row(
    "arithmetic-overflow",
    "an integer operation overflowed or divided by zero",
    "Check the amounts that were given.",
  ),
  "Object UnexpectedSize": row(
    "value-shape",
    "a map, vector or bytes have another size than is read",
    CHECK_TYPES,
  ),
  "Object UnexpectedType": row(
    "value-type",
    "a host object is of another type than is needed there",
    CHECK_TYPES,
  ),
  "Object InvalidInput": row("value-invalid", "a host object cannot be made of what was given"),
  "Object ExceededLimit": row("value-too-large", "a vector is longer than the host allows"),
  "Value ArithDomain": row("arithmetic-overflow", "a number does not fit its type"),
  "Value InvalidInput": row(
    "value-type",
    "a value is malformed, or of another type than the host function takes",
    CHECK_TYPES,
  ),
  "Value UnexpectedType": row(
    "value-type",
    "a value is of another type than is needed there",
    CHECK_TYPES,
  ),
  "Value UnexpectedSize": row(
    "bytes-length",
    "bytes or a string have another length than is needed there",
    "Give exactly the length that the contract's specification names.",
  ),
  "Value MissingValue": row("enum-case-unknown", "a value is no case of the enum it is read as"),
  "Crypto InvalidInput": row(
    "crypto-input",
    "a cryptographic function was given a key, signature or point that it cannot take",
    "Check how keys, signatures and points are encoded.",
  ),
};

const BY_TYPE: Readonly<Record<string, HostErrorWords>> = {
  Contract: row(
    "contract-error",
    "the contract refused the call with an error of its own",
    "Look the number up among the errors of the contract's interface.",
  ),
  WasmVm: row("wasm-error", "the contract's code failed in the VM"),
  Context: row("host-context", "the host could not go on in this context"),
  Storage: row("storage-error", "an access to a ledger entry failed"),
  Object: row("object-error", "the contract misused a host object"),
  Crypto: row("crypto-error", "a cryptographic check or input failed"),
  Events: row("events-error", "an event could not be emitted"),
  Budget: row("budget-exceeded", "it used up its resources"),
  Value: row("value-error", "a value is not what the host expects"),
  Auth: row("authorization-failed", "authorization failed"),
};

/** A host that finds itself in a state it does not know of ends the call so. */
const INTERNAL_ERROR = row(
  "host-internal",
  "the host met a state that should not be: the ledger, the network's settings or the host itself",
  "Report it to the maintainers of the network's software, with this transaction.",
);

const INVALID_WASM = row(
  "wasm-invalid",
  "the code to upload is not wasm that the host accepts",
  "Build it for the target wasm32v1-none, for this network's protocol.",
);

function row(kind: string, words: string, remedy: string | null = null): HostErrorWords {
  return { kind, words, remedy };
}

/** `upload`: the transaction uploads code, which nothing has run yet. */
export function hostErrorInWords(error: HostError, upload = false): HostErrorWords {
  if (upload && error.type === "WasmVm") return INVALID_WASM;
  if (error.contractCode === null && error.code === "InternalError") return INTERNAL_ERROR;
  return (
    WORDS[`${error.type} ${error.code}`] ??
    BY_TYPE[error.type] ??
    row("host-error", "the host gave an error")
  );
}
