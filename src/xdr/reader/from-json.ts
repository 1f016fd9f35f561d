// XDR values as people write them: base64, or the JSON of SEP-51 (as `stellar xdr decode --output
// json` prints it), in which an ScVal is `{"u32": 5}` or `"void"`.

import {
  DiagnosticEvent,
  LedgerEntry,
  LedgerKey,
  ScVal,
  TransactionEnvelope,
  TransactionMeta,
  TransactionResult,
} from "@stellar/stellar-sdk/xdr";
import { cutNeutral, neutralise } from "../../base/text/neutralise.ts";

type Json = Parameters<typeof ScVal.fromJson>[0];
type Encoded = { toXdr(format: "base64"): string };

interface Reader {
  fromBase64(xdr: string): Encoded;
  fromJson(json: Json): Encoded;
}

interface SdkType {
  fromXdr(xdr: string, format: "base64"): Encoded;
  fromJson(json: Json): Encoded;
}

function ofType(type: SdkType): Reader {
  return {
    fromBase64: (xdr) => type.fromXdr(xdr, "base64"),
    fromJson: (json) => type.fromJson(json),
  };
}

const READERS = {
  DiagnosticEvent: ofType(DiagnosticEvent),
  LedgerEntry: ofType(LedgerEntry),
  LedgerKey: ofType(LedgerKey),
  ScVal: ofType(ScVal),
  TransactionEnvelope: ofType(TransactionEnvelope),
  TransactionMeta: ofType(TransactionMeta),
  TransactionResult: ofType(TransactionResult),
} satisfies Record<string, Reader>;

export type WrittenType = keyof typeof READERS;

/** A value that cannot be read; the message is a predicate like `is not an ScVal …`. */
export class NotWritten extends Error {}

/** Words of SEP-51 that are values, although they look like base64. */
const UNIT_VALUES = ["void", "ledger_key_contract_instance"];
const SHOWN_PROBLEM = 200;

/** Base64. Throws NotWritten. */
export function readWritten(type: WrittenType, written: unknown): string {
  const isBase64 = typeof written === "string" && !UNIT_VALUES.includes(written);
  const reader: Reader = READERS[type];
  try {
    const value = isBase64 ? reader.fromBase64(written) : reader.fromJson(written as Json);
    return value.toXdr("base64");
  } catch (cause) {
    const problem = cutNeutral(neutralise((cause as Error).message), SHOWN_PROBLEM);
    const value = `${type === "ScVal" ? "an" : "a"} ${type}`;
    const form = isBase64 ? `base64 of ${value}` : `${value} in the JSON of SEP-51`;
    throw new NotWritten(`is not ${form} (${problem})`, { cause });
  }
}

/** LedgerKey of an account's trustline, base64. `asset`: `CODE:ISSUER`. Throws NotWritten. */
export function trustlineKeyOf(account: string, asset: string): string {
  const [code = "", issuer = ""] = asset.split(":");
  const kind = code.length <= 4 ? "credit_alphanum4" : "credit_alphanum12";
  return readWritten("LedgerKey", {
    trustline: { account_id: account, asset: { [kind]: { asset_code: code, issuer } } },
  });
}
