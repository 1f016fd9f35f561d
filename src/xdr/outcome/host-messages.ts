// The closed table of messages: texts by which the contract host, stellar-core and the asset
// contract report something → the kind of cause that a message shows by itself, and its facts. A
// fact is a named group of a pattern, or a value that comes with the message. The rows have no
// words for people: explain/host-messages/ has them, by the names of the rows. No other file knows
// what a message looks like; tool-messages.ts has those of tools. Messages of the host are
// constants of rs-soroban-env (soroban-env-host/src), those of stellar-core are named at their
// group.

import type { CauseKind } from "../../model/cause-kinds.ts";
import type { SorobanCode } from "../../model/result-code.ts";

interface MessageRow {
  /** A pattern; or several, of which a text is the beginning of a message. */
  readonly message: RegExp | readonly (RegExp | string)[];
  /** Absent: the message comes beside other errors. */
  readonly kind?: CauseKind;
  /** Names of the values that come with it, in order. */
  readonly values?: readonly string[];
  /** Result with which stellar-core ends the operation; absent: it trapped. */
  readonly result?: SorobanCode;
  /** It only passes on an error that was reported before. */
  readonly passesOn?: true;
  /** Its first value is a metered amount. */
  readonly isMetered?: true;
  /** The host wrote it while it recorded authorizations instead of checking them. */
  readonly isRecording?: true;
}

type MessageRows = Readonly<Record<string, MessageRow>>;

/** A feature of WebAssembly, as validators of code name those that they do not accept. */
function wasmFeature(before = ""): RegExp {
  const memory = "(?:bulk|multi|shared)[ -]memory|memory64";
  const values = "(?:reference[ -]types|multi[ -]value|mutable[ -]global|extended[ -]const)";
  const operations = "(?:sign[ -]extension|saturating[ -]float[- a-z]{0,20}|tail[ -]calls?)";
  const others = "threads|simd|exceptions";
  const feature = `(?<feature>(?:${memory}|${values}|${operations}|${others})(?: operations)?)`;
  return new RegExp(`${before}${feature}(?: support| proposal)? (?:is |are )?not enabled`, "i");
}

export const WASM_FEATURE = wasmFeature();

/** How the host reports that a call passes on the error of another. */
export const FRAMES = {
  "try-call-failed": { message: ["contract try_call failed"], passesOn: true },
  "call-failed": { message: ["contract call failed"], passesOn: true },
  "host-function-failed": {
    message: /^escalating error to VM trap from failed host function call: (?<function>\w{1,64})$/,
    passesOn: true,
  },
  "error-passed-on": { message: ["escalating error to "], passesOn: true },
  "error-returned": { message: ["escalating Ok(ScErrorType::Contract)"], passesOn: true },
  "error-passed-out": { message: ["escalating "], passesOn: true },
  "contract-failed": { message: ["failing with contract error"] },
  "constructor-failed": { message: /^constructor invocation has failed with error$/ },
  /** A log entry, and the only one that the host writes. */
  "vm-trap-logged": { message: /^VM call trapped with HostError$/ },
} as const satisfies MessageRows;

/** What a recording host reports after the error that ended its run: soroban-env-host, host.rs. */
export const AFTERWARDS = {
  "nothing-recorded": { message: ["previous invocation is missing"], isRecording: true },
} as const satisfies MessageRows;

/** What a contract called, and how its code ended. */
export const CALLS = {
  "function-unknown": {
    message: /^trying to invoke non-existent contract function/,
    kind: "function-missing",
  },
  "argument-count": {
    message: /MismatchingParameterLen|^wrong number of args/,
    kind: "argument-count",
  },
  trapped: { message: /^VM call trapped: (?<trap>\w{1,40})$/, kind: "contract-panic" },
  /** Only in a unit test, which runs the contract's Rust code without a VM: host/frame.rs. */
  "panicked-in-test": {
    message: /^caught error from (?:function|test contract frame)$/,
    kind: "contract-panic",
  },
  "value-not-converted": {
    message: /^failed to convert ScVal to host value$/,
    kind: "input-invalid",
  },
} as const satisfies MessageRows;

