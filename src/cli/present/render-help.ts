// Help, without color.

import { describeSetting, type Setting } from "../../base/settings/setting.ts";
import { atWidth, wrap } from "../../report/text/layout.ts";
import { flagsOf, labelOf, wordsOf } from "../command.ts";
import type { CommandPage } from "../shell.ts";

const LABEL_WIDTH = 29;
/** Below labels, where the terminal is too narrow for two columns. */
const INDENT = 6;
const NARROW_COLUMNS = 60;

/** `columns`: of the terminal; 0 where there is none. `end`: a paragraph after the flags. */
export function renderHelp(
  { name, summary, settings }: CommandPage,
  end: string | undefined,
  columns = 0,
): string {
  const words = wordsOf(settings);
  const usage = `usage: svc ${[name, ...words.map(wordUsage)].join(" ")} [flags]`;
  return atWidth(columns, () => {
    const row = rowsFor(columns);
    const lines = [...wrap(usage, "", INDENT), "", ...wrap(summary), ""];
    for (const [word, setting] of words) lines.push(...row(word, describeSetting(setting)));
    if (words.length > 0) lines.push("");
    for (const flag of flagsOf(settings))
      lines.push(...row(labelOf(flag), describeSetting(flag.setting)));
    if (end !== undefined) lines.push("", ...wrap(end));
    return `${lines.join("\n")}\n`;
  });
}

/** The text of `svc --help`: every command with its summary, and the exit codes. */
export function renderOverview(
  commands: readonly { name: string; summary: string }[],
  group: string,
  columns = 0,
): string {
  return atWidth(columns, () => {
    const row = rowsFor(columns);
    if (group !== "") return `${groupOf(commands, group, row).join("\n")}\n`;
    const lines = ["usage: svc <command> [flags]", ""];
    lines.push(
      ...wrap(
        "Debugs a Stellar smart-contract (Soroban) transaction: what happened, why, and what " +
          "would have made it succeed. Proves the answer by replaying the transaction.",
      ),
      "",
    );
    for (const { name, summary } of commands) lines.push(...row(name, summary));
    lines.push("", ...wrap("Run svc <command> --help for the flags of a command."), "");
    lines.push(
      ...wrap(
        "Exit codes: 0 reproduced (also when the transaction failed on chain and the replay " +
          "failed the same way), 1 diverged, 2 usage error, 3 configuration error, 4 remote node " +
          "error, 5 simulator error, 6 inconclusive, 7 not as expected (--fail-on, --expect, " +
          "--fix, signatures), 70 internal error, 130 interrupted.",
      ),
    );
    return `${lines.join("\n")}\n`;
  });
}

function groupOf(
  commands: readonly { name: string; summary: string }[],
  group: string,
  row: ReturnType<typeof rowsFor>,
): string[] {
  const inside = commands.filter(({ name }) => name.startsWith(`${group} `));
  return [
    `usage: svc ${group} <command> [flags]`,
    "",
    ...inside.flatMap((each) => row(each.name, each.summary)),
  ];
}

function wordUsage([name, { word, required }]: [string, Setting]): string {
  const shown = `${name}${word === "many" ? "…" : ""}`;
  return required === true ? `<${shown}>` : `[${shown}]`;
}

function rowsFor(columns: number) {
  const width = columns > 0 && columns < NARROW_COLUMNS ? INDENT : LABEL_WIDTH;
  return (label: string, text: string): string[] => {
    const [first = "", ...rest] = wrap(text, " ".repeat(width));
    if (label.length + 3 > width) return [`  ${label}`, first, ...rest];
    return [`  ${label}`.padEnd(width) + first.slice(width), ...rest];
  };
}
