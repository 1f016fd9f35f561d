// Every command with its one-line summary. A command is loaded only when it runs.

import type { Command } from "./command.ts";
import type { CommandPage, CommandSummary, ErrorStreams } from "./shell.ts";

export interface CommandEntry extends ErrorStreams, Omit<CommandSummary, "name"> {
  /** Only svc itself starts it: not in help or completions. */
  readonly hidden?: boolean;
  /** So long that code is worth compiling as soon as the engine usually does. */
  readonly worksLong?: boolean;
  readonly load: () => Promise<{ readonly command: Command }>;
}

/** By names of one word, or two words: `hsm list`. */
const TABLE: Readonly<Record<string, CommandEntry>> = {
  debug: {
    group: "Debug",
    summary: "Replay a transaction, compare the replay with the chain, and explain what happened.",
    load: () => import("./commands/debug.ts"),
  },
  state: {
    group: "Debug",
    summary: "Show an entry of the network's state at a ledger, proven by the validators.",
    load: () => import("./commands/state.ts"),
  },
  "state diff": {
    group: null,
    summary: "Show what of a contract is different between two ledgers, from a history archive.",
    load: () => import("./commands/state-diff.ts"),
  },
  explain: {
    group: "Debug",
    summary: "Explain what is on your screen: an error, a code, a node's answer, a word of svc.",
    load: () => import("./commands/explain.ts"),
  },
  simulate: {
    group: "Debug",
    summary: "Simulate a transaction before sending it: result, footprint, resources and fees.",
    load: () => import("./commands/simulate.ts"),
  },
  capture: {
    group: "Debug",
    summary: "Save a transaction and the state it ran against to a capsule file, for offline use.",
    load: () => import("./commands/capture.ts"),
  },
  dap: {
    group: "Debug",
    summary: "Step through a transaction in an editor, forwards and backwards.",
    load: () => import("./commands/dap.ts"),
  },
  verify: {
    group: "Check many",
    summary: "Replay every Soroban transaction of ledgers or ledger files, and count the verdicts.",
    load: () => import("./commands/verify.ts"),
  },
  "verify plan": {
    group: null,
    summary: "Plan a verification for several machines: its pieces, and what each needs.",
    load: () => import("./commands/verify-plan.ts"),
  },
  "verify merge": {
    group: null,
    summary: "Merge the results of `svc verify --shard` into one report.",
    load: () => import("./commands/verify-merge.ts"),
  },
  watch: {
    group: "Check many",
    printsLines: true,
    summary: "Follow the network: verify every transaction, and explain each one that fails.",
    worksLong: true,
    load: () => import("./commands/watch.ts"),
  },
  daemon: {
    group: "Serve",
    // --check is no daemon.
    logsLines: (words) => !words.includes("--check"),
    summary: "Serve debugging and simulation over HTTP, with Prometheus metrics.",
    worksLong: true,
    load: () => import("./commands/daemon.ts"),
  },
  fork: {
    group: "Serve",
    summary: "Fork a network: serve its state as Stellar RPC, to change and to send to.",
    worksLong: true,
    load: () => import("./commands/fork.ts"),
  },
  "fork fund": {
    group: null,
    summary: "Give an account of a running fork XLM.",
    load: async () => ({ command: (await import("./commands/fork-cheats.ts")).CHEATS.fund }),
  },
  "fork set-balance": {
    group: null,
    summary: "Set a balance: XLM, an asset or a token.",
    load: async () => ({
      command: (await import("./commands/fork-cheats.ts")).CHEATS["set-balance"],
    }),
  },
  "fork set-storage": {
    group: null,
    summary: "Set an entry of a contract's data.",
    load: async () => ({
      command: (await import("./commands/fork-cheats.ts")).CHEATS["set-storage"],
    }),
  },
  "fork set-entry": {
    group: null,
    summary: "Set any ledger entry.",
    load: async () => ({
      command: (await import("./commands/fork-cheats.ts")).CHEATS["set-entry"],
    }),
  },
  "fork etch": {
    group: null,
    summary: "Replace a contract's code; its storage stays.",
    load: async () => ({ command: (await import("./commands/fork-cheats.ts")).CHEATS.etch }),
  },
  "fork set-code": {
    group: null,
    summary: "Install a contract's code.",
    load: async () => ({
      command: (await import("./commands/fork-cheats.ts")).CHEATS["set-code"],
    }),
  },
  "fork close": {
    group: null,
    summary: "Close ledgers.",
    load: async () => ({ command: (await import("./commands/fork-cheats.ts")).CHEATS.close }),
  },
  "fork warp": {
    group: null,
    summary: "Let time or ledgers pass, and entries expire.",
    load: async () => ({ command: (await import("./commands/fork-cheats.ts")).CHEATS.warp }),
  },
  "fork mark": {
    group: null,
    summary: "Remember this moment of the fork.",
    load: async () => ({ command: (await import("./commands/fork-cheats.ts")).CHEATS.mark }),
  },
  "fork revert": {
    group: null,
    summary: "Return to a moment.",
    load: async () => ({ command: (await import("./commands/fork-cheats.ts")).CHEATS.revert }),
  },
  "fork reset": {
    group: null,
    summary: "Fork again: as it began, at a ledger, or before a transaction.",
    load: async () => ({ command: (await import("./commands/fork-cheats.ts")).CHEATS.reset }),
  },
  "fork follow": {
    group: null,
    summary: "Apply the transactions of the real network to a running fork as they come.",
    worksLong: true,
    load: () => import("./commands/fork-follow.ts"),
  },
  "fork impersonate": {
    group: null,
    summary: "Ask for no signature of accounts.",
    load: async () => ({ command: (await import("./commands/fork-cheats.ts")).CHEATS.impersonate }),
  },
  "fork save": {
    group: null,
    summary: "Save the fork to a file.",
    load: async () => ({ command: (await import("./commands/fork-cheats.ts")).CHEATS.save }),
  },
  "fork load": {
    group: null,
    summary: "Load a saved fork.",
    load: async () => ({ command: (await import("./commands/fork-cheats.ts")).CHEATS.load }),
  },
  "fork snapshot": {
    group: null,
    summary: "Write the state for the tests of contracts (soroban-sdk's LedgerSnapshot).",
    load: async () => ({ command: (await import("./commands/fork-cheats.ts")).CHEATS.snapshot }),
  },
  mcp: {
    group: "Serve",
    summary: "Serve debugging to agents, in the Model Context Protocol over standard input.",
    worksLong: true,
    load: () => import("./commands/mcp.ts"),
  },
  sign: {
    group: "Sign",
    summary: "Sign a transaction envelope or a file with a key on a PKCS#11 token.",
    load: () => import("./commands/signing/sign.ts"),
  },
  "sign auth": {
    group: null,
    summary: "Sign Soroban authorization entries with a key on a PKCS#11 token.",
    load: () => import("./commands/signing/sign-auth.ts"),
  },
  "sign document": {
    group: null,
    summary: "Sign a capsule or a JSON report with a key on a PKCS#11 token.",
    load: () => import("./commands/signing/sign-document.ts"),
  },
  "sign verify": {
    group: null,
    summary: "Verify signatures: show the signer of each, and whether it is valid.",
    load: () => import("./commands/signing/sign-verify.ts"),
  },
  "hsm list": {
    group: null,
    summary: "List the slots, tokens and keys of a PKCS#11 module, with their Stellar addresses.",
    load: () => import("./commands/signing/hsm-list.ts"),
  },
  "hsm test": {
    group: null,
    summary: "Test a key on a PKCS#11 token: sign a random challenge and verify the signature.",
    load: () => import("./commands/signing/hsm-test.ts"),
  },
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
  "verify-worker": {
    group: null,
    summary: "Replay ledgers for svc verify on one more core.",
    hidden: true,
    worksLong: true,
    load: () => import("./commands/verify-worker.ts"),
  },
};

export const COMMANDS: ReadonlyMap<string, CommandEntry> = new Map(Object.entries(TABLE));

/** The commands in help and completions. */
export const PUBLIC_COMMANDS = [...COMMANDS].flatMap(([name, entry]) =>
  entry.hidden === true ? [] : { name, ...entry },
);

/** Of `svc --help`. Commands inside others are in the help of those. */
export const OVERVIEW: readonly CommandSummary[] = [
  ...PUBLIC_COMMANDS,
  { name: "hsm", group: "Sign", summary: "List and test the keys of a PKCS#11 token." },
];

/** The commands whose names begin with this one's. */
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
      help: "The command.",
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
