// An Execution is the report of svc-sim about a run of the transaction on a Snapshot. Its schema
// reads svc-sim's response (src/svc-sim/README.md). 64-bit values are decimal strings. A failed
// operation is a value here, never an exception.
// The schemas are shallow because `svc verify` parses thousands of responses: strings are not
// decoded here, since the judge compares bytes and need not know that they are XDR.

import * as v from "valibot";
import { decimal, type Parsed, uint32, wireObject } from "../base/wire.ts";
import { camelCase } from "./result-code.ts";
import { whySchema } from "./why.ts";

const text = v.string();
const textOrNull = v.nullable(text);
const texts = v.array(text);
const numberOrNull = v.nullable(uint32);
/** Limits are 32 bits wide, so a metered amount is a safe integer of at most 15 digits. */
const metered = v.pipe(text, v.regex(/^\d{1,15}$/, "must be a metered amount"));

export const hostSchema = wireObject({ protocol: v.number(), crate_version: text });

const XDR_CODE = /^(INVOKE_HOST_FUNCTION|EXTEND_FOOTPRINT_TTL|RESTORE_FOOTPRINT)_([A-Z_]+)$/;

/** `INVOKE_HOST_FUNCTION_TRAPPED` → the operation and its code. */
const failedSchema = v.pipe(
  v.object({
    kind: v.literal("failed"),
    code: v.pipe(text, v.regex(XDR_CODE, "must be the name of an operation's result code")),
  }),
  v.transform(({ kind, code: name }) => {
    const [, operation = "", code = ""] = XDR_CODE.exec(name) ?? [];
    return { kind, operation: camelCase(operation), code: camelCase(code) };
  }),
);

const outcomeSchema = v.variant("kind", [
  v.object({ kind: v.literal("success") }),
  failedSchema,
  /** stellar-core would end the transaction with txINTERNAL_ERROR. */
  v.object({ kind: v.literal("internal_error"), message: text }),
]);
export type ExecutionOutcome = Parsed<typeof outcomeSchema>;

const changeSchema = wireObject({
  kind: v.picklist(["created", "updated", "removed", "restored"]),
  key_xdr: text,
  before_xdr: textOrNull,
  after_xdr: textOrNull,
});
export type LedgerChange = Parsed<typeof changeSchema>;

const costSchema = v.object({
  /** The name of the ContractCostType. */
  type: text,
  iterations: text,
  inputs: textOrNull,
  cpu: text,
  memory: text,
});
export type CostByType = Parsed<typeof costSchema>;

/** A call of a contract to a host function. */
const hostCallSchema = wireObject({
  /** The name in the host's interface, such as `get_contract_data`. */
  function: text,
  /** An ScVal in base64; null if the value was not available or too large. */
  arguments_xdr: v.array(textOrNull),
  result_xdr: textOrNull,
  failed: v.boolean(),
  /**
   * 0 for a call by the contract. Higher for a call by the host, within the host call before it.
   */
  depth: uint32,
  /** The number of the node's `calls` that came before this one. */
  after_calls: uint32,
  /**
   * The cost of the call with the host calls within it, but without the contract calls that it
   * started.
   */
  cpu_instructions: decimal,
  memory_bytes: decimal,
});
export type HostCall = Parsed<typeof hostCallSchema>;

const callFields = {
  /** `invoke` a contract function, `create` a contract, `upload` code, `host` the root. */
  kind: text,
  /** A contract strkey (C…), or null. */
  contract: textOrNull,
  function: textOrNull,
  /** ScVal, base64. */
  arguments_xdr: texts,
  /** An ScVal in base64; null if the call did not return. */
  result_xdr: textOrNull,
  failed: v.boolean(),
  /** Metered CPU instructions and memory bytes of this call and all calls below it. */
  cpu_instructions: text,
  memory_bytes: text,
  /** The host calls in the order in which they were made; absent if they were not recorded. */
  host_calls: v.exactOptional(v.array(hostCallSchema)),
  /** The number of host calls that were not recorded, because there were too many. */
  host_calls_left_out: v.exactOptional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
};
const callAlone = wireObject(callFields);

/** One contract invocation. The root is the host function itself. */
export interface CallNode extends Parsed<typeof callAlone> {
  readonly calls: readonly CallNode[];
}
const callNodeSchema: v.GenericSchema<unknown, CallNode> = wireObject({
  ...callFields,
  calls: v.array(v.lazy(() => callNodeSchema)),
});

/** Returns the calls from the root down to the innermost one that failed; empty if none failed. */
export function failedPath(root: CallNode | null): readonly CallNode[] {
  if (!root?.failed) return [];
  return [root, ...failedPath(root.calls.findLast(({ failed }) => failed) ?? null)];
}

const sourcePlaceSchema = v.object({
  function: textOrNull,
  file: textOrNull,
  line: numberOrNull,
  column: numberOrNull,
});

