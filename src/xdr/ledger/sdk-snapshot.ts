// A ledger's state as the tests of contracts read it: the LedgerSnapshot of soroban-sdk
// (`Env::from_ledger_snapshot_file`, crate soroban-ledger-snapshot), in the form that every version
// of the SDK reads. The SDK's environment has no archive: an entry that has expired keeps a TTL
// that has passed. From protocol 23 on, the SDK's host restores a persistent one by itself.

import { networkId } from "../reader/hash.ts";
import { ENTRY_TYPE, isSettingKey, keyOfEntry } from "../reader/keys.ts";
import { toJson } from "../reader/to-json.ts";
import { decode } from "../reader/value.ts";
import { STATE_ARCHIVAL_ID, settingKeyOf } from "./settings.ts";

export interface SdkLedger {
  readonly networkPassphrase: string;
  readonly protocolVersion: number;
  /** The ledger that the test runs in. */
  readonly sequence: number;
  readonly closeTimeUnixSeconds: string;
  readonly baseReserveStroops: number;
  /** CONFIG_SETTING LedgerEntries. */
  readonly settingsXdr: readonly string[];
}

export interface SdkEntry {
  /** A LedgerEntry. */
  readonly entryXdr: string;
  /** Null for entries without a TTL; 0 for archived ones. */
  readonly liveUntilLedger: number | null;
}

/** The TTLs of mainnet, for ledgers whose settings are unknown. */
const USUAL_TTLS = { maxEntryTtl: 3_110_400, minTemporaryTtl: 720, minPersistentTtl: 120_960 };

/** Leaves out entries of settings and TTLs, because the SDK has neither. */
export function sdkSnapshot(ledger: SdkLedger, entries: readonly SdkEntry[]): object {
  const { maxEntryTtl, minTemporaryTtl, minPersistentTtl } = ttlsOf(ledger.settingsXdr);
  return {
    protocol_version: ledger.protocolVersion,
    sequence_number: ledger.sequence,
    timestamp: Number(ledger.closeTimeUnixSeconds),
    network_id: networkId(ledger.networkPassphrase).toHex(),
    base_reserve: ledger.baseReserveStroops,
    min_persistent_entry_ttl: minPersistentTtl,
    min_temp_entry_ttl: minTemporaryTtl,
    max_entry_ttl: maxEntryTtl,
    ledger_entries: entries.flatMap(({ entryXdr, liveUntilLedger }) => {
      const keyXdr = keyOfEntry(entryXdr);
      if (isSettingKey(keyXdr)) return [];
      const key = toJson("LedgerKey", decode("LedgerKey", keyXdr));
      const entry = toJson("LedgerEntry", decode("LedgerEntry", entryXdr));
      return [[key, [entry, liveUntilLedger]]];
    }),
  };
}

function ttlsOf(settingsXdr: readonly string[]): typeof USUAL_TTLS {
  const key = settingKeyOf(STATE_ARCHIVAL_ID);
  const entryXdr = settingsXdr.find((each) => keyOfEntry(each) === key);
  if (entryXdr === undefined) return USUAL_TTLS;
  const { data } = decode("LedgerEntry", entryXdr);
  if (data.type !== ENTRY_TYPE.configSetting || data.configSetting.configSettingID !== 10)
    return USUAL_TTLS;
  return data.configSetting.stateArchivalSettings;
}
