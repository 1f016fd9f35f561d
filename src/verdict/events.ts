// Compares contract and system events, byte by byte and in order. The node may have rewritten the
// meta's copy of them. The success hash in the result covers the events as they were emitted. If
// both hashes are equal, a difference that stellar-core's known rewritings explain counts as equal.
// Any other difference is a caveat about the meta, never about the replay.

import type { Execution } from "../model/execution.ts";
import type { Comparison } from "../model/verdict.ts";
import { isAssetReconciliation, protocol23Form } from "../xdr/contract/asset-event.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { compareTexts, notCompared } from "./compare.ts";

const UNIFIED_EVENTS_PROTOCOL = 23;

export function compareEvents(chain: ChainFacts, execution: Execution): Comparison[] {
  if (chain.meta === null) {
    return [notCompared("events", "No source had the meta. The success hash covers the events.")];
  }
  const onChain = chain.meta.eventsXdr;
  const replayed = execution.eventsXdr;
  const comparisons = compareEach(onChain, replayed);
  if (comparisons.every((comparison) => comparison.result === "equal")) return comparisons;
  if (!isSuccessHashEqual(chain, execution)) return comparisons;
  return explained(chain, replayed) ?? comparisons.map(blamingMeta);
}

/** The success hash covers the return value and the events, so equal hashes mean equal events. */
export function isSuccessHashEqual(chain: ChainFacts, execution: Execution): boolean {
  return chain.result.successHash !== null && chain.result.successHash === execution.successHash;
}

function compareEach(onChain: readonly string[], replayed: readonly string[]): Comparison[] {
  const count = Math.max(onChain.length, replayed.length);
  if (count === 0) return [compareTexts("events", null, "0", "0", "Neither run emitted an event.")];
  return Array.from({ length: count }, (_, i) =>
    compareTexts("events", String(i), onChain[i] ?? null, replayed[i] ?? null),
  );
}

/** Returns null if no known rewriting turns the replay's events into the meta's. */
function explained(chain: ChainFacts, replayed: readonly string[]): Comparison[] | null {
  const onChain = chain.meta?.eventsXdr ?? [];
  const before = chain.protocolVersion < UNIFIED_EVENTS_PROTOCOL;
  const rewriting = before
    ? "The node rewrote it to the protocol-23 form (BACKFILL_STELLAR_ASSET_EVENTS). " +
      "The success hash proves the replay's event."
    : "The node's protocol-23 event reconciliation added it. The success hash does not cover it.";
  const extra = before ? 0 : onChain.length - replayed.length;
  const prefix = onChain.slice(0, Math.max(extra, 0));
  if (extra < 0 || onChain.length - extra !== replayed.length) return null;
  if (extra > 0 && chain.protocolVersion !== UNIFIED_EVENTS_PROTOCOL) return null;
  if (!prefix.every(isAssetReconciliation)) return null;
  const comparisons: Comparison[] = prefix.map((event, i) => ({
    ...compareTexts("events", String(i), event, null, rewriting),
    result: "equal" as const,
  }));
  for (const [i, replay] of replayed.entries()) {
    const event = onChain[extra + i] ?? null;
    const item = String(extra + i);
    if (event === replay) comparisons.push(compareTexts("events", item, event, replay));
    else if (before && event === protocol23Form(replay)) {
      const comparison = compareTexts("events", item, event, replay, rewriting);
      comparisons.push({ ...comparison, result: "equal" });
    } else return null;
  }
  return comparisons;
}

function blamingMeta(comparison: Comparison): Comparison {
  if (comparison.result === "equal") return comparison;
  const detail =
    "The meta's copy of the event differs, but the success hash, which covers the events, is " +
    "equal: the meta was rewritten.";
  return { ...comparison, detail };
}
