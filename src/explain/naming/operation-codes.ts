// Result codes of operations in plain words. A code is the operation's name and a result. Most
// results have the same words for every operation; the exceptions are listed with the full code.
// Names as in Stellar-transaction.x, in camel case.

import { allOperationCodes } from "../../xdr/outcome/result.ts";

/** It is unknown which resource it was. */
export const DECLARE_OR_NETWORK =
  "Simulate again and declare the resources that the simulation reports. If the transaction declared as " +
  "much already, a limit of the network is exceeded: do less in one transaction, because a simulation " +
  "does not check the sizes of keys, entries, events and the transaction.";

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
  HasSubEntries: "the account still has trustlines, offers or data",
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
  BadPrice: "the pool's price is outside the bounds of the operation",
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

/** The remedy for each result. A trap has none of its own, because each cause has another. */
const REMEDIES: Readonly<Record<string, string>> = {
  Malformed:
    "Check the operation's fields: amounts above 0, a valid asset, and values that do not contradict each other.",
  Underfunded: "Add more of the asset to the source account, or use a smaller amount.",
  LowReserve: "Add XLM to the account: each of its entries requires a reserve.",
  AlreadyExist: "Send a payment to the account instead.",
  SrcNoTrust: "Open a trustline for the asset with the source account first (change trust).",
  SrcNotAuthorized: "Ask the asset's issuer to authorize the source's trustline.",
  NoDestination: "Check the destination's address, or create the account first (create account).",
  NoTrust: "Have the account open a trustline for the asset first (change trust).",
  NotAuthorized: "Ask the asset's issuer to authorize the account's trustline.",
  LineFull: "Raise the limit of the trustline (change trust), or use a smaller amount.",
  NoIssuer: "Check the asset's code and issuer.",
  TooFewOffers: "Find a path again right before you send the transaction, or use a smaller amount.",
  OfferCrossSelf: "Cancel the account's own offer first, or use a path that does not cross it.",
  OverSendmax: "Find a path again right before you send the transaction, or set a higher maximum.",
  UnderDestmin: "Find a path again right before you send the transaction, or set a lower minimum.",
  SellNoTrust: "Open a trustline for the asset first (change trust).",
  BuyNoTrust: "Open a trustline for the asset first (change trust).",
  SellNotAuthorized: "Ask the asset's issuer to authorize the account's trustline.",
  BuyNotAuthorized: "Ask the asset's issuer to authorize the account's trustline.",
  CrossSelf: "Cancel the account's own offer first, or use another price.",
  SellNoIssuer: "Check the asset's code and issuer.",
  BuyNoIssuer: "Check the asset's code and issuer.",
  NotFound: "Read the account's offers again, and use the number of one that is still open.",
  TooManySigners: "Remove a signer of the account first.",
  BadFlags: "Do not set and clear the same flag.",
  InvalidInflation: "Use an account that exists.",
  CantChange: "Use another account: the flags of this one can no longer be changed.",
  UnknownFlag: "Use only flags that the protocol defines.",
  ThresholdOutOfRange: "Use a value from 0 to 255.",
  BadSigner: "Use a key that is not the account's own.",
  InvalidHomeDomain: "Use a domain of at most 32 printable ASCII characters.",
  AuthRevocableRequired: "Set the revocable flag together with the clawback flag.",
  InvalidLimit:
    "Use a limit that is not below the balance and its liabilities. To delete the trustline, bring both to 0 first.",
  SelfNotAllowed: "Use an account that is not the asset's issuer.",
  TrustLineMissing: "Open trustlines for the assets of the pool first (change trust).",
  CannotDelete: "Delete the trustline for the pool share first.",
  NotAuthMaintainLiabilities:
    "Ask the asset's issuer to authorize the trustline, at least to maintain liabilities.",
  NoTrustLine: "Have the account open a trustline for the asset first (change trust).",
  TrustNotRequired: "Leave the operation out: nothing has to be authorized.",
  CantRevoke: "Set the issuer's revocable flag first.",
  NoAccount: "Check the destination's address, or create the account first (create account).",
  ImmutableSet:
    "Send the account's XLM with a payment instead: this account can no longer be merged.",
  HasSubEntries: "Remove the account's trustlines, offers and data first. Its signers may stay.",
  SeqnumTooFar: "Merge the account in a later ledger.",
  DestFull: "Use another destination.",
  IsSponsor: "Revoke or transfer the account's sponsorships first.",
  NotTime: "Leave the operation out: the network pays no inflation.",
  NotSupportedYet: "Leave the operation out until the network runs a later protocol.",
  NameNotFound: "Check the name: only data that exists can be removed.",
  InvalidName: "Use a name of 1 to 64 printable ASCII characters.",
  BadSeq: "Use a sequence number of 0 or more.",
  DoesNotExist: "Check the entry's ID: the entry may have been claimed or removed.",
  CannotClaim: "Claim it as one of its claimants, and at a time that its condition allows.",
  TrustlineFrozen: "Use another asset or account: only the network can unfreeze the trustline.",
  AlreadySponsored: "End the sponsorship that is open for the account first.",
  Recursive: "Sponsor with an account that is not sponsored in the same transaction.",
  NotSponsored: "Begin the sponsorship earlier in the same transaction.",
  NotSponsor: "Send the operation from the account that sponsors the entry.",
  OnlyTransferable: "Transfer the sponsorship to another account instead.",
  NotClawbackEnabled:
    "Nothing can be clawed back: the issuer must enable clawback before the balance is created.",
  NotIssuer: "Send the operation from the issuer's account.",
  InvalidState: "Authorize the trustline in full, or only to maintain liabilities, not both.",
  BadPrice: "Read the pool's reserves again, and use wider bounds.",
  PoolFull: "Deposit less.",
  UnderMinimum: "Read the pool's reserves again, and use lower minimums.",
  ResourceLimitExceeded: DECLARE_OR_NETWORK,
  EntryArchived:
    "Simulate the transaction again: the simulation restores the entry, or says what to send first.",
  InsufficientRefundableFee: "Raise the resource fee. The unused part is refunded.",
};