/** What the host of a unit test logs before it reports a panic: host/frame.rs. */
export const TEST_LOGS = {
  panic: {
    message:
      /^caught panic '(?<panic>[\s\S]{1,4000})' from (?:contract function|test contract frame)/,
  },
} as const satisfies MessageRows;

/** What of the budget ran out, where the VM shows it. */
export const BUDGETS = {
  stack: { message: /StackOverflow/, kind: "stack-exhausted" },
  memory: {
    message: /GrowthOperationLimited|OutOfBounds(Allocation|Growth)|GrowOutOfBounds/,
    kind: "memory-exceeded",
  },
  instructions: { message: /OutOfFuel/, kind: "budget-exceeded" },
} as const satisfies MessageRows;

/** Ledger entries that a transaction could not have: soroban-env-host, storage.rs. */
export const ENTRIES = {
  "outside-footprint": {
    message: /^trying to access (?<entry>[a-z ]{1,40}) outside of the footprint$/,
    kind: "footprint-miss",
  },
  "outside-footprint-in-part": { message: /outside of the footprint/, kind: "footprint-miss" },
  "instance-absent": {
    message: /^trying to get non-existing value for (?<entry>contract instance)/,
    kind: "contract-missing",
  },
  absent: {
    message: /^trying to get non-existing value(?: for (?<entry>[a-z ]{1,40})$)?/,
    kind: "missing-entry",
  },
  "contract-exists": { message: /^contract already exists$/, kind: "contract-exists" },
  /** stellar-core, InvokeHostFunctionOpFrame.cpp. */
  archived: {
    message: /^trying to access an archived(?: contract (?<type>code|data) entry$)?/,
    kind: "entry-archived",
    result: "entryArchived",
  },
} as const satisfies MessageRows;

/** Authorizations: soroban-env-host, auth.rs. The first value is the address. */
export const AUTHORIZATIONS = {
  missing: {
    message: /^Unauthorized function call for address/,
    kind: "authorization-missing",
    values: ["address"],
  },
  refused: {
    message: /^failed account authentication/,
    kind: "authorization-refused",
    values: ["address", "error"],
  },
  expired: {
    message: /^signature has expired/,
    kind: "authorization-expired",
    values: ["address", "ledger", "last"],
  },
  reused: {
    message: /^nonce already exists/,
    kind: "authorization-reused",
    values: ["address"],
  },
  "not-of-caller": {
    message: [
      "[recording authorization only] encountered unauthorized call for a contract earlier in the call stack",
    ],
    kind: "authorization-missing",
    values: ["address"],
    isRecording: true,
  },
  "not-of-root": {
    message: [
      "[recording authorization only] encountered authorization not tied to the root contract invocation",
    ],
    kind: "authorization-not-of-root",
    values: ["address"],
    isRecording: true,
  },
} as const satisfies MessageRows;

/** What the host checks of a classic account's signatures: account_contract.rs. */
export const ACCOUNT_CHECKS = {
  "not-a-signer": {
    message: /^signer does not belong to account$/,
    kind: "authorization-wrong-signer",
    values: ["key"],
  },
  weight: {
    message: /^signature weight is lower than threshold$/,
    kind: "authorization-weight",
    values: ["weight", "threshold"],
  },
  "no-signature": { message: /^no account signatures found$/, kind: "authorization-unsigned" },
  "too-many-signatures": {
    message: /^too many account signers$/,
    kind: "authorization-signatures",
  },
  "not-sorted": { message: /^public keys are not ordered$/, kind: "authorization-signatures" },
} as const satisfies MessageRows;

/** Limits of resources: stellar-core, InvokeHostFunctionOpFrame.cpp and its siblings. */
export const LIMITS = {
  instructions: limit(/^operation instructions exceeds/, "cpu-exceeded", { isMetered: true }),
  memory: limit(/^operation memory usage exceeds/, "memory-exceeded", { isMetered: true }),
  write: limit(/^operation byte-write resources/, "write-bytes-exceeded"),
  read: limit(/^operation byte-read resources/, "read-bytes-exceeded"),
  events: limit(/^total events size exceeds/, "events-size-exceeded"),
  result: limit(/^return value pushes events/, "events-size-exceeded"),
} as const satisfies MessageRows;

