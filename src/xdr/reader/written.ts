// XDR values as people write them: base64, or the JSON of SEP-51, in which an ScVal is `{"u32": 5}`
// or `"void"`.
//
// The SDK reads the JSON: most of the users' own programs write it with the SDK. Its definitions
// are those of an earlier protocol than svc's. So from-json.ts, which knows the newest protocol,
// reads what the SDK refuses: a muxed contract address, a later cost type. JSON is good when either
// reads it; what both read they read alike (a property test). Nothing else uses the SDK: base64,
// ledgers, headers, addresses and specifications are read with svc's own definitions.

import {
  DiagnosticEvent,
  LedgerEntry,
  LedgerKey,
  ScVal,
  TransactionEnvelope,
  TransactionMeta,
  TransactionResult,
} from "@stellar/stellar-sdk/xdr";
import { SvcError } from "../../base/errors/errors.ts";
import { decodeBase64 } from "./cursor.ts";
import { notWritten, xdrOfJson } from "./from-json.ts";
import { decodeBytes } from "./value.ts";

type SdkJson = Parameters<typeof ScVal.fromJson>[0];

interface SdkType {
  fromJson(json: SdkJson): { toXdr(format: "base64"): string };
}

const SDK_TYPES = {
  DiagnosticEvent,
  LedgerEntry,
  LedgerKey,
  ScVal,
  TransactionEnvelope,
  TransactionMeta,
  TransactionResult,
} satisfies Record<string, SdkType>;

export type WrittenType = keyof typeof SDK_TYPES;

/** Words of SEP-51 that are values, although they look like base64. */
const UNIT_VALUES = ["void", "ledger_key_contract_instance"];

/** Returns base64. Throws NotWritten. */
export function readWritten(type: WrittenType, written: unknown): string {
  const isBase64 = typeof written === "string" && !UNIT_VALUES.includes(written);
  return isBase64 ? readBase64(type, written) : readJson(type, written);
}

function readBase64(type: WrittenType, written: string): string {
  try {
    const bytes = decodeBase64(written, type);
    decodeBytes(type, bytes);
    return bytes.toBase64();
  } catch (cause) {
    if (!(cause instanceof SvcError)) throw cause;
    throw notWritten(type, "base64", cause);
  }
}

function readJson(type: WrittenType, json: unknown): string {
  const sdkType: SdkType = SDK_TYPES[type];
  try {
    return sdkType.fromJson(json as SdkJson).toXdr("base64");
  } catch {
    // The SDK's reason may be that its definitions are too old. svc's own reader states the reason.
    return xdrOfJson(type, json);
  }
}
