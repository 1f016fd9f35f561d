// Simulations of transactions that have not been sent, for many who ask: simulators that stay, and
// the latest ledger's state, which all share while it is the latest.

import type { Clock } from "../../base/clock.ts";
import type { SvcError } from "../../base/errors/errors.ts";
import type { Simulation, SimulationReport } from "../../model/simulation.ts";
import { openRecordingPool, type RecordingPool } from "../../simulator/pool.ts";
import type { RecordingSimulator } from "../../simulator/recording-simulator.ts";
import type { RunOptions, Simulator } from "../../simulator/simulator.ts";
import type { Config } from "../../sources/network-settings.ts";
import type { Source } from "../../sources/source.ts";
import { type CurrentState, openCurrentState } from "../simulate/current-state.ts";
import { reportSimulation } from "../simulate/report-simulation.ts";
import { type SimulationWish, simulateTransaction } from "../simulate/simulate-transaction.ts";
import { findRecorder, type SimulatorSurroundings } from "./find-simulator.ts";
import { countedRun, type PoolChoice, poolOptions } from "./open-simulator-pool.ts";

export interface SimulationPool extends AsyncDisposable {
  /** What simulations run on; shared with all that run on the latest ledger. */
  readonly state: CurrentState;
  /** Null when svc-sim-recording is not beside svc-sim. */
  readonly simulators: RecordingPool | null;
  /** Why there is none. */
  readonly missing: SvcError | null;
  /** Throws SIMULATOR_NOT_FOUND, and what nodes and simulator fail with. */
  readonly simulate: (wish: SimulationWish, options: RunOptions) => Promise<Simulation>;
  /** The same, with its explanation. */
  readonly report: (wish: SimulationWish, options: RunOptions) => Promise<SimulationReport>;
}

export interface SimulationPoolDependencies {
  readonly sources: readonly Source[];
  readonly clock: Clock;
  readonly replayer: Simulator;
}

/** Ledgers close every five seconds or so; who asks twice in one means the same. */
const NEWEST_FOR_MILLISECONDS = 1_000;

export function openSimulationPool(
  { sources, clock, replayer }: SimulationPoolDependencies,
  config: Config,
  surroundings: SimulatorSurroundings,
  choice: PoolChoice,
): SimulationPool {
  const maximumAgeMilliseconds = NEWEST_FOR_MILLISECONDS;
  const state = openCurrentState({ sources, clock, maximumAgeMilliseconds });
  const found = findRecorder(config, surroundings);
  const simulators =
    typeof found === "string" ? openRecordingPool(poolOptions(found, choice)) : null;
  const { networkPassphrase } = config;
  const counted = simulators && countedRecording(simulators, choice.simulated);
  const dependencies = () => {
    if (counted === null) throw found;
    return { simulator: counted, replayer, state, networkPassphrase };
  };
  return {
    state,
    simulators,
    missing: typeof found === "string" ? null : found,
    simulate: async (wish, options) =>
      (await simulateTransaction(dependencies(), wish, options)).simulation,
    report: async (wish, options) =>
      reportSimulation(dependencies(), wish, { ...options, name: "The envelope" }),
    async [Symbol.asyncDispose]() {
      await simulators?.[Symbol.asyncDispose]();
    },
  };
}

/** One run, however often it is asked; what nodes fail with is no failure of it. */
function countedRecording(
  pool: RecordingPool,
  simulated: PoolChoice["simulated"],
): RecordingSimulator {
  return {
    ...pool,
    record: (request, options) =>
      countedRun(pool.record(request, options), simulated, ({ kind }) => kind === "simulated"),
  };
}
