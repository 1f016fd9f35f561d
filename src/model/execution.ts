// An Execution is what svc-sim reports about a run of the transaction on a Snapshot.
// 64-bit values are decimal strings. A failed operation is a value here, never an exception.

export type ExecutionOutcome =
  | { readonly kind: "success" }
  /** `code` is the XDR name of the operation's result code. */
  | { readonly kind: "failed"; readonly code: string }
  /** stellar-core would end the transaction with txINTERNAL_ERROR. */
  | { readonly kind: "internal_error"; readonly message: string };

export type LedgerChangeKind = "created" | "updated" | "removed" | "restored";

export interface LedgerChange {
  readonly kind: LedgerChangeKind;
  readonly keyXdr: string;
  readonly beforeXdr: string | null;
  readonly afterXdr: string | null;
}

export interface CostByType {
  /** ContractCostType name. */
  readonly type: string;
  readonly iterations: string;
  readonly inputs: string | null;
  readonly cpu: string;
  readonly memory: string;
}

/** One contract invocation, the root being the host function itself. */
export interface CallNode {
  /** `invoke` a contract function, `create` a contract, `upload` code, `host` the root. */
  readonly kind: string;
  /** Contract strkey (C…), or null. */
  readonly contract: string | null;
  readonly function: string | null;
  /** ScVal, base64. */
  readonly argumentsXdr: readonly string[];
  /** ScVal, base64; null when it did not return. */
  readonly resultXdr: string | null;
  readonly failed: boolean;
  /** Metered CPU instructions and memory bytes of this call and all calls below it. */
  readonly cpuInstructions: string;
  readonly memoryBytes: string;
  readonly calls: readonly CallNode[];
  /** In the order they were made; absent if they were not recorded. */
  readonly hostCalls?: readonly HostCall[];
  /** Number of host calls that were not recorded, because there were too many. */
  readonly hostCallsLeftOut?: number;
}

/** A call of a contract to a host function. */
export interface HostCall {
  /** Name in the host's interface, e.g. `get_contract_data`. */
  readonly function: string;
  /** ScVal, base64; null when the value was not available or too large. */
  readonly argumentsXdr: readonly (string | null)[];
  readonly resultXdr: string | null;
  readonly failed: boolean;
  /** 0: called by the contract. Higher: called by the host, within the host call before it. */
  readonly depth: number;
  /** Number of the node's `calls` that came before it. */
  readonly afterCalls: number;
  /** Includes the host calls within it, but not the contract calls that it started. */
  readonly cpuInstructions: string;
  readonly memoryBytes: string;
}

/** Where in a contract's code the transaction failed. A separate run finds it, not the replay. */
export type CodeLocation =
  | {
      readonly kind: "known";
      readonly contract: string;
      /** Hash of the contract's wasm, hex. */
      readonly codeHash: string;
      /** Where the source lines come from. */
      readonly linesFrom: "contract" | "given_wasm" | null;
      /** The innermost function first. */
      readonly frames: readonly CodeFrame[];
      readonly framesLeftOut: number;
    }
  | { readonly kind: "unknown"; readonly reason: string };

export interface CodeFrame {
  readonly functionIndex: number;
  readonly function: string | null;
  /** From the start of the code section's content; null when only the function is known. */
  readonly address: number | null;
  /** The innermost inlined function first; empty without debug information. */
  readonly sources: readonly SourcePlace[];
}

export interface SourcePlace {
  readonly function: string | null;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
}

/**
 * Whether the profile has the functions of the wasm. A separate run with instrumented code finds
 * them; the sums are those of the replay.
 */
export interface FunctionProfile {
  readonly available: boolean;
  /** Why the functions are missing, or some of them. */
  readonly reason: string | null;
}

/** The self cost of one stack; no other stack counts it again. */
export interface ProfileStack {
  /**
   * Outermost first: the kind of the host function; contracts, functions of their wasm (`wasm:…`)
   * and host calls as they nest; the cost type.
   */
  readonly frames: readonly string[];
  /** Metered CPU instructions. */
  readonly cpu: string;
  /** Metered memory, bytes. */
  readonly memory: string;
}

export interface HostError {
  readonly type: string;
  readonly code: string;
  readonly contractCode: number | null;
}

export interface Assumption {
  readonly what: string;
  readonly keyXdr: string | null;
  readonly value: string;
}

export interface Execution {
  readonly host: { readonly protocol: number; readonly crateVersion: string };
  readonly transactionHash: string;
  readonly operation: "invoke_host_function" | "extend_footprint_ttl" | "restore_footprint";
  readonly outcome: ExecutionOutcome;
  readonly operationResultXdr: string | null;
  readonly resultXdr: string | null;
  readonly successHash: string | null;
  readonly returnValueXdr: string | null;
  readonly changes: readonly LedgerChange[];
  readonly eventsXdr: readonly string[];
  readonly diagnosticsXdr: readonly string[];
  readonly hostError: HostError | null;
  readonly fees: {
    readonly resourceFeeStroops: string;
    readonly nonRefundableStroops: string;
    readonly rentStroops: string;
    readonly refundableConsumedStroops: string;
    readonly refundStroops: string;
  };
  /** stellar-core's `core_metrics` by name, without times. */
  readonly metrics: Readonly<Record<string, string>>;
  /** Only under protocol 20: `cpu_insn` as stellar-core before release 22 counts it. */
  readonly cpuInsnBefore22?: string;
  readonly limits: Readonly<Record<string, string>>;
  readonly costs: readonly CostByType[];
  readonly callTree: CallNode | null;
  /**
   * Null when it was not requested, and when nothing ran in the host. The sums of the stacks are
   * exactly the metrics `cpu_insn` and `mem_byte`.
   */
  readonly profile: readonly ProfileStack[] | null;
  /** Present only when the functions of the wasm were requested. */
  readonly functionProfile?: FunctionProfile;
  /** Present only when it was requested. */
  readonly location?: CodeLocation;
  readonly assumed: readonly Assumption[];
  readonly hostNanoseconds: number;
}
