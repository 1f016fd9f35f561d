// The simulation of one envelope with its explanation: what `svc simulate` and POST /v1/simulate
// report.

import { explainSimulation } from "../../explain/explain-simulation.ts";
import { refusalsOnSending } from "../../explain/sending.ts";
import type { Sending, Simulation, SimulationReport } from "../../model/simulation.ts";
import type { RunOptions } from "../../simulator/simulator.ts";
import { isFailureOfNode } from "../../sources/source.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { readAccount } from "../../xdr/ledger/account.ts";
import { accountKeyOf } from "../../xdr/reader/keys.ts";
import { openGivenEnvelope } from "../run/open-given-envelope.ts";
import { BASE_RESERVE_STROOPS, type CurrentState } from "./current-state.ts";
import {
  type SimulateDependencies,
  type SimulationWish,
  simulateTransaction,
} from "./simulate-transaction.ts";

/** `name`: of the input. Throws FILE_INVALID when it is not an envelope, and what nodes and simulator fail with. */
export async function reportSimulation(
  dependencies: SimulateDependencies,
  wish: SimulationWish,
  options: RunOptions & { readonly name: string },
): Promise<SimulationReport> {
  const { networkPassphrase, state } = dependencies;
  const envelope = openGivenEnvelope(wish.transactionXdr, networkPassphrase, options.name);
  const { simulation, read } = await simulateTransaction(dependencies, wish, options);
  const sending = await checkSending(state, envelope, simulation, options);
  const explanation = explainSimulation(simulation, envelope, read, sending);
  return { networkPassphrase, simulation, explanation, sending };
}

/** A node that fails here costs the check, not the simulation. */
async function checkSending(
  current: CurrentState,
  envelope: Envelope,
  simulation: Simulation,
  options: { readonly signal: AbortSignal },
): Promise<Sending | null> {
  if (simulation.latestLedger === 0) return null;
  const { signers } = envelope.terms;
  try {
    const latest = await current.latest(options);
    const { tip, entries } = await current.withKeys(latest, signers.map(accountKeyOf), options);
    const accounts = new Map(
      signers.map((address) => {
        const entry = entries.get(accountKeyOf(address));
        return [address, entry ? readAccount(entry.entryXdr) : null];
      }),
    );
    const state = { ...tip, accounts, baseReserveStroops: BASE_RESERVE_STROOPS };
    const refusals = refusalsOnSending(envelope, state, simulation);
    return { ledger: tip.sequence, refusals };
  } catch (error) {
    if (!isFailureOfNode(error)) throw error;
    return null;
  }
}
