// Errors of the Stellar asset contract in plain words with their amounts. They are found by
// message, because one number has several reasons: rs-soroban-env,
// builtin_contracts/stellar_asset_contract.

import { CAUSES, type CauseKind } from "../../model/cause-kinds.ts";
import type { TokenMetadata } from "../../xdr/contract/token-metadata.ts";
import { tokenAmount } from "../naming/token-amount.ts";
import type { HostErrorWords } from "./host-errors.ts";

/** In the words, `{0}`, `{1}`, … are the values that the contract reports; `{asset}` is the asset. */
interface TokenError extends HostErrorWords {
  readonly message: RegExp;
  /** Instead of `words`, where only a node shows that the entry is absent. */
  readonly byNode?: string;
}

/** The call that failed; the arguments by their names, as text. */
export interface TokenCall {
  readonly function: string | null;
  readonly given: Readonly<Record<string, string>>;
}

const APPROVE = "Have the owner approve a larger allowance first, or spend less.";
const PAY_IN = "Add more of the asset to the account, or transfer less.";
const RAISE_LIMIT =
  "Have the receiver raise the limit of its trustline, or transfer less: the balance would be above " +
  "what it can hold.";
const RESERVE = "Add XLM to the account: each of its entries requires a reserve.";
const LESS = "Use a smaller amount.";
const HOLDER = "Claw back from an address that has a balance.";
const ISSUED = "Use the contract of an asset that has an issuer.";
const CLAWBACK =
  "The issuer must enable clawback before it issues the asset. Balances from before stay without " +
  "clawback.";

