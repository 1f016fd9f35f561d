// One block for each event of `svc watch`: what happened, where, and why.

import { counted } from "../../base/text/counted.ts";
import { grouped } from "../../base/text/grouped.ts";
import { cutVisibly } from "../../base/text/neutralise.ts";
import { causeInWords } from "../../model/explanation.ts";
import type {
  FailureEvent,
  FailureSummaryEvent,
  FollowEvent,
  FollowTotals,
  SuccessEvent,
} from "../../model/follow.ts";
import { atWidth, wrap } from "./layout.ts";
import { openStyle, type Style } from "./style.ts";

export interface FollowTextOptions {
  readonly color: boolean;
  /** Of the terminal. */
  readonly columns?: number | undefined;
}

export function renderFollowText(event: FollowEvent, options: FollowTextOptions): string {
  const { color, columns } = options;
  return atWidth(columns, () => `${linesOf(event, openStyle(color)).join("\n")}\n\n`);
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

function linesOf(event: FollowEvent, style: Style): string[] {
  switch (event.kind) {
    case "failure":
      return failureLines(event, style);
    case "failure-summary":
      return summaryLines(event, style);
    case "state-mismatch": {
      const { key, folded, onChain, kind } = event.mismatch;
      const how = kind === "restored" ? "was restored" : "was read";
      return block(style.bad, event, "State mismatch", [
        `${key} ${how} with another value than earlier ledgers gave it.`,
        `Earlier ledgers: ${folded ?? "absent"}`,
        `On chain: ${onChain ?? "absent"}`,
      ]);
    }
    case "diverged":
      return block(style.bad, event, "Diverged", [event.hash, `${event.cause}. ${event.detail}`]);
    case "inconclusive":
    case "equivalent": {
      const title = event.kind === "equivalent" ? "Equivalent" : "Inconclusive";
      return block(style.caution, event, title, [event.hash, `${event.cause}. ${event.detail}`]);
    }
    case "rehearsal": {
      const title = `Differs under protocol ${event.protocolVersion}`;
      return block(style.caution, event, title, [
        event.hash,
        subjectOf(event),
        `Differences: ${event.differences.join(", ")}. ${event.detail}`,
      ]);
    }
    case "success":
      return successLines(event, style);
    case "ledgers-skipped":
      return block(style.bad, event, "Ledgers not verified", [
        `Ledgers ${event.firstSkipped} to ${event.lastSkipped} were skipped, as the backlog policy says.`,
      ]);
  }
}

function failureLines(event: FailureEvent, style: Style): string[] {
  const { count, fix, errorName, sourceAccount, labels } = event;
  const often = count === 1 ? "for the first time" : `${grouped(count)} times so far`;
  const name = (address: string) => labels[address] ?? address;
  const body = [
    event.hash,
    `${subjectOf(event)}: ${errorName === null ? event.error : `${event.error} ${errorName}`}`,
    causeInWords(event),
  ];
  if (event.verdict !== null && event.verdict !== "exact") body.push(`Verdict: ${event.verdict}.`);
  if (fix !== null) body.push(`Fix: ${fix.summary}`);
  body.push(`Sent by ${name(sourceAccount)}.`, `Seen ${often}.`);
  return block(style.bad, event, "Failed", body);
}

function summaryLines(event: FailureSummaryEvent, style: Style): string[] {
  const { count, total, firstLedger, ledger, examples, rehearsedProtocol: protocol } = event;
  const title = protocol === null ? "Failed again" : `Differs again under protocol ${protocol}`;
  return block(style.caution, event, title, [
    `${subjectOf(event)}: ${event.error}`,
    `${counted(count, "time")} in ledgers ${firstLedger} to ${ledger}, ${grouped(total)} in all.`,
    `Example: ${examples[0] ?? "none"}`,
    causeInWords(event),
  ]);
}

function successLines(event: SuccessEvent, style: Style): string[] {
  return block(style.good, event, "Succeeded", [
    event.hash,
    `${subjectOf(event)}. Verdict: ${event.verdict}.`,
  ]);
}

function subjectOf({
  contract,
  function: name,
  ...rest
}: Pick<FailureEvent, "contract" | "function"> & {
  readonly labels?: Readonly<Record<string, string>>;
}): string {
  const subject = contract === null ? "No contract" : (rest.labels?.[contract] ?? contract);
  return name === null ? subject : `${subject}.${name}`;
}

/** About a dozen lines. */
const LONGEST_TEXT = 1000;

function block(
  paint: (text: string) => string,
  { unixSeconds, ledger }: Pick<FollowEvent, "unixSeconds" | "ledger">,
  title: string,
  body: readonly string[],
): string[] {
  const time = unixSeconds === 0 ? "" : `${timeText(unixSeconds)}  `;
  const head = `${time}${paint(title)}  ledger ${ledger}`;
  return [head, ...body.flatMap((text) => wrap(cutVisibly(text, LONGEST_TEXT), "  "))];
}

/** `2025-11-22 09:15:00Z`. */
function timeText(unixSeconds: number): string {
  return `${new Date(unixSeconds * 1000).toISOString().slice(0, 19).replace("T", " ")}Z`;
}
