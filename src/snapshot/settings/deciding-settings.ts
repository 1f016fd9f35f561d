// Which network settings can change a replay. The others never reach an invocation: key sizes are
// checked by the host's own rules, lanes, parallelism and SCP timing decide which transactions a
// ledger takes, the eviction iterator works after them, and frozen keys refuse a transaction before
// it runs (stellar-core: TransactionFrame::commonValidPreSeqNum, NetworkConfig::loadFromLedger).

import { settingKeyOf } from "../../xdr/ledger/settings.ts";

const DECIDING_IDS_SINCE: readonly (readonly [number, readonly number[]])[] = [
  // Contract size, compute, ledger cost, history, events, bandwidth, cpu and memory cost
  // parameters, data entry size, state archival.
  [20, [0, 1, 2, 3, 4, 5, 6, 7, 9, 10]],
  // Ledger cost extension: flat write fee.
  [23, [15]],
];

/** LedgerKeys, base64; the state-size window is apart, since only its average decides anything. */
export function decidingSettingKeys(protocolVersion: number): string[] {
  return DECIDING_IDS_SINCE.filter(([since]) => protocolVersion >= since).flatMap(([, ids]) =>
    ids.map(settingKeyOf),
  );
}
