// ChainRecord × Snapshot → Execution and Verdict, in the contract host of the ledger's protocol.

import { plainStep, type StepRunner } from "../../base/step.ts";
import type { Execution } from "../../model/execution.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { RecordingSimulator } from "../../simulator/recording-simulator.ts";
import type { Simulator } from "../../simulator/simulator.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";
import { judge } from "../../verdict/judge.ts";
import type { ReadRecord } from "../../xdr/envelope/opened-record.ts";
import { type OptionalRun, optionalRun } from "./optional-run.ts";
import type { Judged, ProofContext } from "./proof-context.ts";
import { proveAbsence } from "./prove-absence.ts";
import { proveCodeCache } from "./prove-code-cache.ts";
import { proveCodeForm } from "./prove-code-form.ts";
import { proveLiveness } from "./prove-liveness.ts";
import { proveTtls } from "./prove-ttls.ts";
import { proveWindow } from "./prove-window.ts";

export interface Engines {
  readonly simulator: Simulator;
  /** svc-sim-recording; null or absent if there is none. */
  readonly recorder?: RecordingSimulator | null;
  /** Carries out each step of the walk, so that a caller can measure it. */
  readonly step?: StepRunner;
}

/**
 * Throws the simulator's error if the replay itself fails. A proof that cannot be run becomes a
 * caveat.
 */
export async function replay(
  engines: Engines,
  read: ReadRecord,
  snapshot: Snapshot,
  request: ReplayRequest,
  options: OptionalRun,
): Promise<Judged> {
  const { simulator, step = plainStep } = engines;
  const judged = (by: Snapshot, execution: Execution) => judge(read, by, execution);
  const run = (replayRequest: ReplayRequest) =>
    step("replay", () => simulator.replay(replayRequest, options));
  const execution = await run(request);
  const verdict = await step("verdict", () => judged(snapshot, execution));
  const proof = { ledger: read.record.ledger.sequence, run, judge: judged };
  return proveInputs(proof, { request, execution, verdict, snapshot }, options);
}

/** Runs the proofs of inputs that keep the verdict from being exact, until it is exact. */
async function proveInputs(
  context: ProofContext,
  replayed: Judged,
  options: OptionalRun,
): Promise<Judged> {
  let known = replayed;
  for (const { purpose, prove } of PROOFS) {
    if (known.verdict.kind === "exact") break;
    known = (await optionalRun(purpose, options, () => prove(context, known))) ?? known;
  }
  return known;
}

/** The questions that keep a verdict from being exact, and how a further run settles each. */
const PROOFS: readonly {
  readonly purpose: string;
  readonly prove: (context: ProofContext, replayed: Judged) => Promise<Judged | null>;
}[] = [
  { purpose: "To find out whether code was cached", prove: proveCodeCache },
  { purpose: "To find out in which form code was stored", prove: proveCodeForm },
  { purpose: "To prove that entries were absent", prove: proveAbsence },
  { purpose: "To find out whether an entry was live", prove: proveLiveness },
  { purpose: "To prove the state-size window", prove: proveWindow },
  { purpose: "To prove that TTLs do not matter", prove: proveTtls },
];
