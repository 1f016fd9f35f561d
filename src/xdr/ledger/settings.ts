// The CONFIG_SETTING entries that svc itself must read or write. Their layouts are in
// Stellar-contract-config-setting.x.

import { decodeBase64 } from "../reader/cursor.ts";
import { ENTRY_TYPE, settingKeyBytes, settingNameOfId } from "../reader/keys.ts";
import { invalidXdr } from "../reader/shape.ts";
import { decode, encode } from "../reader/value.ts";
import { setUint32, uint32At } from "../reader/words.ts";

export const LEDGER_COST_ID = 2;
export const STATE_ARCHIVAL_ID = 10;
export const STATE_SIZE_WINDOW_ID = 12;

/** The bytes of lastModifiedLedgerSeq, the type and the setting's id. The setting follows. */
const BODY_OFFSET = 12;

export function settingKeyOf(id: number): string {
  return settingKeyBytes(id).toBase64();
}

/**
 * Returns the ledgers between two samples of the state size, from a CONFIG_SETTING_STATE_ARCHIVAL
 * entry.
 */
export function samplePeriodOf(stateArchivalEntryXdr: string): number {
  const { data } = decode("LedgerEntry", stateArchivalEntryXdr);
  if (data.type !== ENTRY_TYPE.configSetting || data.configSetting.configSettingID !== 10)
    throw invalidXdr("STATE_ARCHIVAL", 0, "not this setting");
  return data.configSetting.stateArchivalSettings.liveSorobanStateSizeWindowSamplePeriod;
}

/**
 * Makes a CONFIG_SETTING_LIVE_SOROBAN_STATE_SIZE_WINDOW with one sample. Only the window's average
 * matters (NetworkConfig.cpp, loadLiveSorobanStateSizeWindow), and ledgers report only that.
 */
export function stateSizeWindowOf(averageBytes: string, ledger: number): string {
  const samples = [BigInt(averageBytes)];
  const configSetting = {
    configSettingID: STATE_SIZE_WINDOW_ID,
    liveSorobanStateSizeWindow: samples,
  } as const;
  return encode("LedgerEntry", {
    lastModifiedLedgerSeq: ledger,
    data: { type: ENTRY_TYPE.configSetting, configSetting },
    ext: { v: 0 },
  });
}

/**
 * Returns the window's average, 0 without samples (NetworkConfig.cpp,
 * loadLiveSorobanStateSizeWindow).
 */
export function averageStateSizeOf(windowXdr: string): bigint {
  const { data } = decode("LedgerEntry", windowXdr);
  if (data.type !== ENTRY_TYPE.configSetting) return 0n;
  const { configSetting } = data;
  if (configSetting.configSettingID !== STATE_SIZE_WINDOW_ID) return 0n;
  const samples = configSetting.liveSorobanStateSizeWindow;
  const sum = samples.reduce((before, each) => before + each, 0n);
  return samples.length === 0 ? 0n : sum / BigInt(samples.length);
}

/**
 * The network's limits for one transaction, each with the id of its setting and its offset there.
 */
const NETWORK_LIMITS = {
  /** It follows ledgerMaxInstructions, txMaxInstructions and the fee rate. */
  memoryBytes: [1, BODY_OFFSET + 3 * 8],
  eventsBytes: [4, BODY_OFFSET],
} as const;

export type NetworkLimit = keyof typeof NETWORK_LIMITS;

/** Returns the name of the setting with the limit, `CONFIG_SETTING_…`. */
export function settingOfLimit(limit: NetworkLimit): string {
  return settingNameOfId(NETWORK_LIMITS[limit][0]);
}

/**
 * Returns the setting's entry with another limit. `entryXdr` must be an entry of
 * `settingOfLimit(limit)`.
 */
export function withNetworkLimit(entryXdr: string, limit: NetworkLimit, bytes: number): string {
  const entry = decodeBase64(entryXdr, settingOfLimit(limit)).slice();
  const [id, offset] = NETWORK_LIMITS[limit];
  if (entry.length < offset + 4 || uint32At(entry, 8) !== id)
    throw invalidXdr(settingOfLimit(limit), entry.length, "not this setting");
  setUint32(entry, offset, bytes);
  return entry.toBase64();
}
