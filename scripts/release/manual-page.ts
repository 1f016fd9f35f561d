// Generates the manual page svc(1) from the definitions of the command line, in the man(7)
// language.

import packageFile from "../../package.json";
import { type ExitCode, exitCodesInOrder } from "../../src/base/errors/exit-codes.ts";
import { describeFlag } from "../../src/base/settings/check-rules.ts";
import { describeSetting } from "../../src/base/settings/setting.ts";
import { sentenceStart } from "../../src/base/text/sentence.ts";
import { labelOf, shownFlagsOf, wordsOf } from "../../src/command/command.ts";
import type { CommandPage } from "../../src/command/shell.ts";

const FILES: readonly (readonly [string, string])[] = [
  ["svc.json", "Settings, from the working directory unless --config is another file."],
  ["svc-sim", "The contract hosts; searched next to svc, then on PATH."],
  ["svc-sim-recording", "The contract hosts of svc simulate; searched next to svc-sim."],
];

/** Renders the page. `date` is the date of the commit as YYYY-MM-DD. */
export function renderManualPage(commands: readonly CommandPage[], date: string): string {
  const lines = [
    `.TH SVC 1 "${date}" "svc ${packageFile.version}" "User Commands"`,
    ".SH NAME",
    "svc \\- debug a Stellar smart\\-contract transaction, and prove the answer with a replay",
    ".SH SYNOPSIS",
    ...commands.flatMap(synopsis).slice(1),
    ".SH DESCRIPTION",
    roff(
      "svc is a debugger for Stellar smart-contract (Soroban) transactions. It shows what happened, " +
        "why, and what would have made the transaction succeed. It proves the answer with a replay: " +
        "it runs the transaction again in the contract host that the network ran, on the state the " +
        "network had, and compares every byte with the chain.",
    ),
    ".PP",
    roff("The report goes to standard output, all other text to standard error."),
    ".SH COMMANDS",
    ...commands.flatMap(command),
    ".SH EXIT STATUS",
    ...exitCodesInOrder().flatMap((row) => item(String(row.code), exitCodeSentence(row))),
    ".SH ENVIRONMENT",
    roff(
      "Every setting with a flag also has a variable: --horizon-url is SVC_HORIZON_URL. A flag " +
        "overrides a variable, and a variable overrides a file. svc doctor shows each value and its " +
        "origin.",
    ),
    ".PP",
    roff(
      "Below svc's own settings it takes STELLAR_NETWORK, STELLAR_RPC_URL, STELLAR_RPC_HEADERS and " +
        "STELLAR_NETWORK_PASSPHRASE, as stellar-cli does. NO_COLOR and FORCE_COLOR turn colors off and " +
        "on where --color does not.",
    ),
    ".SH FILES",
    ...FILES.flatMap(([name, meaning]) => item(name, meaning)),
  ];
  return `${lines.map(folded).join("\n")}\n`;
}

/** Wraps long lines, because people read the sources of manual pages in terminals too. */
function folded(line: string): string {
  if (line.startsWith(".")) return line;
  // A word that now begins a line must not become a request.
  return line
    .replace(/(.{1,78})( |$)/g, "$1\n")
    .trimEnd()
    .replaceAll(/\n(?=[.'])/g, "\n\\&");
}

function synopsis({ name, settings }: CommandPage): string[] {
  const slots = wordsOf(settings).map(([slot, { word, required }]) => {
    const text = `\\fI${roff(slot)}\\fR${word === "many" ? "\\ ..." : ""}`;
    return required === true ? text : `[${text}]`;
  });
  return [".PP", `\\fBsvc ${roff(name)}\\fR ${[...slots, "[\\fIflags\\fR]"].join(" ")}`];
}

function command({ name, summary, settings, examples = [] }: CommandPage): string[] {
  return [
    `.SS svc ${roff(name)}`,
    roff(summary),
    ...examples.flatMap(([words, meaning]) => item(`svc ${name} ${words}`.trim(), meaning)),
    ...wordsOf(settings).flatMap(([word, setting]) => item(word, describeSetting(setting), "I")),
    ...shownFlagsOf(settings).flatMap((flag) => item(labelOf(flag), describeFlag(flag.setting))),
  ];
}

function item(label: string, text: string, font: "B" | "I" = "B"): string[] {
  return [".TP", `\\f${font}${roff(label)}\\fR`, roff(text)];
}

/**
 * Escapes backslashes, hyphens that users type, and text that would be a request at the start of a
 * line.
 */
function roff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("…", "...")
    .replace(/^([.'])/, "\\&$1");
}

/** `Usage error: the command line, or a file on it.`, without the marks of Markdown. */
function exitCodeSentence({ name, detail }: ExitCode): string {
  const words = detail === null ? name : `${name}: ${detail}`;
  return `${sentenceStart(words)}.`.replaceAll("`", "");
}
