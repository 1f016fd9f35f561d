// Writes an overridden entry as the file of overrides and `--override-entry` have it: contract data with
// its key and value in the JSON of SEP-51, and any other entry in base64. An argument, too.

import type { OverriddenEntry, StoredInInstance } from "../../model/overrides.ts";
import { dataKeyOf } from "../../xdr/contract/key-typed.ts";
import { ENTRY_TYPE, typeOfKey } from "../../xdr/reader/keys.ts";
import { type JsonObject, toJson } from "../../xdr/reader/to-json.ts";
import { decode } from "../../xdr/reader/value.ts";

export function writtenEntryJson(entry: OverriddenEntry): string {
  const { liveUntilLedger } = entry;
  return quotable({ ...changeOf(entry), ...(liveUntilLedger !== null && { liveUntilLedger }) });
}

/** An argument as `--override-argument` has it. */
export function writtenArgumentJson(written: unknown): string {
  const isXdr = typeof written === "object" && written !== null && "xdr" in written;
  return quotable(isXdr ? { scval: jsonOf(`${written.xdr}`) } : written);
}

/** JSON that a shell takes between single quotes, and a report between backticks. */
function quotable(value: unknown): string {
  return JSON.stringify(value).replaceAll("'", "\\u0027").replaceAll("`", "\\u0060");
}

function changeOf({ keyXdr, change }: OverriddenEntry): JsonObject {
  if (change.kind === "stored") return inInstance(keyXdr, change);
  if (change.kind === "entry" && change.stored !== undefined)
    return inInstance(keyXdr, change.stored);
  const place = typeOfKey(keyXdr) === ENTRY_TYPE.contractData ? placeOf(keyXdr) : null;
  switch (change.kind) {
    case "entry": {
      const { data } = decode("LedgerEntry", change.entryXdr);
      return place !== null && data.type === ENTRY_TYPE.contractData
        ? { ...place, value: toJson("ScVal", data.contractData.val) }
        : { ledgerKey: keyXdr, entry: change.entryXdr };
    }
    case "value":
      return { ...(place ?? { ledgerKey: keyXdr }), value: jsonOf(change.valueXdr) };
    case "removed":
      return { ...(place ?? { ledgerKey: keyXdr }), remove: true };
    default:
      throw new Error(`no run of svc changes an entry in this way: ${change.kind}`);
  }
}

function placeOf(keyXdr: string): JsonObject {
  const { contract, key, durability } = dataKeyOf(keyXdr);
  return { contract, key: jsonOf(key), ...(durability === "temporary" && { durability }) };
}

function inInstance(keyXdr: string, { storedKeyXdr, valueXdr }: StoredInInstance): JsonObject {
  const { contract } = dataKeyOf(keyXdr);
  const place = { contract, key: jsonOf(storedKeyXdr), durability: "instance" };
  return valueXdr === null ? { ...place, remove: true } : { ...place, value: jsonOf(valueXdr) };
}

function jsonOf(valueXdr: string) {
  return toJson("ScVal", decode("ScVal", valueXdr));
}
