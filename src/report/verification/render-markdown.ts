// A verification as Markdown, for a job summary or a pull request.

import { counted } from "../../base/text/counted.ts";
import { grouped } from "../../base/text/grouped.ts";
import type { VerdictCounts, Verification } from "../../model/verification.ts";
import { debugCommand } from "../debug-command.ts";
import {
  unconfirmedSentence,
  VERDICT_KINDS,
  type VerificationOptions,
} from "./render-verification.ts";

const SHOWN_CONTRACTS = 20;

export function renderVerificationMarkdown(
  verification: Verification,
  { nodes }: Pick<VerificationOptions, "nodes">,
): string {
  const { verdicts, byProtocol, byCause, byContract, firstOfEach } = verification;
  const row = (name: string, counts: VerdictCounts) => [
    name,
    ...VERDICT_KINDS.map((kind) => grouped(String(counts[kind]))),
  ];
  const protocols = Object.keys(byProtocol).sort((a, b) => Number(a) - Number(b));
  const blocks = [
    "## svc verify",
    `${counted(verification.transactions, "Soroban transaction")} of ` +
      `${counted(verification.ledgers, "ledger")} replayed, ` +
      `${counted(verification.stateMismatches, "corrupted entry", "corrupted entries")}.` +
      unconfirmedSentence(verification),
    tableOf(
      ["", ...VERDICT_KINDS],
      [
        ...protocols.map((name) => row(`protocol ${name}`, byProtocol[name] as VerdictCounts)),
        row("all", verdicts),
      ],
    ),
    countsOf("Cause", byCause),
    countsOf("Contract", byContract),
    firstOfEach.length === 0
      ? ""
      : tableOf(
          ["First of each kind", "Ledger", "Command"],
          firstOfEach.map((one) => [
            `${one.verdict}: ${escaped(one.cause)}`,
            String(one.ledger),
            `\`${debugCommand(one, nodes).replaceAll("`", "'").replaceAll("|", "\\|")}\``,
          ]),
        ),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function countsOf(heading: string, counts: Readonly<Record<string, number>>): string {
  const rows = Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .slice(0, SHOWN_CONTRACTS)
    .map(([name, many]) => [escaped(name), grouped(String(many))]);
  return rows.length === 0 ? "" : tableOf([heading, "Transactions"], rows);
}

function tableOf(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(heading), line(heading.map(() => "---")), ...rows.map(line)].join("\n");
}

function escaped(text: string): string {
  return text.replace(/[\\`*_[\]<>|&#!~$@]/g, "\\$&");
}
