// The network's limits for one transaction, from its CONFIG_SETTING entries. Their layouts are the
// structs ConfigSettingContract… of Stellar-contract-config-setting.x.

import { decodeBase64 } from "../reader/cursor.ts";
import { ENTRY_TYPE, typeOfEntryBytes } from "../reader/keys.ts";
import { decode, type Value } from "../reader/value.ts";
import { uint32At } from "../reader/words.ts";

/** 100 XLM, as a bid: more than the resources of any transaction cost. */
export const MOST_RESOURCE_FEE_STROOPS = 1_000_000_000n;

/** Decimal strings. A limit is absent if its setting is missing. */
export interface TransactionLimits {
  readonly instructions?: string;
  readonly memoryBytes?: string;
  /** Before protocol 23 this is the limit for all entries that are read. */
  readonly diskReadEntries?: string;
  readonly diskReadBytes?: string;
  readonly writeEntries?: string;
  readonly writeBytes?: string;
  readonly eventsBytes?: string;
  /** The size of the envelope. */
  readonly sizeBytes?: string;
  /** This limit exists from protocol 23 on. */
  readonly footprintEntries?: string;
  /** The size of one entry of contract data. */
  readonly dataEntryBytes?: string;
  /** The size of one contract's code. */
  readonly codeBytes?: string;
  /** The size of one key of the footprint. */
  readonly keyBytes?: string;
  /** The most ledgers that an entry can live, the current one included. */
  readonly entryTtl?: string;
  /** The ledgers that a new entry lives, the current one included. */
  readonly newPersistentTtl?: string;
  readonly newTemporaryTtl?: string;
}

const LIMIT_IDS = [0, 1, 2, 4, 5, 8, 9, 10, 15] as const;
const FROZEN_KEYS_ID = 17;
const FREEZE_BYPASS_ID = 19;

/** `entriesXdr` are LedgerEntries. Entries of other settings are ignored. */
export function readTransactionLimits(entriesXdr: readonly string[]): TransactionLimits {
  return Object.assign({}, ...settingsAmong(entriesXdr, LIMIT_IDS).map(limitsOf));
}

function limitsOf(setting: Value<"ConfigSettingEntry">): TransactionLimits {
  switch (setting.configSettingID) {
    case 0:
      return { codeBytes: String(setting.contractMaxSizeBytes) };
    case 1: {
      const { txMaxInstructions, txMemoryLimit } = setting.contractCompute;
      return { instructions: String(txMaxInstructions), memoryBytes: String(txMemoryLimit) };
    }
    case 2: {
      const cost = setting.contractLedgerCost;
      return {
        diskReadEntries: String(cost.txMaxDiskReadEntries),
        diskReadBytes: String(cost.txMaxDiskReadBytes),
        writeEntries: String(cost.txMaxWriteLedgerEntries),
        writeBytes: String(cost.txMaxWriteBytes),
      };
    }
    case 4:
      return { eventsBytes: String(setting.contractEvents.txMaxContractEventsSizeBytes) };
    case 5:
      return { sizeBytes: String(setting.contractBandwidth.txMaxSizeBytes) };
    case 8:
      return { keyBytes: String(setting.contractDataKeySizeBytes) };
    case 9:
      return { dataEntryBytes: String(setting.contractDataEntrySizeBytes) };
    case 10: {
      const { maxEntryTtl, minPersistentTtl, minTemporaryTtl } = setting.stateArchivalSettings;
      return {
        entryTtl: String(maxEntryTtl),
        newPersistentTtl: String(minPersistentTtl),
        newTemporaryTtl: String(minTemporaryTtl),
      };
    }
    case 15:
      return { footprintEntries: String(setting.contractLedgerCostExt.txMaxFootprintEntries) };
    default:
      return {};
  }
}

/**
 * Keys that no transaction may access from protocol 26 on, except the transactions in the list
 * (CAP-77).
 */
export interface FrozenKeys {
  /** LedgerKeys. */
  readonly keys: ReadonlySet<string>;
  /** Transaction hashes, hex. */
  readonly exceptions: ReadonlySet<string>;
}

/**
 * `entriesXdr` are LedgerEntries. The sets are empty if the settings are missing, as before
 * protocol 26.
 */
export function readFrozenKeys(entriesXdr: readonly string[]): FrozenKeys {
  const keys = new Set<string>();
  const exceptions = new Set<string>();
  for (const setting of settingsAmong(entriesXdr, [FROZEN_KEYS_ID, FREEZE_BYPASS_ID])) {
    if (setting.configSettingID === FROZEN_KEYS_ID)
      for (const key of setting.frozenLedgerKeys.keys) keys.add(key.toBase64());
    if (setting.configSettingID === FREEZE_BYPASS_ID)
      for (const hash of setting.freezeBypassTxs.txHashes) exceptions.add(hash.toHex());
  }
  return { keys, exceptions };
}

/** An entry begins with the ledger of its last change, its type, and the setting's id. */
const ID_CHARACTERS = 16;

/** Decodes only the settings with these ids, because the largest of the others are long. */
function settingsAmong(entriesXdr: readonly string[], ids: readonly number[]) {
  return entriesXdr.flatMap((entryXdr) => {
    const head = decodeBase64(entryXdr.slice(0, ID_CHARACTERS), "CONFIG_SETTING");
    if (typeOfEntryBytes(head) !== ENTRY_TYPE.configSetting || !ids.includes(uint32At(head, 8)))
      return [];
    const { data } = decode("LedgerEntry", entryXdr);
    return data.type === ENTRY_TYPE.configSetting ? data.configSetting : [];
  });
}
