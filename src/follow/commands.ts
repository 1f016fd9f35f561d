// The command that follows a network.

import type { CommandEntry } from "../command/command.ts";

export const WATCH_COMMANDS: Readonly<Record<string, CommandEntry>> = {
  watch: {
    group: "Check many",
    printsLines: true,
    summary: "Follow the network: verify every transaction, and explain each one that fails.",
    worksLong: true,
    load: () => import("../follow/commands/watch.ts"),
  },
};
