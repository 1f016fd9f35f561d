// One block for each event of `svc watch`: what happened, where, and why.

import { counted } from "../../base/text/counted.ts";
import { grouped } from "../../base/text/grouped.ts";
import { cutVisibly } from "../../base/text/neutralise.ts";
import type { FollowEvent, FollowTotals } from "../../model/follow.ts";
import { followWords } from "../document/follow-event.ts";
import { atWidth, wrap } from "./layout.ts";
import { openStyle } from "./style.ts";

/** About a dozen lines. */
const LONGEST_TEXT = 1000;

export interface FollowTextOptions {
  readonly color: boolean;
  /** The width of the terminal. */
  readonly columns?: number | undefined;
}

export function renderFollowText(event: FollowEvent, options: FollowTextOptions): string {
  const { tone, title, hash, subject, sentences } = followWords(event);
  const body = [hash, subject, ...sentences].filter((text) => text !== null && text !== "");
  // `2025-11-22 09:15:00Z`.
  const time = new Date(event.unixSeconds * 1000).toISOString().slice(0, 19).replace("T", " ");
  const when = event.unixSeconds === 0 ? "" : `${time}Z  `;
  const head = `${when}${openStyle(options.color)[tone](title)}  ledger ${event.ledger}`;
  return atWidth(options.columns, () => {
    const lines = body.flatMap((text) => wrap(cutVisibly(text ?? "", LONGEST_TEXT), "  "));
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
