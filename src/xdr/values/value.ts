// XDR values as text for people: ScVals, errors, LedgerKeys and LedgerEntries.
// Invariants: all text from the chain is neutralised. The result is one line and never much longer
// than its limit, however large or deep the value is. A value that cannot be decoded is shown as
// undecodable, and does not fail the report.

import { grouped } from "../../base/text/grouped.ts";
import { encodeStrkey } from "../../base/text/strkey.ts";
import { decodeBase64 } from "../reader/cursor.ts";
import { ENTRY_TYPE, settingNameOfId } from "../reader/keys.ts";
import type { TypeName } from "../reader/schema.ts";
import { SCV } from "../reader/scval-type.ts";
import { addressText, type Json, toJson } from "../reader/to-json.ts";
import { decode, type Value } from "../reader/value.ts";
import { TextBudget } from "./text-budget.ts";
import { assetText, writeScVal } from "./value-text.ts";

const DEFAULT_CHARACTERS = 160;

/** Shows an ScVal, for example `[transfer, GABC…, 100]`. */
export function showValue(scValXdr: string, limitCharacters = DEFAULT_CHARACTERS): string {
  return showXdr("ScVal", scValXdr, limitCharacters, writeScVal);
}

/** Says whether the text of an ScVal has the whole value. */
export function isShownWhole(scValXdr: string): boolean {
  return !textOfXdr("ScVal", scValXdr, DEFAULT_CHARACTERS, writeScVal).isShortened;
}

/** Describes a LedgerKey in words, for example `persistent data Balance of contract C…`. */
export function describeKey(keyXdr: string, limitCharacters = DEFAULT_CHARACTERS): string {
  return showXdr("LedgerKey", keyXdr, limitCharacters, writeKey);
}

/** Describes the key of contract data without its durability: `data Balance of contract C…`. */
export function describeData(keyXdr: string, limitCharacters = DEFAULT_CHARACTERS): string {
  return showXdr("LedgerKey", keyXdr, limitCharacters, (key, text) => {
    if (key.type === ENTRY_TYPE.contractData) writeData(key.contractData, text);
    else writeKey(key, text);
  });
}

/** Describes the value in a LedgerEntry: `balance 12.5 XLM, sequence 7`, or an ScVal. */
export function describeEntry(entryXdr: string, limitCharacters = DEFAULT_CHARACTERS): string {
  return showXdr("LedgerEntry", entryXdr, limitCharacters, ({ data }, text) => {
    if (data.type === ENTRY_TYPE.contractData) writeScVal(data.contractData.val, text);
    else text.add(entryText(data) ?? `${grouped(decodeBase64(entryXdr, "").length)} bytes`);
  });
}

function entryText(data: Value<"LedgerEntryData">): string | null {
  switch (data.type) {
    case ENTRY_TYPE.account:
      return `balance ${showStroops(data.account.balance)} XLM, sequence ${data.account.seqNum}`;
    case ENTRY_TYPE.trustline:
      return `balance ${showStroops(data.trustLine.balance)}`;
    case ENTRY_TYPE.contractCode:
      return `${grouped(data.contractCode.code.length)} bytes of wasm`;
    case ENTRY_TYPE.ttl:
      return `live until ledger ${data.ttl.liveUntilLedgerSeq}`;
    case ENTRY_TYPE.configSetting:
      return spaced(toJson("ConfigSettingEntry", data.configSetting));
    default:
      return null;
  }
}

/** Writes JSON on one line that can be wrapped. */
function spaced(json: Json): string {
  return JSON.stringify(json, null, 1).replace(/\n\s*/g, " ");
}

/**
 * Writes stroops as an amount in units, with at most seven decimal places and without trailing
 * zeros.
 */
export function showStroops(stroops: bigint): string {
  const sign = stroops < 0n ? "-" : "";
  const digits = (stroops < 0n ? -stroops : stroops).toString().padStart(8, "0");
  const fraction = digits.slice(-7).replace(/0+$/, "");
  return `${sign}${digits.slice(0, -7)}${fraction === "" ? "" : `.${fraction}`}`;
}

