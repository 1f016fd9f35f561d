// The simulation of an envelope, which is not yet worded for an audience.

import { systemClock } from "../base/clock.ts";
import { openCurrentState } from "../debugger/simulate/current-state.ts";
import { reportSimulation } from "../debugger/simulate/report-simulation.ts";
import { SOROBAN_OPERATIONS } from "../model/result-code.ts";
import type { SimulationReport } from "../model/simulation.ts";
import { openConnected } from "../simulator/connected.ts";
import { openEnvelope } from "../xdr/envelope/envelope.ts";
import { openNodes } from "./network.ts";
import type { SimulationOptions } from "./options.ts";
import { programOf, recorderOf } from "./run.ts";
import { prepareRuntime } from "./runtime.ts";

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

/** Throws as `simulate`. */
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
