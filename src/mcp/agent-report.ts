// The report of a transaction for an agent. Its next steps are tools, and no part of it has a
// command or a flag of a shell.

import { phraseFor } from "../base/phrase.ts";
import { unconfirmedSentence } from "../model/confirmation.ts";
import type { Investigation } from "../model/investigation.ts";
import { debugReport } from "../report/json.ts";
import { AGENT, AGENT_WITH_ARCHIVE, nextForAgents } from "./for-agents.ts";

export type AgentReport = ReturnType<typeof agentReport>;

export function agentReport(investigation: Investigation, { hasArchive = false } = {}) {
  const audience = hasArchive ? AGENT_WITH_ARCHIVE : AGENT;
  const report = debugReport(investigation, audience);
  const unconfirmed = unconfirmedSentence(investigation);
  const { decidedBy } = report.outcome;
  const proof = decidedBy?.proof ?? null;
  return {
    ...report,
    outcome: {
      ...report.outcome,
      decidedBy: decidedBy && { ...decidedBy, proof: proof && withoutFlags(proof) },
      next: nextForAgents(investigation.next),
      unconfirmed: unconfirmed && phraseFor(unconfirmed, audience),
    },
  };
}

/** The override is the same change as data. */
function withoutFlags<Proof extends { readonly flags: string }>({ flags: _, ...proof }: Proof) {
  return proof;
}