/**
 * What a transaction declares or has, above a limit of the network: stellar-core,
 * TransactionFrame::checkSorobanResources. The node refuses it before it runs (txSorobanInvalid).
 */
export const DECLARED_LIMITS = {
  instructions: declaredLimit(/^transaction instructions resources exceed/),
  read: declaredLimit(/^transaction byte-read resources exceed/),
  write: declaredLimit(/^transaction byte-write resources exceed/),
  footprint: declaredLimit(/^the number of entries in transaction footprint exceeds/),
  "disk-entries": declaredLimit(/^transaction entry-(?:disk-)?read resources exceed/),
  "written-entries": declaredLimit(/^transaction entry-write resources exceed/),
  key: declaredLimit(/^transaction footprint key exceeds/),
  size: declaredLimit(/^total transaction size exceeds/),
} as const satisfies MessageRows;

function declaredLimit(message: RegExp) {
  return { message, kind: "resource-limit-exceeded", values: ["declared", "allowed"] } as const;
}

/** Sizes of single entries: stellar-core, validateContractLedgerEntry, in TransactionUtils.cpp. */
export const ENTRY_SIZES = {
  data: limit(/^ContractData size exceeds network config maximum/, "entry-size-exceeded"),
  code: limit(/^Wasm size exceeds network config maximum/, "entry-size-exceeded"),
} as const satisfies MessageRows;

function limit<Kind extends CauseKind>(
  message: RegExp,
  kind: Kind,
  traits: Pick<MessageRow, "isMetered"> = {},
) {
  return {
    message,
    kind,
    values: ["used", "allowed"],
    result: "resourceLimitExceeded",
    ...traits,
  } as const;
}

/**
 * The parts of the refundable fee, in the order in which stellar-core charges them:
 * RefundableFeeTracker, in MutableTransactionResult.cpp.
 */
export const REFUNDABLE_FEES = {
  rent: refundable(/ to cover the ledger storage rent/),
  events: refundable(/ to cover the events fee after paying for ledger storage rent/),
  unknown: refundable(/^refundable resource fee/),
} as const satisfies MessageRows;

function refundable(message: RegExp) {
  return {
    message,
    kind: "insufficient-refundable-fee",
    values: ["needed", "left"],
    result: "insufficientRefundableFee",
  } as const;
}

