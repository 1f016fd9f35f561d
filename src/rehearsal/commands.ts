// The command that rehearses an upgrade.

import type { CommandEntry } from "../command/command.ts";

export const REHEARSAL_COMMANDS: Readonly<Record<string, CommandEntry>> = {
  rehearse: {
    group: "Check many",
    summary: "Run a contract's next build on calls that were made, and show what would change.",
    load: () => import("./commands/rehearse.ts"),
  },
  "rehearse merge": {
    group: null,
    summary: "Merge the results of `svc rehearse --shard` into one report.",
    load: () => import("./commands/rehearse-merge.ts"),
  },
};
