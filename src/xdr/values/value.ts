// XDR values as text for people: ScVal, errors, LedgerKeys and LedgerEntries.
// Invariants: all text from the chain is neutralised. The result is one line and never much longer
// than its limit, however large or deep the value is. A value that cannot be decoded is shown as
// undecodable; it does not fail the report.

import { grouped } from "../../base/text/grouped.ts";
import { decodeBase64, XdrCursor } from "../reader/cursor.ts";
import { ENTRY_TYPE, settingNameOfId } from "../reader/keys.ts";
import { shapeOf, xdrSource } from "../reader/shape.ts";
import { TextBudget } from "./text-budget.ts";
import { readAccountId, readAddress, readAsset, writeScVal } from "./value-text.ts";

const scVal = shapeOf("ScVal");
const ledgerKey = shapeOf("LedgerKey");
const ledgerEntry = shapeOf("LedgerEntry");

const DEFAULT_CHARACTERS = 160;

/** An ScVal, e.g. `[transfer, GABC…, 100]`. */
export function showValue(scValXdr: string, limitCharacters = DEFAULT_CHARACTERS): string {
  return show(scValXdr, "ScVal", limitCharacters, (cursor, text) => {
    cursor.take(scVal);
    cursor.at = 0;
    writeScVal(cursor, text);
  });
}

/** A LedgerKey in words, e.g. `persistent data Balance of contract C…`. */
export function describeKey(keyXdr: string, limitCharacters = DEFAULT_CHARACTERS): string {
  return show(keyXdr, "LedgerKey", limitCharacters, (cursor, text) => {
    cursor.take(ledgerKey);
    cursor.at = 0;
    writeKey(cursor, text);
  });
}

/** The value part of a LedgerEntry, e.g. `balance 12.5 XLM, sequence 7` or a ScVal. */
export function describeEntry(entryXdr: string, limitCharacters = DEFAULT_CHARACTERS): string {
  return show(entryXdr, "LedgerEntry", limitCharacters, (cursor, text) => {
    cursor.take(ledgerEntry);
    cursor.at = 4;
    writeEntry(cursor, text);
  });
}

/** Stroops as a decimal amount with seven places, without trailing zeros. */
export function showStroops(stroops: bigint): string {
  const sign = stroops < 0n ? "-" : "";
  const digits = (stroops < 0n ? -stroops : stroops).toString().padStart(8, "0");
  const fraction = digits.slice(-7).replace(/0+$/, "");
  return `${sign}${digits.slice(0, -7)}${fraction === "" ? "" : `.${fraction}`}`;
}

function show(
  xdr: string,
  what: string,
  limitCharacters: number,
  write: (cursor: XdrCursor, text: TextBudget) => void,
): string {
  const text = new TextBudget(limitCharacters);
  try {
    write(new XdrCursor(xdrSource(decodeBase64(xdr, what))), text);
  } catch {
    return `(undecodable ${what}, ${xdr.length} characters of base64)`;
  }
  return text.toString();
}

function writeKey(cursor: XdrCursor, text: TextBudget): void {
  const type = cursor.int32();
  switch (type) {
    case ENTRY_TYPE.account:
      text.add(`account ${readAccountId(cursor)}`);
      break;
    case ENTRY_TYPE.trustline: {
      const account = readAccountId(cursor);
      text.add(`trustline of ${account} for ${readAsset(cursor)}`);
      break;
    }
    case ENTRY_TYPE.offer: {
      const seller = readAccountId(cursor);
      text.add(`offer ${cursor.int64()} of ${seller}`);
      break;
    }
    case ENTRY_TYPE.data: {
      const account = readAccountId(cursor);
      text.add("data entry ");
      text.quote(cursor.opaque(cursor.uint32()));
      text.add(` of ${account}`);
      break;
    }
    case ENTRY_TYPE.claimableBalance:
      cursor.int32();
      text.add(`claimable balance ${cursor.opaque(32).toHex()}`);
      break;
    case ENTRY_TYPE.liquidityPool:
      text.add(`liquidity pool ${cursor.opaque(32).toHex()}`);
      break;
    case ENTRY_TYPE.contractData:
      writeContractDataKey(cursor, text);
      break;
    case ENTRY_TYPE.contractCode:
      text.add(`contract code ${cursor.opaque(32).toHex()}`);
      break;
    case ENTRY_TYPE.configSetting:
      text.add(`network setting ${settingNameOfId(cursor.int32())}`);
      break;
    default:
      text.add(`TTL of the entry with key hash ${cursor.opaque(32).toHex()}`);
      break;
  }
}

const SCV_LEDGER_KEY_CONTRACT_INSTANCE = 20;
const SCV_LEDGER_KEY_NONCE = 21;
/** ` of contract ` and the address, with its length in the budget. */
const SHOWN_CONTRACT = 24;

function writeContractDataKey(cursor: XdrCursor, text: TextBudget): void {
  const contract = readAddress(cursor);
  if (cursor.peekInt32() === SCV_LEDGER_KEY_CONTRACT_INSTANCE) {
    text.add(`instance of contract ${contract}`);
    return;
  }
  const start = cursor.at;
  // The host keeps a nonce with the address that signs, which may be an account.
  if (cursor.peekInt32() === SCV_LEDGER_KEY_NONCE) {
    writeScVal(cursor, text);
    text.add(contract.startsWith("G") ? " of account " : " of contract ");
    text.address(contract);
    return;
  }
  cursor.skip(scVal);
  text.add(cursor.int32() === 0 ? "temporary data " : "persistent data ");
  cursor.at = start;
  // The contract's address must stay visible, so a long key is cut instead.
  writeScVal(cursor, text.part(text.left - SHOWN_CONTRACT));
  text.add(" of contract ");
  text.address(contract);
}

/** Starts at the entry's type. */
function writeEntry(cursor: XdrCursor, text: TextBudget): void {
  const type = cursor.int32();
  switch (type) {
    case ENTRY_TYPE.account: {
      readAccountId(cursor);
      const balance = showStroops(cursor.int64());
      text.add(`balance ${balance} XLM, sequence ${cursor.int64()}`);
      break;
    }
    case ENTRY_TYPE.trustline: {
      readAccountId(cursor);
      readAsset(cursor);
      text.add(`balance ${showStroops(cursor.int64())}`);
      break;
    }
    case ENTRY_TYPE.contractData: {
      cursor.int32();
      readAddress(cursor);
      cursor.skip(scVal);
      cursor.int32();
      writeScVal(cursor, text);
      break;
    }
    case ENTRY_TYPE.contractCode: {
      const costInputsSize = 4 + 10 * 4;
      if (cursor.int32() === 1) cursor.opaque(4 + costInputsSize);
      cursor.opaque(32);
      text.add(`${grouped(cursor.uint32())} bytes of wasm`);
      break;
    }
    case ENTRY_TYPE.ttl:
      cursor.opaque(32);
      text.add(`live until ledger ${cursor.uint32()}`);
      break;
    default:
      text.add(`${grouped(cursor.source.end)} bytes`);
      break;
  }
}
