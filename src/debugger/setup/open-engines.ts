// What all work of svc is done with, made from settings: simulators, and nodes. Nothing is searched
// for, and nothing that asks a node is loaded, before it is used.

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
  /** svc-sim, for what starts processes of its own. Throws SIMULATOR_NOT_FOUND. */
  readonly program: SimulatorProgram;
  /** Cores that a verification may use. */
  readonly jobs: number;
  /** The same nodes each time. Throws CONFIG_INVALID when none is configured. */
  readonly nodes: () => Promise<Nodes>;
  readonly proofs: Proofs;
  /** For one simulation. Throws CONFIG_INVALID, SIMULATOR_NOT_FOUND. */
  readonly simulation: () => Promise<ReportDependencies>;
}

export interface OpenEnginesOptions extends Partial<CaptureOptions> {
  readonly surroundings: SimulatorSurroundings;
  /** Every field of a request is checked before svc-sim sees it. */
  readonly strictValidation?: boolean;
  /** Null: no capsule is opened, and no archive is asked. */
  readonly proof: ProofOptions | null;
}

/** A process of svc-sim for each run. The simulators throw SIMULATOR_NOT_FOUND when used. */
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
      // One run is on one ledger, or on later ones where a node has answered of those.
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
