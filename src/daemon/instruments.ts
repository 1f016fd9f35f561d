// What is known about the daemon from outside: metrics, /health, the log of its nodes, and the
// spans of its requests to nodes.

import type { Clock } from "../base/clock.ts";
import type { HttpAttempt } from "../base/http/http.ts";
import type { Tracing } from "../report/otlp/open-tracing.ts";
import type { Config } from "../sources/network-settings.ts";
import type { NodeEvent } from "../sources/standing.ts";
import { type HealthBook, openHealth, type SimulatorState } from "./health.ts";
import { type Gauges, type Metrics, openMetrics } from "./metrics.ts";
import type { EventLog } from "./request-log.ts";

export interface InstrumentOptions {
  readonly config: Pick<Config, "network" | "networkPassphrase">;
  readonly clock: Clock;
  readonly log: EventLog;
  /** Null: no traces. */
  readonly tracing: Tracing | null;
  /** Aborted: the daemon shuts down. */
  readonly stopping: AbortSignal;
  readonly simulator: () => SimulatorState & { readonly lost: number };
  readonly gauges: Pick<Gauges, "requestsInFlight" | "workerMemoryBytes" | "bodyBytes" | "resting">;
}

export interface Instruments {
  readonly metrics: Metrics;
  readonly health: HealthBook;
  /** Told of each attempt at a remote call. */
  readonly attempted: (attempt: HttpAttempt) => void;
  /** Told when a node fails, and when it answers again. */
  readonly rested: (event: NodeEvent) => void;
}

export function openInstruments(options: InstrumentOptions): Instruments {
  const { config, clock, log, tracing, simulator } = options;
  const health = openHealth({ ...options, ...config });
  const metrics = openMetrics({
    network: config.network,
    clock,
    gauges: {
      ...options.gauges,
      queueDepth: () => simulator().queued,
      simulationsInFlight: () => simulator().inFlight,
      workers: () => simulator().workers,
      workersLost: () => simulator().lost,
    },
  });
  return {
    metrics,
    health,
    attempted(attempt) {
      metrics.attempted(attempt);
      health.attempted(attempt);
      tracing?.observe(attempt);
    },
    rested(event) {
      metrics.rested(event);
      logRest(log, event);
    },
  };
}

function logRest(log: EventLog, { node, failure, restMilliseconds }: NodeEvent): void {
  if (failure === null) {
    log.write("info", "node answers again", { node });
    return;
  }
  const { code, message } = failure;
  const rest = restMilliseconds === null ? {} : { restMilliseconds };
  const what = restMilliseconds === null ? "node fails" : "node rests";
  log.write("warn", what, { node, ...rest, code, error: message });
}
