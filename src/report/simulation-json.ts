// The document of `svc simulate --json`: one JSON document, newline at the end. `format` rises when
// a field changes its meaning or is removed; new fields can be added at any time.

import { type Audience, phrased, phraseFor, SHELL } from "../base/phrase.ts";
import { jsonDocument } from "../base/text/json-document.ts";
import type { SimulationReport } from "../model/simulation.ts";
import { rpcSimulation } from "./rpc-simulation.ts";

const SIMULATE_REPORT_FORMAT = 1;

export function renderSimulationJson(report: SimulationReport): string {
  return jsonDocument(simulationReportJson(report));
}

export type SimulationDocument = ReturnType<typeof simulationReportJson>;

/** Its sentences name what the audience can use. `rpc` is the response of Stellar RPC's simulateTransaction, ready for an SDK. */
export function simulationReportJson(report: SimulationReport, audience: Audience = SHELL) {
  const { networkPassphrase, simulation, explanation, sending } = report;
  const { outcome, headline, cause, evidence, remedy, result, ...details } = explanation;
  // Without a simulation, it is unknown whether the transaction would succeed.
  const success = outcome === "nothing-to-simulate" ? null : outcome === "succeeds";
  return {
    format: SIMULATE_REPORT_FORMAT,
    networkPassphrase,
    ledger: simulation.latestLedger,
    host: simulation.host,
    outcome: {
      kind: outcome,
      success,
      headline,
      cause,
      evidence,
      remedy: remedy && phraseFor(remedy, audience),
      result,
    },
    metered: {
      cpuInstructions: simulation.cpuInstructions,
      memoryBytes: simulation.memoryBytes,
    },
    minResourceFeeStroops: simulation.minResourceFeeStroops,
    sending: sending && phrased(sending, audience),
    ...details,
    rpc: rpcSimulation(simulation),
  };
}
