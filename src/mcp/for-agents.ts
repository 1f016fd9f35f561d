// Rewrites sentences of svc for a client that has tools and no command line: they name tools and
// arguments instead of commands and flags.

import { type Audience, commandOf } from "../base/phrase.ts";
import { QUOTED } from "../base/text/neutralise.ts";
import { strkeyPattern } from "../base/text/strkey.ts";
import { NETWORK } from "../command/common-settings.ts";
import { ARCHIVE_SETTINGS } from "../history-archive/archive-settings.ts";
import { SERVER_SETTINGS } from "../http-server/server-settings.ts";
import type { NextStep } from "../model/explanation.ts";
import { overrideDocument } from "../model/overrides.ts";

/** A client that has the tools of svc and no command line. */
export const AGENT: Audience = {
  flag(name, value) {
    const argument = ARGUMENTS[name];
    if (argument === undefined)
      return {
        name,
        place: OF_SERVER.has(name) ? " in the settings of this server" : FOR_THE_USER,
      };
    return { name: argument, ...(value !== null && { place: ` ${value}` }) };
  },
  command(line) {
    const name = commandOf(line);
    const tool = line.includes(" --fix") ? "fix_transaction" : TOOLS[name];
    return tool === undefined ? `svc ${name}${FOR_THE_USER}` : `\`${tool}\``;
  },
  again: "Call the tool again",
  isShell: false,
};

const FOR_THE_USER = " (for the user)";

/** The settings that the operator of a server has. */
const OF_SERVER: ReadonlySet<string> = new Set(
  [NETWORK, ARCHIVE_SETTINGS, SERVER_SETTINGS].flatMap((rows) => Object.keys(rows)),
);

/** Flags that are an argument of the tools. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  network: "network",
  ledger: "ledger",
  id: "contract",
};

const TOOLS: Readonly<Record<string, string>> = {
  debug: "debug_transaction",
  explain: "explain",
  simulate: "simulate",
};

/** The patterns are applied in this order. */
const WORDS: readonly (readonly [command: RegExp, tool: string])[] = [
  // Only a person with the code can do this.
  [/[,;:][^,;:.]*`--wasm FILE`[^.;]*(?=[.;])/g, ""],
  [/`svc debug[^`]*--fix`/g, "`fix_transaction`"],
  [/`svc debug ([0-9a-f]{64})[^`]*`/g, "`debug_transaction` with hash $1"],
  [/`svc debug[^`]*`/g, "`debug_transaction`"],
  [/`svc (explain|simulate)[^`]*`/g, "`$1`"],
  [/`--prove` checks them/g, "the user can check them with svc"],
  [/`--ledger N`/g, "`ledger`"],
  [/`svc (\w+)[^`]*`/g, "svc $1 (for the user)"],
  [/`--auth-mode (\w+)` \(authMode of simulateTransaction\)/g, "authMode $1"],
  [new RegExp(`\`--id (C…|${strkeyPattern(["contract"])})\``, "g"), "`contract` $1"],
  [/`--network (\w+)`/g, "`network` $1"],
  [/`--network`|(?<=^|[ (])--network(?![-\w])/g, "`network`"],
  [/\bRun (?=`\w+`)/g, "Call "],
  [/\brun (?=`\w+`)/g, "call "],
];

/** Any other flag is a setting of the server, an option of another tool, or only for the user. */
const FLAG = /(with )?(?:`--([a-z][a-z-]*)[^`]*`|(?<=[ (])--([a-z][a-z-]*))/g;

export function forAgents<Text extends string | null>(sentence: Text): Text {
  if (sentence === null || !/svc |--/.test(sentence)) return sentence;
  // Quoted text of others contains no commands of svc.
  const quotes: string[] = [];
  const own = sentence.replace(QUOTED, (quote) =>
    /svc |--/.test(quote) ? `"${quotes.push(quote) - 1}"` : quote,
  );
  const named = inTools(own);
  return (
    quotes.length === 0
      ? named
      : named.replace(/"(\d+)"/g, (mark, index: string) => quotes[Number(index)] ?? mark)
  ) as Text;
}

function inTools(sentence: string): string {
  const named = WORDS.reduce<string>(
    (text, [command, tool]) => text.replace(command, tool),
    sentence,
  );
  return named.replace(FLAG, (_, lead?: string, quoted?: string, bare?: string) => {
    const flag = quoted ?? bare ?? "";
    const setting = flag.replace(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase());
    if (!OF_SERVER.has(setting)) return `${lead ?? ""}\`${flag}\`${FOR_THE_USER}`;
    return `${lead === undefined ? "" : "as "}\`${setting}\` in the settings of this server`;
  });
}

/** The next steps that a tool can take. */
export function nextForAgents(steps: readonly NextStep[]): string[] {
  const found = steps.flatMap(({ kind, override, error, purpose }) => {
    switch (kind) {
      case "print-fix":
        return [`Call \`fix_transaction\`: ${purpose}.`];
      case "what-if-argument":
      case "what-if-state": {
        const document = override && overrideDocument(override);
        return document === null
          ? []
          : [`Call \`what_if\` with overrides ${document}: ${purpose}.`];
      }
      case "profile":
        return ["Read the section `calls`: each call has its cost."];
      case "comparisons":
        return ["Read the section `verdict`: it has every comparison."];
      case "error-name":
        return error === undefined
          ? []
          : [
              `Call \`explain\` with "${error.text}" and \`contract\` ${error.contract}: ${purpose}.`,
            ];
      default:
        return [];
    }
  });
  if (found.length > 0 || steps.length === 0) return found;
  return ["Read the section `calls`: each call has its storage, events and errors."];
}
