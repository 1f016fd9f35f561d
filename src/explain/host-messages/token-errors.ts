// What the Stellar asset contract refuses, in plain words with its amounts. By message, because one
// number stands for several reasons: rs-soroban-env, builtin_contracts/stellar_asset_contract.

import type { TokenMetadata } from "../../xdr/contract/token-metadata.ts";
import { inTokens } from "../naming/token-amount.ts";

interface TokenError {
  readonly message: RegExp;
  /** Stable name for machines. */
  readonly kind: string;
  /** A clause; `{0}`, `{1}`, … stand for what the contract tells beside the message. */
  readonly words: string;
  readonly remedy: string | null;
}

const APPROVE = "Let the owner approve a larger allowance first, or spend less.";
const PAY_IN = "Give the account more of the asset, or move less.";
const RESERVE = "Give the account more XLM: each entry of its own binds a reserve.";
const CLAWBACK = "An issuer enables clawback before it issues; balances from before keep without.";

const ERRORS: readonly TokenError[] = [
  row(
    /^resulting balance is not within the allowed range$/,
    "token-balance",
    "the balance would become {1}, and {0} to {2} are allowed",
    PAY_IN,
  ),
  row(
    /^balance is not sufficient to spend$/,
    "token-balance",
    "the contract's balance is {0}, and {1} were to be spent",
    PAY_IN,
  ),
  row(
    /^zero balance is not sufficient/,
    "token-balance",
    "the contract has no balance at all, and {0} were to be spent",
    PAY_IN,
  ),
  row(/^resulting balance overflow$/, "token-overflow", "the balance would be too large", null),
  row(
    /^balance is deauthorized$/,
    "token-frozen",
    "the balance is frozen: the issuer has not authorized its holder, or no longer",
    "Ask the asset's issuer to authorize the balance.",
  ),
  row(
    /^not enough allowance to spend$/,
    "token-allowance",
    "the allowance is {0}, and {1} were to be spent; one that has expired is 0",
    APPROVE,
  ),
  row(
    /^live_until is greater than max$/,
    "token-allowance-expiration",
    "the allowance would live until ledger {0}, and an entry lives {1} ledgers at most",
    "Approve with an earlier expiration ledger.",
  ),
  row(
    /^live_until must be >= ledger sequence$/,
    "token-allowance-expiration",
    "the allowance would end with ledger {0}, and this is ledger {1}",
    "Approve with an expiration ledger that is still to come.",
  ),
  row(
    /^negative amount is not allowed$/,
    "token-amount",
    "the amount {0} is negative",
    "Give an amount that is not negative.",
  ),
  row(
    /^account entry is missing$/,
    "account-missing",
    "there is no account {0}",
    "Create the account first.",
  ),
  row(
    /^trustline entry is missing for account$/,
    "trustline-missing",
    "account {0} has no trustline for the asset",
    "Let the account open a trustline for the asset first.",
  ),
  row(
    /^transfer amount is below minimum balance for new account$/,
    "account-reserve",
    "{0} stroops do not create an account: {1} are the least",
    "Transfer at least the minimum balance to an account that does not exist yet.",
  ),
  row(
    /^account has insufficient reserve for new trustline$/,
    "account-reserve",
    "the account's XLM does not cover the reserve of a new trustline",
    RESERVE,
  ),
  row(
    /^account has reached maximum number of sub-entries$/,
    "account-subentries",
    "the account has as many entries of its own as it may have",
    "Remove trustlines, offers, signers or data of the account first.",
  ),
  row(
    /^(trustline|balance) isn't clawbackable$/,
    "token-clawback",
    "clawback is not enabled for that balance",
    CLAWBACK,
  ),
  row(/^no balance to clawback$/, "token-clawback", "there is no balance to claw back", null),
  row(
    /^issuer does not have AUTH_REVOCABLE set$/,
    "token-unsupported",
    "the issuer's account is not set to revoke authorizations",
    "Let the issuer set its AUTH_REVOCABLE flag first.",
  ),
  row(
    /^(operation invalid on issuer|issuer doesn't have a trustline|cannot (clawback from|create trustline for) issuer)$/,
    "token-unsupported",
    "it cannot be done to the asset's issuer, which has no balance of its own asset",
    "Name another account than the issuer.",
  ),
  row(
    /^(operation invalid on|cannot clawback|trust operation is not supported for) native asset$/,
    "token-unsupported",
    "it cannot be done with XLM, which has no issuer",
    null,
  ),
  row(/^expected trustline asset$/, "token-unsupported", "XLM has no trustlines", null),
  row(
    /^StellarAssetContract has been already initialized$/,
    "contract-exists",
    "the asset's contract exists already",
    "Use the contract that is there.",
  ),
  row(
    /(too large for an i64|overflow)/,
    "token-overflow",
    "an amount or balance would not fit its type",
    "Give a smaller amount.",
  ),
];

/** Kinds whose values are amounts of the token. */
const AMOUNTS: ReadonlySet<string> = new Set(["token-balance", "token-allowance", "token-amount"]);

function row(message: RegExp, kind: string, words: string, remedy: string | null): TokenError {
  return { message, kind, words, remedy };
}

/** Null when the message is none of the asset contract's. */
export function tokenErrorInWords(
  message: string,
  values: readonly string[],
  token: TokenMetadata | null,
): { readonly kind: string; readonly words: string; readonly remedy: string | null } | null {
  const known = ERRORS.find((each) => each.message.test(message));
  if (known === undefined) return null;
  // A function: a value of the chain could hold `$&`.
  const words = known.words.replace(/\{(\d)\}/g, (_, at) => {
    const value = values[Number(at)];
    if (value === undefined) return "(not told)";
    const isAmount = AMOUNTS.has(known.kind) && /^-?\d{1,39}$/.test(value);
    return isAmount ? `${value}${inTokens(BigInt(value), token)}` : value;
  });
  return { kind: known.kind, words, remedy: known.remedy };
}
