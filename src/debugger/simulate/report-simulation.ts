// The simulation of one envelope with its explanation: what `svc simulate` and POST /v1/simulate
// report.

import { explainSimulation } from "../../explain/explain-simulation.ts";
import type { SimulationReport } from "../../model/simulation.ts";
import type { RunOptions } from "../../simulator/simulator.ts";
import { openEnvelope } from "../../xdr/envelope/envelope.ts";
import {
  type SimulateDependencies,
  type SimulationWish,
  simulateTransaction,
} from "./simulate-transaction.ts";

/** Throws XDR_INVALID when it is no envelope, and what nodes and simulator fail with. */
export async function reportSimulation(
  dependencies: SimulateDependencies,
  wish: SimulationWish,
  options: RunOptions,
): Promise<SimulationReport> {
  const { networkPassphrase } = dependencies;
  const envelope = openEnvelope(wish.transactionXdr, networkPassphrase);
  const { simulation, entriesXdr } = await simulateTransaction(dependencies, wish, options);
  const explanation = explainSimulation(simulation, envelope, entriesXdr);
  return { networkPassphrase, simulation, explanation };
}
