// The connections to the collector. svc owns them so that it can close them: the exporter would
// wait without limit for a collector that sends a byte now and then, and svc would not exit.

import { readFileSync } from "node:fs";
import { type Agent, Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { SvcError } from "../../base/errors/errors.ts";
import { systemCodeOf } from "../../base/errors/system-code.ts";
import type { Environment } from "./exporter-settings.ts";

/** Reads the files of OTEL_EXPORTER_OTLP_CERTIFICATE and similar ones. Throws CONFIG_INVALID. */
export function openCollectorConnection(environment: Environment): {
  /** For the exporter's `httpAgentOptions`. */
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
      remedy: `Correct ${variable}, or run without \`--tracing\`.`,
      cause,
    });
  }
}

// The OTLP exporter with a count of the spans that it lost, for one warning at the end.

/** The result of `export`; 0 is success (ExportResultCode of @opentelemetry/core). */
const SUCCESS = 0;

export class WatchedExporter extends OTLPTraceExporter {
  readonly losses: {
    /** Spans passed to the exporter. */
    given: number;
    /** Spans that the collector accepted. */
    taken: number;
    /** The reason of the first failure; null when nothing failed yet. */
    reason: string | null;
  } = { given: 0, taken: 0, reason: null };

  override export(...[spans, done]: Parameters<OTLPTraceExporter["export"]>): void {
    this.losses.given += spans.length;
    super.export(spans, (result) => {
      if (result.code === SUCCESS) this.losses.taken += spans.length;
      else this.losses.reason ??= reasonOf(result.error);
      done(result);
    });
  }
}

/** Only a short reason: messages may contain the URL with its secrets, or a response body. */
function reasonOf(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  if (typeof code === "number") return `status ${code}`;
  if (typeof code === "string" && /^\w{1,40}$/.test(code)) return code;
  const message = error instanceof Error ? error.message : "";
  return /timed? ?out/i.test(message) ? "no response in time" : "the export failed";
}