const ERRORS: readonly TokenError[] = [
  row(
    /^resulting balance is not within the allowed range$/,
    "token-balance",
    "the balance would become {1}; the allowed range is {0} to {2}",
    PAY_IN,
  ),
  row(
    /^balance is not sufficient to spend$/,
    "token-balance",
    "the contract's balance is {0}, but the call spends {1}",
    PAY_IN,
  ),
  row(
    /^zero balance is not sufficient/,
    "token-balance",
    "the contract has no balance, but the call spends {0}",
    PAY_IN,
  ),
  row(/^resulting balance overflow$/, "token-overflow", "the balance would be too large", LESS),
  row(
    /^balance is deauthorized$/,
    "token-frozen",
    "the balance is frozen: the issuer has not authorized the holder, or has revoked the " +
      "authorization",
    "Ask the asset's issuer to authorize the balance.",
  ),
  row(
    /^not enough allowance to spend$/,
    "token-allowance",
    "the allowance is {0}, but the call spends {1} (an expired allowance counts as 0)",
    APPROVE,
  ),
  row(
    /^live_until is greater than max/,
    "token-allowance-expiration",
    "the allowance would be valid until ledger {0}; the latest possible ledger is {1}",
    "Approve with an earlier expiration ledger.",
  ),
  row(
    /^live_until must be >= ledger sequence$/,
    "token-allowance-expiration",
    "the allowance would expire in ledger {0}, but this is ledger {1}",
    "Approve with an expiration ledger in the future.",
  ),
  row(
    /^negative amount is not allowed$/,
    "token-amount",
    "the amount {0} is negative",
    "Use an amount that is not negative.",
  ),
  row(
    /^account entry is missing$/,
    "account-missing",
    "account {0} does not exist",
    "Create the account first.",
    "the node has no entry for account {0}",
  ),
  row(
    /^trustline entry is missing for account$/,
    "trustline-missing",
    "account {0} has no trustline for {asset}",
    "Have the account open a trustline for {asset} first (change trust).",
    "the node has no trustline of account {0} for {asset}",
  ),
  row(
    /^transfer amount is below minimum balance for new account$/,
    "account-reserve",
    "{0} stroops is not enough to create an account; the minimum is {1}",
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
    "the account has reached the maximum number of subentries",
    "Remove trustlines, offers, signers or data of the account first.",
  ),
  row(
    /^(trustline|balance) isn't clawbackable$/,
    "token-clawback",
    "clawback is not enabled for that balance",
    CLAWBACK,
  ),
  row(/^no balance to clawback$/, "token-clawback", "there is no balance to claw back", HOLDER),
  row(
    /^issuer does not have AUTH_REVOCABLE set$/,
    "token-unsupported",
    "the issuer's account does not have the AUTH_REVOCABLE flag",
    "Have the issuer set its AUTH_REVOCABLE flag first.",
  ),
  row(
    /^(operation invalid on issuer|issuer doesn't have a trustline|cannot (clawback from|create trustline for) issuer)$/,
    "token-unsupported",
    "the operation is not possible for the asset's issuer, which has no balance of its own asset",
    "Use an account that is not the issuer.",
  ),
  row(
    /^(operation invalid on|cannot clawback|trust operation is not supported for) native asset$/,
    "token-unsupported",
    "the operation is not possible with XLM, which has no issuer",
    ISSUED,
  ),
  row(/^expected trustline asset$/, "token-unsupported", "XLM has no trustlines", ISSUED),
  row(
    /^StellarAssetContract has been already initialized$/,
    "contract-exists",
    "the asset's contract already exists",
    "Use the existing contract.",
  ),
  row(
    new RegExp(
      "^(allowance overflowed|((spent|received) amount is )?too large for an i64|" +
        "(resulting )?balance overflow|overflow$)",
    ),
    "token-overflow",
    "an amount or balance would not fit its type",
    LESS,
  ),
];

function row(
  message: RegExp,
  kind: CauseKind,
  words: string,
  remedy: string | null,
  byNode?: string,
): TokenError {
  return { message, kind, words, remedy, ...(byNode !== undefined && { byNode }) };
}

/** Null when the message does not come from the asset contract. */
export function tokenErrorInWords(
  message: string,
  values: readonly string[],
  token: TokenMetadata | null,
  isAbsentByNode: boolean,
  call: TokenCall = UNKNOWN_CALL,
): HostErrorWords | null {
  const known = ERRORS.find((each) => each.message.test(message));
  if (known === undefined) return null;
  const { kind } = known;
  // A function, because a value from the chain could contain `$&`.
  const filled = (text: string) =>
    text.replace(/\{(\d|asset)\}/g, (_, at) => {
      if (at === "asset") return token?.asset ?? "the asset";
      const value = values[Number(at)];
      if (value === undefined) return "(unknown)";
      return CAUSES[kind].hasAmounts && isNumber(value) ? tokenAmount(BigInt(value), token) : value;
    });
  const said = (isAbsentByNode ? known.byNode : undefined) ?? known.words;
  const told = inCall(message, values, token, call);
  const words = told?.words ?? filled(said);
  const isRoom = kind === "token-balance" && isAbove(values);
  const remedy = isRoom ? RAISE_LIMIT : (told?.remedy ?? (known.remedy && filled(known.remedy)));
  const asks = said !== known.words && remedy !== null;
  return { kind, words, remedy: asks ? askAnother(remedy) : remedy };
}

const UNKNOWN_CALL: TokenCall = { function: null, given: {} };

/** What the functions of the asset contract do with the amount of `from`. */
const SPENDS: Readonly<Record<string, readonly [does: string, doing: string]>> = {
  transfer: ["sends", "Transfer"],
  transfer_from: ["sends", "Transfer"],
  burn: ["burns", "Burn"],
  burn_from: ["burns", "Burn"],
  clawback: ["would lose", "Claw back"],
};

/**
 * Who has how much and needs how much, and with what it would do; null where the call does not show
 * both. The values are those of the host: the balance after the amount, between the smallest and
 * the largest that are allowed.
 */
function inCall(
  message: string,
  values: readonly string[],
  token: TokenMetadata | null,
  { function: called, given }: TokenCall,
): { readonly words: string; readonly remedy: string | null } | null {
  const { from, to, amount = "" } = given;
  if (!isNumber(amount) || !values.every(isNumber)) return null;
  const [first, second, third] = values.map(BigInt);
  const moved = BigInt(amount);
  const [spends, spend] = SPENDS[called ?? ""] ?? [];
  const shown = (units: bigint) => tokenAmount(units, token);
  const spending = (has: bigint, keeps: bigint) => {
    const least = keeps > 0n ? `, must keep ${shown(keeps)},` : "";
    const most = has - keeps;
    const less = most > 0n ? `${spend} at most ${shown(most)}` : "";
    const more =
      spend === "Claw back" ? "" : `add at least ${shown(moved - most)} to ${from} first`;
    const either = [less, more].filter((part) => part !== "").join(", or ");
    return {
      words: `${from} has ${shown(has)}${least} and ${spends} ${shown(moved)}`,
      remedy: either === "" ? null : `${either.charAt(0).toUpperCase()}${either.slice(1)}.`,
    };
  };
  const spender = from !== undefined && spends !== undefined;
  if (/^(zero )?balance is not sufficient/.test(message) && spender)
    return values.at(-1) === amount ? spending(values.length === 2 ? (first ?? 0n) : 0n, 0n) : null;
  if (!message.startsWith("resulting balance is not within")) return null;
  if (first === undefined || second === undefined || third === undefined) return null;
  if (second < first && spender && second + moved >= 0n) return spending(second + moved, first);
  if (second > third && to !== undefined && second >= moved) {
    const room = `can hold ${shown(third)}, and would receive ${shown(moved)}`;
    return { words: `${to} has ${shown(second - moved)}, ${room}`, remedy: null };
  }
  return null;
}

function isNumber(text: string): boolean {
  return /^-?\d{1,39}$/.test(text);
}

/** Reads `resulting balance is not within the allowed range`: minimum, balance, maximum. */
function isAbove([, balance = "", maximum = ""]: readonly string[]): boolean {
  return isNumber(balance) && isNumber(maximum) && BigInt(balance) > BigInt(maximum);
}

/** The remedy where the node may have left out what exists. */
export function askAnother(remedy: string): string {
  return `Ask another node. If it has no entry either: ${remedy}`;
}
