// One block for each event of `svc watch`: what happened, where, and why.

import { counted } from "../../base/text/counted.ts";
import { grouped } from "../../base/text/grouped.ts";
import { cutVisibly } from "../../base/text/neutralise.ts";
import { causeInWords } from "../../model/explanation.ts";
import type { FailureEvent, FollowEvent, FollowTotals } from "../../model/follow.ts";
import { atWidth, wrap } from "./layout.ts";
import { openStyle, type Style } from "./style.ts";

/** About a dozen lines. */
const LONGEST_TEXT = 1000;

export interface FollowTextOptions {
  readonly color: boolean;
  /** The width of the terminal. */
  readonly columns?: number | undefined;
}

export function renderFollowText(event: FollowEvent, options: FollowTextOptions): string {
  const [tone, title, ...body] = wordsOf(event);
  // `2025-11-22 09:15:00Z`.
  const time = new Date(event.unixSeconds * 1000).toISOString().slice(0, 19).replace("T", " ");
  const when = event.unixSeconds === 0 ? "" : `${time}Z  `;
  const head = `${when}${openStyle(options.color)[tone](title)}  ledger ${event.ledger}`;
  return atWidth(options.columns, () => {
    const lines = body.flatMap((text) => wrap(cutVisibly(text, LONGEST_TEXT), "  "));
    return `${[head, ...lines].join("\n")}\n\n`;
  });
}

/** The end of a run. */
export function renderTotalsText(totals: FollowTotals): string {
  const { ledgers, verdicts, failures, stateMismatches, skippedLedgers, rehearsed } = totals;
  const transactions = Object.values(verdicts).reduce((sum, count) => sum + count, 0);
  const parts = Object.entries(verdicts).map(([kind, count]) => `${grouped(count)} ${kind}`);
  const lines = [
    `${counted(ledgers, "ledger")} verified. ` +
      `${counted(transactions, "Soroban transaction")}: ${parts.join(", ")}.`,
    `${counted(failures, "watched failure")}. ` +
      `${counted(stateMismatches, "state mismatch", "state mismatches")}.`,
  ];
  if (rehearsed > 0) {
    const differ = grouped(totals.rehearsalDifferences);
    const verb = totals.rehearsalDifferences === 1 ? "differs" : "differ";
    lines.push(`${counted(rehearsed, "transaction")} rehearsed: ${differ} ${verb}.`);
  }
  if (skippedLedgers > 0) {
    const verb = skippedLedgers === 1 ? "was" : "were";
    lines.push(`${counted(skippedLedgers, "ledger")} ${verb} not verified.`);
  }
  return `${lines.flatMap((line) => wrap(line)).join("\n")}\n`;
}

/** Tone, title, and what happened, a line each. */
function wordsOf(event: FollowEvent): [keyof Style, string, ...string[]] {
  switch (event.kind) {
    case "failure": {
      const { hash, error, errorName, count, verdict, fix, sourceAccount, labels } = event;
      const often = count === 1 ? "First occurrence." : `Occurred ${grouped(count)} times so far.`;
      return [
        "bad",
        "Failed",
        hash,
        `${subjectOf(event)}: ${errorName === null ? error : `${error} ${errorName}`}`,
        causeInWords(event),
        ...(event.decidedBy ? [event.decidedBy] : []),
        ...(verdict === null || verdict === "exact" ? [] : [`Verdict: ${verdict}.`]),
        ...(fix === null ? [] : [`Fix: ${fix.summary}`]),
        `Sent by ${labels[sourceAccount] ?? sourceAccount}.`,
        often,
      ];
    }
    case "failure-summary": {
      const { count, total, firstLedger, ledger, examples, rehearsedProtocol: protocol } = event;
      return [
        "caution",
        protocol === null ? "Failed again" : `Differs again under protocol ${protocol}`,
        `${subjectOf(event)}: ${event.error}`,
        `${counted(count, "time")} in ledgers ${firstLedger} to ${ledger}, ${grouped(total)} in all.`,
        `Example: ${examples[0] ?? "none"}`,
        causeInWords(event),
        ...(event.decidedBy ? [event.decidedBy] : []),
      ];
    }
    case "state-mismatch": {
      const { key, folded, onChain, kind } = event.mismatch;
      const how = kind === "restored" ? "was restored" : "was read";
      return [
        "bad",
        "State mismatch",
        `${key} ${how} with another value than earlier ledgers recorded.`,
        `Earlier ledgers: ${folded ?? "absent"}`,
        `On chain: ${onChain ?? "absent"}`,
      ];
    }
    case "diverged":
      return ["bad", "Diverged", event.hash, `${event.cause}. ${event.detail}`];
    case "inconclusive":
      return ["caution", "Inconclusive", event.hash, `${event.cause}. ${event.detail}`];
    case "equivalent":
      return ["caution", "Equivalent", event.hash, `${event.cause}. ${event.detail}`];
    case "rehearsal": {
      const title = `Differs under protocol ${event.protocolVersion}`;
      const differences = `Differences: ${event.differences.join(", ")}. ${event.detail}`;
      return ["caution", title, event.hash, subjectOf(event), differences];
    }
    case "success":
      return ["good", "Succeeded", event.hash, `${subjectOf(event)}. Verdict: ${event.verdict}.`];
    case "ledgers-skipped": {
      const { firstSkipped, lastSkipped } = event;
      const which = `Ledgers ${firstSkipped} to ${lastSkipped}`;
      return ["bad", "Ledgers not verified", `${which} were skipped, as the backlog policy says.`];
    }
  }
}

function subjectOf(
  event: Pick<FailureEvent, "contract" | "function"> & Partial<Pick<FailureEvent, "labels">>,
): string {
  const { contract, function: name, labels } = event;
  const subject = contract === null ? "No contract" : (labels?.[contract] ?? contract);
  return name === null ? subject : `${subject}.${name}`;
}