/** The text of a value. */
export interface ValueText {
  readonly text: string;
  /** True if the text leaves out a part of the value, so that other values have the same text. */
  readonly isShortened: boolean;
}

/** Returns the text that `write` makes of the decoded value. */
export function showXdr<Name extends TypeName>(
  type: Name,
  xdr: string,
  limitCharacters: number,
  write: (value: Value<Name>, text: TextBudget) => void,
): string {
  return textOfXdr(type, xdr, limitCharacters, write).text;
}

/** Returns the same text, and whether it leaves out a part of the value. */
export function textOfXdr<Name extends TypeName>(
  type: Name,
  xdr: string,
  limitCharacters: number,
  write: (value: Value<Name>, text: TextBudget) => void,
): ValueText {
  const text = new TextBudget(limitCharacters);
  try {
    write(decode(type, xdr), text);
  } catch {
    const undecodable = `(undecodable ${type}, ${xdr.length} characters of base64)`;
    return { text: undecodable, isShortened: true };
  }
  return { text: text.toString(), isShortened: text.isShortened };
}

function writeKey(key: Value<"LedgerKey">, text: TextBudget): void {
  if (key.type === ENTRY_TYPE.contractData) writeContractDataKey(key.contractData, text);
  else if (key.type === ENTRY_TYPE.data) {
    text.add("data entry ");
    text.quote(key.data.dataName);
    text.add(` of ${accountText(key.data.accountId)}`);
  } else text.add(keyText(key));
}

function keyText(key: Exclude<Value<"LedgerKey">, { readonly type: 3 | 6 }>): string {
  switch (key.type) {
    case ENTRY_TYPE.account:
      return `account ${accountText(key.account.accountId)}`;
    case ENTRY_TYPE.trustline: {
      const { accountId, asset } = key.trustLine;
      return `trustline of ${accountText(accountId)} for ${assetText(asset)}`;
    }
    case ENTRY_TYPE.offer:
      return `offer ${key.offer.offerId} of ${accountText(key.offer.sellerId)}`;
    case ENTRY_TYPE.claimableBalance:
      return `claimable balance ${key.claimableBalance.balanceId.v0.toHex()}`;
    case ENTRY_TYPE.liquidityPool:
      return `liquidity pool ${key.liquidityPool.liquidityPoolId.toHex()}`;
    case ENTRY_TYPE.contractCode:
      return `contract code ${key.contractCode.hash.toHex()}`;
    case ENTRY_TYPE.configSetting:
      return `network setting ${settingNameOfId(key.configSetting.configSettingId)}`;
    case ENTRY_TYPE.ttl:
      return `TTL of the entry with key hash ${key.ttl.keyHash.toHex()}`;
  }
}

function accountText({ ed25519 }: Value<"PublicKey">): string {
  return encodeStrkey("account", ed25519);
}

/** The length in the budget of ` of contract ` and the address. */
const SHOWN_CONTRACT = 24;

function writeContractDataKey(data: Value<"LedgerKeyContractData">, text: TextBudget): void {
  const { contract: address, key, durability } = data;
  const contract = addressText(address);
  if (key.type === SCV.instanceKey) {
    text.add(`instance of contract ${contract}`);
    return;
  }
  // The host keeps a nonce with the address that signs, which may be an account.
  if (key.type === SCV.nonceKey) {
    writeScVal(key, text);
    text.add(contract.startsWith("G") ? " of account " : " of contract ");
    text.address(contract);
    return;
  }
  text.add(durability === 0 ? "temporary " : "persistent ");
  writeData(data, text);
}

function writeData(
  { contract, key }: Pick<Value<"LedgerKeyContractData">, "contract" | "key">,
  text: TextBudget,
): void {
  text.add("data ");
  // The contract's address must stay visible, so a long key is cut instead.
  writeScVal(key, text.part(text.left - SHOWN_CONTRACT));
  text.add(" of contract ");
  text.address(addressText(contract));
}
