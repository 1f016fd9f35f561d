// The network settings of a ledger between two checkpoints, as far as the checkpoints show them.

import type { ArchivedLedgerRecords } from "../history-archive/archived-ledger.ts";
import type { SnapshotSetting, UnknownInput } from "../model/snapshot.ts";
import { STATE_SIZE_WINDOW_KEY } from "../snapshot/decide-settings.ts";
import { decidingSettingKeys } from "../snapshot/settings/deciding-settings.ts";
import { STATE_ARCHIVAL_ID, samplePeriodOf, settingKeyOf } from "../xdr/ledger/settings.ts";
import { settingName } from "../xdr/reader/keys.ts";
import { base64Of, isUnwrittenSince, type PeriodEnds } from "./period-ends.ts";
import { PERIOD_PROVENANCE, SETTING } from "./period-knowledge.ts";

export interface PeriodSettings {
  readonly settings: readonly SnapshotSetting[];
  readonly unknown: readonly UnknownInput[];
}

const ARCHIVAL_KEY = settingKeyOf(STATE_ARCHIVAL_ID);

/** Only upgrades change the settings, and samples change the state-size window. */
export async function readPeriodSettings(
  ends: PeriodEnds,
  ledgers: readonly ArchivedLedgerRecords[],
  { facts }: Pick<ArchivedLedgerRecords, "facts">,
): Promise<PeriodSettings> {
  const settings: SnapshotSetting[] = [];
  const unknown: UnknownInput[] = [];
  const first = ends.first?.sequence ?? null;
  const isUpgraded = ledgers.some(
    ({ header }) => header.sequence < facts.sequence && header.upgradeCount > 0,
  );
  let isSampled = true;
  for (const keyXdr of [...decidingSettingKeys(facts.protocolVersion), STATE_SIZE_WINDOW_KEY]) {
    const isAsBefore =
      first !== null && !isUpgraded && !(isSampled && keyXdr === STATE_SIZE_WINDOW_KEY);
    const last = await ends.atLast(keyXdr);
    const by = isAsBefore ? "first" : "last";
    const entry = isAsBefore ? await ends.atFirst(keyXdr) : last;
    const entryXdr = base64Of(entry);
    if (entryXdr === null || !(isAsBefore || isUnwrittenSince(last, facts.sequence))) {
      unknown.push({ keyXdr, reason: SETTING.reason });
      continue;
    }
    settings.push({ name: settingName(keyXdr), entryXdr, provenance: PERIOD_PROVENANCE[by] });
    if (keyXdr !== ARCHIVAL_KEY || first === null) continue;
    const period = samplePeriodOf(entryXdr);
    const samplesTo = (sequence: number) => Math.floor(sequence / Math.max(period, 1));
    isSampled = samplesTo(facts.sequence - 1) > samplesTo(first);
  }
  return { settings, unknown };
}
