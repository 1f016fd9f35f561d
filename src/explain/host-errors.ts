// Errors of the contract host in plain words. Types and codes: Stellar-contract.x, SCErrorType and
// SCErrorCode.

import type { HostError } from "../model/execution.ts";

interface HostErrorWords {
  /** Stable name for machines. */
  readonly kind: string;
  /** A clause without a full stop. */
  readonly words: string;
  readonly remedy: string | null;
}

const SIMULATE = "Simulate the transaction again and send what the simulation declares.";

const WORDS: Readonly<Record<string, HostErrorWords>> = {
  "Budget ExceededLimit": {
    kind: "budget-exceeded",
    words: "it used up its instructions, memory or stack",
    remedy: "Declare more instructions (simulate again), or make the call do less.",
  },
  "Storage ExceededLimit": {
    kind: "footprint-miss",
    words: "it accessed a ledger entry outside its footprint",
    remedy: `${SIMULATE} The footprint must name every entry.`,
  },
  "Storage MissingValue": {
    kind: "missing-entry",
    words: "it read a ledger entry that does not exist",
    remedy: "Check that the contract is deployed and initialised, and the entry not expired.",
  },
  "Storage InvalidAction": {
    kind: "storage-action",
    words: "it used storage in a way that is not allowed, such as writing a read-only entry",
    remedy: SIMULATE,
  },
  "Auth InvalidAction": {
    kind: "authorization-missing",
    words: "an authorization that the contract requires was not given, or was refused",
    remedy: "Sign an authorization entry for that address and call, then send again.",
  },
  "Auth InvalidInput": {
    kind: "authorization-invalid",
    words: "an authorization entry is not valid: expired, or its signature does not fit",
    remedy: "Sign a new authorization entry with a later expiration ledger.",
  },
  "Auth ExistingValue": {
    kind: "authorization-reused",
    words: "the nonce of an authorization entry was used before",
    remedy: "Sign a new authorization entry with a fresh nonce.",
  },
  "WasmVm InvalidAction": {
    kind: "contract-panic",
    words: "the contract's code trapped: a panic, an overflow or an unreachable instruction",
    remedy: null,
  },
  "WasmVm MissingValue": {
    kind: "function-missing",
    words: "the contract has no function of that name",
    remedy: "Check the function's name and the contract's version.",
  },
  "WasmVm UnexpectedSize": {
    kind: "argument-count",
    words: "the function was called with another number of arguments than it takes",
    remedy: "Check the arguments against the contract's interface.",
  },
  "Context InvalidAction": {
    kind: "contract-action",
    words: "the contract did what the host does not allow there, such as calling itself again",
    remedy: null,
  },
};

const BY_TYPE: Readonly<Record<string, HostErrorWords>> = {
  Contract: {
    kind: "contract-error",
    words: "the contract refused the call with an error of its own",
    remedy: "Look the number up among the errors of the contract's interface.",
  },
  WasmVm: { kind: "wasm-error", words: "the contract's code failed in the VM", remedy: null },
  Context: {
    kind: "host-context",
    words: "the host could not go on in this context",
    remedy: null,
  },
  Storage: { kind: "storage-error", words: "an access to a ledger entry failed", remedy: null },
  Object: { kind: "object-error", words: "the contract misused a host object", remedy: null },
  Crypto: { kind: "crypto-error", words: "a cryptographic check or input failed", remedy: null },
  Events: { kind: "events-error", words: "an event could not be emitted", remedy: null },
  Budget: { kind: "budget-exceeded", words: "it used up its resources", remedy: null },
  Value: { kind: "value-error", words: "a value is not what the host expects", remedy: null },
  Auth: { kind: "authorization-failed", words: "authorization failed", remedy: null },
};

const INVALID_WASM: HostErrorWords = {
  kind: "wasm-invalid",
  words: "the code to upload is not wasm that the host accepts",
  remedy: "Build it for the target wasm32v1-none, for this network's protocol.",
};

/** `upload`: the transaction uploads code, which nothing has run yet. */
export function hostErrorInWords(error: HostError, upload = false): HostErrorWords {
  if (upload && error.type === "WasmVm") return INVALID_WASM;
  return (
    WORDS[`${error.type} ${error.code}`] ??
    BY_TYPE[error.type] ?? { kind: "host-error", words: "the host gave an error", remedy: null }
  );
}
