// A simulation request that gives no entries → one on the newest ledger: the envelope's footprint as it
// is now, the network settings, and the facts of the ledger that would come next. What the request
// gives itself stays.

import { SvcError } from "../../base/errors/errors.ts";
import { requestInvalid } from "../../simulator/simulator-error.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";
import { STATE_SIZE_WINDOW_KEY } from "../../snapshot/decide-settings.ts";
import { decidingSettingKeys } from "../../snapshot/settings/deciding-settings.ts";
import { readSorobanFacts } from "../../xdr/envelope/envelope.ts";
import { BASE_RESERVE_STROOPS, type CurrentState, wireEntry } from "./current-state.ts";

/** Throws REQUEST_INVALID when it is no envelope, and what the nodes failed with. */
export async function fillFromLatestLedger(
  request: ReplayRequest,
  state: CurrentState,
  options: { readonly signal: AbortSignal },
): Promise<ReplayRequest> {
  const keys = footprintOf(request.envelope_xdr);
  const latest = await state.latest(options);
  const settingKeys = [...decidingSettingKeys(latest.tip.protocolVersion), STATE_SIZE_WINDOW_KEY];
  const known = await state.withKeys(latest, [...keys, ...settingKeys], options);
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
