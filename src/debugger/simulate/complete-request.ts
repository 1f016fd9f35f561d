// The body of POST /v1/simulate → a request to svc-sim. A body without ledger entries runs on the
// latest ledger: the envelope's footprint as it is now, the network settings, and the facts of the
// next ledger. Facts that the body has stay as they are.

import { SvcError } from "../../base/errors/errors.ts";
import {
  type RequestDefaults,
  readSimulateRequest,
  type SimulateRequest,
  withState,
} from "../../simulator/requests.ts";
import { requestInvalid } from "../../simulator/simulator-error.ts";
import { readSorobanFacts } from "../../xdr/envelope/envelope-facts.ts";
import { checkLimits, type SimulationLimits } from "./check-limits.ts";
import { type CurrentState, entriesOf } from "./current-state.ts";
import { nextLedger, settingsOf, withSettings } from "./next-ledger.ts";

/** Throws REQUEST_INVALID, LIMIT_TOO_HIGH, and the errors of the nodes. */
export async function completeRequest(
  body: unknown,
  defaults: RequestDefaults & { readonly limits: SimulationLimits },
  state: CurrentState,
  options: { readonly signal: AbortSignal },
): Promise<SimulateRequest> {
  const read = readSimulateRequest(body, defaults);
  const { request, written } = read;
  checkLimits(request, defaults.limits);
  if (written.entries) return read;
  const keys = footprintOf(request.envelope_xdr);
  const known = await withSettings(state, keys, options);
  const complete = withState(request, {
    entries: entriesOf(known, keys),
    ledger: nextLedger(known),
    settingsXdr: settingsOf(known).map(({ entryXdr }) => entryXdr),
  });
  return { ...read, request: complete };
}

function footprintOf(envelopeXdr: string): readonly string[] {
  try {
    const facts = readSorobanFacts(Uint8Array.fromBase64(envelopeXdr));
    return [...(facts?.footprint.readOnly ?? []), ...(facts?.footprint.readWrite ?? [])];
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw requestInvalid([{ field: "envelope_xdr", problem: error.message }]);
  }
}
