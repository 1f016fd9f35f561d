// The command of the daemon.

import type { CommandEntry } from "../command/command.ts";

export const DAEMON_COMMANDS: Readonly<Record<string, CommandEntry>> = {
  daemon: {
    group: "Serve",
    // With --check the command is not a daemon.
    logsLines: (words) => !words.includes("--check"),
    summary: "Serve debugging and simulation over HTTP, with Prometheus metrics.",
    worksLong: true,
    load: () => import("../daemon/commands/daemon.ts"),
  },
};
