// A simulation request that gives no entries → one on the newest ledger: the envelope's footprint as it
// is now, the network settings, and the facts of the ledger that would come next. What the request
// gives itself stays.

import { SvcError } from "../base/errors.ts";
import { requestInvalid } from "../simulator/simulator-error.ts";
import type { SimulationRequest } from "../simulator/wire-schema.ts";
import { decidingSettingKeys } from "../snapshot/deciding-settings.ts";
import { STATE_SIZE_WINDOW_KEY } from "../snapshot/rent-inputs.ts";
import { readSorobanFacts } from "../xdr/envelope.ts";
import { BASE_RESERVE_STROOPS, type CurrentState, wireEntry } from "./current-state.ts";

/** Throws REQUEST_INVALID when it is no envelope, and what the nodes failed with. */
export async function onNewestLedger(
  request: SimulationRequest,
  state: CurrentState,
  options: { readonly signal: AbortSignal },
): Promise<SimulationRequest> {
  const keys = footprintOf(request.envelope_xdr);
  const newest = await state.newest(options);
  const settingKeys = [...decidingSettingKeys(newest.tip.protocolVersion), STATE_SIZE_WINDOW_KEY];
  const known = await state.withKeys(newest, [...keys, ...settingKeys], options);
  const { tip } = known;
  return {
    ...request,
    ledger_entries: Object.fromEntries(keys.map((key) => [key, wireEntry(known, key)])),
    ledger: {
      protocol_version: tip.protocolVersion,
      sequence: tip.sequence + 1,
      close_time_unix_seconds: tip.closeTimeUnixSeconds,
      base_reserve_stroops: BASE_RESERVE_STROOPS,
      settings: settingKeys.flatMap((key) => known.entries.get(key)?.entryXdr ?? []),
      ...request.ledger,
    },
  };
}

function footprintOf(envelopeXdr: string): readonly string[] {
  try {
    const facts = readSorobanFacts(Buffer.from(envelopeXdr, "base64"));
    return [...(facts?.footprint.readOnly ?? []), ...(facts?.footprint.readWrite ?? [])];
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw requestInvalid([{ field: "envelope_xdr", problem: error.message }]);
  }
}
