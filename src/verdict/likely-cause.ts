// The best known reason for a divergence, from what differs and what does not. One sentence, or
// null: a guess without a sign for it helps nobody.

import type { Execution } from "../model/execution.ts";
import type { Comparison } from "../model/verdict.ts";
import type { ChainFacts } from "./chain-facts.ts";

export function likelyCause(
  chain: ChainFacts,
  execution: Execution,
  differences: readonly Comparison[],
): string | null {
  const subjects = new Set(differences.map((difference) => difference.subject));
  if (subjects.has("operation-result")) return outcomeCause(chain, execution);
  if (subjects.has("success-hash") || subjects.has("ledger-change")) {
    const host = `protocol ${execution.host.protocol} (${execution.host.crateVersion})`;
    return differences.some(isLastModifiedOnly)
      ? "The state that the replay was given is another version of an entry."
      : `The host of ${host} computed another result from this state.`;
  }
  const feesOnly = ["fee-charged", "resource-fee", "refund", "transaction-result"];
  if (![...subjects].every((subject) => feesOnly.includes(subject))) return null;
  if (chain.refundStroops === "0" && execution.fees.refundStroops !== "0") {
    return "The refund could not be paid: the fee source was merged, or its balance had no room.";
  }
  return "The network settings that fees and rent follow are not those of this ledger.";
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
