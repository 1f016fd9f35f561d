// svc-sim-recording simulates transactions that have not run, in hosts that record the ledger
// entries that they access. It keeps no state: it returns the missing keys, and receives another
// request with their entries.

import * as v from "valibot";
import { wireObject } from "../base/wire.ts";
import { hostSchema } from "../model/execution.ts";
import { type Simulation, simulationSchema } from "../model/simulation.ts";
import { readAnswer } from "./read-response.ts";
import type { RecordingRequest } from "./recording-schema.ts";
import type { RunOptions } from "./simulator.ts";
import { badAnswer, type SimulatorRun } from "./simulator-error.ts";

/** An answer without `error`. It has either missing keys or a simulation. */
const answerSchema = wireObject({
  format: v.literal(1),
  host: hostSchema,
  missing_keys: v.array(v.string()),
  simulation: v.nullable(simulationSchema),
});

export type RecordingAnswer =
  | { readonly kind: "missing"; readonly keysXdr: readonly string[] }
  /** `usedLedger` is false if the transaction was refused before any entry was read. */
  | {
      readonly kind: "simulated";
      readonly usedLedger: boolean;
      readonly simulation: Omit<Simulation, "latestLedger">;
    };

export interface RecordingSimulator extends AsyncDisposable {
  record(request: RecordingRequest, options: RunOptions): Promise<RecordingAnswer>;
}

/**
 * Says whether the answer ends the simulation. A simulation is one run, however often it is asked
 * again with further entries.
 */
export function isEnd({ kind }: RecordingAnswer): boolean {
  return kind === "simulated";
}

/** Reads an answer. Throws the errors of `readAnswer`. */
export function readRecording(document: unknown, text: string, run: SimulatorRun): RecordingAnswer {
  const answer = readAnswer(answerSchema, document, text, run);
  const { host, missingKeys, simulation } = answer;
  if (simulation !== null) {
    const { usedLedger, ...rest } = simulation;
    return { kind: "simulated", usedLedger, simulation: { host, ...rest } };
  }
  if (missingKeys.length > 0) return { kind: "missing", keysXdr: missingKeys };
  throw badAnswer("has neither a simulation nor missing keys", text, run);
}
