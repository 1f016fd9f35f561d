// Help for an 80-column terminal, without colour: the same bytes in a terminal, a pipe and a file.

import type { ArgDef, ArgsDef } from "citty";
import { MANY } from "../arguments/check-arguments.ts";

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
  for (const [name, slot] of slots) lines.push(...row(name, slot.description ?? ""));
  if (slots.length > 0) lines.push("");
  for (const [name, flag] of flags) lines.push(...row(flagLabel(name, flag), describe(flag)));
  return `${lines.join("\n")}\n`;
}

/** The page of `svc --help`: every command with its summary, and the exit codes. */
export function renderOverview(commands: readonly { name: string; summary: string }[]): string {
  const lines = ["usage: svc <command> [flags]", ""];
  lines.push(
    ...wrap(
      "Says what exactly happened in a Stellar smart-contract transaction, why, and what would " +
        "have made it succeed, and proves it by running the transaction again.",
      0,
    ),
    "",
  );
  for (const { name, summary } of commands) lines.push(...row(name, summary));
  lines.push("", "svc <command> --help shows a command's flags.", "");
  lines.push(
    ...wrap(
      "Exit codes: 0 reproduced (a failed transaction reproduced counts), 1 diverged, 2 usage, " +
        "3 configuration, 4 remote node, 5 simulator, 6 inconclusive, 7 not as expected " +
        "(--fail-on, --expect), 70 internal, 130 interrupted.",
      0,
    ),
  );
  return `${lines.join("\n")}\n`;
}

function slotUsage([name, slot]: [string, ArgDef]): string {
  const many = slot.valueHint === MANY ? MANY : "";
  return slot.required === false ? `[${name}${many}]` : `<${name}${many}>`;
}

function flagLabel(name: string, flag: ArgDef): string {
  const alias = "alias" in flag && typeof flag.alias === "string" ? `-${flag.alias}, ` : "";
  const hint = flag.type === "boolean" ? "" : ` ${flag.valueHint ?? "VALUE"}`;
  return `${alias}--${name}${hint}`;
}

function describe(flag: ArgDef): string {
  const choices = flag.type === "enum" ? ` One of ${(flag.options ?? []).join(", ")}.` : "";
  return `${flag.description ?? ""}${choices}`;
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