/** What the host refused, where the message says it. */
export const REFUSALS = {
  "nothing-recorded": { ...AFTERWARDS["nothing-recorded"], kind: "simulation-refused" },
  "re-entry": { message: /^Contract re-entry is not allowed$/, kind: "contract-re-entry" },
  /** A call from outside, such as a line of a unit test. */
  "outside-a-contract": { message: /^no contract running$/, kind: "contract-action" },
  /** Only in a unit test: host_object.rs. */
  "object-of-other-host": {
    message: /^unknown object reference$/,
    kind: "contract-action",
  },
  /** The settings of a test or of a local network: host.rs. */
  "ledger-protocol-old": {
    message: /^ledger protocol version too old for host$/,
    kind: "host-internal",
    values: ["protocol"],
  },
  "ledger-protocol-new": {
    message: /^ledger protocol version too new for host$/,
    kind: "host-internal",
    values: ["protocol"],
  },
  "required-twice": { message: /^frame is already authorized$/, kind: "contract-action" },
  "returned-host-error": {
    message: ["frame-exit with Ok(Error) carrying a non-ScErrorType::Contract Error"],
    kind: "contract-action",
  },
  "failed-with-host-error": {
    message: /^contract attempted to fail with non-ContractError/,
    kind: "contract-action",
    values: ["error"],
  },
  "reserved-function": {
    message: /^can't invoke a reserved function directly$/,
    kind: "reserved-function",
    values: ["function"],
  },
  "asset-function-unknown": {
    message: /^calling unknown contract function$/,
    kind: "function-missing",
    values: ["function"],
  },
  "not-a-contract": {
    message: /^(not a contract address|invoked address doesn't belong to a contract)$/,
    kind: "not-a-contract",
  },
  "only-in-check-auth": {
    message: /can only be called from within `__check_auth`/,
    kind: "contract-action",
  },
  "no-constructor": {
    message: /^trying to call non-default constructor/,
    kind: "constructor-missing",
  },
  "constructor-returned": {
    message: /^constructor returned non-void value$/,
    kind: "constructor-result",
    values: ["value"],
  },
  "value-too-deep": {
    message: [/^(failed to convert host value to ScVal|LengthLimitExceeded)$/, "DepthLimit"],
    kind: "value-too-deep",
  },
  "index-out-of-bounds": {
    message: /^(object index out of bounds|bytes_\w+ out of bounds)$/,
    kind: "index-out-of-bounds",
    values: ["position"],
  },
  "slice-backwards": {
    message: /^start index greater than end index$/,
    kind: "index-out-of-bounds",
  },
  "vector-too-long": { message: /^vector size limit exceeded$/, kind: "value-too-large" },
  "map-key-not-found": {
    message: /^map key not found in map_(get|del)$/,
    kind: "map-key-missing",
    values: ["map", "key"],
  },
  "integer-overflow": {
    message: /^(overflow has occurred|arithmetic overflow)$/,
    kind: "arithmetic-overflow",
  },
  "fields-differ": {
    message: [
      /^(differing .* lengths?|key not found in map|keys (are )?not in ascending order)/,
      "fewer keys than output values",
    ],
    kind: "value-shape",
  },
  "bytes-length": {
    message: [
      "expected fixed-length bytes slice",
      "expected 32-byte BytesObject",
      "Bytes had unexpected size",
      "String had unexpected size",
      "Unexpected size of BytesObject",
    ],
    kind: "bytes-length",
  },
  "map-not-sorted": { message: /^ScMap was not sorted by key/, kind: "value-invalid" },
  "symbol-invalid": {
    message: /^(byte is not allowed in Symbol|slice is too long to be represented as Symbol)/,
    kind: "symbol-invalid",
  },
  "case-unknown": { message: /^symbol not found in/, kind: "enum-case-unknown" },
  "address-invalid": {
    message:
      /^(couldn't process the string as strkey|incorrect strkey type|strkey is not an? .+|unexpected strkey length|Unexpected ScAddress type for strkey encoding)$/,
    kind: "address-invalid",
  },
  "address-kind": {
    message: [
      "encountered unsupported ScAddress type",
      "encountered ScAddress variant not supported",
      "muxed addresses should not be used",
    ],
    kind: "address-kind",
  },
  "extension-threshold": {
    message: /^threshold must be <= extend_to$/,
    kind: "ttl-extension",
    values: ["threshold", "target"],
  },
  "extension-maximum": {
    message: /^max_extension must be >= min_extension$/,
    kind: "ttl-extension",
  },
  "extension-temporary": {
    message: /^trying to extend temporary entry past max TTL/,
    kind: "ttl-extension",
    values: ["wanted", "allowed"],
  },
  "extension-instance": {
    message: /^instance storage should be extended via/,
    kind: "ttl-extension",
  },
  "code-not-uploaded": { message: /^Wasm does not exist$/, kind: "code-missing" },
  "executable-missing": {
    message: /^executable reference entry does not exist$/,
    kind: "code-missing",
    values: ["contract", "tag"],
  },
  "executable-reference": { message: /^executable reference /, kind: "executable-reference" },
  "vm-argument-count": {
    message: /^VM call failed: Func\(MismatchingParameterLen\)$/,
    kind: "argument-count",
    values: ["function"],
  },
  "vm-call-failed": { message: /^VM call failed: /, kind: "wasm-error" },
  "signature-not-verified": {
    message: [
      /^failed (ED25519|secp256[a-z0-9]*) verification$/i,
      /^ECDSA-secp256k1 signature recovery failed$/i,
    ],
    kind: "signature-invalid",
  },
  "ml-dsa-not-verified": {
    message: /^failed verification$/,
    kind: "signature-invalid",
    values: ["set"],
  },
  "ml-dsa-key-length": {
    message: /^invalid verifying key length$/,
    kind: "signature-input",
    values: ["set", "length", "given"],
  },
  "ml-dsa-signature-length": {
    message: /^invalid signature length$/,
    kind: "signature-input",
    values: ["set", "length", "given"],
  },
  "ml-dsa-signature-malformed": {
    message: /^malformed signature$/,
    kind: "signature-input",
    values: ["set"],
  },
  "ml-dsa-context-length": {
    message: /^context is too long$/,
    kind: "signature-input",
    values: ["set", "most", "given"],
  },
  "key-malformed": {
    message: /^(invalid (ed25519 public key|length of ed25519 public key|ECDSA)|ECDSA signature )/,
    kind: "signature-input",
  },
  "crypto-input": {
    message: [
      "bls12-381",
      "bn254",
      "field element",
      "scalar inversion",
      "final_exponentiation",
      "hash_to_curve",
      "multi-pairing",
      "pairing",
      "G1 msm",
      "G2 msm",
      "poseidon",
      "Poseidon",
      "hash-to-curve",
      "length mismatch between input array",
      "element must be U256Val",
    ],
    kind: "crypto-input",
  },
  "function-too-new": {
    message: /^contract calls a host function not yet supported by current protocol$/,
    kind: "protocol-too-old",
  },
  "function-withdrawn": {
    message: /^contract calls a host function no longer supported/,
    kind: "protocol-too-new",
  },
  "code-protocol": {
    message: [
      "contract protocol number is newer than host",
      "contract pre-release number",
      "contract missing environment interface version",
      "contract missing metadata section",
    ],
    kind: "wasm-protocol",
  },
  "code-feature": {
    message: wasmFeature('^(?:(?:Module|Translation)[^\n]{0,300}")?'),
    kind: "wasm-invalid",
  },
  "code-invalid": {
    message: [
      "Linker(",
      "Module(",
      "wasmi::Module",
      "unsupported complex Wasm",
      "unsupported non-core wasm",
      "Too many arguments",
      "Too many return values",
      "no linear memory",
      "trying to invoke Wasm export",
    ],
    kind: "wasm-invalid",
  },
  "code-too-large": {
    message: /^(Wasm code is too large|contract code size)/,
    kind: "wasm-invalid",
  },
  "memory-out-of-bounds": {
    message: /^out-of-bounds access to WASM linear memory/,
    kind: "memory-out-of-bounds",
  },
  "asset-code": { message: /^asset code/, kind: "asset-invalid" },
  "preimage-not-allowed": {
    message: /^(address|asset) preimage is not allowed/,
    kind: "deployment-invalid",
  },
  delegate: {
    message: /^(delegated signer|delegate_account_auth|no delegated signers)/,
    kind: "authorization-delegate",
  },
  "expiration-too-late": {
    message: /^signature expiration is too late$/,
    kind: "authorization-expiration",
    values: ["address", "latest", "asked"],
  },
} as const satisfies MessageRows;

/** What the Stellar asset contract refused: builtin_contracts/stellar_asset_contract. */
export const ASSET_ERRORS = {
  "balance-out-of-range": {
    message: /^resulting balance is not within the allowed range$/,
    kind: "token-balance",
    values: ["least", "balance", "most"],
  },
  "balance-too-small": {
    message: /^balance is not sufficient to spend$/,
    kind: "token-balance",
    values: ["balance", "amount"],
  },
  "no-balance": {
    message: /^zero balance is not sufficient/,
    kind: "token-balance",
    values: ["amount"],
  },
  "balance-overflow": { message: /^resulting balance overflow$/, kind: "token-overflow" },
  "balance-frozen": { message: /^balance is deauthorized$/, kind: "token-frozen" },
  "allowance-too-small": {
    message: /^not enough allowance to spend$/,
    kind: "token-allowance",
    values: ["allowance", "amount"],
  },
  "allowance-too-long": {
    message: /^live_until is greater than max/,
    kind: "token-allowance-expiration",
    values: ["until", "latest"],
  },
  "allowance-in-past": {
    message: /^live_until must be >= ledger sequence$/,
    kind: "token-allowance-expiration",
    values: ["until", "ledger"],
  },
  "amount-negative": {
    message: /^negative amount is not allowed$/,
    kind: "token-amount",
    values: ["amount"],
  },
  "account-missing": {
    message: /^account entry is missing$/,
    kind: "account-missing",
    values: ["account"],
  },
  "trustline-missing": {
    message: /^trustline entry is missing for account$/,
    kind: "trustline-missing",
    values: ["account"],
  },
  "below-minimum-balance": {
    message: /^transfer amount is below minimum balance for new account$/,
    kind: "account-reserve",
    values: ["amount", "least"],
  },
  "reserve-for-trustline": {
    message: /^account has insufficient reserve for new trustline$/,
    kind: "account-reserve",
  },
  "subentries-full": {
    message: /^account has reached maximum number of sub-entries$/,
    kind: "account-subentries",
  },
  "not-clawbackable": {
    message: /^(trustline|balance) isn't clawbackable$/,
    kind: "token-clawback",
  },
  "nothing-to-claw-back": { message: /^no balance to clawback$/, kind: "token-clawback" },
  "not-revocable": {
    message: /^issuer does not have AUTH_REVOCABLE set$/,
    kind: "token-unsupported",
  },
  "of-issuer": {
    message:
      /^(operation invalid on issuer|issuer doesn't have a trustline|cannot (clawback from|create trustline for) issuer)$/,
    kind: "token-unsupported",
  },
  "of-native": {
    message:
      /^(operation invalid on|cannot clawback|trust operation is not supported for) native asset$/,
    kind: "token-unsupported",
  },
  "no-native-trustline": { message: /^expected trustline asset$/, kind: "token-unsupported" },
  "already-initialized": {
    message: /^StellarAssetContract has been already initialized$/,
    kind: "contract-exists",
  },
  "amount-overflow": {
    message: [
      /^(allowance overflowed|(resulting )?balance overflow|overflow$)/,
      /^((spent|received) amount is )?too large for an i64/,
    ],
    kind: "token-overflow",
  },
} as const satisfies MessageRows;

/** A message that a group of rows has. */
export interface KnownMessage<Id extends string = string> {
  readonly id: Id;
  readonly row: MessageRow;
  /** The named groups of its pattern that the text has. */
  readonly facts: Readonly<Record<string, string | undefined>>;
  /** The part of the text that the pattern describes. */
  readonly text: string;
}

/** The first row of the group that describes the text; null: none does. */
export function messageIn<Group extends MessageRows>(
  group: Group,
  text: string | undefined,
): KnownMessage<keyof Group & string> | null {
  if (text === undefined) return null;
  for (const [id, row] of Object.entries(group)) {
    for (const pattern of [row.message].flat()) {
      if (typeof pattern === "string") {
        if (text.startsWith(pattern)) return { id, row, facts: {}, text };
        continue;
      }
      const match = pattern.exec(text);
      if (match !== null) return { id, row, facts: match.groups ?? {}, text: match[0] };
    }
  }
  return null;
}

/** Groups whose rows show a kind of cause by themselves; the more precise ones come first. */
const BY_THEMSELVES: readonly MessageRows[] = [
  ASSET_ERRORS,
  REFUSALS,
  LIMITS,
  DECLARED_LIMITS,
  ENTRY_SIZES,
  REFUNDABLE_FEES,
  AUTHORIZATIONS,
  ACCOUNT_CHECKS,
  ENTRIES,
  CALLS,
];

/** The kind of cause that a message of the host or of stellar-core shows; null: none. */
export function kindOfMessage(text: string): CauseKind | null {
  for (const group of BY_THEMSELVES) {
    const kind = messageIn(group, text)?.row.kind;
    if (kind !== undefined) return kind;
  }
  return null;
}

/** The result that stellar-core gives to an operation with this message; null: it trapped. */
export function resultOfMessage(text: string): SorobanCode | null {
  for (const group of [LIMITS, ENTRY_SIZES, REFUNDABLE_FEES, ENTRIES]) {
    const result = messageIn<MessageRows>(group, text)?.row.result;
    if (result !== undefined) return result;
  }
  return null;
}
