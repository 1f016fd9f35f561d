// The envelope as it stands → the run that the network would give it in the next ledger: the
// declared footprint, resources and authorizations are enforced, which a simulation does not do.

import type { Execution } from "../../model/execution.ts";
import type { Provenance, Snapshot, SnapshotSetting } from "../../model/snapshot.ts";
import { enforcedRequest } from "../../simulator/requests.ts";
import type { RunOptions, Simulator } from "../../simulator/simulator.ts";
import { STATE_SIZE_WINDOW_KEY } from "../../snapshot/decide-settings.ts";
import { decidingSettingKeys } from "../../snapshot/settings/deciding-settings.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { settingName } from "../../xdr/reader/keys.ts";
import {
  BASE_RESERVE_STROOPS,
  type CurrentState,
  entriesOf,
  type LedgerState,
} from "./current-state.ts";

export interface DeclaredRun {
  /** The ledger that it would be in. */
  readonly ledger: number;
  readonly protocolVersion: number;
  readonly snapshot: Snapshot;
  readonly execution: Execution;
}

/** The envelope declares resources. Throws what nodes and simulator fail with. */
export async function runAsDeclared(
  { replayer, state }: { readonly replayer: Simulator; readonly state: CurrentState },
  { xdr, networkPassphrase, soroban }: Envelope,
  options: RunOptions,
): Promise<DeclaredRun> {
  const { readOnly = [], readWrite = [] } = soroban?.footprint ?? {};
  const keys = [...readOnly, ...readWrite];
  const known = await withSettings(state, keys, options);
  const { tip } = known;
  const settings = settingsOf(known);
  const ledger = { ...tip, sequence: tip.sequence + 1, baseReserveStroops: BASE_RESERVE_STROOPS };
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
      provenance,
      ttlProvenance: null,
    })),
    settings,
    rentFeePer1KbStroops: null,
    unknown: [],
  };
  const execution = await replayer.replay(request, options);
  return { ledger: ledger.sequence, protocolVersion: tip.protocolVersion, snapshot, execution };
}

const provenance: Provenance = { kind: "rpc-unchanged", detail: "The node has it so." };

/** The latest ledger with these keys and the settings of a run. Throws what nodes fail with. */
export async function withSettings(
  state: CurrentState,
  keysXdr: readonly string[],
  options: RunOptions,
): Promise<LedgerState> {
  const latest = await state.latest(options);
  return state.withKeys(latest, [...keysXdr, ...settingKeys(latest)], options);
}

export function settingsOf(state: LedgerState): SnapshotSetting[] {
  return entriesOf(state, settingKeys(state)).flatMap(([keyXdr, entry]) =>
    entry === null ? [] : { name: settingName(keyXdr), entryXdr: entry.entryXdr, provenance },
  );
}

function settingKeys({ tip }: LedgerState): string[] {
  return [...decidingSettingKeys(tip.protocolVersion), STATE_SIZE_WINDOW_KEY];
}
