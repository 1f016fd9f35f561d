// The network settings that can change a replay. The others never reach an invocation. The host's
// own rules check key sizes. Lanes, parallelism and SCP timing decide which transactions a ledger
// takes. The eviction iterator works after the transactions. Frozen keys refuse a transaction
// before it runs (stellar-core: TransactionFrame::commonValidPreSeqNum,
// NetworkConfig::loadFromLedger).

import { settingKeyOf } from "../../xdr/ledger/settings.ts";

const DECIDING_IDS_SINCE: readonly (readonly [number, readonly number[]])[] = [
  // The ids of contract size, compute, ledger cost, history, events, bandwidth, cpu and memory cost
  // parameters, data entry size, and state archival.
  [20, [0, 1, 2, 3, 4, 5, 6, 7, 9, 10]],
  // The id of the ledger cost extension: flat write fee.
  [23, [15]],
];

/**
 * The LedgerKeys in base64. The state-size window is not among them, because only its average
 * decides anything.
 */
export function decidingSettingKeys(protocolVersion: number): string[] {
  return DECIDING_IDS_SINCE.filter(([since]) => protocolVersion >= since).flatMap(([, ids]) =>
    ids.map(settingKeyOf),
  );
}
