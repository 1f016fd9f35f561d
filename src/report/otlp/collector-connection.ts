// The connections to the collector. svc owns them so that it can close them: the exporter would
// wait without limit for a collector that sends a byte now and then, and svc would not exit.

import { readFileSync } from "node:fs";
import { type Agent, Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { SvcError } from "../../base/errors/errors.ts";
import { systemCodeOf } from "../../base/errors/system-code.ts";
import { flag, phrase } from "../../base/phrase.ts";
import type { Environment } from "../../base/settings/setting.ts";

/**
 * Reads the files that OTEL_EXPORTER_OTLP_CERTIFICATE and similar variables name. Throws
 * CONFIG_INVALID.
 */
export function openCollectorConnection(environment: Environment): {
  /** Returns the agent for the exporter's `httpAgentOptions`. */
  readonly agentFor: (protocol: string) => Agent;
  /** Closes the open connections. */
  giveUp(): void;
} {
  const certificates = {
    ...fileOf(environment, "ca", "CERTIFICATE"),
    ...fileOf(environment, "cert", "CLIENT_CERTIFICATE"),
    ...fileOf(environment, "key", "CLIENT_KEY"),
  };
  const agents: Agent[] = [];
  return {
    agentFor(protocol) {
      const options = { keepAlive: true };
      const agent =
        protocol === "https:"
          ? new HttpsAgent({ ...options, ...certificates })
          : new HttpAgent(options);
      agents.push(agent);
      return agent;
    },
    giveUp() {
      for (const agent of agents) agent.destroy();
    },
  };
}

function fileOf(environment: Environment, option: string, name: string): Record<string, Buffer> {
  const own = `OTEL_EXPORTER_OTLP_TRACES_${name}`;
  const shared = `OTEL_EXPORTER_OTLP_${name}`;
  const variable = environment[own]?.trim() ? own : shared;
  const path = environment[variable]?.trim();
  if (!path) return {};
  try {
    return { [option]: readFileSync(path) };
  } catch (cause) {
    throw new SvcError("CONFIG_INVALID", {
      message: `The file of ${variable} cannot be read (${systemCodeOf(cause)}).`,
      remedy: phrase`Correct ${variable}, or run without ${flag("tracing")}.`,
      cause,
    });
  }
}
