// The simulators of a walk made from settings. Loads nothing that asks a node.

import { openOneShot } from "../../simulator/one-shot.ts";
import {
  openRecordingOneShot,
  type RecordingSimulator,
} from "../../simulator/recording-simulator.ts";
import { checkRequest } from "../../simulator/requests.ts";
import type { Simulator } from "../../simulator/simulator.ts";
import type { Config } from "../../sources/network-settings.ts";
import { findRecorder, findSimulator, type SimulatorSurroundings } from "./find-simulator.ts";

export interface SimulatorChoice {
  readonly surroundings: SimulatorSurroundings;
  /** Every field of a request is checked before svc-sim sees it. */
  readonly strictValidation: boolean;
}

/** For one transaction. Throws SIMULATOR_NOT_FOUND. */
export function openSimulator(config: Config, choice: SimulatorChoice): Simulator {
  const simulator = openOneShot({ path: findSimulator(config, choice.surroundings) });
  if (!choice.strictValidation) return simulator;
  return {
    replay: async (request, options) => simulator.replay(checkRequest(request), options),
    [Symbol.asyncDispose]: () => simulator[Symbol.asyncDispose](),
  };
}

/** Null when svc-sim-recording is not beside svc-sim. */
export function openRecorder(
  config: Config,
  surroundings: SimulatorSurroundings,
): RecordingSimulator | null {
  const found = findRecorder(config, surroundings);
  return typeof found === "string" ? openRecordingOneShot(found) : null;
}
