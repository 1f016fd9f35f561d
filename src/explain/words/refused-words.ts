// The words for a transaction that was refused before any of its operations ran: what the network
// required, and what the envelope has.

import { grouped, stroopsInWords } from "../../base/text/grouped.ts";
import { timeInWords } from "../../base/text/time.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import { signatureChecker } from "../../xdr/envelope/signature-checker.ts";
import { showStroops } from "../../xdr/values/value.ts";
import type { RefusedEnvelope } from "./found-cause.ts";

/**
 * For each transaction result code, the required and the actual values; empty if nothing shows
 * them.
 */
const DETAILS: Readonly<Record<string, (refusal: RefusedEnvelope) => string>> = {
  txBadSeq: sequenceInWords,
  txTooLate: latestInWords,
  txTooEarly: earliestInWords,
  txInsufficientFee: bidInWords,
  txInsufficientBalance: balanceInWords,
  txBadAuth: signaturesInWords,
  txBadAuthExtra: signaturesInWords,
  txNoAccount: ({ account }) => `account ${account} does not exist`,
};

/** The details as a clause; empty if the chain record does not show what was required. */
export function refusalDetails(code: string, refusal: RefusedEnvelope): string {
  return DETAILS[code]?.(refusal) ?? "";
}

function sequenceInWords({ terms, state, account }: RefusedEnvelope): string {
  const own = `the transaction has sequence number ${terms.sequence}`;
  if (state === null) return own;
  const accepted =
    terms.leastSequence === null ? "" : ` (the transaction accepts ${terms.leastSequence} or more)`;
  const before =
    `the sequence number of ${account} was ${state.sequence} before this ledger's ` +
    `transactions${accepted}`;
  const taken =
    state.sequence + 1n === terms.sequence
      ? ", so an earlier transaction of this ledger used that number"
      : "";
  return `${own}, and ${before}${taken}`;
}

function latestInWords({ terms, ledger }: RefusedEnvelope): string {
  const { latestSeconds, endLedger } = terms;
  if (endLedger !== null && ledger.sequence >= endLedger)
    return `the transaction was valid before ledger ${endLedger}, and this is ledger ${ledger.sequence}`;
  if (latestSeconds === null) return "";
  return `the transaction was valid until ${timeInWords(latestSeconds)}, and ${closedAt(ledger)}`;
}

function earliestInWords({ terms, ledger }: RefusedEnvelope): string {
  const { earliestSeconds, earliestLedger } = terms;
  if (earliestLedger !== null && ledger.sequence < earliestLedger)
    return `the transaction is valid from ledger ${earliestLedger}, and this is ledger ${ledger.sequence}`;
  if (earliestSeconds === null) return "";
  return `the transaction is valid from ${timeInWords(earliestSeconds)}, and ${closedAt(ledger)}`;
}

function closedAt({ sequence, closeTimeUnixSeconds }: ChainRecord["ledger"]): string {
  return `ledger ${sequence} closed at ${timeInWords(BigInt(closeTimeUnixSeconds))}`;
}

/**
 * stellar-core, FeeBumpTransactionFrame::commonValidPreSeqNum: an outer transaction pays for one
 * more operation, and for each at least what the inner one bids. The fee it needed is in the
 * result.
 */
function bidInWords({ outer, terms, envelope, result, ledger }: RefusedEnvelope): string {
  const count = envelope.operationKinds.length;
  const resources = BigInt(envelope.soroban?.resourceFeeStroops ?? 0);
  const forInclusion = (bid: bigint, operations: number) =>
    `${stroopsInWords(bid - resources)} for inclusion ` +
    `(${operations} operation${operations === 1 ? "" : "s"})`;
  const ofResources = resources === 0n ? "" : `, plus ${stroopsInWords(resources)} for resources`;
  const inner = forInclusion(terms.feeStroops, count);
  if (!outer) {
    const least = BigInt(ledger.baseFeeStroops) * BigInt(count);
    return `the bid is ${inner}${ofResources}; the minimum was ${grouped(least)}`;
  }
  const operations = count + 1;
  const base = BigInt(ledger.baseFeeStroops) * BigInt(operations);
  const needed = BigInt(result.feeChargedStroops);
  const least = needed > base ? needed : base;
  const bid = `the bid is ${forInclusion(BigInt(envelope.feeBidStroops), operations)}${ofResources}`;
  return `${bid}; the bid of the inner transaction is ${inner}; the minimum was ${grouped(least)}`;
}

function balanceInWords({
  state,
  outer,
  envelope,
  terms,
  ledger,
  account,
}: RefusedEnvelope): string {
  const bid = outer ? BigInt(envelope.feeBidStroops) : terms.feeStroops;
  const offered = `the bid is ${showStroops(bid)} XLM`;
  if (state === null) return offered;
  const reserve = state.reserves * BigInt(ledger.baseReserveStroops);
  const liabilities = state.sellingLiabilitiesStroops;
  const bound =
    liabilities === 0n ? "" : ` and ${showStroops(liabilities)} XLM in selling liabilities`;
  const had = `${account} had ${showStroops(state.balanceStroops)} XLM before the fee`;
  return `${had}, including a reserve of ${showStroops(reserve)} XLM${bound}; ${offered}`;
}

/**
 * A matching hint does not prove a signature, so each is verified. `state` is from before the
 * ledger's transactions, of which an earlier one can have changed the account's signers.
 */
function signaturesInWords({
  result,
  outer,
  envelope,
  terms,
  state,
  account,
}: RefusedEnvelope): string {
  const inside = envelope.isFeeBump && !outer;
  const signatures = inside ? terms.innerSignatures : terms.signatures;
  const hints = signatures.map(({ hint }) => hint.toHex());
  const count = `the transaction has ${hints.length} signature${hints.length === 1 ? "" : "s"}`;
  if (state === null) return `${count} for ${account}`;
  // With a threshold of 0, one signature is still needed.
  const needed = Math.max(1, state.thresholds[0]);
  const hash = inside ? envelope.innerHash : envelope.hash;
  const weight = signatureChecker(hash ?? "", signatures).weigh(state.signers, needed);
  const fitting = hints.filter((hint) => state.signers.some((each) => each.hint === hint)).length;
  if (weight === 0)
    return fitting === 0
      ? `${count}, none by a signer of ${account}`
      : `${count}, ${fitting} in the name of signers of ${account} and none of them valid: made ` +
          "for other data or another network";
  const of = `${count}, and the valid ones by signers of ${account} have weight ${weight}`;
  if (weight < needed) return `${of}, but weight ${needed} is needed`;
  if (result.code === "txBadAuthExtra" || result.innerCode === "txBadAuthExtra") return of;
  const enough = `${of}, which was enough for that account before this ledger's transactions`;
  if (outer || terms.extraSigners.length === 0) return enough;
  return `${enough}; its preconditions name extra signers, who have to sign as well`;
}
