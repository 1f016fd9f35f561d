// The summary of svc verify: the number of each verdict, by protocol and by cause, and the
// transactions that are not exact.

import { counted } from "../../base/text/counted.ts";
import { grouped } from "../../base/text/grouped.ts";
import type {
  NotExact,
  VerdictCounts,
  Verification,
  VerificationNodes,
} from "../../model/verification.ts";
import { debugCommand } from "../debug-command.ts";
import { pairs, table, wrap } from "../text/layout.ts";
import type { TextOptions } from "../text/render-text.ts";
import { openStyle, type Style } from "../text/style.ts";

export const VERDICT_KINDS = ["exact", "equivalent", "diverged", "inconclusive"] as const;

/** More are in the JSON document. */
const SHOWN_COUNTS = 20;

export interface VerificationOptions extends TextOptions {
  /** For the commands that are shown. */
  readonly nodes: VerificationNodes | null;
}

export function renderVerificationText(
  verification: Verification,
  options: VerificationOptions,
): string {
  const style = openStyle(options.color);
  const { transactions, verdicts, notExact, notExactOmitted } = verification;
  const good = verdicts.exact === transactions;
  const color =
    verdicts.diverged > 0 || verification.stateMismatches > 0
      ? style.bad
      : good
        ? style.good
        : style.caution;
  const blocks: string[][] = [
    [
      ...wrap(headlineOf(verification)).map(color),
      ...wrap(readLine(verification)).map(style.faint),
    ],
    countTable(verification, style),
    mismatchLines(verification, style),
    countLines("Causes", verification.byCause, style),
    countLines("Contracts with transactions that are not exact", verification.byContract, style),
    firstLines(verification.firstOfEach, options.nodes, style),
    notExactLines(notExact, notExactOmitted, style),
  ];
  const filled = blocks.filter((lines) => lines.length > 0);
  return `${filled.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

export function headlineOf(verification: Verification): string {
  const { transactions, verdicts } = verification;
  const others = VERDICT_KINDS.filter((kind) => kind !== "exact" && verdicts[kind] > 0);
  const rest = others.map((kind) => `, ${grouped(String(verdicts[kind]))} ${kind}`).join("");
  const exact = grouped(String(verdicts.exact));
  const corrupted = verification.stateMismatches;
  const state =
    corrupted === 0 ? "" : ` ${counted(corrupted, "corrupted entry", "corrupted entries")}.`;
  const replayed = `${counted(transactions, "Soroban transaction")} replayed: ${exact} exact${rest}`;
  return `${replayed}.${unconfirmedSentence(verification)}${state}`;
}

/** Empty, or a sentence with a space before it. */
export function unconfirmedSentence({ exactUnconfirmed: many }: Verification): string {
  if (many === 0) return "";
  const these =
    many === 1 ? "1 of the exact ones rests" : `${grouped(String(many))} of the exact ones rest`;
  return ` ${these} on entries or network settings that only a node reports.`;
}

function readLine(verification: Verification): string {
  const { ledgers, classicTransactions, refusedTransactions, elapsedMilliseconds } = verification;
  const notReplayed: string[] = [];
  if (classicTransactions > 0) notReplayed.push(`${grouped(String(classicTransactions))} classic`);
  if (refusedTransactions > 0) {
    notReplayed.push(
      `${grouped(String(refusedTransactions))} refused before the contract host ran`,
    );
  }
  const others = notReplayed.length === 0 ? "" : ` Not replayed: ${notReplayed.join(", ")}.`;
  const seconds = (elapsedMilliseconds / 1000).toFixed(1);
  return `${counted(ledgers, "ledger")} read in ${seconds} s.${others}`;
}

function countTable({ byProtocol, verdicts }: Verification, style: Style): string[] {
  const row = (name: string, counts: VerdictCounts) => [
    name,
    ...VERDICT_KINDS.map((kind) => grouped(String(counts[kind]))),
  ];
  const protocols = Object.keys(byProtocol).sort((a, b) => Number(a) - Number(b));
  if (protocols.length === 0) return [];
  const rows = protocols.map((protocol) =>
    row(`protocol ${protocol}`, byProtocol[protocol] as VerdictCounts),
  );
  return [
    style.heading("Verdicts"),
    ...table([["", ...VERDICT_KINDS], ...rows, row("all", verdicts)]),
  ];
}

function countLines(
  heading: string,
  counts: Readonly<Record<string, number>>,
  style: Style,
): string[] {
  const byCount = Object.entries(counts).sort(([, a], [, b]) => b - a);
  if (byCount.length === 0) return [];
  const shown = byCount.slice(0, SHOWN_COUNTS);
  const rows = shown.map(([name, many]): [string, string] => [grouped(String(many)), name]);
  const omitted = byCount.length - shown.length;
  const more = omitted === 0 ? [] : [`  (${counted(omitted, "more", "more")}; see --json)`];
  return [style.heading(heading), ...pairs(rows), ...more];
}

/** The command that debugs the first transaction of each kind. */
function firstLines(
  firstOfEach: readonly NotExact[],
  nodes: VerificationNodes | null,
  style: Style,
): string[] {
  if (firstOfEach.length === 0) return [];
  const lines = firstOfEach.flatMap((one) => [
    ...wrap(`${one.verdict}: ${one.cause}`, "  "),
    `    ${debugCommand(one, nodes)}`,
  ]);
  return [style.heading("First of each kind"), ...lines];
}

function notExactLines(listed: readonly NotExact[], omitted: number, style: Style): string[] {
  if (listed.length === 0) return [];
  const lines = listed.flatMap((one) => [
    ...wrap(`${one.hash} ${one.verdict}`, "  "),
    ...wrap(placeOf(one), "    ").map(style.faint),
    ...wrap(one.detail, "    "),
  ]);
  if (omitted > 0) lines.push(`  (${counted(omitted, "more", "more")}; see --json)`);
  return [style.heading("Transactions that are not exact"), ...lines];
}

/** Entries that the chain has with another value than its own ledgers gave them. */
function mismatchLines({ stateMismatches, mismatches }: Verification, style: Style): string[] {
  if (stateMismatches === 0) return [];
  const lines = mismatches.flatMap((one) => [
    ...wrap(
      `ledger ${one.ledger} ${one.kind === "restored" ? "restores" : "loads"} ${one.key}`,
      "  ",
    ),
    ...wrap(`on chain: ${one.onChain ?? "absent"}`, "    "),
    ...wrap(`by the ledgers before: ${one.folded ?? "absent"}`, "    "),
    ...wrap(one.source, "    ").map(style.faint),
  ]);
  const omitted = stateMismatches - mismatches.length;
  if (omitted > 0) lines.push(`  (${counted(omitted, "more", "more")}; see --json)`);
  return [style.heading("Corrupted state"), ...lines];
}

function placeOf(one: NotExact): string {
  const place = `ledger ${one.ledger}, transaction ${one.applicationOrder}`;
  return `${place}, protocol ${one.protocolVersion}, ${one.source}`;
}
