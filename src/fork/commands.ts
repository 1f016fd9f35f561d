// The commands of forks.

import type { CommandEntry } from "../command/command.ts";

export const FORK_COMMANDS: Readonly<Record<string, CommandEntry>> = {
  fork: {
    group: "Serve",
    summary: "Fork a network, and serve it as a Stellar RPC node that you can modify.",
    worksLong: true,
    load: () => import("../fork/commands/fork.ts"),
  },
  "fork fund": {
    group: null,
    summary: "Set the XLM balance of an account of a running fork.",
    load: async () => ({
      command: (await import("../fork/commands/cheat-commands.ts")).CHEATS.fund,
    }),
  },
  "fork set-balance": {
    group: null,
    summary: "Set a balance: XLM, an asset or a token.",
    load: async () => ({
      command: (await import("../fork/commands/cheat-commands.ts")).CHEATS["set-balance"],
    }),
  },
  "fork set-storage": {
    group: null,
    summary: "Set an entry of a contract's data.",
    load: async () => ({
      command: (await import("../fork/commands/cheat-commands.ts")).CHEATS["set-storage"],
    }),
  },
  "fork set-entry": {
    group: null,
    summary: "Set any ledger entry.",
    load: async () => ({
      command: (await import("../fork/commands/cheat-commands.ts")).CHEATS["set-entry"],
    }),
  },
  "fork etch": {
    group: null,
    summary: "Replace a contract's code; its storage stays.",
    load: async () => ({
      command: (await import("../fork/commands/cheat-commands.ts")).CHEATS.etch,
    }),
  },
  "fork set-code": {
    group: null,
    summary: "Install a contract's code.",
    load: async () => ({
      command: (await import("../fork/commands/cheat-commands.ts")).CHEATS["set-code"],
    }),
  },
  "fork close": {
    group: null,
    summary: "Close ledgers.",
    load: async () => ({
      command: (await import("../fork/commands/cheat-commands.ts")).CHEATS.close,
    }),
  },
  "fork warp": {
    group: null,
    summary: "Let time or ledgers pass, and entries expire.",
    load: async () => ({
      command: (await import("../fork/commands/cheat-commands.ts")).CHEATS.warp,
    }),
  },
  "fork mark": {
    group: null,
    summary: "Remember this moment of the fork.",
    load: async () => ({
      command: (await import("../fork/commands/cheat-commands.ts")).CHEATS.mark,
    }),
  },
  "fork revert": {
    group: null,
    summary: "Return to a moment that `svc fork mark` remembered.",
    load: async () => ({
      command: (await import("../fork/commands/cheat-commands.ts")).CHEATS.revert,
    }),
  },
  "fork reset": {
    group: null,
    summary:
      "Fork the network again, at the first fork's ledger, at another one, or before a transaction.",
    load: async () => ({
      command: (await import("../fork/commands/cheat-commands.ts")).CHEATS.reset,
    }),
  },
  "fork follow": {
    group: null,
    summary: "Apply the transactions of the real network to a running fork as they come.",
    worksLong: true,
    load: () => import("../fork/commands/follow.ts"),
  },
  "fork impersonate": {
    group: null,
    summary: "Accept transactions of accounts without their signatures.",
    load: async () => ({
      command: (await import("../fork/commands/cheat-commands.ts")).CHEATS.impersonate,
    }),
  },
  "fork send": {
    group: null,
    summary: "Send an envelope to a running fork, and print how it ended.",
    load: async () => ({
      command: (await import("../fork/commands/cheat-commands.ts")).CHEATS.send,
    }),
  },
  "fork save": {
    group: null,
    summary: "Save the fork to a file.",
    load: async () => ({
      command: (await import("../fork/commands/cheat-commands.ts")).CHEATS.save,
    }),
  },
  "fork load": {
    group: null,
    summary: "Load a saved fork.",
    load: async () => ({
      command: (await import("../fork/commands/cheat-commands.ts")).CHEATS.load,
    }),
  },
  "fork snapshot": {
    group: null,
    summary: "Write the state for the tests of contracts (soroban-sdk's LedgerSnapshot).",
    load: async () => ({
      command: (await import("../fork/commands/cheat-commands.ts")).CHEATS.snapshot,
    }),
  },
};
