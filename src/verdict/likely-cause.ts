// Concludes the most likely reason for a divergence from the values that differ and those that do
// not.

import { quotedText, SHOWN_QUOTE } from "../base/text/neutralise.ts";
import type { Execution } from "../model/execution.ts";
import { endedWith } from "../model/result-code.ts";
import { type Comparison, FEE_SUBJECTS } from "../model/verdict.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { isTtlKey } from "./ledger-changes.ts";

export interface KnownBesides {
  /** True if a part of the state is known only from a node's answer. */
  readonly isServed?: boolean;
  /** True if the fee charged was compared, and is equal. */
  readonly isChargedEqual?: boolean;
}

export function likelyCause(
  chain: ChainFacts,
  execution: Execution,
  differences: readonly Comparison[],
  { isServed = false, isChargedEqual = false }: KnownBesides = {},
): string {
  const contradiction = onlyFees(differences) ? feeContradiction(chain) : null;
  if (contradiction !== null) return contradiction;
  if (BigInt(execution.fees.refundStroops) < 0n) return FEES_BEYOND_DECLARED;
  const subjects = new Set(differences.map((difference) => difference.subject));
  // The result of a success contains the success hash, so two results can differ although both
  // succeeded.
  const bothSucceeded = chain.result.success && execution.outcome.kind === "success";
  if (subjects.has("operation-result") && !bothSucceeded)
    return outcomeCause(chain, execution) ?? unknownCause(execution, isServed);
  if (differences.some(isLastModifiedOnly)) {
    return "The replay used a different version of an entry than the chain.";
  }
  if (
    chain.refundStroops === "0" &&
    onlyFees(differences) &&
    execution.fees.refundStroops !== "0"
  ) {
    return "The refund could not be paid: the fee source was merged, or its balance had no room.";
  }
  const hasParts = (chain.meta?.sorobanFees ?? null) !== null;
  if (hasParts && onlyFees(differences) && !subjects.has("resource-fee")) {
    return "The parts of the resource fee are equal: what the node shows as charged is not their sum.";
  }
  if (isChargedEqual && differences.every(({ subject }) => subject === "resource-fee")) {
    return "The fee charged is equal: the parts of it that the meta names are wrong.";
  }
  if (differences.every((each) => isFee(each) || isTtlChange(each))) {
    return "The network settings for rent and TTL, or an entry or its TTL, are not those of this ledger.";
  }
  return unknownCause(execution, isServed);
}

/** The network refuses such a transaction before it takes a fee. */
const FEES_BEYOND_DECLARED =
  "The network settings for fees are not those of this ledger: with them the declared resources " +
  "cost more than the declared resource fee.";

/**
 * The fee charged must be the fee taken in the fee phase less the refund. A ledger's hash covers
 * the result, but not the balances before and after the two phases.
 */
function feeContradiction(chain: ChainFacts): string | null {
  const { result, feeTakenStroops: taken, refundStroops: refunded } = chain;
  const charged = result.feeChargedStroops;
  if (taken === null || refunded === null) return null;
  // Before protocol 21 the result of a fee-bump shows the fee before the refund.
  const showsRefund = result.innerHash === null || chain.protocolVersion >= 21;
  if (BigInt(taken) - BigInt(showsRefund ? refunded : 0) === BigInt(charged)) return null;
  return (
    `The source contradicts itself: the result has a fee of ${charged} stroops, and beside it are ` +
    `${taken} taken and ${refunded} refunded.`
  );
}

function unknownCause({ host }: Execution, isServed: boolean): string {
  const { protocol, crateVersion } = host;
  const others =
    `the chain did not run the host of protocol ${protocol} (${crateVersion}), or svc applies the ` +
    "rules around the host incorrectly.";
  return isServed
    ? `Either the metas or the state that was served is wrong, ${others}`
    : `All inputs are known. Either ${others}`;
}

const LACKED_FEE = "insufficientRefundableFee";

function outcomeCause(chain: ChainFacts, { outcome, hostError }: Execution): string | null {
  if (outcome.kind === "internal_error")
    return `The contract host ended with an internal error: ${quotedText(outcome.message, SHOWN_QUOTE)}.`;
  if (hostError?.type === "Budget" && chain.result.success) {
    return "The replay exceeded its budget: the cost parameters are not those of this ledger.";
  }
  if (hostError?.type === "Storage" && chain.result.success) {
    return "The replay missed an entry that the chain had.";
  }
  const lackedFee = outcome.kind === "failed" && endedWith(outcome, LACKED_FEE);
  const chainLackedFee = endedWith(chain.result.operationResults[0], LACKED_FEE);
  if (lackedFee !== chainLackedFee && (chain.result.success || outcome.kind === "success"))
    return "The network settings for fees and rent, or an entry or its TTL, are not those of this ledger.";
  return null;
}

/** True if both changes are of one kind, and the values differ at most in the first four bytes. */
function isLastModifiedOnly({ subject, chain, replay }: Comparison): boolean {
  if (subject !== "ledger-change" || chain === null || replay === null) return false;
  return chain.length === replay.length && chain.slice(6) === replay.slice(6);
}

function isFee({ subject }: Comparison): boolean {
  return FEE_SUBJECTS.has(subject);
}

function onlyFees(differences: readonly Comparison[]): boolean {
  return differences.every(isFee);
}

function isTtlChange({ subject, item }: Comparison): boolean {
  return subject === "ledger-change" && item !== null && isTtlKey(item);
}
