// Help for an 80-column terminal, without color: the same bytes in a terminal, a pipe and a file.

import type { ArgDef, ArgsDef } from "citty";
import { positionalChoices, VARIADIC } from "../arguments/check-arguments.ts";

const WIDTH = 80;
const LABEL_WIDTH = 29;

export interface HelpPage {
  readonly name: string;
  readonly summary: string;
  readonly definition: ArgsDef;
}

export function renderHelp(page: HelpPage): string {
  const entries = Object.entries(page.definition);
  const slots = entries.filter(([, slot]) => slot.type === "positional");
  const flags = entries.filter(([, flag]) => flag.type !== "positional");
  const lines = [`usage: svc ${[page.name, ...slots.map(slotUsage)].join(" ")} [flags]`, ""];
  lines.push(...wrap(page.summary, 0), "");
  for (const [name, slot] of slots) lines.push(...row(name, describe(slot)));
  if (slots.length > 0) lines.push("");
  for (const [name, flag] of flags) lines.push(...row(flagLabel(name, flag), describe(flag)));
  return `${lines.join("\n")}\n`;
}

/** The text of `svc --help`: every command with its summary, and the exit codes. */
export function renderOverview(commands: readonly { name: string; summary: string }[]): string {
  const lines = ["usage: svc <command> [flags]", ""];
  lines.push(
    ...wrap(
      "Debugs a Stellar smart-contract (Soroban) transaction: what happened, why, and what would " +
        "have made it succeed. Proves the answer by replaying the transaction.",
      0,
    ),
    "",
  );
  for (const { name, summary } of commands) lines.push(...row(name, summary));
  lines.push("", "Run svc <command> --help for the flags of a command.", "");
  lines.push(
    ...wrap(
      "Exit codes: 0 reproduced (also when the transaction failed on chain and the replay failed " +
        "the same way), 1 diverged, 2 usage error, 3 configuration error, 4 remote node error, " +
        "5 simulator error, 6 inconclusive, 7 not as expected (--fail-on, --expect, --fix, " +
        "signatures), 70 internal error, 130 interrupted.",
      0,
    ),
  );
  return `${lines.join("\n")}\n`;
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

function row(label: string, text: string): string[] {
  const [first = "", ...rest] = wrap(text, LABEL_WIDTH);
  if (label.length + 3 > LABEL_WIDTH) return [`  ${label}`, first, ...rest];
  return [`  ${label}`.padEnd(LABEL_WIDTH) + first.slice(LABEL_WIDTH), ...rest];
}

function wrap(text: string, indent: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && indent + line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines.map((content) => " ".repeat(indent) + content);
}
