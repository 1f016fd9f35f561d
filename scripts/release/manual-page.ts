// svc(1), made from the command line's own definitions, in the man(7) language.

import packageFile from "../../package.json";
import type { CommandWords, FlagWords, PositionalWords } from "./command-line.ts";

const EXIT_CODES: readonly (readonly [number, string])[] = [
  [0, "Reproduced; a transaction that failed on chain and failed the same way again counts."],
  [1, "The replay diverged from the chain."],
  [2, "Usage: the command line, or a file given on it."],
  [3, "Configuration or credentials."],
  [4, "A remote node: not found, timeout, rate limit, bad answer."],
  [5, "The simulator."],
  [6, "Inconclusive: something that the replay needs is not known."],
  [7, "Not as expected: a condition of --fail-on holds, or an expectation is not met."],
  [70, "A defect in svc."],
  [130, "Interrupted."],
];

const FILES: readonly (readonly [string, string])[] = [
  ["svc.json", "Settings, taken from the working directory unless --config names another file."],
  ["svc-sim", "The contract hosts; looked for beside svc, then on PATH."],
  ["svc-sim-recording", "The hosts of svc simulate; looked for beside svc-sim."],
];

/** `date`: of the commit, as YYYY-MM-DD. */
export function renderManualPage(commands: readonly CommandWords[], date: string): string {
  const lines = [
    `.TH SVC 1 "${date}" "svc ${packageFile.version}" "User Commands"`,
    ".SH NAME",
    "svc \\- say what happened in a Stellar smart\\-contract transaction, and prove it",
    ".SH SYNOPSIS",
    ...commands.flatMap(synopsis).slice(1),
    ".SH DESCRIPTION",
    roff(
      "svc runs a Soroban transaction again in the contract host that the network ran, on the state " +
        "the network had, compares every byte with the chain, and says what happened, why, and " +
        "what would have made it succeed.",
    ),
    ".PP",
    roff("The report goes to standard output, everything else to standard error."),
    ".SH COMMANDS",
    ...commands.flatMap(command),
    ".SH EXIT STATUS",
    ...EXIT_CODES.flatMap(([code, meaning]) => item(String(code), meaning)),
    ".SH ENVIRONMENT",
    roff(
      "Every setting that has a flag has a variable as well: --horizon-url is SVC_HORIZON_URL. A flag " +
        "wins over a variable, which wins over a file. svc doctor shows each value and its origin.",
    ),
    ".PP",
    roff("NO_COLOR is honoured."),
    ".SH FILES",
    ...FILES.flatMap(([name, meaning]) => item(name, meaning)),
  ];
  return `${lines.map(folded).join("\n")}\n`;
}

/** Sources of manual pages are read in terminals, too. */
function folded(line: string): string {
  return line.startsWith(".") ? line : line.replace(/(.{1,78})( |$)/g, "$1\n").trimEnd();
}

function synopsis({ name, positionals }: CommandWords): string[] {
  const slots = positionals.map(({ name: slot, required, many }) => {
    const text = `\\fI${roff(slot)}\\fR${many ? "\\ ..." : ""}`;
    return required ? text : `[${text}]`;
  });
  return [".PP", `\\fBsvc ${roff(name)}\\fR ${[...slots, "[\\fIflags\\fR]"].join(" ")}`];
}

function command({ name, summary, flags, positionals }: CommandWords): string[] {
  return [
    `.SS svc ${roff(name)}`,
    roff(summary),
    ...positionals.flatMap((slot: PositionalWords) => item(slot.name, slot.description, "I")),
    ...flags.flatMap((flag) => item(flagLabel(flag), describe(flag))),
  ];
}

function flagLabel({ name, alias, value }: FlagWords): string {
  const short = alias === null ? "" : `-${alias}, `;
  return `${short}--${name}${value === null ? "" : ` ${value.hint}`}`;
}

function describe({ description, value }: FlagWords): string {
  const choices = value?.choices ?? [];
  return choices.length === 0 ? description : `${description} One of ${choices.join(", ")}.`;
}

function item(label: string, text: string, font: "B" | "I" = "B"): string[] {
  return [".TP", `\\f${font}${roff(label)}\\fR`, roff(text)];
}

/** Backslashes, hyphens that are typed, and what would be a request at the start of a line. */
function roff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("…", "...")
    .replace(/^([.'])/, "\\&$1");
}