const OTHER_REMEDIES: Readonly<Record<string, string>> = {
  clawbackUnderfunded: "Claw back no more than the account has above its liabilities.",
  createAccountLowReserve:
    "Use a starting balance of at least the reserve of an account, 1 XLM on mainnet.",
  createAccountUnderfunded: "Add XLM to the source account, or use a smaller starting balance.",
  endSponsoringFutureReservesNotSponsored:
    "Begin the sponsorship earlier in the same transaction, and end it with the sponsored account.",
};

let results: ReadonlyMap<string, string> | null = null;

/** For each code, its part without the operation's name. `createPassiveSellOffer` has none. */
function resultByCode(): ReadonlyMap<string, string> {
  results ??= new Map(
    [...allOperationCodes()].flatMap(([operation, codes]) =>
      codes.flatMap((code) =>
        code.startsWith(operation) ? [[code, code.slice(operation.length)] as const] : [],
      ),
    ),
  );
  return results;
}

/** Every result of every operation. */
export function resultsOfOperations(): readonly string[] {
  return [...resultByCode().keys()];
}

/** The result in a code: `paymentNoTrust` → `NoTrust`; null if it is not an operation's code. */
export function resultOfCode(code: string): string | null {
  return resultByCode().get(code) ?? null;
}

/** The code as a clause without a full stop; null if it is not an operation's code. */
export function operationCodeInWords(code: string): string | null {
  return EXCEPTIONS[code] ?? WORDS[resultByCode().get(code) ?? ""] ?? null;
}

/** The remedy in one or two sentences; null if the code does not show what helps. */
export function operationCodeRemedy(code: string): string | null {
  return OTHER_REMEDIES[code] ?? REMEDIES[resultByCode().get(code) ?? ""] ?? null;
}

/** The name of an operation in words: `pathPaymentStrictSend` → `path payment strict send`. */
export function operationInWords(kind: string): string {
  const words = kind.split(/(?=[A-Z])/);
  return words.map((word) => (word === "Ttl" ? "TTL" : word.toLowerCase())).join(" ");
}
