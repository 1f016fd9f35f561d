// An unchanged envelope → the run that the network would give it in the next ledger. That run
// enforces the declared footprint, resources and authorizations, which a simulation does not.

import type { RanAsSimulated } from "../../explain/explain-simulation.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { enforcedRequest } from "../../simulator/requests.ts";
import type { RunOptions, Simulator } from "../../simulator/simulator.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { type CurrentState, entriesOf, type LatestEntries } from "./current-state.ts";
import { nextLedger, REPORTED, settingsOf, withSettings } from "./next-ledger.ts";

/** The envelope must declare resources. Throws the errors of the nodes and of the simulator. */
export async function runAsDeclared(
  { replayer, state }: { readonly replayer: Simulator; readonly state: CurrentState },
  { xdr, networkPassphrase, soroban }: Envelope,
  { hostCalls = false, ...options }: RunOptions & { readonly hostCalls?: boolean },
): Promise<RanAsSimulated> {
  const { readOnly = [], readWrite = [] } = soroban?.footprint ?? {};
  const keys = [...readOnly, ...readWrite];
  const known = await withSettings(state, keys, options);
  const ledger = nextLedger(known);
  const snapshot = snapshotOf(known, keys);
  const settingsXdr = snapshot.settings.map(({ entryXdr }) => entryXdr);
  const inputs = { entries: entriesOf(known, keys), ledger, settingsXdr };
  const request = enforcedRequest(xdr, networkPassphrase, inputs, hostCalls);
  const execution = await replayer.replay(request, options);
  return { ledger: ledger.sequence, snapshot, execution };
}

/** The state of these keys, as a snapshot that rests on the node's word. */
export function snapshotOf(known: LatestEntries, keys: readonly string[]): Snapshot {
  return {
    entries: entriesOf(known, keys).map(([keyXdr, entry]) => ({
      keyXdr,
      entryXdr: entry?.entryXdr ?? null,
      liveUntilLedger: entry?.liveUntilLedger ?? null,
      archived: entry?.archived ?? false,
      codeCached: null,
      provenance: REPORTED,
      ttlProvenance: null,
    })),
    settings: settingsOf(known),
    rentFeePer1KbStroops: null,
    unknown: [],
  };
}
