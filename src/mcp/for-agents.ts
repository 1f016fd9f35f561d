// The words of svc for a client that has tools and no command line. Sentences name tools and
// arguments instead of commands and flags.

import { type Audience, commandOf, withVerb } from "../base/phrase.ts";
import { NETWORK } from "../command/common-settings.ts";
import { ARCHIVE_SETTINGS } from "../history-archive/archive-settings.ts";
import { SERVER_SETTINGS } from "../http-server/server-settings.ts";
import type { NextStep } from "../model/explanation.ts";
import { overrideDocument } from "../model/overrides.ts";

/** A client that has the tools of svc and no command line. */
export const AGENT: Audience = {
  flag(name, value) {
    if (name === "prove") return { name, place: " of a server with a history archive" };
    const argument = ARGUMENTS[name];
    if (argument === undefined)
      return {
        name,
        place: OF_SERVER.has(name) ? " in the settings of this server" : FOR_THE_USER,
      };
    return { name: argument, ...(value !== null && { place: ` ${value}` }) };
  },
  command({ line, isFix, hash, verb }) {
    const name = commandOf(line);
    const tool = isFix ? "fix_transaction" : TOOLS[name];
    if (tool === undefined) return withVerb(verb, `svc ${name}${FOR_THE_USER}`);
    const call = verb === null ? null : verb === "Run" ? "Call" : "call";
    return withVerb(call, `\`${tool}\`${hash === null ? "" : ` with hash ${hash}`}`);
  },
  again: "Call the tool again",
  isShell: false,
};

/** The same client, of a server that can prove the state. */
export const AGENT_WITH_ARCHIVE: Audience = {
  ...AGENT,
  flag: (name, value) => (name === "prove" ? { name } : AGENT.flag(name, value)),
};

const FOR_THE_USER = " (for the user)";

/** The settings that only the operator of a server can set. */
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

/** The next steps that a tool can take. */
export function nextForAgents(steps: readonly NextStep[]): string[] {
  const toolSteps = steps.flatMap((step) => toolStep(step) ?? []);
  if (toolSteps.length > 0 || steps.length === 0) return toolSteps;
  return ["Read the section `calls`: each call has its storage, events and errors."];
}

/** Null if no tool can take the step. */
function toolStep(step: NextStep): string | null {
  const { purpose } = step;
  switch (step.kind) {
    case "print-fix":
      return `Call \`fix_transaction\`: ${purpose}.`;
    case "what-if-argument":
    case "what-if-state":
      return `Call \`what_if\` with overrides ${overrideDocument(step.override)}: ${purpose}.`;
    case "profile":
      return "Read the section `calls`: each call has its cost.";
    case "comparisons":
      return "Read the section `verdict`: it has every comparison.";
    case "error-name":
      return `Call \`explain\` with "${step.text}" and \`contract\` ${step.contract}: ${purpose}.`;
    case "source-line":
    case "what-if-code":
    case "other-sources":
    case "trace":
      return null;
  }
}
