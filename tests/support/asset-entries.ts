// Entries around the asset LAB of the recorded local network, as SEP-51 writes LedgerEntry.data.

import { LedgerEntry } from "@stellar/stellar-sdk/xdr";
import { walkOf } from "../verdict/protocol-walk.ts";

type Json = ReturnType<typeof JSON.parse>;

export const ISSUER = "GCRHIP25QTIUA3GEQTL4UAEQJN55FKPW2XNBPO4O7EWYY2C5MK7PPMWC";
/** The asset's contract. */
export const ASSET = "CDQWYNOHQDEEIGUNEZI5F4NH46REH26EBNBKEYHANSHF4LDOWIBGLLO3";

/** Instance of the asset's contract, as recorded. */
export function asset(): Json {
  const { entries } = walkOf("sac-transfer").snapshot;
  const found = entries.map(({ entryXdr }) => LedgerEntry.fromXdr(entryXdr ?? "", "base64"));
  return found.map((entry): Json => entry.toJson()).find(({ data }) => data.contract_data).data;
}

export function trustline(accountId: string, balance: string, more: Json = {}): Json {
  const credit_alphanum4 = { asset_code: "LAB", issuer: ISSUER };
  const known = { balance, limit: "9223372036854775807", flags: 1, ext: "v0" };
  return { trustline: { account_id: accountId, asset: { credit_alphanum4 }, ...known, ...more } };
}

export function account(accountId: string, balance: string, more: Json = {}): Json {
  return {
    account: {
      account_id: accountId,
      balance,
      seq_num: "100",
      num_sub_entries: 0,
      inflation_dest: null,
      flags: 0,
      home_domain: "",
      thresholds: "01000000",
      signers: [],
      ext: "v0",
      ...more,
    },
  };
}
