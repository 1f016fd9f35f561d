// Every command with its one-line summary. A command is loaded only when it runs.

import type { CommandEntry } from "../command/command.ts";
import type { CommandPage, CommandSummary } from "../command/shell.ts";
import { DAEMON_COMMANDS } from "../daemon/commands.ts";
import { DAP_COMMANDS } from "../dap/commands.ts";
import { WATCH_COMMANDS } from "../follow/commands.ts";
import { FORK_COMMANDS } from "../fork/commands.ts";
import { MCP_COMMANDS } from "../mcp/commands.ts";
import { REHEARSAL_COMMANDS } from "../rehearsal/commands.ts";
import { SIGNING_COMMANDS } from "../signing/commands.ts";
import { VERIFICATION_COMMANDS } from "../verification/commands.ts";

/**
 * The commands by their names, of one word or of two, such as `hsm list`. A front and a product
 * each have one row for all their commands.
 */
const TABLE: Readonly<Record<string, CommandEntry>> = {
  debug: {
    group: "Debug",
    summary: "Replay a transaction, compare the replay with the chain, and explain what happened.",
    load: () => import("./commands/debug.ts"),
  },
  demo: {
    group: "Debug",
    summary: "Try svc on its own failed transactions, without a network.",
    load: () => import("./commands/demo.ts"),
  },
  state: {
    group: "Debug",
    summary: "Show an entry of the network's state at a ledger, proven by the validators.",
    load: () => import("./commands/state.ts"),
  },
  "state diff": {
    group: null,
    summary: "Show how the data of a contract differs between two ledgers, from a history archive.",
    load: () => import("./commands/state-diff.ts"),
  },
  explain: {
    group: "Debug",
    summary: "Explain an error message, a code, a node's answer or a term of svc.",
    load: () => import("./commands/explain.ts"),
  },
  simulate: {
    group: "Debug",
    summary: "Simulate a transaction before sending it: result, footprint, resources and fees.",
    load: () => import("./commands/simulate.ts"),
  },
  call: {
    group: "Debug",
    summary:
      "Call a contract by name on the network's state, without a key, and show what would happen.",
    load: () => import("./commands/call.ts"),
  },
  capture: {
    group: "Debug",
    summary: "Save a transaction and the state it ran against to a capsule file, for offline use.",
    load: () => import("./commands/capture.ts"),
  },
  ...DAP_COMMANDS,
  ...VERIFICATION_COMMANDS,
  ...REHEARSAL_COMMANDS,
  ...WATCH_COMMANDS,
  ...DAEMON_COMMANDS,
  ...FORK_COMMANDS,
  ...MCP_COMMANDS,
  ...SIGNING_COMMANDS,
  doctor: {
    group: "This installation",
    summary: "Check the simulator, the settings and the nodes.",
    load: () => import("./commands/doctor.ts"),
  },
  version: {
    group: "This installation",
    summary: "Print the versions of svc, Bun and every contract host.",
    load: () => import("./commands/version.ts"),
  },
  completion: {
    group: "This installation",
    summary: "Print the completion of svc for a shell.",
    load: () => import("./commands/completion.ts"),
  },
};

export const COMMANDS: ReadonlyMap<string, CommandEntry> = new Map(Object.entries(TABLE));

/** The commands in help and completions. */
export const PUBLIC_COMMANDS = [...COMMANDS].flatMap(([name, entry]) =>
  entry.hidden === true ? [] : { name, ...entry },
);

/** The commands of `svc --help`. Commands inside others are in the help of those. */
export const OVERVIEW: readonly CommandSummary[] = [
  ...PUBLIC_COMMANDS,
  ...(commandsInside("hsm").length === 0
    ? []
    : [
        {
          name: "hsm",
          group: "Sign",
          summary: "List and test the keys of a PKCS#11 token.",
        } as const,
      ]),
];

/** The commands whose names begin with the name of this one. */
export function commandsInside(name: string): CommandSummary[] {
  return PUBLIC_COMMANDS.filter((each) => each.name.startsWith(`${name} `));
}

/** `svc help`, which run.ts answers itself. */
const HELP: CommandPage = {
  name: "help",
  summary: "Show the help of a command.",
  settings: {
    command: {
      word: "many",
      suggestions: OVERVIEW.flatMap(({ name, group }) => (group === null ? [] : name)),
      help: "Command to show the help of.",
    },
  },
};

/** The commands in completions and the manual page, with their settings. */
export async function readCommandPages(): Promise<CommandPage[]> {
  const pages = await Promise.all(
    PUBLIC_COMMANDS.map(async ({ name, summary, load }) => {
      const { settings, facts, examples, helpEnd } = (await load()).command;
      return {
        name,
        summary,
        settings,
        ...(facts && { facts }),
        ...(examples && { examples }),
        ...(helpEnd && { helpEnd }),
      };
    }),
  );
  return [...pages, HELP];
}
