// The digest of an execution in place of the execution: for callers that have the chain's record, and
// need more only where it differs (src/svc-sim/README.md, "Digest").

import * as v from "valibot";
import type { Execution } from "../model/execution.ts";
import { readAnswer, toFees } from "./read-response.ts";
import type { AnyRequest } from "./sent-entries.ts";
import type { SimulatorRun } from "./simulator-error.ts";
import { feesSchema, type ReplayRequest } from "./wire-schema.ts";

const digestSchema = v.object({
  format: v.literal(1),
  transaction_hash: v.string(),
  digest: v.nullable(v.string()),
  metrics_digest: v.string(),
  cpu_insn: v.nullable(v.string()),
  mem_byte: v.nullable(v.string()),
  host_error_type: v.nullable(v.string()),
  fees: feesSchema,
  assumed: v.array(v.unknown()),
});

export interface ExecutionDigest {
  readonly transactionHash: string;
  /** Hex; null when the fee that was charged before is unknown. */
  readonly digest: string | null;
  readonly metricsDigest: string;
  /** As in `Execution.metrics`; null where nothing is invoked. */
  readonly cpuInstructions: string | null;
  readonly memoryBytes: string | null;
  /** As `Execution.hostError`. */
  readonly hostErrorType: string | null;
  readonly fees: Execution["fees"];
  /** svc-sim had to assume something. */
  readonly assumed: boolean;
}

export function digestRequest(request: ReplayRequest): AnyRequest {
  return { ...request, options: { ...request.options, digest: true } } as AnyRequest;
}

/** Throws as `readResponse`. */
export function readDigest(document: unknown, text: string, run: SimulatorRun): ExecutionDigest {
  const answer = readAnswer(digestSchema, document, text, run);
  return {
    transactionHash: answer.transaction_hash,
    digest: answer.digest,
    metricsDigest: answer.metrics_digest,
    cpuInstructions: answer.cpu_insn,
    memoryBytes: answer.mem_byte,
    hostErrorType: answer.host_error_type,
    fees: toFees(answer.fees),
    assumed: answer.assumed.length > 0,
  };
}
