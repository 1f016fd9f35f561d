// CONFIG_SETTING entries that svc itself must read or write. Layouts:
// Stellar-contract-config-setting.x.

import { decodeBase64 } from "../reader/cursor.ts";
import { ENTRY_TYPE, settingKeyBytes, settingNameOfId } from "../reader/keys.ts";
import { invalidXdr } from "../reader/shape.ts";
import { setUint32, setUint64, uint32At } from "../reader/words.ts";

export const LEDGER_COST_ID = 2;
export const STATE_ARCHIVAL_ID = 10;
export const STATE_SIZE_WINDOW_ID = 12;

/** lastModifiedLedgerSeq, type, setting id; the setting follows. */
const BODY_OFFSET = 12;
/**
 * Fields of StateArchivalSettings: three TTLs, two denominators, entries to archive, window size.
 */
const SAMPLE_PERIOD_OFFSET = BODY_OFFSET + 3 * 4 + 2 * 8 + 2 * 4;

export function settingKeyOf(id: number): string {
  return settingKeyBytes(id).toBase64();
}

/** Ledgers between two samples of the state size; from a CONFIG_SETTING_STATE_ARCHIVAL entry. */
export function samplePeriodOf(stateArchivalEntryXdr: string): number {
  const entry = decodeBase64(stateArchivalEntryXdr, "STATE_ARCHIVAL");
  if (entry.length < SAMPLE_PERIOD_OFFSET + 4 || uint32At(entry, 8) !== STATE_ARCHIVAL_ID) {
    throw invalidXdr("STATE_ARCHIVAL", entry.length, "not this setting");
  }
  return uint32At(entry, SAMPLE_PERIOD_OFFSET);
}

/**
 * CONFIG_SETTING_LIVE_SOROBAN_STATE_SIZE_WINDOW with one sample. Only the window's average matters
 * (NetworkConfig.cpp, loadLiveSorobanStateSizeWindow), and ledgers report only that.
 */
export function stateSizeWindowOf(averageBytes: string, ledger: number): string {
  const entry = new Uint8Array(BODY_OFFSET + 4 + 8 + 4);
  setUint32(entry, 0, ledger);
  setUint32(entry, 4, ENTRY_TYPE.configSetting);
  setUint32(entry, 8, STATE_SIZE_WINDOW_ID);
  setUint32(entry, BODY_OFFSET, 1);
  setUint64(entry, BODY_OFFSET + 4, BigInt(averageBytes));
  return entry.toBase64();
}

/** The network's limits for one transaction, each with the id and the offset in its setting. */
const NETWORK_LIMITS = {
  /** After ledgerMaxInstructions, txMaxInstructions and the fee rate. */
  memoryBytes: [1, BODY_OFFSET + 3 * 8],
  eventsBytes: [4, BODY_OFFSET],
} as const;

export type NetworkLimit = keyof typeof NETWORK_LIMITS;

/** Name of the setting that has the limit, `CONFIG_SETTING_…`. */
export function settingOfLimit(limit: NetworkLimit): string {
  return settingNameOfId(NETWORK_LIMITS[limit][0]);
}

/** The setting's entry with another limit. `entryXdr`: of `settingOfLimit(limit)`. */
export function withNetworkLimit(entryXdr: string, limit: NetworkLimit, bytes: number): string {
  const entry = decodeBase64(entryXdr, settingOfLimit(limit)).slice();
  const [id, offset] = NETWORK_LIMITS[limit];
  if (entry.length < offset + 4 || uint32At(entry, 8) !== id)
    throw invalidXdr(settingOfLimit(limit), entry.length, "not this setting");
  setUint32(entry, offset, bytes);
  return entry.toBase64();
}
