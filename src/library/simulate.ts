// Simulates an envelope that has not been sent, on the latest ledger that the nodes have.

import "./standard.ts";

import { systemClock } from "../base/clock.ts";
import { openCurrentState } from "../debugger/simulate/current-state.ts";
import { reportSimulation } from "../debugger/simulate/report-simulation.ts";
import { SOROBAN_OPERATIONS } from "../model/result-code.ts";
import type { SimulationReport } from "../model/simulation.ts";
import { type SimulationDocument, simulationReportJson } from "../report/simulation-json.ts";
import { openConnected } from "../simulator/connected.ts";
import { openEnvelope } from "../xdr/envelope/envelope.ts";
import { type NodeOptions, openNodes } from "./network.ts";
import { type LoadableModule, programOf, type RunningOptions, recorderOf } from "./run.ts";
import { prepareRuntime } from "./runtime.ts";

export type { SimulationDocument };
export { simulateEnvelope as simulate };

export interface SimulationOptions extends RunningOptions, NodeOptions {
  /** svc-sim-recording.wasm. */
  readonly recordingModule: LoadableModule;
  /**
   * Enforce the envelope's authorizations, or record the ones it needs (default: enforce if it has
   * any).
   */
  readonly authMode?: "enforce" | "record" | "record_allow_nonroot";
  /** Instructions to declare in addition to the used ones (default: 4 %, at least 50,000). */
  readonly instructionLeeway?: number;
  /** Include the calls of the contracts to the host (default: false). */
  readonly hostCalls?: boolean;
}

/**
 * Simulates a TransactionEnvelope in base64, and runs it with what it declares. Returns the
 * document of `svc simulate --json`, also for a transaction that would fail. Throws FILE_INVALID if
 * the text is not an envelope.
 */
async function simulateEnvelope(
  envelope: string,
  options: SimulationOptions,
): Promise<SimulationDocument> {
  return simulationReportJson(await simulationOf(envelope, options));
}

/**
 * Says whether a text is an envelope that nobody has signed and that runs something in the contract
 * host. A signed one may have been sent already.
 */
export function canBeSimulated(text: string): boolean {
  const xdr = text.replace(/\s/g, "");
  if (!/^[A-Za-z0-9+/]{40,}=*$/.test(xdr)) return false;
  prepareRuntime();
  try {
    // The passphrase only decides the hash, which is not needed here.
    const { terms, operationKinds } = openEnvelope(xdr, "");
    const isSigned = terms.signatures.length + terms.innerSignatures.length > 0;
    return !isSigned && operationKinds.some((kind) => SOROBAN_OPERATIONS.has(kind));
  } catch {
    return false;
  }
}

/** The same simulation, not yet worded for an audience. */
export async function simulationOf(
  envelope: string,
  options: SimulationOptions,
): Promise<SimulationReport> {
  prepareRuntime();
  const { authMode, instructionLeeway, recordingModule, hostCalls = false } = options;
  const { signal = new AbortController().signal, progress = () => {} } = options;
  const { sources, networkPassphrase } = openNodes(options, progress);
  // One run uses one ledger, or a later one if a node has answered from it.
  const maximumAgeMilliseconds = Number.POSITIVE_INFINITY;
  return reportSimulation(
    {
      simulator: recorderOf(recordingModule, options),
      replayer: openConnected(programOf(options)),
      state: openCurrentState({ sources, clock: systemClock, maximumAgeMilliseconds }),
      networkPassphrase,
    },
    {
      transactionXdr: envelope.replace(/\s/g, ""),
      ...(authMode && { authMode }),
      ...(instructionLeeway !== undefined && { resourceConfig: { instructionLeeway } }),
    },
    { signal, name: "The envelope", hostCalls },
  );
}
