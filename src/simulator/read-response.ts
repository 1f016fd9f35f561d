// One response of svc-sim: JSON text → Execution or SvcError.
// Invariant: all output of svc-sim passes the schema before other code sees it.

import * as v from "valibot";
import type { CallNode, CodeLocation, Execution, HostCall } from "../model/execution.ts";
import { badAnswer, type SimulatorRun, simulatorError } from "./simulator-error.ts";
import {
  errorResponseSchema,
  responseSchema,
  type WireCallNode,
  type WireHostCall,
  type WireResponse,
} from "./wire-schema.ts";

/** The part of a response that is checked when svc passes the response on. */
const envelopeSchema = v.object({
  id: v.number(),
  format: v.literal(1),
  outcome: v.object({ kind: v.string() }),
});

/** How svc-sim begins a line. */
const ID = /^\{"id":(\d+),/;
/** How it begins the line of an execution; that of an error, or of a digest, is another. */
const EXECUTION = /^\{"id":\d+,(?="format":1,"host":\{)/;
/** How it ends that line; what was cut at another brace does not. */
const EXECUTION_END = /,"host_nanoseconds":\d+\}$/;
const LONGEST_END = 48;

/** The request that a line answers; NaN without a number. Throws SIMULATOR_INVALID_JSON. */
export function idOf(line: string, run: SimulatorRun): number {
  const begin = ID.exec(line)?.[1];
  if (begin !== undefined) return Number(begin);
  const id = (parseJson(line, run) as { id?: unknown } | null)?.id;
  return typeof id === "number" ? id : Number.NaN;
}

/** `read` for a line. Throws SIMULATOR_INVALID_JSON, and as `read`. */
export function parsed<Answer>(
  read: (document: unknown, line: string, run: SimulatorRun) => Answer,
): (line: string, run: SimulatorRun) => Answer {
  return (line, run) => read(parseJson(line, run), line, run);
}

/** Throws SIMULATOR_INVALID_JSON when `text` is not a JSON document. */
export function parseJson(text: string, run: SimulatorRun): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw badAnswer("is not JSON", text, run, cause);
  }
}

/**
 * Throws the error that svc-sim reports, with a code of the catalogue, or SIMULATOR_INVALID_JSON
 * when the document is neither a response nor an error. `text` is only shown in messages.
 */
export function readResponse(document: unknown, text: string, run: SimulatorRun): Execution {
  const response = readAnswer(responseSchema, document, text, run);
  const problem = profileProblem(response);
  if (problem !== null) throw badAnswer(problem, text, run);
  return toExecution(response);
}

/** As `readResponse`, for the answer of either build of svc-sim. */
export function readAnswer<Answer>(
  schema: v.GenericSchema<unknown, Answer>,
  document: unknown,
  text: string,
  run: SimulatorRun,
): Answer {
  if (isObject(document) && "error" in document) {
    const failure = v.safeParse(errorResponseSchema, document);
    if (!failure.success) throw badAnswer(firstIssue(failure.issues), text, run);
    throw simulatorError(failure.output.error, run);
  }
  const parsed = v.safeParse(schema, document, { abortEarly: true });
  if (!parsed.success) throw badAnswer(firstIssue(parsed.issues), text, run);
  return parsed.output;
}

/**
 * The response as svc-sim wrote it, without its `id`. An execution is known by how its line begins
 * and ends, and passes through: nothing here reads it. Throws as `readResponse`.
 */
export function readWire(line: string, run: SimulatorRun): string {
  const begin = EXECUTION.exec(line)?.[0];
  if (begin !== undefined && EXECUTION_END.test(line.slice(-LONGEST_END)))
    return `{${line.slice(begin.length)}`;
  const document = parseJson(line, run);
  if (isObject(document) && "error" in document) readResponse(document, line, run);
  const parsed = v.safeParse(envelopeSchema, document);
  if (!parsed.success) throw badAnswer(firstIssue(parsed.issues), line, run);
  const id = `{"id":${parsed.output.id},`;
  if (line.startsWith(id)) return `{${line.slice(id.length)}`;
  throw badAnswer("does not begin with its `id`", line, run);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function firstIssue(issues: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]): string {
  const path = v.getDotPath(issues[0]) ?? "the document";
  return `does not follow the protocol at \`${path}\`: ${issues[0].message}`;
}

