// Simulates an envelope that has not been sent. svc-sim-recording names the entries that it lacks,
// svc fetches them from the latest ledger, and svc-sim-recording runs again. Nothing is guessed:
// the footprint, the authorizations and the fees come from the host, as in Stellar RPC.

import { SvcError } from "../../base/errors/errors.ts";
import type { ReadState } from "../../explain/explain-simulation.ts";
import { BASE_RESERVE_STROOPS } from "../../model/networks.ts";
import type { Simulation } from "../../model/simulation.ts";
import type { RecordingRequest } from "../../simulator/recording-schema.ts";
import type { RecordingSimulator } from "../../simulator/recording-simulator.ts";
import { preflightRequest } from "../../simulator/requests.ts";
import type { RunOptions } from "../../simulator/simulator.ts";
import { type CurrentState, entriesOf, type LatestEntries } from "./current-state.ts";

export interface SimulateDependencies {
  readonly simulator: RecordingSimulator;
  readonly state: CurrentState;
  readonly networkPassphrase: string;
  /**
   * Returns the seed of the nonces and of the random numbers that contracts draw: 32 bytes in hex
   * (default: random).
   */
  readonly drawSeed?: () => string;
}

/** The parameters of Stellar RPC's simulateTransaction. */
export interface SimulationParameters {
  readonly transactionXdr: string;
  /** `enforce`, `record` or `record_allow_nonroot`; anything else is an error in the answer. */
  readonly authMode?: string;
  readonly useUpgradedAuth?: boolean;
  readonly resourceConfig?: { readonly instructionLeeway: number | string };
}

export interface SimulateOptions extends RunOptions {
  /**
   * The maximum number of runs. Each can show an entry that is needed only after another one was
   * read; networks allow hundreds.
   */
  readonly maximumRounds?: number;
}

/** Throws the errors of the nodes and of the simulator. */
export async function simulateTransaction(
  { simulator, state: current, networkPassphrase, drawSeed = randomSeed }: SimulateDependencies,
  parameters: SimulationParameters,
  { maximumRounds = 1_000, ...options }: SimulateOptions,
): Promise<{ readonly simulation: Simulation; readonly read: ReadState }> {
  const { signal } = options;
  const keys = new Set<string>();
  const seed = drawSeed();
  let state = await current.latest({ signal });
  for (let round = 1; round <= maximumRounds; round += 1) {
    const request = requestOf(parameters, { seed, networkPassphrase, state, keys });
    const answer = await simulator.record(request, options);
    if (answer.kind === "simulated") {
      const latestLedger = answer.usedLedger ? state.tip.sequence : 0;
      return {
        simulation: { ...answer.simulation, latestLedger },
        read: {
          entriesXdr: [...keys].flatMap((key) => state.entries.get(key)?.entryXdr ?? []),
          absentKeysXdr: [...keys].filter((key) => state.entries.get(key) === null),
        },
      };
    }
    for (const key of answer.keysXdr) keys.add(key);
    state = await current.withKeys(state, [...keys], { signal });
  }
  throw new SvcError("SIMULATOR_FAILED", {
    message: `The simulation still misses ledger entries after ${maximumRounds} rounds.`,
    remedy: "Check the contract: it reads far more entries than any network allows.",
  });
}

interface Circumstances {
  readonly seed: string;
  readonly networkPassphrase: string;
  readonly state: LatestEntries;
  readonly keys: ReadonlySet<string>;
}

function requestOf(
  { transactionXdr, authMode, useUpgradedAuth, resourceConfig }: SimulationParameters,
  { seed, networkPassphrase, state, keys }: Circumstances,
): RecordingRequest {
  return preflightRequest({
    envelopeXdr: transactionXdr,
    networkPassphrase,
    ledger: { ...state.tip, baseReserveStroops: BASE_RESERVE_STROOPS },
    entries: entriesOf(state, [...keys]),
    seed,
    ...(authMode !== undefined && { authMode }),
    ...(useUpgradedAuth !== undefined && { useUpgradedAuth }),
    ...(resourceConfig && { instructionLeeway: String(resourceConfig.instructionLeeway) }),
  });
}

function randomSeed(): string {
  return crypto.getRandomValues(new Uint8Array(32)).toHex();
}
