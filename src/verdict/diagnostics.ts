// Compares the error that ended the call and all other diagnostic events, if the node reported
// them. Diagnostic events are not part of the ledger. A different error, or the same one with other
// values, is a different failure. Other events that differ are only a caveat, not a divergence.

import type { Execution } from "../model/execution.ts";
import type { Comparison } from "../model/verdict.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { type ErrorReport, endingReports, readErrorReports } from "../xdr/outcome/error-reports.ts";
import { LIMITS, messageIn } from "../xdr/outcome/host-messages.ts";
import { showValue } from "../xdr/values/value.ts";
import { showError } from "../xdr/values/value-text.ts";
import { compareTexts, notCompared } from "./compare.ts";

export function compareDiagnostics(chain: ChainFacts, execution: Execution): Comparison[] {
  const onChain = chain.hostDiagnosticsXdr;
  const replayed = execution.diagnosticsXdr;
  const detail = "The node reported no diagnostic events.";
  const unseen = notCompared("diagnostic-error", detail, { replay: lastError(replayed) });
  if (chain.diagnosticsXdr.length === 0) return [unseen];
  // If only metrics remain, no error is visible.
  if (onChain.length === 0 && replayed.length > 0)
    return [unseen, compareEvents(onChain, replayed)];
  // The replay collected no events. That is a caveat, but not a different error.
  if (replayed.length === 0 && onChain.length > 0) return [compareEvents(onChain, replayed)];
  return [compareErrors(onChain, replayed), compareEvents(onChain, replayed)];
}

/**
 * stellar-core has one error for all limits, and the host has one for all entries. Only the error's
 * reports show which one it was, and by how much it was exceeded.
 */
function compareErrors(onChain: readonly string[], replayed: readonly string[]): Comparison {
  const [chain, replay] = [lastError(onChain), lastError(replayed)];
  const [said, other] = [onChain, replayed].map((events) =>
    endingReports(readErrorReports(events)),
  );
  const at = firstDifference(said ?? [], other ?? []);
  if (chain !== replay || at === -1) return compareTexts("diagnostic-error", null, chain, replay);
  return {
    ...compareTexts(
      "diagnostic-error",
      null,
      reportInWords(said?.[at]),
      reportInWords(other?.[at]),
    ),
    result: "different",
  };
}

function firstDifference(left: readonly ErrorReport[], right: readonly ErrorReport[]): number {
  const longer = left.length >= right.length ? left : right;
  return longer.findIndex((_, i) => {
    const [said, replayed] = [left[i], right[i]].map((report) => report && comparable(report));
    return JSON.stringify(said) !== JSON.stringify(replayed);
  });
}

/** Metered amounts are compared as metrics. stellar-core also writes the number into its report. */
function comparable({ contract, dataXdr, message, valuesXdr }: ErrorReport): unknown {
  const isMetered = messageIn(LIMITS, message)?.row.isMetered === true;
  return isMetered ? [message, ...valuesXdr.slice(1)] : [contract, dataXdr];
}

/** Returns null if the other side has one report more. */
function reportInWords(report: ErrorReport | undefined): string | null {
  if (report === undefined) return null;
  const { contract, error, dataXdr } = report;
  return `${showError(error)}, reported by ${contract ?? "the host"}: ${showValue(dataXdr)}`;
}

function lastError(diagnosticsXdr: readonly string[]): string | null {
  const error = readErrorReports(diagnosticsXdr).at(-1)?.error;
  return error === undefined ? null : showError(error);
}

/** Makes one comparison of all events: the first one that differs, or their number. */
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