/** A profile whose sums are not the metered totals would be misleading. */
function profileProblem({ profile, metrics }: WireResponse): string | null {
  if (profile === null) return null;
  for (const [part, metric] of [
    ["cpu", "cpu_insn"],
    ["memory", "mem_byte"],
  ] as const) {
    const sum = profile.stacks.reduce((total, stack) => total + BigInt(stack[part]), 0n);
    if (String(sum) !== metrics[metric])
      return `has a profile with ${sum} of \`${part}\`, but \`${metric}\` is ${metrics[metric]}`;
  }
  return null;
}

function toExecution(wire: WireResponse): Execution {
  return {
    host: { protocol: wire.host.protocol, crateVersion: wire.host.crate_version },
    transactionHash: wire.transaction_hash,
    operation: wire.operation,
    outcome: wire.outcome,
    operationResultXdr: wire.operation_result_xdr,
    resultXdr: wire.result_xdr,
    successHash: wire.success_hash,
    returnValueXdr: wire.return_value_xdr,
    changes: wire.changes.map((change) => ({
      kind: change.kind,
      keyXdr: change.key_xdr,
      beforeXdr: change.before_xdr,
      afterXdr: change.after_xdr,
    })),
    eventsXdr: wire.events_xdr,
    diagnosticsXdr: wire.diagnostics_xdr,
    hostError: wire.host_error && {
      type: wire.host_error.type,
      code: wire.host_error.code,
      contractCode: wire.host_error.contract_code,
    },
    fees: toFees(wire.fees),
    metrics: wire.metrics,
    ...(wire.cpu_insn_before_22 ? { cpuInsnBefore22: wire.cpu_insn_before_22 } : {}),
    limits: wire.limits,
    costs: wire.costs,
    callTree: wire.call_tree && toCallNode(wire.call_tree),
    profile: wire.profile?.stacks ?? null,
    ...(wire.profile?.functions ? { functionProfile: wire.profile.functions } : {}),
    ...(wire.location ? { location: toLocation(wire.location) } : {}),
    assumed: wire.assumed.map((assumption) => ({
      what: assumption.what,
      keyXdr: assumption.key_xdr,
      value: assumption.value,
    })),
    hostNanoseconds: wire.host_nanoseconds,
  };
}

export function toFees(wire: WireResponse["fees"]): Execution["fees"] {
  return {
    resourceFeeStroops: wire.resource_fee_stroops,
    nonRefundableStroops: wire.non_refundable_stroops,
    rentStroops: wire.rent_stroops,
    refundableConsumedStroops: wire.refundable_consumed_stroops,
    refundStroops: wire.refund_stroops,
  };
}

function toLocation(wire: NonNullable<WireResponse["location"]>): CodeLocation {
  if ("reason" in wire) return { kind: "unknown", reason: wire.reason };
  return {
    kind: "known",
    contract: wire.contract,
    codeHash: wire.code_hash,
    linesFrom: wire.lines_from,
    frames: wire.frames.map((frame) => ({
      functionIndex: frame.function_index,
      function: frame.function,
      address: frame.address,
      sources: frame.sources,
    })),
    framesLeftOut: wire.frames_left_out,
  };
}

function toCallNode(wire: WireCallNode): CallNode {
  return {
    kind: wire.kind,
    contract: wire.contract,
    function: wire.function,
    argumentsXdr: wire.arguments_xdr,
    resultXdr: wire.result_xdr,
    failed: wire.failed,
    cpuInstructions: wire.cpu_instructions,
    memoryBytes: wire.memory_bytes,
    calls: wire.calls.map(toCallNode),
    ...(wire.host_calls ? { hostCalls: wire.host_calls.map(toHostCall) } : {}),
    ...(wire.host_calls_left_out ? { hostCallsLeftOut: wire.host_calls_left_out } : {}),
  };
}

function toHostCall(wire: WireHostCall): HostCall {
  return {
    function: wire.function,
    argumentsXdr: wire.arguments_xdr,
    resultXdr: wire.result_xdr,
    failed: wire.failed,
    depth: wire.depth,
    afterCalls: wire.after_calls,
    cpuInstructions: wire.cpu_instructions,
    memoryBytes: wire.memory_bytes,
  };
}
