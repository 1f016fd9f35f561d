// The digest of an execution in place of the execution: for callers that have the chain's record, and
// need more only where it differs (src/svc-sim/README.md, "Digest").

import * as v from "valibot";
import { feesSchema } from "../model/execution.ts";
import { type Parsed, wireObject } from "../model/wire.ts";
import { readAnswer } from "./read-response.ts";
import type { AnyRequest } from "./sent-entries.ts";
import type { SimulatorRun } from "./simulator-error.ts";
import type { ReplayRequest } from "./wire-schema.ts";

const digestSchema = wireObject({
  format: v.literal(1),
  transaction_hash: v.string(),
  /** Hex; null when the fee that was charged before is unknown. */
  digest: v.nullable(v.string()),
  metrics_digest: v.string(),
  /** The metric of that name in `Execution.metrics`; null where nothing is invoked. */
  cpu_insn: v.nullable(v.string()),
  mem_byte: v.nullable(v.string()),
  /** The type in `Execution.hostError`. */
  host_error_type: v.nullable(v.string()),
  fees: feesSchema,
  /** svc-sim had to assume something. */
  assumed: v.pipe(
    v.array(v.unknown()),
    v.transform((assumptions) => assumptions.length > 0),
  ),
});
export type ExecutionDigest = Parsed<typeof digestSchema>;

export function digestRequest(request: ReplayRequest): AnyRequest {
  return { ...request, options: { ...request.options, digest: true } } as AnyRequest;
}

/** Throws as `readResponse`. */
export function readDigest(document: unknown, text: string, run: SimulatorRun): ExecutionDigest {
  return readAnswer(digestSchema, document, text, run);
}
