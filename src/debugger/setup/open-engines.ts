// Opens what all work of svc is done with, from settings: simulators and nodes. svc looks for a
// program only when the program is used, and loads the code that asks nodes only then.

import { availableParallelism } from "node:os";
import { systemClock } from "../../base/clock.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { locateRecordingSimulator } from "../../simulator/locate.ts";
import { openOneShot, openRecordingOneShot } from "../../simulator/one-shot.ts";
import { checkRequest } from "../../simulator/requests.ts";
import type { Simulator } from "../../simulator/simulator.ts";
import type { SimulatorProgram } from "../../simulator/simulator-program.ts";
import type { Config } from "../../sources/network-settings.ts";
import type { Engines } from "../run/replay.ts";
import type { ReportDependencies } from "../simulate/report-simulation.ts";
import type { CaptureDependencies } from "../walk/capture-transaction.ts";
import { findProgram, findRecorder, type SimulatorSurroundings } from "./find-simulator.ts";
import type { CaptureOptions } from "./open-nodes.ts";
import { openProofs, type ProofOptions, type Proofs } from "./open-proofs.ts";

export type Nodes = Omit<CaptureDependencies, "progress">;

export interface OpenEngines extends Engines {
  /** svc-sim, for callers that start processes of their own. Throws SIMULATOR_NOT_FOUND. */
  readonly program: SimulatorProgram;
  /** The number of cores that a verification may use. */
  readonly jobs: number;
  /** Returns the same nodes each time. Throws CONFIG_INVALID if none is configured. */
  readonly nodes: () => Promise<Nodes>;
  readonly proofs: Proofs;
  /** Returns the dependencies of one simulation. Throws CONFIG_INVALID and SIMULATOR_NOT_FOUND. */
  readonly simulation: () => Promise<ReportDependencies>;
}

export interface OpenEnginesOptions extends Partial<CaptureOptions> {
  readonly surroundings: SimulatorSurroundings;
  /** True if every field of a request is checked before svc-sim sees it. */
  readonly strictValidation?: boolean;
  /** Null if no capsule is opened and no archive is asked. */
  readonly proof: ProofOptions | null;
}

/**
 * Opens engines that start a process of svc-sim for each run. The simulators throw
 * SIMULATOR_NOT_FOUND when they are used.
 */
export function openEngines(
  config: Config,
  { surroundings, strictValidation = false, proof, ...captureOptions }: OpenEnginesOptions,
): OpenEngines {
  let opened: Nodes | null = null;
  const program = () => findProgram(config, surroundings);
  const strictly = (simulator: Simulator) => (strictValidation ? checked(simulator) : simulator);
  const nodes = async () => {
    const { openCapture } = await import("./open-nodes.ts");
    opened ??= openCapture(config, {
      ledgerFiles: [],
      progress: () => {},
      program,
      ...captureOptions,
    });
    return opened;
  };
  return {
    jobs: availableParallelism(),
    get program() {
      return program();
    },
    get simulator() {
      return strictly(openOneShot(program()));
    },
    get recorder() {
      const recorderProgram = findRecorder(program);
      return recorderProgram instanceof SvcError ? null : openRecordingOneShot(recorderProgram);
    },
    nodes,
    proofs: openProofs(config, proof, { program, observe: captureOptions.observe }),
    async simulation() {
      const { openCurrentState } = await import("../simulate/current-state.ts");
      const { sources, networkPassphrase } = await nodes();
      // One run uses one ledger, or a later one if a node has answered from it.
      const maximumAgeMilliseconds = Number.POSITIVE_INFINITY;
      return {
        simulator: openRecordingOneShot(locateRecordingSimulator(program())),
        replayer: strictly(openOneShot(program())),
        state: openCurrentState({ sources, clock: systemClock, maximumAgeMilliseconds }),
        networkPassphrase,
      };
    },
  };
}

function checked(simulator: Simulator): Simulator {
  return {
    ...simulator,
    replay: async (request, options) => simulator.replay(checkRequest(request), options),
  };
}
