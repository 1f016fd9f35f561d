// Which svc-sim a run uses, from its settings and where svc itself is.

import { SvcError } from "../../base/errors/errors.ts";
import type { SettingOrigin } from "../../base/settings/origin.ts";
import { inspectSimulator, type SimulatorVersion } from "../../simulator/inspect-simulator.ts";
import { locateRecordingSimulator, locateSimulator } from "../../simulator/locate.ts";
import type { SimulatorProgram } from "../../simulator/simulator-program.ts";

export type { SimulatorProgram, SimulatorVersion };

/** The settings that name it. */
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

/** Absolute path. Throws SIMULATOR_NOT_FOUND naming every place tried. */
export function findSimulator(config: NamedSimulator, surroundings: SimulatorSurroundings): string {
  const fromEnvironment = config.origins.simPath.kind === "variable";
  return locateSimulator({
    simPath: fromEnvironment ? null : config.simPath,
    environmentPath: fromEnvironment ? config.simPath : null,
    executable: surroundings.executablePath,
    searchPath: surroundings.searchPath ?? null,
  });
}

/** svc-sim for one run, whose time limit bounds each wait for it. Throws SIMULATOR_NOT_FOUND. */
export function findProgram(
  config: NamedSimulator & { readonly timeoutMilliseconds: number },
  surroundings: SimulatorSurroundings,
): SimulatorProgram {
  const { timeoutMilliseconds: patienceMilliseconds } = config;
  return { path: findSimulator(config, surroundings), patienceMilliseconds };
}

/** svc-sim-recording, or why there is none. `program`: throws SIMULATOR_NOT_FOUND. */
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

/** The simulator's own account of its hosts. Throws as above, and when it does not work. */
export function inspectFoundSimulator(
  config: NamedSimulator,
  surroundings: SimulatorSurroundings,
  options: { readonly signal: AbortSignal },
): Promise<SimulatorVersion> {
  return inspectSimulator(findSimulator(config, surroundings), options);
}
