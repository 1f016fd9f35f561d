// Horizon's names of result codes (stellar-horizon, internal/codes): mostly the protocol's in snake
// case, an operation's without the operation, so that one name stands for several codes.

import { OPERATION_CODES, resultOfCode } from "./operation-codes.ts";
import { TRANSACTION_CODES } from "./transaction-codes.ts";

/** By the code, or by an operation's result alone. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  txNoAccount: "tx_no_source_account",
  txBadMinSeqAgeOrGap: "tx_bad_minseq_age_or_gap",
  opNoAccount: "op_no_source_account",
  AlreadyExist: "op_already_exists",
  OfferCrossSelf: "op_cross_self",
  OverSendmax: "op_over_source_max",
  UnderDestmin: "op_under_dest_min",
  SellNotAuthorized: "sell_not_authorized",
  BuyNotAuthorized: "buy_not_authorized",
  BuyNoIssuer: "buy_no_issuer",
  NotFound: "op_offer_not_found",
  NotAuthMaintainLiabilities: "op_not_aut_maintain_liabilities",
  NoTrustLine: "op_no_trust",
  TrustNotRequired: "op_not_required",
  SeqnumTooFar: "op_seq_num_too_far",
  NameNotFound: "op_data_name_not_found",
  InvalidName: "op_data_invalid_name",
  NotIssuer: "op_no_issuer",
  Trapped: "function_trapped",
  ResourceLimitExceeded: "resource_limit_exceeded",
  EntryArchived: "entry_archived",
  InsufficientRefundableFee: "insufficient_refundable_fee",
};

/** Every code with its name in Horizon's answers. */
export const HORIZON_NAMES: ReadonlyMap<string, string> = new Map(
  [...TRANSACTION_CODES, ...OPERATION_CODES].map((code) => {
    const result = resultOfCode(code);
    const name = result === null ? snake(code) : `op${snake(result)}`;
    return [code, OTHER_NAMES[code] ?? OTHER_NAMES[result ?? ""] ?? name];
  }),
);

/** `NoTrust` → `_no_trust`, `txBadSeq` → `tx_bad_seq`. */
function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
