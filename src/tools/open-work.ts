// Opens everything that a command, an editor's session, an agent or a server works with: svc-sim,
// nodes, proofs, and the tools over them. Nothing is searched for or loaded before it is used.

import { inspectFoundSimulator } from "../debugger/setup/find-simulator.ts";
import {
  type Nodes,
  type OpenEngines,
  type OpenEnginesOptions,
  openEngines,
} from "../debugger/setup/open-engines.ts";
import type { ProofOptions, Proofs } from "../debugger/setup/open-proofs.ts";
import type { SimulatorVersion } from "../simulator/inspect-simulator.ts";
import type { SimulatorProgram } from "../simulator/simulator-program.ts";
import type { Config } from "../sources/network-settings.ts";
import { openTools, type Tools, type WantedDebug } from "./tools.ts";

export interface WorkOptions extends Omit<OpenEnginesOptions, "proof"> {
  /** The options of proofs (default: no capsule's proof is checked, and no archive is asked). */
  readonly proof?: ProofOptions;
  /** Options of every call of `debug`. */
  readonly always?: WantedDebug;
}

export interface Work {
  readonly engines: OpenEngines;
  readonly tools: Tools;
  /** The program svc-sim, for code that starts processes of its own. Throws SIMULATOR_NOT_FOUND. */
  readonly program: () => SimulatorProgram;
  /** The nodes, which are the same each time. Throws CONFIG_INVALID if none is configured. */
  readonly nodes: () => Promise<Nodes>;
  readonly proofs: Proofs;
  /**
   * The versions of svc-sim and its hosts. Throws the errors of `program`, and fails if svc-sim
   * does not work.
   */
  readonly inspect: (options: { readonly signal: AbortSignal }) => Promise<SimulatorVersion>;
}

/**
 * Opens the work. Each run of svc-sim has a process of its own; open-pooled-work.ts is for servers.
 */
export function openWork(config: Config, { proof, always, ...options }: WorkOptions): Work {
  const { surroundings } = options;
  const engines = openEngines(config, { ...options, proof: proof ?? null });
  return {
    ...workOf(engines, always),
    inspect: (run) => inspectFoundSimulator(config, surroundings, run),
  };
}

/** The tools of open engines, together with the engines. */
export function workOf<Opened extends OpenEngines>(engines: Opened, always?: WantedDebug) {
  return {
    engines,
    tools: openTools(engines, always),
    program: () => engines.program,
    nodes: engines.nodes,
    proofs: engines.proofs,
  };
}
