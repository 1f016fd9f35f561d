// The report of a transaction for an agent: what leads on are its tools, and no part of it has a
// command or a flag of a shell.

import type { Investigation } from "../model/investigation.ts";
import { debugReport } from "../report/json.ts";
import { AGENT, nextForAgents } from "./for-agents.ts";

export type AgentReport = ReturnType<typeof agentReport>;

export function agentReport(investigation: Investigation) {
  const report = debugReport(investigation, AGENT);
  const { decidedBy } = report.outcome;
  const proof = decidedBy?.proof ?? null;
  return {
    ...report,
    outcome: {
      ...report.outcome,
      decidedBy: decidedBy && { ...decidedBy, proof: proof && withoutFlags(proof) },
      next: nextForAgents(investigation.next),
    },
  };
}

/** The override is the same change as data. */
function withoutFlags<Proof extends { readonly flags: string }>({ flags: _, ...proof }: Proof) {
  return proof;
}
