// The report for people, top down: the outcome, the verdict, the cause and the fix, then what
// limits or contradicts the verdict, then the details. Caveats are always shown; comparisons and
// provenance only with `verbose`.

import type { Explanation, ReplayedFact } from "../../model/explanation.ts";
import type { Investigation } from "../../model/investigation.ts";
import { feeRows } from "../fee-rows.ts";
import { withNamedAddresses } from "../named-addresses.ts";
import { headingOf } from "../replayed-heading.ts";
import { failedAfterReturn } from "../returned-call.ts";
import { addressLines } from "./addresses.ts";
import { authorizationLines, invocationLines } from "./authorizations.ts";
import { callLines } from "./calls.ts";
import { diagnosticCallLines } from "./diagnostic-calls.ts";
import { comparisonLines, provenanceLines } from "./evidence.ts";
import { fixSection } from "./fix.ts";
import { pairs, wrap } from "./layout.ts";
import {
  causeLines,
  caveatLines,
  differenceLines,
  FAILED_RUNS,
  failedRunLines,
  transactionRows,
  verdictLines,
} from "./outcome.ts";
import { changeLines, eventLines } from "./state.ts";
import { openStyle, type Style } from "./style.ts";
import { tokenLines } from "./tokens.ts";
import { feeLines, resourceLines } from "./usage.ts";
import { whatIfBlocks } from "./what-if.ts";

export interface TextOptions {
  readonly color: boolean;
  /** Of the terminal; absent or 0 where there is none, or none that knows its width. */
  readonly columns?: number;
  /** Every comparison, and the provenance of each input of the replay. */
  readonly verbose?: boolean;
  /** The host calls of each call, if they were recorded. */
  readonly hostCalls?: boolean;
  /** Storage keys and values in full, below the host calls. */
  readonly storage?: boolean;
}

export function renderText(given: Investigation, options: TextOptions): string {
  const style = openStyle(options.color);
  const investigation = withNamedAddresses(given, options.verbose === true);
  const { explanation } = investigation;
  const heading = (text: string, fact: ReplayedFact) => headingOf(text, fact, explanation);
  const blocks: string[][] = [
    verdictLines(investigation, style),
    causeLines(investigation, style),
    section("Fix", fixSection(investigation, style), style),
    section("Difference", differenceLines(investigation), style),
    section("Caveats", caveatLines(investigation, options.verbose === true), style),
    section(FAILED_RUNS, failedRunLines(investigation), style),
    ...whatIfBlocks(investigation.whatIf, style),
    section("Transaction", pairs(transactionRows(investigation)), style),
    section(heading("Calls", "calls"), callsSection(explanation, style, options), style),
    section("Call (from the envelope)", invocationAlone(explanation), style),
    section(
      "Calls (from a node's diagnostic events)",
      diagnosticCallLines(explanation.diagnosticCalls, style),
      style,
    ),
    section("Authorization", authorizationLines(explanation.authorizations), style),
    section(heading("Resources", "resources"), resourceLines(explanation.resources), style),
    section(heading("Token flow", "tokens"), tokenLines(explanation.tokens), style),
    section(heading("State changes", "changes"), changeLines(explanation.changes), style),
    section(heading("Events", "events"), eventLines(explanation.events), style),
    section("Fees", feeLines(feeRows(explanation)), style),
  ];
  if (options.verbose !== true)
    blocks.push(section("Addresses", addressLines(explanation.addresses), style));
  if (options.verbose === true) {
    blocks.push(
      section("Comparisons", comparisonLines(investigation, style), style),
      section("Input provenance", provenanceLines(investigation), style),
    );
  }
  const filled = blocks.filter((lines) => lines.length > 0);
  return `${filled.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function callsSection(explanation: Explanation, style: Style, options: TextOptions): string[] {
  const after = failedAfterReturn(explanation);
  const lines = callLines(explanation.calls, style, options);
  return after === null ? lines : [...lines, ...wrap(after, "  ").map(style.bad)];
}

/** Empty when the calls that were made are known. */
function invocationAlone({ invocation, calls, diagnosticCalls }: Explanation): string[] {
  const shown = invocation === null || calls !== null || diagnosticCalls.length > 0;
  return shown ? [] : invocationLines(invocation, 1);
}

function section(heading: string, lines: readonly string[], style: Style): string[] {
  return lines.length === 0 ? [] : [style.heading(heading), ...lines];
}
