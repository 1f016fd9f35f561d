// CONFIG_SETTING entries that svc itself must read or write. Layouts: Stellar-contract-config-setting.x.

import { decodeBase64 } from "./cursor.ts";
import { ENTRY_TYPE, settingKeyBytes } from "./keys.ts";
import { invalidXdr, xdrSource } from "./shape.ts";

export const STATE_ARCHIVAL_ID = 10;
export const STATE_SIZE_WINDOW_ID = 12;

/** lastModifiedLedgerSeq, type, setting id; the setting follows. */
const BODY_OFFSET = 12;
/** Of StateArchivalSettings: three TTLs, two denominators, entries to archive, window size. */
const SAMPLE_PERIOD_OFFSET = BODY_OFFSET + 3 * 4 + 2 * 8 + 2 * 4;

export function settingKeyOf(id: number): string {
  return settingKeyBytes(id).toBase64();
}

/** Every how many ledgers the state size is sampled; from a CONFIG_SETTING_STATE_ARCHIVAL entry. */
export function samplePeriodOf(stateArchivalEntryXdr: string): number {
  const { bytes, view, end } = xdrSource(decodeBase64(stateArchivalEntryXdr, "STATE_ARCHIVAL"));
  if (end < SAMPLE_PERIOD_OFFSET + 4 || view.getInt32(8) !== STATE_ARCHIVAL_ID) {
    throw invalidXdr("STATE_ARCHIVAL", bytes.length, "not this setting");
  }
  return view.getUint32(SAMPLE_PERIOD_OFFSET);
}

/**
 * CONFIG_SETTING_LIVE_SOROBAN_STATE_SIZE_WINDOW with one sample. Only the window's average decides
 * anything (NetworkConfig.cpp, loadLiveSorobanStateSizeWindow), and ledgers report just that.
 */
export function stateSizeWindowOf(averageBytes: string, ledger: number): string {
  const view = new DataView(new ArrayBuffer(BODY_OFFSET + 4 + 8 + 4));
  view.setUint32(0, ledger);
  view.setInt32(4, ENTRY_TYPE.configSetting);
  view.setInt32(8, STATE_SIZE_WINDOW_ID);
  view.setUint32(BODY_OFFSET, 1);
  view.setBigUint64(BODY_OFFSET + 4, BigInt(averageBytes));
  return new Uint8Array(view.buffer).toBase64();
}
