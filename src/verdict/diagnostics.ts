// The error that ended the call and all other diagnostic events, if the node reported them.
// Diagnostic events are not part of the ledger. A different error is a different failure, but
// different bytes with the same error are only a caveat, not a divergence.

import type { Execution } from "../model/execution.ts";
import type { Comparison } from "../model/verdict.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { isCoreMetric, readDiagnosticErrors } from "../xdr/outcome/diagnostics.ts";
import { showError } from "../xdr/values/value-text.ts";
import { compareTexts, notCompared } from "./compare.ts";

export function compareDiagnostics(chain: ChainFacts, execution: Execution): Comparison[] {
  const onChain = chain.diagnosticsXdr.filter((event) => !isCoreMetric(event));
  const replayed = execution.diagnosticsXdr;
  if (chain.diagnosticsXdr.length === 0) {
    const detail = "The node reported no diagnostic events.";
    return [notCompared("diagnostic-error", null, detail, { replay: lastError(replayed) })];
  }
  // The replay collected no events: that is a caveat, but not a different error.
  if (replayed.length === 0 && onChain.length > 0) return [compareEvents(onChain, replayed)];
  return [
    compareTexts("diagnostic-error", null, lastError(onChain), lastError(replayed)),
    compareEvents(onChain, replayed),
  ];
}

function lastError(diagnosticsXdr: readonly string[]): string | null {
  const error = readDiagnosticErrors(diagnosticsXdr).at(-1);
  return error === undefined ? null : showError(error);
}

/** One comparison of all events: the first that differs, or their number. */
function compareEvents(onChain: readonly string[], replayed: readonly string[]): Comparison {
  const count = Math.max(onChain.length, replayed.length);
  for (let i = 0; i < count; i += 1) {
    const chain = onChain[i] ?? null;
    const replay = replayed[i] ?? null;
    if (chain === replay) continue;
    const detail = "The diagnostic events differ. They are not part of the ledger.";
    return compareTexts("diagnostic-events", String(i), chain, replay, detail);
  }
  return compareTexts("diagnostic-events", null, String(count), String(count));
}
