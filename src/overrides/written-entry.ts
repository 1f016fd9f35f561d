// One entry in the file of --override: its ledger key, and the change.

import * as v from "valibot";
import { strkeyPattern } from "../base/text/strkey.ts";
import type { OverriddenChange, OverriddenEntry } from "../model/overrides.ts";
import { NotWritten, trustlineKeyOf, xdrOfJson } from "../xdr/reader/from-json.ts";
import { accountKeyOf, keyOfEntry } from "../xdr/reader/keys.ts";
import { readWritten, type WrittenType } from "../xdr/reader/written.ts";
import { keyFlawOf } from "../xdr/values/scval-validity.ts";
import { contractDataKeys } from "../xdr/values/value-parts.ts";
import {
  account,
  contract,
  described,
  stroops,
  writtenText,
  writtenUint32,
} from "./written-values.ts";

const ASSET = new RegExp(`^[A-Za-z0-9]{1,12}:${strkeyPattern(["account"])}$`);

const fields = v.strictObject({
  // One of these three selects the entry.
  ledgerKey: described(v.unknown(), "LedgerKey: base64, or the JSON of SEP-51."),
  account: v.exactOptional(account),
  contract: v.exactOptional(contract),
  // Selects a trustline of the account.
  asset: described(
    v.pipe(writtenText, v.regex(ASSET, "must be CODE:ISSUER")),
    "CODE:ISSUER; selects the account's trustline.",
  ),
  // Select an entry of the contract's data.
  key: described(v.unknown(), "ScVal of the contract's data: base64, or the JSON of SEP-51."),
  durability: described(
    v.picklist(
      ["persistent", "temporary", "instance"],
      "must be persistent, temporary or instance",
    ),
    "Default: persistent. `instance`: one value in the storage of the contract's instance.",
  ),
  // The change.
  entry: described(v.unknown(), "The complete LedgerEntry: base64, or the JSON of SEP-51."),
  value: described(v.unknown(), "ScVal: base64, or the JSON of SEP-51."),
  balance: described(stroops, "In stroops."),
  remove: v.exactOptional(v.literal(true, "must be true")),
  liveUntilLedger: v.exactOptional(writtenUint32),
  archived: v.exactOptional(v.boolean("must be true or false")),
});

type Fields = v.InferOutput<typeof fields>;

export const writtenEntry = v.pipe(
  fields,
  v.description(
    "One ledger entry (ledgerKey, account with or without asset, or contract and key) and its change.",
  ),
  v.rawTransform(({ dataset, addIssue, NEVER }): Omit<OverriddenEntry, "field"> => {
    const { liveUntilLedger = null, archived = null } = dataset.value;
    try {
      const keyXdr = keyOf(dataset.value);
      const flaw = keyFlawOf(keyXdr);
      const field = dataset.value.ledgerKey === undefined ? "key" : "ledgerKey";
      if (flaw !== null) throw new NotWritten(`${field} ${flaw}`);
      return { keyXdr, change: changeOf(dataset.value, keyXdr), liveUntilLedger, archived };
    } catch (problem) {
      if (!(problem instanceof NotWritten)) throw problem;
      addIssue({ message: problem.message });
      return NEVER;
    }
  }),
);

function keyOf(written: Fields): string {
  const { ledgerKey, account, asset, contract: address, key, durability } = written;
  if ([ledgerKey, account, address].filter((target) => target !== undefined).length !== 1)
    throw new NotWritten("must have exactly one of ledgerKey, account, or contract and key");
  if (asset !== undefined && account === undefined)
    throw new NotWritten("asset can be used only with account");
  if (address === undefined && (key !== undefined || durability !== undefined))
    throw new NotWritten("key and durability can be used only with contract");
  if (ledgerKey !== undefined) return inField("ledgerKey", "LedgerKey", ledgerKey);
  if (account !== undefined) return accountKey(account, asset);
  if (key === undefined) throw new NotWritten("key is missing");
  const scAddress = naming("contract", () => xdrOfJson("ScVal", { address }));
  const instanceKey = "ledger_key_contract_instance";
  const ofEntry = durability === "instance" ? instanceKey : key;
  const keys = contractDataKeys(scAddress, inField("key", "ScVal", ofEntry));
  return keys[durability === "temporary" ? 1 : 0] as string;
}

function accountKey(account: string, asset: string | undefined): string {
  if (asset === undefined) return accountKeyOf(account);
  return naming("account and asset", () => trustlineKeyOf(account, asset));
}

function changeOf(written: Fields, keyXdr: string): OverriddenChange {
  const { entry, value, balance, remove, liveUntilLedger, archived, contract: address } = written;
  if ([entry, value, balance, remove].filter((change) => change !== undefined).length > 1)
    throw new NotWritten("must have only one of entry, value, balance and remove");
  if (written.durability === "instance") return storedChange(written);
  if (balance !== undefined) {
    if (written.account === undefined)
      throw new NotWritten("balance can be used only with account");
    return { kind: "balance", stroops: balance };
  }
  if (value !== undefined) {
    if (address === undefined) throw new NotWritten("value can be used only with contract");
    return { kind: "value", valueXdr: inField("value", "ScVal", value) };
  }
  if (entry !== undefined) {
    const entryXdr = inField("entry", "LedgerEntry", entry);
    if (keyOfEntry(entryXdr) !== keyXdr) throw new NotWritten("entry has another ledger key");
    return { kind: "entry", entryXdr };
  }
  if (remove === true) {
    if (liveUntilLedger !== undefined || archived !== undefined)
      throw new NotWritten("a removed entry has no TTL");
    return { kind: "removed" };
  }
  if (liveUntilLedger === undefined && archived === undefined)
    throw new NotWritten(
      "changes nothing: add entry, value, balance, remove, liveUntilLedger or archived",
    );
  return { kind: "same" };
}

/** One value in the storage of a contract's instance. */
function storedChange(written: Fields): OverriddenChange {
  const { key, value, remove, entry, balance, liveUntilLedger, archived } = written;
  if (entry !== undefined || balance !== undefined)
    throw new NotWritten("a value of an instance changes by value or remove");
  if (liveUntilLedger !== undefined || archived !== undefined)
    throw new NotWritten("a value of an instance has no TTL of its own");
  if ((value === undefined) === (remove === undefined))
    throw new NotWritten("must have value or remove");
  const storedKeyXdr = inField("key", "ScVal", key);
  const valueXdr = value === undefined ? null : inField("value", "ScVal", value);
  return { kind: "stored", storedKeyXdr, valueXdr };
}

function inField(field: string, type: WrittenType, written: unknown): string {
  return naming(field, () => readWritten(type, written));
}

function naming(field: string, read: () => string): string {
  try {
    return read();
  } catch (cause) {
    throw new NotWritten(`${field} ${(cause as Error).message}`, { cause });
  }
}
