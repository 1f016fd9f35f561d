// The network's limits for one transaction, from its CONFIG_SETTING entries. Layouts: the structs
// ConfigSettingContract… of Stellar-contract-config-setting.x.

import { readBase64, type XdrCursor } from "../reader/cursor.ts";
import { ENTRY_TYPE } from "../reader/keys.ts";
import { decode } from "../reader/value.ts";

/** Decimal strings; a limit is absent when its setting is missing. */
export interface TransactionLimits {
  readonly instructions?: string;
  readonly memoryBytes?: string;
  /** Before protocol 23, the limit for all entries that are read. */
  readonly diskReadEntries?: string;
  readonly diskReadBytes?: string;
  readonly writeEntries?: string;
  readonly writeBytes?: string;
  readonly eventsBytes?: string;
  /** Size of the envelope. */
  readonly sizeBytes?: string;
  /** From protocol 23. */
  readonly footprintEntries?: string;
  /** Size of one entry of contract data. */
  readonly dataEntryBytes?: string;
  /** Size of one contract's code. */
  readonly codeBytes?: string;
  /** Size of one key of the footprint. */
  readonly keyBytes?: string;
  /** Ledgers that an entry lives at most, the current one included. */
  readonly entryTtl?: string;
}

const READERS: Readonly<Record<number, (cursor: XdrCursor) => TransactionLimits>> = {
  0: (cursor) => ({ codeBytes: String(cursor.uint32()) }),
  1: readCompute,
  2: readLedgerCost,
  4: (cursor) => ({ eventsBytes: String(cursor.uint32()) }),
  5: (cursor) => {
    cursor.uint32();
    return { sizeBytes: String(cursor.uint32()) };
  },
  8: (cursor) => ({ keyBytes: String(cursor.uint32()) }),
  9: (cursor) => ({ dataEntryBytes: String(cursor.uint32()) }),
  10: (cursor) => ({ entryTtl: String(cursor.uint32()) }),
  15: (cursor) => ({ footprintEntries: String(cursor.uint32()) }),
};

/** Base64 of all that is read of a setting; the largest settings, which are ignored, are long. */
const READ_CHARACTERS = 64;

/** `entriesXdr`: LedgerEntries; ignores all but these settings. */
export function readTransactionLimits(entriesXdr: readonly string[]): TransactionLimits {
  let limits: TransactionLimits = {};
  for (const entryXdr of entriesXdr) {
    readBase64(entryXdr.slice(0, READ_CHARACTERS), "CONFIG_SETTING", (cursor) => {
      cursor.uint32();
      const type = cursor.int32();
      const read = type === ENTRY_TYPE.configSetting ? READERS[cursor.int32()] : undefined;
      if (read !== undefined) limits = { ...limits, ...read(cursor) };
      cursor.at = cursor.source.end;
    });
  }
  return limits;
}

/** Keys that no transaction may access from protocol 26, except those that are named (CAP-77). */
export interface FrozenKeys {
  /** LedgerKeys. */
  readonly keys: ReadonlySet<string>;
  /** Transaction hashes, hex. */
  readonly exceptions: ReadonlySet<string>;
}

const FROZEN_KEYS_ID = 17;
const FREEZE_BYPASS_ID = 19;
/** An entry begins with the ledger of its last change, its type, and the setting's id. */
const ID_CHARACTERS = 16;

/** `entriesXdr`: as above. Empty where the settings are missing: before protocol 26. */
export function readFrozenKeys(entriesXdr: readonly string[]): FrozenKeys {
  const keys = new Set<string>();
  const exceptions = new Set<string>();
  for (const entryXdr of entriesXdr) {
    const id = Buffer.from(entryXdr.slice(0, ID_CHARACTERS), "base64").readInt32BE(8);
    if (id !== FROZEN_KEYS_ID && id !== FREEZE_BYPASS_ID) continue;
    const { data } = decode("LedgerEntry", entryXdr);
    if (data.type !== ENTRY_TYPE.configSetting) continue;
    const setting = data.configSetting;
    if (setting.configSettingID === FROZEN_KEYS_ID)
      for (const key of setting.frozenLedgerKeys.keys)
        keys.add(Buffer.from(key).toString("base64"));
    if (setting.configSettingID === FREEZE_BYPASS_ID)
      for (const hash of setting.freezeBypassTxs.txHashes)
        exceptions.add(Buffer.from(hash).toString("hex"));
  }
  return { keys, exceptions };
}

/** ledgerMaxInstructions, txMaxInstructions, fee rate, txMemoryLimit. */
function readCompute(cursor: XdrCursor): TransactionLimits {
  cursor.int64();
  const instructions = cursor.int64().toString();
  cursor.int64();
  return { instructions, memoryBytes: String(cursor.uint32()) };
}

/** Four limits of a ledger, then those of a transaction: entries and bytes read, then written. */
function readLedgerCost(cursor: XdrCursor): TransactionLimits {
  cursor.opaque(4 * 4);
  const diskReadEntries = String(cursor.uint32());
  const diskReadBytes = String(cursor.uint32());
  const writeEntries = String(cursor.uint32());
  return { diskReadEntries, diskReadBytes, writeEntries, writeBytes: String(cursor.uint32()) };
}
