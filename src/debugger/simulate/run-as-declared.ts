// The envelope as it stands → the run that the network would give it in the next ledger: the
// declared footprint, resources and authorizations are enforced, which a simulation does not do.

import type { Execution } from "../../model/execution.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { enforcedRequest } from "../../simulator/requests.ts";
import type { RunOptions, Simulator } from "../../simulator/simulator.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { nextLedger, REPORTED, settingsOf, withSettings } from "./current-settings.ts";
import { type CurrentState, entriesOf } from "./current-state.ts";

/** The envelope declares resources. Throws what nodes and simulator fail with. */
export async function runAsDeclared(
  { replayer, state }: { readonly replayer: Simulator; readonly state: CurrentState },
  { xdr, networkPassphrase, soroban }: Envelope,
  options: RunOptions,
): Promise<{
  /** The ledger that it would be in. */
  readonly ledger: number;
  readonly snapshot: Snapshot;
  readonly execution: Execution;
}> {
  const { readOnly = [], readWrite = [] } = soroban?.footprint ?? {};
  const keys = [...readOnly, ...readWrite];
  const known = await withSettings(state, keys, options);
  const settings = settingsOf(known);
  const ledger = nextLedger(known);
  const entries = entriesOf(known, keys);
  const settingsXdr = settings.map(({ entryXdr }) => entryXdr);
  const request = enforcedRequest(xdr, networkPassphrase, { entries, ledger, settingsXdr });
  const snapshot: Snapshot = {
    entries: entries.map(([keyXdr, entry]) => ({
      keyXdr,
      entryXdr: entry?.entryXdr ?? null,
      liveUntilLedger: entry?.liveUntilLedger || null,
      archived: entry?.liveUntilLedger === 0,
      codeCached: null,
      provenance: REPORTED,
      ttlProvenance: null,
    })),
    settings,
    rentFeePer1KbStroops: null,
    unknown: [],
  };
  const execution = await replayer.replay(request, options);
  return { ledger: ledger.sequence, snapshot, execution };
}
