// The error that ended the call and all other diagnostic events, if the node reported them.
// Diagnostic events are not part of the ledger. A different error is a different failure, but
// different bytes with the same error are only a caveat, not a divergence.

import type { Execution } from "../model/execution.ts";
import type { Comparison } from "../model/verdict.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { isCoreMetric, readDiagnosticErrors } from "../xdr/outcome/diagnostics.ts";
import { readErrorReports } from "../xdr/outcome/error-reports.ts";
import { showError } from "../xdr/values/value-text.ts";
import { compareTexts, notCompared } from "./compare.ts";

export function compareDiagnostics(chain: ChainFacts, execution: Execution): Comparison[] {
  const onChain = chain.diagnosticsXdr.filter((event) => !isCoreMetric(event));
  const replayed = execution.diagnosticsXdr;
  const detail = "The node reported no diagnostic events.";
  const unseen = notCompared("diagnostic-error", null, detail, { replay: lastError(replayed) });
  if (chain.diagnosticsXdr.length === 0) return [unseen];
  // Metrics alone show no error.
  if (onChain.length === 0 && replayed.length > 0)
    return [unseen, compareEvents(onChain, replayed)];
  // The replay collected no events: that is a caveat, but not a different error.
  if (replayed.length === 0 && onChain.length > 0) return [compareEvents(onChain, replayed)];
  return [compareErrors(onChain, replayed), compareEvents(onChain, replayed)];
}

/**
 * stellar-core gives the same error and the same result code for each limit; which limit it was is
 * in the message (InvokeHostFunctionOpFrame.cpp).
 */
const LIMITS = ["instructions", "memory usage", "byte-read", "byte-write"].join("|");
const LIMIT = new RegExp(`^(operation (?:${LIMITS})|total events size|return value pushes events)`);

function compareErrors(onChain: readonly string[], replayed: readonly string[]): Comparison {
  const chain = lastError(onChain);
  const isSame =
    onChain.length === replayed.length && onChain.every((one, i) => one === replayed[i]);
  if (isSame) return compareTexts("diagnostic-error", null, chain, chain);
  const replay = lastError(replayed);
  const [limit, other] = [lastLimit(onChain), lastLimit(replayed)];
  if (chain !== replay || limit === null || other === null || limit === other) {
    return compareTexts("diagnostic-error", null, chain, replay);
  }
  return compareTexts("diagnostic-error", null, `${chain}: ${limit}`, `${replay}: ${other}`);
}

function lastLimit(diagnosticsXdr: readonly string[]): string | null {
  const message = readErrorReports(diagnosticsXdr).at(-1)?.message ?? "";
  return LIMIT.exec(message)?.[1] ?? null;
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
