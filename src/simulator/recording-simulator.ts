// svc-sim-recording simulates transactions that have not run, in hosts that record the ledger
// entries they access. It has no state of its own: it returns the missing keys, and gets another
// request with these entries.

import type { SimulatedChange, Simulation } from "../model/simulation.ts";
import { askOnce } from "./one-shot.ts";
import { readAnswer } from "./read-response.ts";
import {
  type RecordingRequest,
  recordingResponseSchema,
  type WireRecording,
  type WireSimulation,
} from "./recording-schema.ts";
import type { RunOptions } from "./simulator.ts";
import { badAnswer, type SimulatorRun } from "./simulator-error.ts";

export type RecordingAnswer =
  | { readonly kind: "missing"; readonly keysXdr: readonly string[] }
  /** `usedLedger` false: the transaction was refused before any entry was read. */
  | {
      readonly kind: "simulated";
      readonly usedLedger: boolean;
      readonly simulation: Omit<Simulation, "latestLedger">;
    };

export interface RecordingSimulator extends AsyncDisposable {
  record(request: RecordingRequest, options: RunOptions): Promise<RecordingAnswer>;
}

/** Starts a process for each request. */
export function openRecordingOneShot(path: string): RecordingSimulator {
  return {
    record: (request, { signal }) => askOnce({ path }, request, readRecording, { signal }),
    async [Symbol.asyncDispose]() {
      // Nothing outlives a request.
    },
  };
}

/** Throws as `readAnswer`. */
export function readRecording(document: unknown, text: string, run: SimulatorRun): RecordingAnswer {
  const { host, missing_keys, simulation } = readAnswer(
    recordingResponseSchema,
    document,
    text,
    run,
  );
  if (simulation === null) {
    if (missing_keys.length > 0) return { kind: "missing", keysXdr: missing_keys };
    throw badAnswer("has neither a simulation nor missing keys", text, run);
  }
  return {
    kind: "simulated",
    usedLedger: simulation.used_ledger,
    simulation: toSimulation(host, simulation),
  };
}

function toSimulation(
  host: WireRecording["host"],
  wire: WireSimulation,
): Omit<Simulation, "latestLedger"> {
  return {
    host: { protocol: host.protocol, crateVersion: host.crate_version },
    error: wire.error,
    transactionDataXdr: wire.transaction_data_xdr,
    minResourceFeeStroops: wire.min_resource_fee_stroops,
    returnValueXdr: wire.return_value_xdr,
    authorizationsXdr: wire.auth_xdr,
    diagnosticsXdr: wire.events_xdr,
    changes: wire.state_changes.map(toChange),
    restorePreamble: wire.restore_preamble && {
      transactionDataXdr: wire.restore_preamble.transaction_data_xdr,
      minResourceFeeStroops: wire.restore_preamble.min_resource_fee_stroops,
    },
    cpuInstructions: wire.cpu_instructions,
    memoryBytes: wire.memory_bytes,
  };
}

function toChange(change: WireSimulation["state_changes"][number]): SimulatedChange {
  const { key_xdr: keyXdr, before_xdr: beforeXdr, after_xdr: afterXdr } = change;
  const kind = beforeXdr === null ? "created" : afterXdr === null ? "deleted" : "updated";
  return { kind, keyXdr, beforeXdr, afterXdr };
}
