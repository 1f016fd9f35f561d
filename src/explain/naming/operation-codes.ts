// Result codes of operations in plain words. A code is the operation's name and a result. Most
// results have the same words for every operation; the exceptions are listed with the full code.
// Names as in Stellar-transaction.x, in camel case.

import { allOperationCodes } from "../../xdr/outcome/result.ts";

const WORDS: Readonly<Record<string, string>> = {
  Success: "it succeeded",
  Malformed: "its fields are not valid",
  Underfunded: "the source does not have enough of the asset, above reserves and liabilities",
  LowReserve: "the account cannot pay the reserve for another ledger entry",
  AlreadyExist: "the account already exists",
  SrcNoTrust: "the source has no trustline for the asset",
  SrcNotAuthorized: "the issuer has not authorized the source to hold the asset",
  NoDestination: "the destination account does not exist",
  NoTrust: "the account has no trustline for the asset",
  NotAuthorized: "the issuer has not authorized the account to hold the asset",
  LineFull: "it would exceed the limit of the trustline, or the maximum balance",
  NoIssuer: "the issuer of the asset does not exist",
  TooFewOffers: "no path of offers can satisfy it",
  OfferCrossSelf: "it would cross one of the account's own offers",
  OverSendmax: "it would cost more than the maximum that the source set",
  UnderDestmin: "it would yield less than the minimum for the destination",
  SellNoTrust: "the account has no trustline for the asset it sells",
  BuyNoTrust: "the account has no trustline for the asset it buys",
  SellNotAuthorized: "the issuer has not authorized the account to sell the asset",
  BuyNotAuthorized: "the issuer has not authorized the account to buy the asset",
  CrossSelf: "it would cross one of the account's own offers",
  SellNoIssuer: "the issuer of the asset it sells does not exist",
  BuyNoIssuer: "the issuer of the asset it buys does not exist",
  NotFound: "the offer does not exist",
  TooManySigners: "the account has reached the maximum number of signers",
  BadFlags: "the flags contradict each other",
  InvalidInflation: "the inflation destination does not exist",
  CantChange: "the account's flags are immutable",
  UnknownFlag: "one of the flags is unknown",
  ThresholdOutOfRange: "a weight or threshold is above 255",
  BadSigner: "the signer is not valid, or it is the account itself",
  InvalidHomeDomain: "the home domain is not valid",
  AuthRevocableRequired: "clawback needs the revocable flag",
  InvalidLimit:
    "the limit is below the balance and its liabilities, or 0 for a trustline that does not exist",
  SelfNotAllowed: "an account cannot do this with its own asset",
  TrustLineMissing: "a trustline that the liquidity pool share needs is missing",
  CannotDelete: "the trustline is still used by a liquidity pool share",
  NotAuthMaintainLiabilities: "the trustline is not authorized to maintain liabilities",
  NoTrustLine: "the account has no trustline for the asset",
  TrustNotRequired: "the issuer does not require authorization",
  CantRevoke: "the issuer's flags do not allow it to revoke",
  NoAccount: "the destination account does not exist",
  ImmutableSet: "the account's flags make it immutable",
  HasSubEntries: "the account still has trustlines, offers, signers or data",
  SeqnumTooFar: "the account's sequence number is too high to merge it in this ledger",
  DestFull: "the destination cannot receive the full balance",
  IsSponsor: "the account still sponsors entries",
  NotTime: "it is too early",
  NotSupportedYet: "the network does not support it yet",
  NameNotFound: "there is no data entry with that name",
  InvalidName: "the name of the data entry is not valid",
  BadSeq: "the sequence number to bump to is not valid",
  DoesNotExist: "the entry does not exist",
  CannotClaim: "the claimant may not claim it, or not at this time",
  TrustlineFrozen: "the trustline is frozen by the network",
  AlreadySponsored: "the account is already sponsored",
  Recursive: "sponsorships cannot be nested",
  NotSponsored: "no sponsorship was started for the account",
  NotSponsor: "the source is not the sponsor",
  OnlyTransferable: "this sponsorship can be transferred, not removed",
  NotClawbackEnabled: "clawback is not enabled for it",
  NotIssuer: "the source is not the issuer",
  InvalidState: "the trustline's flags would contradict each other",
  BadPrice: "the pool's price is outside the bounds given",
  PoolFull: "the pool's reserves cannot take the deposit",
  UnderMinimum: "it would yield less than the requested minimum",
  Trapped: "the contract, or the host on its behalf, ended the call with an error",
  ResourceLimitExceeded: "it needed more resources than it declared, or than the network allows",
  EntryArchived: "an entry of the footprint is archived",
  InsufficientRefundableFee: "the refundable fee does not cover rent and events",
};

const EXCEPTIONS: Readonly<Record<string, string>> = {
  clawbackUnderfunded:
    "the account that it claws back from does not have enough of the asset, above its liabilities",
  createAccountLowReserve:
    "the starting balance is below the reserve of an account, or the sponsor cannot pay that reserve",
  createAccountUnderfunded: "the source does not have the starting balance above its reserve",
  inflationNotTime: "inflation runs once a week",
  endSponsoringFutureReservesNotSponsored: "no sponsorship is open for the account",
};

/** By code: what is left of it without the operation's name. `createPassiveSellOffer` has none. */
const RESULTS: ReadonlyMap<string, string> = new Map(
  [...allOperationCodes()].flatMap(([operation, codes]) =>
    codes.flatMap((code) =>
      code.startsWith(operation) ? [[code, code.slice(operation.length)] as const] : [],
    ),
  ),
);

/** Every result of every operation. */
export const OPERATION_CODES: readonly string[] = [...RESULTS.keys()];

/** `paymentNoTrust` → `NoTrust`; null when the code is not an operation's. */
export function resultOfCode(code: string): string | null {
  return RESULTS.get(code) ?? null;
}

/** A clause without a full stop; null when the code is not an operation's. */
export function operationCodeInWords(code: string): string | null {
  return EXCEPTIONS[code] ?? WORDS[RESULTS.get(code) ?? ""] ?? null;
}

/** `pathPaymentStrictSend` → `path payment strict send`. */
export function operationInWords(kind: string): string {
  return kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
