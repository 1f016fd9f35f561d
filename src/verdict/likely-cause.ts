// The best known reason for a divergence, from what differs and what does not. One sentence, or
// null: a guess without a sign for it helps nobody.

import type { Execution } from "../model/execution.ts";
import type { Comparison } from "../model/verdict.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { isTtlKey } from "./ledger-changes.ts";

export function likelyCause(
  chain: ChainFacts,
  execution: Execution,
  differences: readonly Comparison[],
): string | null {
  const subjects = new Set(differences.map((difference) => difference.subject));
  // A successful result holds the success hash: then it is not the outcome that differs.
  const bothSucceeded = chain.result.success && execution.outcome.kind === "success";
  if (subjects.has("operation-result") && !bothSucceeded) return outcomeCause(chain, execution);
  if (differences.some(isLastModifiedOnly)) {
    return "The replay was given another version of an entry than the chain had.";
  }
  if (
    chain.refundStroops === "0" &&
    onlyFees(differences) &&
    execution.fees.refundStroops !== "0"
  ) {
    return "The refund could not be paid: the fee source was merged, or its balance had no room.";
  }
  if (differences.every((each) => isFee(each) || isTtlChange(each))) {
    return "The settings that rent and time to live follow are not those of this ledger.";
  }
  const { protocol, crateVersion } = execution.host;
  return (
    `All inputs are known, so what ran on the chain is not the host of protocol ${protocol} ` +
    `(${crateVersion}), or the rules around it are not what svc takes them for.`
  );
}

function outcomeCause(chain: ChainFacts, { outcome, hostError }: Execution): string | null {
  if (outcome.kind === "internal_error") return `The host broke: ${outcome.message}`;
  if (hostError?.type === "Budget" && chain.result.success) {
    return "The replay ran out of its budget: the cost parameters are not those of this ledger.";
  }
  if (hostError?.type === "Storage" && chain.result.success) {
    return "The replay missed an entry that the chain had.";
  }
  return null;
}

/** Same kind of change, and the values differ in the first four bytes at most. */
function isLastModifiedOnly({ subject, chain, replay }: Comparison): boolean {
  if (subject !== "ledger-change" || chain === null || replay === null) return false;
  return chain.length === replay.length && chain.slice(6) === replay.slice(6);
}

const FEE_SUBJECTS = new Set(["fee-charged", "resource-fee", "refund", "transaction-result"]);

function isFee({ subject }: Comparison): boolean {
  return FEE_SUBJECTS.has(subject);
}

function onlyFees(differences: readonly Comparison[]): boolean {
  return differences.every(isFee);
}

function isTtlChange({ subject, item }: Comparison): boolean {
  return subject === "ledger-change" && item !== null && isTtlKey(item);
}
