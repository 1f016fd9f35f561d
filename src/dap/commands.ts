// The command that serves editors.

import type { CommandEntry } from "../command/command.ts";

export const DAP_COMMANDS: Readonly<Record<string, CommandEntry>> = {
  dap: {
    group: "Debug",
    summary: "Step through a transaction in an editor, forwards and backwards.",
    load: () => import("../dap/commands/dap.ts"),
  },
};
