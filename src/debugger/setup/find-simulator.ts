// Finds the svc-sim for a run, by the settings and by the place of svc itself.

import { SvcError } from "../../base/errors/errors.ts";
import type { SettingOrigin } from "../../base/settings/origin.ts";
import { inspectSimulator, type SimulatorVersion } from "../../simulator/inspect-simulator.ts";
import { locateRecordingSimulator, locateSimulator } from "../../simulator/locate.ts";
import type { SimulatorProgram } from "../../simulator/simulator-program.ts";

export type { SimulatorProgram, SimulatorVersion };

/** The settings that name svc-sim. */
export interface NamedSimulator {
  readonly simPath: string | null;
  readonly origins: { readonly simPath: SettingOrigin };
}

/** The facts of the process that decide where svc-sim is looked for. */
export interface SimulatorSurroundings {
  readonly executablePath: string;
  /** The PATH variable. */
  readonly searchPath: string | undefined;
}

/** Returns an absolute path. Throws SIMULATOR_NOT_FOUND with every place that was tried. */
export function findSimulator(config: NamedSimulator, surroundings: SimulatorSurroundings): string {
  const fromEnvironment = config.origins.simPath.kind === "variable";
  return locateSimulator({
    simPath: fromEnvironment ? null : config.simPath,
    environmentPath: fromEnvironment ? config.simPath : null,
    executable: surroundings.executablePath,
    searchPath: surroundings.searchPath ?? null,
  });
}

/**
 * Returns svc-sim for one run, whose time limit bounds each wait for it. Throws
 * SIMULATOR_NOT_FOUND.
 */
export function findProgram(
  config: NamedSimulator & { readonly timeoutMilliseconds: number },
  surroundings: SimulatorSurroundings,
): SimulatorProgram {
  const { timeoutMilliseconds: patienceMilliseconds } = config;
  return { path: findSimulator(config, surroundings), patienceMilliseconds };
}

/**
 * Returns svc-sim-recording, or the reason why there is none. `program` may throw
 * SIMULATOR_NOT_FOUND.
 */
export function findRecorder<Program extends SimulatorProgram>(
  program: () => Program,
): Program | SvcError {
  try {
    return locateRecordingSimulator(program());
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
}

/**
 * Returns what the simulator reports of its hosts. Throws SIMULATOR_NOT_FOUND, and the simulator's
 * error if it does not work.
 */
export function inspectFoundSimulator(
  config: NamedSimulator,
  surroundings: SimulatorSurroundings,
  options: { readonly signal: AbortSignal },
): Promise<SimulatorVersion> {
  return inspectSimulator(findSimulator(config, surroundings), options);
}
