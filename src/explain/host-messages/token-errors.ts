// Errors of the Stellar asset contract in plain words with their amounts. They are found by
// message, because one number has several reasons: rs-soroban-env,
// builtin_contracts/stellar_asset_contract.

import { phrase, type Wording, withTexts } from "../../base/phrase.ts";
import { CAUSES, type CauseKind } from "../../model/cause-kinds.ts";
import type { TokenMetadata } from "../../xdr/contract/token-metadata.ts";
import { ASSET_ERRORS, type KnownMessage, messageIn } from "../../xdr/outcome/host-messages.ts";
import type { HostValue } from "../../xdr/values/host-value.ts";
import { tokenAmount } from "../naming/token-amount.ts";
import type { HostErrorWords } from "./host-errors.ts";

/**
 * The words, in which `{amount}` stands for the value with that name, and `{asset}` for the asset.
 */
interface AssetWords {
  /** A clause without a full stop. */
  readonly words: string;
  readonly remedy: Wording | null;
  /** The words to use if only a node shows that the entry is absent. */
  readonly byNode?: string;
}

/** The failed call, with its arguments by their names. */
export interface TokenCall {
  readonly function: string | null;
  readonly argumentsByName: Readonly<Record<string, HostValue>>;
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

const WORDS: Readonly<Record<keyof typeof ASSET_ERRORS, AssetWords>> = {
  "balance-out-of-range": {
    words: "the balance would become {balance}; the allowed range is {least} to {most}",
    remedy: PAY_IN,
  },
  "balance-too-small": {
    words: "the contract's balance is {balance}, but the call spends {amount}",
    remedy: PAY_IN,
  },
  "no-balance": {
    words: "the contract has no balance, but the call spends {amount}",
    remedy: PAY_IN,
  },
  "balance-overflow": { words: "the balance would be too large", remedy: LESS },
  "balance-frozen": {
    words:
      "the balance is frozen: the issuer has not authorized the holder, or has revoked the authorization",
    remedy: "Ask the asset's issuer to authorize the balance.",
  },
  "allowance-too-small": {
    words:
      "the allowance is {allowance}, but the call spends {amount} (an expired allowance counts as 0)",
    remedy: APPROVE,
  },
  "allowance-too-long": {
    words:
      "the allowance would be valid until ledger {until}; the latest possible ledger is {latest}",
    remedy: "Approve with an earlier expiration ledger.",
  },
  "allowance-in-past": {
    words: "the allowance would expire in ledger {until}, but this is ledger {ledger}",
    remedy: "Approve with an expiration ledger in the future.",
  },
  "amount-negative": {
    words: "the amount {amount} is negative",
    remedy: "Use an amount that is not negative.",
  },
  "account-missing": {
    words: "account {account} does not exist",
    byNode: "the node has no entry for account {account}",
    remedy: "Create the account first.",
  },
  "trustline-missing": {
    words: "account {account} has no trustline for {asset}",
    byNode: "the node has no trustline of account {account} for {asset}",
    remedy: "Have the account open a trustline for {asset} first (change trust).",
  },
  "below-minimum-balance": {
    words: "{amount} stroops is not enough to create an account; the minimum is {least}",
    remedy: "Transfer at least the minimum balance to an account that does not exist yet.",
  },
  "reserve-for-trustline": {
    words: "the account's XLM does not cover the reserve of a new trustline",
    remedy: RESERVE,
  },
  "subentries-full": {
    words: "the account has reached the maximum number of subentries",
    remedy: "Remove trustlines, offers, signers or data of the account first.",
  },
  "not-clawbackable": { words: "clawback is not enabled for that balance", remedy: CLAWBACK },
  "nothing-to-claw-back": { words: "there is no balance to claw back", remedy: HOLDER },
  "not-revocable": {
    words: "the issuer's account does not have the AUTH_REVOCABLE flag",
    remedy: "Have the issuer set its AUTH_REVOCABLE flag first.",
  },
  "of-issuer": {
    words:
      "the operation is not possible for the asset's issuer, which has no balance of its own asset",
    remedy: "Use an account that is not the issuer.",
  },
  "of-native": {
    words: "the operation is not possible with XLM, which has no issuer",
    remedy: ISSUED,
  },
  "no-native-trustline": { words: "XLM has no trustlines", remedy: ISSUED },
  "already-initialized": {
    words: "the asset's contract already exists",
    remedy: "Use the existing contract.",
  },
  "amount-overflow": { words: "an amount or balance would not fit its type", remedy: LESS },
};

/**
 * Null if the message does not come from the asset contract. `values` is null if only the message is
 * known, without the values that the contract reported with it.
 */
export function tokenErrorInWords(
  message: string,
  values: readonly HostValue[] | null,
  token: TokenMetadata | null,
  isAbsentByNode: boolean,
  call: TokenCall = UNKNOWN_CALL,
): HostErrorWords | null {
  const known = messageIn(ASSET_ERRORS, message);
  if (known === null) return null;
  const { kind, values: names = [] }: AssetRow = ASSET_ERRORS[known.id];
  const { words: usual, byNode, remedy: advice } = WORDS[known.id];
  const named = new Map(names.map((name, at) => [name, values?.[at]]));
  // Another contract can use the same words, and report other values with them.
  // An address alone contradicts. A text may have a part of a number, or nothing of it.
  if (names.some((name) => NUMBERS.has(name) && named.get(name)?.isAddress)) return null;
  // The replacement is a function, because a value from the chain could contain `$&`.
  const filled = (text: string) =>
    text.replace(/\{(\w+)\}/g, (_, name) => {
      if (name === "asset") return token?.asset ?? "the asset";
      const value = named.get(name);
      if (value === undefined) return values === null ? LEFT_OUT : "(unknown)";
      const isAmount = CAUSES[kind].hasAmounts && value.number !== null;
      return isAmount ? tokenAmount(value.number, token) : value.text;
    });
  const isOfNode = isAbsentByNode && byNode !== undefined;
  const inDetail = values && inCall(known, values, token, call);
  const words = inDetail?.words ?? filled(isOfNode ? byNode : usual);
  const isRoom = kind === "token-balance" && values !== null && isAbove(values);
  const remedy = isRoom ? RAISE_LIMIT : (inDetail?.remedy ?? (advice && withTexts(advice, filled)));
  return { kind, words, remedy: isOfNode && remedy !== null ? askAnother(remedy) : remedy };
}

/** Stands for a value that the user left out. */
const LEFT_OUT = "…";

/** The values that are numbers in each message of the asset contract. */
const NUMBERS: ReadonlySet<string> = new Set([
  "least",
  "balance",
  "most",
  "amount",
  "allowance",
  "until",
  "latest",
  "ledger",
]);

interface AssetRow {
  readonly kind: CauseKind;
  readonly values?: readonly string[];
}

const UNKNOWN_CALL: TokenCall = { function: null, argumentsByName: {} };

/** The verbs for what the asset contract's functions do with the amount of `from`. */
const SPENDS: Readonly<Record<string, readonly [does: string, doing: string]>> = {
  transfer: ["sends", "Transfer"],
  transfer_from: ["sends", "Transfer"],
  burn: ["burns", "Burn"],
  burn_from: ["burns", "Burn"],
  clawback: ["would lose", "Claw back"],
};

/**
 * Describes who has how much, needs how much, and for what; null if the call does not show it. The
 * values are the host's: the balance after the amount, and the smallest and the largest that are
 * allowed.
 */
function inCall(
  { id }: KnownMessage<keyof typeof ASSET_ERRORS>,
  values: readonly HostValue[],
  token: TokenMetadata | null,
  { function: called, argumentsByName }: TokenCall,
): { readonly words: string; readonly remedy: Wording | null } | null {
  const from = argumentsByName.from?.text;
  const to = argumentsByName.to?.text;
  const moved = argumentsByName.amount?.number ?? null;
  const numbers = values.flatMap(({ number }) => number ?? []);
  if (moved === null || numbers.length < values.length) return null;
  const [first, second, third] = numbers;
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
  if ((id === "balance-too-small" || id === "no-balance") && spender)
    return numbers.at(-1) === moved
      ? spending(numbers.length === 2 ? (first ?? 0n) : 0n, 0n)
      : null;
  if (id !== "balance-out-of-range") return null;
  if (first === undefined || second === undefined || third === undefined) return null;
  if (second < first && spender && second + moved >= 0n) return spending(second + moved, first);
  if (second > third && to !== undefined && second >= moved) {
    const room = `can hold ${shown(third)}, and would receive ${shown(moved)}`;
    return { words: `${to} has ${shown(second - moved)}, ${room}`, remedy: null };
  }
  return null;
}

/** Reads `resulting balance is not within the allowed range`: minimum, balance, maximum. */
function isAbove([, balance, maximum]: readonly HostValue[]): boolean {
  if (balance?.number == null || maximum?.number == null) return false;
  return balance.number > maximum.number;
}

/** The remedy if the node may have left out an existing entry. */
export function askAnother(remedy: Wording): Wording {
  return phrase`Ask another node. If it has no entry either: ${remedy}`;
}
