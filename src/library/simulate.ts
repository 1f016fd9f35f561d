// Simulates an envelope that has not been sent, on the latest ledger that the nodes have.

import "./standard.ts";

import { type SimulationDocument, simulationReportJson } from "../report/simulation-json.ts";
import { givenText, unlessInterrupted } from "./given.ts";
import type { SimulationOptions } from "./options.ts";
import { simulationOf } from "./simulation-of.ts";

export type * from "./options.ts";
export type { SimulationDocument };
export { simulateEnvelope as simulate };

/**
 * Simulates a TransactionEnvelope in base64, and runs it with what it declares. Returns the
 * document of `svc simulate --json`, also for a transaction that would fail. Throws a SvcError:
 * FILE_INVALID if the text is not an envelope, and the errors of the nodes.
 */
async function simulateEnvelope(
  envelope: string,
  options: SimulationOptions,
): Promise<SimulationDocument> {
  const text = givenText(envelope, "The envelope");
  const simulate = () => simulationOf(text, options);
  return simulationReportJson(await unlessInterrupted(options.signal, simulate));
}
