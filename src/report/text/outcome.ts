// The top of the report: the outcome and the verdict in one line each, then the cause and the
// remedy. What limits or contradicts the verdict comes after the fix.

import { counted } from "../../base/text/counted.ts";
import type { LedgerFacts } from "../../model/chain-record.ts";
import type { Explanation } from "../../model/explanation.ts";
import type { Investigation } from "../../model/investigation.ts";
import { type Comparison, placeOnRecord, type Verdict } from "../../model/verdict.ts";
import { caveatGroups, groupInWords } from "../caveat-groups.ts";
import { pairs, shortened, wrap } from "./layout.ts";
import type { Style } from "./style.ts";

const SHOWN_VALUE = 160;

export function verdictLines(investigation: Investigation, style: Style): string[] {
  const { explanation, verdict } = investigation;
  const paint = explanation.success ? style.good : style.bad;
  const lines = wrap(explanation.headline).map(paint);
  if (verdict === null) {
    return [...lines, ...wrap(noVerdict(investigation))];
  }
  const color = { exact: style.good, diverged: style.bad }[verdict.kind as "exact" | "diverged"];
  const unconfirmed = unconfirmedSentence(verdict);
  return [
    ...lines,
    ...wrap(verdictSentence(verdict)).map(color ?? style.caution),
    ...(unconfirmed === null ? [] : wrap(unconfirmed)),
  ];
}

/** What the verdict takes from a node's answer alone; null when there is nothing, or no claim. */
export function unconfirmedSentence({ kind, unconfirmed }: Verdict): string | null {
  const { entries, settings } = unconfirmed;
  const parts = [
    ...(entries === 0 ? [] : [counted(entries, "entry", "entries")]),
    ...(settings === 0 ? [] : [counted(settings, "network setting")]),
  ];
  if (parts.length === 0 || kind === "inconclusive") return null;
  const are = entries + settings === 1 ? "is as a node reports it" : "are as a node reports them";
  return `${parts.join(" and ")} ${are}; no ledger that was read confirms that.`;
}

export function noVerdict({ classic }: Investigation): string {
  return classic
    ? "No verdict: this transaction runs nothing in the contract host, so there is nothing to " +
        "replay. Its result is explained below."
    : "No verdict: the network refused the transaction before the contract host ran, so there is " +
        "nothing to replay. Its result is explained below.";
}

/** Short enough for one line of a terminal. */
export function verdictSentence({ kind, comparisons }: Verdict): string {
  const equal = comparisons.filter(({ result }) => result === "equal").length;
  switch (kind) {
    case "exact":
      return `Verdict: exact. The replay matches the chain in all ${equal} comparisons.`;
    case "equivalent":
      return "Verdict: equivalent. The replay matches the chain, with the caveats below.";
    case "diverged":
      return "Verdict: diverged. The replay differs from the chain.";
    default:
      return "Verdict: inconclusive. svc makes no claim about the replay (see Caveats).";
  }
}

/** The first difference, and the result codes if they differ too; empty when there is none. */
export function differenceLines(investigation: Investigation): string[] {
  const codes = resultCodeSentence(investigation);
  return [...pairs(differenceRows(investigation)), ...(codes === null ? [] : wrap(codes, "  "))];
}

/** Null when they are equal, or the first difference. */
export function resultCodeSentence({ explanation, verdict }: Investigation): string | null {
  const codes = explanation.resultCodes;
  if (codes === null || verdict?.firstDifference?.subject === "operation-result") return null;
  return `The result codes differ: ${codes.chain} on chain, ${codes.replay} in the replay.`;
}

/** Empty when there is no difference. */
export function differenceRows({ explanation, verdict }: Investigation): [string, string][] {
  const difference = verdict?.firstDifference ?? null;
  if (verdict === null || difference === null) return [];
  const raw = (value: string | null) => shortened(value ?? "nothing", SHOWN_VALUE);
  const { chain, replay } = explanation.difference ?? {
    chain: raw(difference.chain),
    replay: raw(difference.replay),
  };
  const rows: [string, string][] = [
    ["first difference", nameOf(difference, explanation)],
    [placeOnRecord(difference), chain],
    ["in the replay", replay],
  ];
  if (chain === replay) {
    // The words hide the difference, so the bytes are shown.
    rows.push(["chain bytes", raw(difference.chain)], ["replay bytes", raw(difference.replay)]);
  }
  if (difference.detail !== null) rows.push(["", difference.detail]);
  rows.push(["likely cause", verdict.likelyCause ?? "unknown"]);
  return rows;
}

