// The command that serves agents.

import type { CommandEntry } from "../command/command.ts";

export const MCP_COMMANDS: Readonly<Record<string, CommandEntry>> = {
  mcp: {
    group: "Serve",
    summary: "Serve debugging to agents, in the Model Context Protocol over standard input.",
    worksLong: true,
    load: () => import("../mcp/commands/mcp.ts"),
  },
};