const frameSchema = wireObject({
  function_index: uint32,
  function: textOrNull,
  /** The offset in the code section's content; null if only the function is known. */
  address: numberOrNull,
  /** The innermost inlined function first; empty without debug information. */
  sources: v.array(sourcePlaceSchema),
});
export type CodeFrame = Parsed<typeof frameSchema>;

/**
 * The place in a contract's code where the transaction failed. A separate run finds it, not the
 * replay.
 */
const locationSchema = v.union([
  v.pipe(
    v.object({ reason: text }),
    v.transform(({ reason }) => ({ kind: "unknown" as const, reason })),
  ),
  v.pipe(
    wireObject({
      contract: text,
      /** The hash of the contract's wasm, hex. */
      code_hash: text,
      /** The source of the lines. */
      lines_from: v.nullable(v.picklist(["contract", "given_wasm"])),
      /** The innermost function first. */
      frames: v.array(frameSchema),
      frames_left_out: uint32,
    }),
    v.transform((location) => ({ kind: "known" as const, ...location })),
  ),
]);
export type CodeLocation = Parsed<typeof locationSchema>;

/**
 * A frame of a profile: the host function that the transaction invoked, a contract (`C…:function`),
 * a function of its wasm, a host call, or a cost type. `other` has the costs of no cost type.
 */
const profileFrameSchema = v.object({
  name: text,
  kind: v.picklist(["entry", "contract", "function", "host", "cost", "other"]),
});
export type ProfileFrame = Parsed<typeof profileFrameSchema>;

/** The self cost of one stack, which no other stack counts again. */
const stackSchema = v.object({
  /** The frames from the outermost one. The last is a cost type, or `other` alone. */
  frames: v.pipe(v.array(profileFrameSchema), v.nonEmpty()),
  /** Metered CPU instructions. */
  cpu: metered,
  /** Metered memory, bytes. */
  memory: metered,
});
export type ProfileStack = Parsed<typeof stackSchema>;

/**
 * Tells whether the profile separates the functions of the wasm. They are counted when the code is
 * run again, and the sums are those of the replay. `reason` says why some or all of them are
 * missing.
 */
const functionProfileSchema = v.object({ available: v.boolean(), reason: textOrNull });
export type FunctionProfile = Parsed<typeof functionProfileSchema>;

const hostErrorSchema = wireObject({
  type: text,
  code: text,
  contract_code: v.nullable(v.number()),
});
export type HostError = Parsed<typeof hostErrorSchema>;

/** The branches that one call of a contract's code took. */
const takenBranchesSchema = wireObject({
  contract: textOrNull,
  function: text,
  /** A hash over the branches and their sides, hex; null if the code could not run again. */
  taken: textOrNull,
});

const feesSchema = wireObject({
  resource_fee_stroops: text,
  non_refundable_stroops: text,
  rent_stroops: text,
  refundable_consumed_stroops: text,
  refund_stroops: text,
});

/** A response without `error`. Unknown fields are ignored: svc-sim may be newer than svc. */
export const executionSchema = v.pipe(
  wireObject({
    format: v.literal(1),
    host: hostSchema,
    transaction_hash: text,
    operation: v.picklist(["invoke_host_function", "extend_footprint_ttl", "restore_footprint"]),
    outcome: outcomeSchema,
    operation_result_xdr: textOrNull,
    result_xdr: textOrNull,
    success_hash: textOrNull,
    return_value_xdr: textOrNull,
    changes: v.array(changeSchema),
    events_xdr: texts,
    diagnostics_xdr: texts,
    host_error: v.nullable(hostErrorSchema),
    fees: feesSchema,
    /** stellar-core's `core_metrics` by name, without times. */
    metrics: v.record(text, text),
    /** Present under protocol 20: `cpu_insn` as stellar-core before release 22 counts it. */
    cpu_insn_before_22: v.exactOptional(text),
    limits: v.record(text, text),
    costs: v.array(costSchema),
    call_tree: v.nullable(callNodeSchema),
    profile: v.nullish(
      v.object({ stacks: v.array(stackSchema), functions: v.exactOptional(functionProfileSchema) }),
      null,
    ),
    /** Present only if it was requested. */
    location: v.exactOptional(locationSchema),
    /** Present only if it was requested, and is known. */
    why: v.exactOptional(whySchema),
    branch_taken: v.exactOptional(uint32),
    /** Present only if it was requested, and the run could be recorded. */
    branches: v.exactOptional(v.array(takenBranchesSchema)),
    assumed: v.array(wireObject({ what: text, key_xdr: textOrNull, value: text })),
    host_nanoseconds: v.number(),
  }),
  v.transform(({ format: _, profile, ...execution }) => ({
    ...execution,
    /**
     * Null if it was not requested, or if nothing ran in the host. The sums of the stacks are
     * exactly the metrics `cpu_insn` and `mem_byte`.
     */
    profile: profile?.stacks ?? null,
    /** Present only if the functions of the wasm were requested. */
    ...(profile?.functions && { functionProfile: profile.functions }),
  })),
);
export type Execution = Parsed<typeof executionSchema>;
