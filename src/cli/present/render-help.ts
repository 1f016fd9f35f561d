// Help, without color.

import type { ArgDef, ArgsDef } from "citty";
import { atWidth, wrap } from "../../report/text/layout.ts";
import { positionalChoices, VARIADIC } from "../arguments/check-arguments.ts";

export interface HelpPage {
  readonly name: string;
  readonly summary: string;
  readonly definition: ArgsDef;
  /** A paragraph after the flags. */
  readonly end?: string | undefined;
}

const LABEL_WIDTH = 29;
/** Below labels, where the terminal is too narrow for two columns. */
const INDENT = 6;
const NARROW_COLUMNS = 60;

/** `columns`: of the terminal; 0 where there is none. */
export function renderHelp(page: HelpPage, columns = 0): string {
  const entries = Object.entries(page.definition);
  const slots = entries.filter(([, slot]) => slot.type === "positional");
  const flags = entries.filter(([, flag]) => flag.type !== "positional");
  const usage = `usage: svc ${[page.name, ...slots.map(slotUsage)].join(" ")} [flags]`;
  return atWidth(columns, () => {
    const row = rowsFor(columns);
    const lines = [...wrap(usage, "", INDENT), "", ...wrap(page.summary), ""];
    for (const [name, slot] of slots) lines.push(...row(name, describe(slot)));
    if (slots.length > 0) lines.push("");
    for (const [name, flag] of flags) lines.push(...row(flagLabel(name, flag), describe(flag)));
    if (page.end !== undefined) lines.push("", ...wrap(page.end));
    return `${lines.join("\n")}\n`;
  });
}

/** The text of `svc --help`: every command with its summary, and the exit codes. */
export function renderOverview(
  commands: readonly { name: string; summary: string }[],
  columns = 0,
): string {
  return atWidth(columns, () => {
    const row = rowsFor(columns);
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

function slotUsage([name, slot]: [string, ArgDef]): string {
  const many = slot.valueHint === VARIADIC ? VARIADIC : "";
  return slot.required === false ? `[${name}${many}]` : `<${name}${many}>`;
}

function flagLabel(name: string, flag: ArgDef): string {
  const alias = "alias" in flag && typeof flag.alias === "string" ? `-${flag.alias}, ` : "";
  const hint = flag.type === "boolean" ? "" : ` ${flag.valueHint ?? "VALUE"}`;
  return `${alias}--${name}${hint}`;
}

function describe(flag: ArgDef): string {
  const choices = flag.type === "enum" ? (flag.options ?? []) : positionalChoices(flag);
  const text = flag.description ?? "";
  return choices.length === 0 ? text : `${text} One of ${choices.join(", ")}.`;
}

function rowsFor(columns: number) {
  const width = columns > 0 && columns < NARROW_COLUMNS ? INDENT : LABEL_WIDTH;
  return (label: string, text: string): string[] => {
    const [first = "", ...rest] = wrap(text, " ".repeat(width));
    if (label.length + 3 > width) return [`  ${label}`, first, ...rest];
    return [`  ${label}`.padEnd(width) + first.slice(width), ...rest];
  };
}
