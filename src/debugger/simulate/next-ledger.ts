// The facts that a run in the next ledger needs besides its entries: the network settings of the
// latest ledger, and that next ledger.

import { BASE_RESERVE_STROOPS } from "../../model/networks.ts";
import type { Provenance } from "../../model/provenance.ts";
import type { SnapshotSetting } from "../../model/snapshot.ts";
import { STATE_SIZE_WINDOW_KEY } from "../../snapshot/decide-settings.ts";
import { decidingSettingKeys } from "../../snapshot/settings/deciding-settings.ts";
import type { FetchContext } from "../../sources/source.ts";
import { settingKeyOf } from "../../xdr/ledger/settings.ts";
import { settingName } from "../../xdr/reader/keys.ts";
import {
  type CurrentState,
  entriesOf,
  FROZEN_KEYS_IDS,
  KEY_SIZE_ID,
  type LatestEntries,
} from "./current-state.ts";

/** The provenance of everything that a node reports of its latest ledger. */
export const REPORTED: Provenance = { kind: "rpc-unchanged", detail: "The node reported it." };

/** The latest ledger with these keys and the settings of a run. Throws the errors of the nodes. */
export async function withSettings(
  state: CurrentState,
  keysXdr: readonly string[],
  context: FetchContext,
): Promise<LatestEntries> {
  const latest = await state.latest(context);
  return state.withKeys(latest, [...keysXdr, ...settingKeys(latest)], context);
}

/** Like `withSettings`, with the settings that stellar-core reads before a run, too. */
export async function withAllSettings(
  state: CurrentState,
  keysXdr: readonly string[],
  context: FetchContext,
): Promise<LatestEntries> {
  const latest = await state.latest(context);
  return state.withKeys(latest, [...keysXdr, ...allSettingKeys(latest)], context);
}

/** CONFIG_SETTING LedgerEntries. */
export function allSettingsOf(state: LatestEntries): string[] {
  return entriesOf(state, allSettingKeys(state)).flatMap(([, entry]) => entry?.entryXdr ?? []);
}

/** The names of the settings that no node returned, although the network has them. */
export function uncheckedSettings(state: LatestEntries): string[] {
  return entriesOf(state, allSettingKeys(state)).flatMap(([keyXdr, entry]) =>
    entry === null ? settingName(keyXdr) : [],
  );
}

function allSettingKeys(state: LatestEntries): string[] {
  const frozen = state.tip.protocolVersion >= FROZEN_KEYS_PROTOCOL ? FROZEN_KEYS_IDS : [];
  return [...settingKeys(state), ...[KEY_SIZE_ID, ...frozen].map(settingKeyOf)];
}

const FROZEN_KEYS_PROTOCOL = 26;

export function settingsOf(state: LatestEntries): SnapshotSetting[] {
  return entriesOf(state, settingKeys(state)).flatMap(([keyXdr, entry]) =>
    entry === null
      ? []
      : { name: settingName(keyXdr), entryXdr: entry.entryXdr, provenance: REPORTED },
  );
}

/** The first ledger that can contain a transaction that is sent now. */
export function nextLedger({ tip }: LatestEntries) {
  return { ...tip, sequence: tip.sequence + 1, baseReserveStroops: BASE_RESERVE_STROOPS };
}

function settingKeys({ tip }: LatestEntries): string[] {
  return [...decidingSettingKeys(tip.protocolVersion), STATE_SIZE_WINDOW_KEY];
}
