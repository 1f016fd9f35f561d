// getLedgerEntries of Stellar RPC.

import * as v from "valibot";
import type { CurrentLedgerEntry } from "../../sources/source.ts";
import { ENTRY_TYPE, typeOfKey } from "../../xdr/reader/keys.ts";
import { toJson } from "../../xdr/reader/to-json.ts";
import { decode, encode } from "../../xdr/reader/value.ts";
import type { Fork } from "../fork.ts";
import { currentEntries } from "../fork-source.ts";
import { type Format, formatOf, formatSchema, readParameters, refusal } from "./refusal.ts";

const MOST_KEYS = 200;
const requestSchema = v.object({
  keys: v.nullish(v.array(v.string()), []),
  xdrFormat: formatSchema,
});

export async function getLedgerEntries(fork: Fork, parameters: unknown, signal: AbortSignal) {
  const { keys, xdrFormat } = readParameters(requestSchema, parameters);
  const format = formatOf(xdrFormat);
  if (keys.length > MOST_KEYS) {
    const message = `key count (${keys.length}) exceeds maximum supported (${MOST_KEYS})`;
    throw refusal(message);
  }
  for (const [index, key] of keys.entries()) checkKey(key, index);
  const { latestLedger, entries } = await currentEntries(fork, [...new Set(keys)], signal);
  const presentEntries = keys.flatMap((key) => entries.get(key) ?? []);
  // A node has no temporary entry that has expired.
  const live = presentEntries.filter(({ keyXdr, archived }) => !archived || !isTemporary(keyXdr));
  return { entries: live.map((entry) => resultOf(entry, format)), latestLedger };
}

function isTemporary(keyXdr: string): boolean {
  const key = decode("LedgerKey", keyXdr);
  return key.type === ENTRY_TYPE.contractData && key.contractData.durability === 0;
}

/** Throws REQUEST_INVALID. */
export function checkKey(key: string, index: number): void {
  let type: number;
  try {
    type = typeOfKey(key);
  } catch (cause) {
    const shown = key.slice(0, 200);
    const message = `cannot unmarshal key value ${shown} at index ${index}`;
    throw refusal(message, { cause });
  }
  if (type === ENTRY_TYPE.ttl) throw refusal("ledger ttl entries cannot be queried directly");
}

function resultOf(entry: CurrentLedgerEntry, format: Format) {
  const { keyXdr, entryXdr, lastModifiedLedger, archived } = entry;
  const liveUntilLedger = archived ? 0 : entry.liveUntilLedger;
  const { data, ext } = decode("LedgerEntry", entryXdr);
  const shown =
    format === "json"
      ? {
          keyJson: toJson("LedgerKey", decode("LedgerKey", keyXdr)),
          dataJson: toJson("LedgerEntryData", data),
          extJson: toJson("LedgerEntryExt", ext),
        }
      : {
          key: keyXdr,
          xdr: encode("LedgerEntryData", data),
          extXdr: encode("LedgerEntryExt", ext),
        };
  return {
    ...shown,
    lastModifiedLedgerSeq: lastModifiedLedger,
    ...(liveUntilLedger !== null && { liveUntilLedgerSeq: liveUntilLedger }),
  };
}
