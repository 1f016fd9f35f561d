// What Prometheus scrapes: the four families that alert rules and dashboards are written for, and
// more of the daemon's own under svc_. One registry for one daemon, text format 0.0.4 only.
// Invariants: a remote family has a series from its first observation on; `node_address` is scheme,
// host and port; an attempt that our own client broke off says nothing of the node and is not
// counted.

import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { BUILD_INFO } from "../base/build-info.ts";
import type { Clock } from "../base/clock.ts";
import type { HttpAttempt } from "../base/http/http.ts";

export interface Metrics {
  readonly contentType: string;
  render(): Promise<string>;
  /** Of one attempt at a remote call. */
  readonly attempted: (attempt: HttpAttempt) => void;
  /** Of one simulation run; not for a transaction that failed on chain. */
  readonly simulated: (status: "success" | "error") => void;
  /** Of one request that was answered. */
  readonly answered: (route: string, status: number, durationSeconds: number) => void;
}

/** What is asked at each scrape. */
export interface Gauges {
  /** Simulations that wait for a worker. */
  readonly queueDepth: () => number;
  readonly simulationsInFlight: () => number;
  readonly requestsInFlight: () => number;
  readonly workers: () => number;
  readonly workersLost: () => number;
  readonly workerMemoryBytes: () => number;
}

export interface MetricsOptions {
  readonly network: string;
  readonly clock: Clock;
  readonly gauges: Gauges;
}

const REMOTE_LABELS = ["node_address", "network"] as const;
const REMOTE_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** A simulation takes a millisecond, a debug run seconds. */
const REQUEST_BUCKETS = [0.001, 0.0025, ...REMOTE_BUCKETS, 30, 60];

export function openMetrics({ network, clock, gauges }: MetricsOptions): Metrics {
  const registry = new Registry();
  const remote = remoteFamilies(registry);
  const simulations = new Counter({
    name: "simulation_execution_total",
    help: "Simulation runs; error: it could not be carried out, whatever happened on chain.",
    labelNames: ["status"],
    registers: [registry],
  });
  const requests = new Histogram({
    name: "svc_request_duration_seconds",
    help: "Time from a request's headers to its answer.",
    labelNames: ["route", "code"],
    buckets: REQUEST_BUCKETS,
    registers: [registry],
  });
  addGauges(registry, gauges);
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    attempted({ node, succeeded, status: how, durationSeconds }) {
      if (how === "aborted") return;
      const labels = { node_address: node, network };
      remote.responses.inc({ ...labels, status: succeeded ? "success" : "error" });
      remote.durations.observe(labels, durationSeconds);
      if (succeeded) remote.last.set(labels, clock.unixMilliseconds() / 1000);
    },
    simulated: (status) => simulations.inc({ status }),
    answered: (route, status, durationSeconds) =>
      requests.observe({ route, code: String(status) }, durationSeconds),
  };
}

function remoteFamilies(registry: Registry) {
  const registers = [registry];
  return {
    last: new Gauge({
      name: "remote_node_last_response_timestamp_seconds",
      help: "Unix time of the node's last successful response.",
      labelNames: REMOTE_LABELS,
      registers,
    }),
    responses: new Counter({
      name: "remote_node_response_total",
      help: "Calls to the node, each attempt by itself, failures and timeouts included.",
      labelNames: [...REMOTE_LABELS, "status"],
      registers,
    }),
    durations: new Histogram({
      name: "remote_node_response_duration_seconds",
      help: "How long the node took, or how long it was waited for.",
      labelNames: REMOTE_LABELS,
      buckets: REMOTE_BUCKETS,
      registers,
    }),
  };
}

function addGauges(registry: Registry, gauges: Gauges): void {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  gauge("svc_queue_depth", "Simulations that wait for a worker.", gauges.queueDepth);
  gauge(
    "svc_simulations_in_flight",
    "Simulations that a worker was given.",
    gauges.simulationsInFlight,
  );
  gauge("svc_requests_in_flight", "Requests that are not answered yet.", gauges.requestsInFlight);
  gauge("svc_workers", "Workers that run.", gauges.workers);
  gauge(
    "svc_worker_resident_memory_bytes",
    "Resident memory of all workers; 0 where the system does not tell.",
    gauges.workerMemoryBytes,
  );
  gauge("svc_process_resident_memory_bytes", "Resident memory of the daemon itself.", () =>
    process.memoryUsage.rss(),
  );
  const lost = new Counter({
    name: "svc_workers_lost_total",
    help: "Workers that crashed, hung or broke the protocol.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(gauges.workersLost());
    },
  });
  lost.inc(0);
  new Gauge({
    name: "svc_build_info",
    help: "Always 1; its labels name this build.",
    labelNames: ["version", "commit"],
    registers: [registry],
  }).set({ version: BUILD_INFO.version, commit: BUILD_INFO.commit }, 1);
}