/** What was compared, with the key or metric it is about. */
export function nameOf({ subject, item }: Comparison, explanation: Explanation): string {
  const what = subject.replaceAll("-", " ");
  return item === null ? what : `${what}: ${explanation.keyNames[item] ?? item}`;
}

/** Keeps the report readable; --verbose and --json have all caveats. */
const SHOWN_REASONS = 8;
const SHOWN_KEYS = 3;

export function caveatLines({ verdict, explanation }: Investigation, verbose: boolean): string[] {
  const groups = verdict === null ? [] : caveatGroups(verdict, explanation);
  const all = Number.POSITIVE_INFINITY;
  const [reasons, keys] = verbose ? [all, all] : [SHOWN_REASONS, SHOWN_KEYS];
  const lines = groups
    .slice(0, reasons)
    .flatMap((group) => wrap(groupInWords(group, keys), "  - "));
  const more = groups.length - reasons;
  if (more > 0) lines.push(...wrap(`and ${more} more caveats`, "  - "));
  const isCut = more > 0 || groups.some(({ of }) => of.length > keys);
  return isCut ? [...lines, "  (use --verbose or --json to show all of them)"] : lines;
}

/** Runs that would have shown more. */
export function failedRunLines({ caveats }: Investigation): string[] {
  return caveats.flatMap((sentence) => wrap(sentence, "  - "));
}

export const FAILED_RUNS = "Further runs that failed";

export const CAUSE_HEADINGS = { known: "Cause", likely: "Cause (likely)" } as const;

export function causeLines(investigation: Investigation, style: Style): string[] {
  const { explanation, conflict, remedy } = investigation;
  const { cause, evidence } = explanation;
  if (cause === null) return [];
  const lines = [style.heading(CAUSE_HEADINGS[cause.confidence]), ...wrap(cause.summary, "  ")];
  if (conflict !== undefined) lines.push(...wrap(conflict.summary, "  - "));
  for (const sentence of evidence) lines.push(...wrap(sentence, "  - "));
  if (remedy !== null) lines.push("", style.heading("Remedy"), ...wrap(remedy, "  "));
  return lines;
}

export function transactionRows(investigation: Investigation): [string, string][] {
  const { record, explanation, execution } = investigation;
  const { transaction } = explanation;
  const rows: [string, string][] = [["hash", record.hash]];
  if (record.innerHash !== null) rows.push(["inner hash", record.innerHash]);
  rows.push(["network", record.networkPassphrase]);
  rows.push(["ledger", ledgerOf(investigation)]);
  rows.push(["source", transaction.sourceAccount]);
  const { operationSource } = transaction;
  if (operationSource !== null) rows.push(["operation source", operationSource]);
  if (transaction.feeBump) rows.push(["fee source", transaction.feeSource]);
  rows.push(["result", [transaction.resultCode, ...transaction.operationCodes].join(", ")]);
  if (execution !== null)
    rows.push(["host", `soroban-env-host ${execution.host.crateVersion}, in the replay`]);
  return rows;
}

function ledgerOf({ record }: Investigation): string {
  const { ledger, applicationOrder } = record;
  const closed = closedAt(ledger);
  const when = closed === null ? "" : `, closed ${closed}`;
  const place = `${ledger.sequence}, transaction ${applicationOrder}`;
  return `${place}, protocol ${ledger.protocolVersion}${when}`;
}

/** Null when the time is beyond what a Date holds. */
export function closedAt({ closeTimeUnixSeconds }: LedgerFacts): string | null {
  const seconds = Number(closeTimeUnixSeconds);
  // A Date holds at most 8.64e12 seconds; a TimePoint can hold more.
  if (seconds >= 8.64e12) return null;
  return `${new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
