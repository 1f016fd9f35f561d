// The work of tools for agents, with the daemon's pools and limits. It reads and writes no files
// for its clients, and does not verify ledgers, which would keep the pool from others.

import { SvcError } from "../base/errors/errors.ts";
import { explainText } from "../debugger/answer/explain-text.ts";
import type { AgentServices, Run, Subject } from "../mcp/agent-services.ts";
import type { Overrides } from "../model/overrides.ts";
import type { SimulationReport } from "../model/simulation.ts";
import { renderSimulationJson } from "../report/simulation-json.ts";
import type { SharedRun, Waiter } from "./coalesce.ts";

export interface AgentServicesOptions {
  readonly mostWalks: number;
  /** These return the report of `svc debug --json`. */
  readonly debug: (hash: string, waiter: Waiter) => Promise<string>;
  readonly whatIf: (hash: string, overrides: Overrides) => SharedRun<string>;
  readonly simulate: (
    request: Parameters<AgentServices["simulate"]>[0],
    waiter: Waiter,
  ) => Promise<SimulationReport>;
}

/** The services for one request. */
export type AgentServicesOf = (waiter: Waiter) => AgentServices;

export function openAgentServices(options: AgentServicesOptions): AgentServicesOf {
  const { mostWalks, debug, whatIf, simulate } = options;
  let whatIfs = 0;
  return (waiter) => {
    const asked = (run: Run): Waiter => ({ ...waiter, ...run });
    return {
      overHttp: true,
      async debug(subject, run) {
        return JSON.parse(await debug(hashOf(subject), asked(run)));
      },
      async whatIf(subject, overrides, run) {
        if (whatIfs >= mostWalks)
          throw new SvcError("OVERLOADED", {
            message: `The daemon already runs ${whatIfs} transactions with changes, the maximum.`,
            remedy: "Try again later.",
          });
        whatIfs += 1;
        try {
          return JSON.parse(await whatIf(hashOf(subject), overrides)(asked(run)));
        } finally {
          whatIfs -= 1;
        }
      },
      async simulate(request, run) {
        return JSON.parse(renderSimulationJson(await simulate(request, asked(run))));
      },
      async networkCode(code) {
        const explained = explainText(code, "The code");
        return explained.kind === "code" ? explained.code : null;
      },
      verify: null,
      capture: null,
    };
  };
}

/** Throws FILE_NOT_ALLOWED. */
function hashOf(subject: Subject): string {
  if ("hash" in subject) return subject.hash;
  throw new SvcError("FILE_NOT_ALLOWED", {
    message: "The daemon reads no files for its clients.",
    remedy: "Use the hash of the transaction.",
  });
}
