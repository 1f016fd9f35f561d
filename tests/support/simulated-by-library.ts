// Simulations by the library beside those of svc, of the envelopes that the recorded network got.

import { spyOn } from "bun:test";
import { openCurrentState } from "../../src/debugger/simulate/current-state.ts";
import { reportSimulation } from "../../src/debugger/simulate/report-simulation.ts";
import type { NetworkNodes, SimulationOptions } from "../../src/library/options.ts";
import { simulate } from "../../src/library/simulate.ts";
import { type SimulationDocument, simulationReportJson } from "../../src/report/simulation-json.ts";
import type { RecordingSimulator } from "../../src/simulator/recording-simulator.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import type { Loopback } from "./loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "./loopback-walk.ts";
import type { RecordedTransaction } from "./recorded-network.ts";
import { TestClock } from "./test-clock.ts";

export interface SimulatedTwice {
  readonly byLibrary: SimulationDocument;
  readonly bySvc: SimulationDocument;
}

/** Both simulations are on the ledger before the transaction's own. */
export async function simulateTwice(
  loopback: Loopback,
  svc: Simulators,
  transaction: RecordedTransaction,
  running: Omit<SimulationOptions, "network">,
): Promise<SimulatedTwice> {
  using _ = withoutChance();
  const { envelopeXdr, network, document } = await simulationOfSvc(loopback, svc, transaction);
  return {
    bySvc: document,
    byLibrary: await simulate(envelopeXdr, { ...running, network }),
  };
}

interface Simulators {
  readonly simulator: RecordingSimulator;
  readonly replayer: Simulator;
}

/** The simulation by svc, on the ledger before the transaction's own, and the nodes of that ledger. */
export async function simulationOfSvc(
  loopback: Loopback,
  { simulator, replayer }: Simulators,
  transaction: RecordedTransaction,
): Promise<{
  readonly envelopeXdr: string;
  readonly network: NetworkNodes;
  readonly document: SimulationDocument;
}> {
  const { rpcGetTransaction } = loopback.network.file(transaction);
  const envelopeXdr = String(rpcGetTransaction.result.envelopeXdr);
  const ledger = transaction.ledger - 1;
  const before = `entries-at=${ledger},tip=${ledger}`;
  const { sources, networkPassphrase } = openWalk(loopback, { horizon: [], rpc: [before] });
  const clock = new TestClock({ grantedUpTo: 5000 });
  const maximumAgeMilliseconds = Number.POSITIVE_INFINITY;
  const state = openCurrentState({ sources, clock, maximumAgeMilliseconds });
  const report = await reportSimulation(
    { simulator, replayer, state, networkPassphrase },
    { transactionXdr: envelopeXdr },
    { signal: NEVER_ABORTED, name: "The envelope" },
  );
  const rpcUrls = [loopback.url("rpc", before)];
  const network = { networkPassphrase, horizonUrls: [], rpcUrls };
  return { envelopeXdr, network, document: simulationReportJson(report) };
}

/** Nonces are drawn, and differ otherwise. */
export function withoutChance(): Disposable {
  const drawn = spyOn(crypto, "getRandomValues").mockImplementation((array) => {
    if (array instanceof Uint8Array) array.fill(7);
    return array;
  });
  return { [Symbol.dispose]: () => drawn.mockRestore() };
}
