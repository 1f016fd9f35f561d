// Opens the work of a server: pools of simulators, nodes and proofs that all its clients share.

import type { Nodes } from "../debugger/setup/open-engines.ts";
import { type CaptureOptions, openCapture } from "../debugger/setup/open-nodes.ts";
import { openPools, type PoolChoice, type PooledEngines } from "../debugger/setup/open-pools.ts";
import { openProofs, type ProofOptions, type ProofOutcome } from "../debugger/setup/open-proofs.ts";
import type { SimulatorProgram } from "../simulator/simulator-program.ts";
import type { Config } from "../sources/network-settings.ts";
import { type Work, workOf } from "./open-work.ts";

export interface PooledWorkOptions {
  /** The program svc-sim, with the counter of its runs. */
  readonly program: SimulatorProgram;
  readonly pool: Omit<PoolChoice, "proofs" | "program">;
  /** The way in which nodes are asked. */
  readonly capture: Omit<CaptureOptions, "ledgerFiles" | "progress" | "program"> &
    Pick<Nodes, "step">;
  /** Set if the server is a network itself, instead of asking nodes. */
  readonly ownNodes?: Nodes | undefined;
  /** The options of proofs (default: no archive is asked). */
  readonly proof?: ProofOptions | undefined;
  readonly proved: (outcome: ProofOutcome) => void;
}

export interface PooledWork extends Omit<Work, "inspect"> {
  readonly engines: PooledEngines;
}

/** Opens the work. Throws CONFIG_INVALID if no node is configured. */
export function openPooledWork(
  config: Config,
  { program, pool, capture, ownNodes, proof, proved }: PooledWorkOptions,
): PooledWork {
  const findProgram = () => program;
  const opened =
    ownNodes ??
    openCapture(config, { ...capture, ledgerFiles: [], progress: () => {}, program: findProgram });
  const { step, observe, answers } = capture;
  const nodes = step === undefined ? opened : { ...opened, step };
  const proofs = openProofs(config, proof ?? null, {
    program: findProgram,
    observe,
    answers,
    proved,
  });
  return workOf(openPools(config, nodes, { ...pool, program, proofs }));
}
