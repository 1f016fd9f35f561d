// The metrics for Prometheus: the four families that alert rules and dashboards use, and more of
// the server's own under svc_. Each server has one registry, with text format 0.0.4 only.
// Invariants: a remote family has a series from its first observation on. `node_address` has no
// secret of a URL, and differs between the nodes of one host. An attempt that svc itself aborted
// shows nothing about the node and is not counted.

import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { BUILD_INFO } from "../base/build-info.ts";
import type { Clock } from "../base/clock.ts";
import { SvcError } from "../base/errors/errors.ts";
import type { HttpAttempt } from "../base/http/http.ts";
import type { PoolStatus } from "../debugger/setup/open-pools.ts";
import type { ProofOutcome } from "../debugger/setup/open-proofs.ts";
import type { NodeEvent } from "../sources/standing.ts";
import { faultOf } from "./fault-of.ts";

export interface Metrics {
  readonly contentType: string;
  /** The registry, for the families of other parts of the server. */
  readonly registry: Registry;
  render(): Promise<string>;
  /** Counts one attempt at a remote call. */
  readonly attempted: (attempt: HttpAttempt) => void;
  /** Counts one run of svc-sim. A failed transaction is a success of the run. */
  readonly simulated: (status: "success" | "error") => void;
  /**
   * Counts one look-up of a transaction's state in a history archive, but not that of a capsule.
   */
  readonly proved: (outcome: ProofOutcome) => void;
  /** Shows these gauges too. It is called once, after the server is complete. */
  readonly watch: (gauges: Gauges) => void;
  /** Counts a node that begins to rest. */
  readonly rested: (event: NodeEvent) => void;
  /** Counts one JSON-RPC call. `method` is a known method, or `other`. */
  readonly called: (method: string, outcome: CallOutcome) => void;
  /** Counts one answered request. */
  readonly answered: (route: string, status: number, durationSeconds: number) => void;
  /** Counts the failure of one request, whatever the status of its answer is. */
  readonly failed: (route: string, error: SvcError) => void;
}

/** The outcome `invalid` means that the client has to change the call. */
export type CallOutcome = "success" | "invalid" | "error";

/** The gauges, which are read at each scrape. */
export interface Gauges {
  readonly requestsInFlight: () => number;
  readonly workers: () => PoolStatus;
  readonly workerMemoryBytes: () => number;
  /** The bytes of the bodies of requests without an answer. */
  readonly bodyBytes: () => number;
  readonly answerBytes: () => number;
  /** For each node, by its address, whether it rests. */
  readonly resting: () => ReadonlyMap<string, boolean>;
  /** For each kind of each node, the other nodes that can answer instead. */
  readonly others: () => ReadonlyMap<string, readonly (readonly string[])[]>;
  /** For a fork that saves its state in a file, whether it is saved. */
  readonly isSaved?: () => boolean;
  /** The reason that `/ready` reports; null if the server is ready. */
  readonly whyNotReady: () => Promise<SvcError | null>;
}

const NODE = ["node_address", "network"];
const REMOTE_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const PROOF_OUTCOMES: readonly ProofOutcome[] = ["success", "unsigned", "contradicted", "error"];
/** A simulation takes a millisecond, a debug run seconds. */
const REQUEST_BUCKETS = [0.001, 0.0025, ...REMOTE_BUCKETS, 30, 60];

export function openMetrics({
  network,
  clock,
}: {
  readonly network: string;
  readonly clock: Clock;
}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = (name: string, help: string, labelNames: string[], buckets: number[]) =>
    new Histogram({ name, help, labelNames, buckets, registers });
  const lastResponse = new Gauge({
    name: "remote_node_last_response_timestamp_seconds",
    help: "Unix time of the last successful response of the node.",
    labelNames: NODE,
    registers,
  });
  const responses = counter(
    "remote_node_response_total",
    "Attempts at calls to the node, including failures and timeouts.",
    [...NODE, "status"],
  );
  const durations = histogram(
    "remote_node_response_duration_seconds",
    "Duration of each attempt; for a timeout, the time until svc stopped waiting.",
    NODE,
    REMOTE_BUCKETS,
  );
  const simulations = counter(
    "simulation_execution_total",
    "Replays and simulations run by svc-sim. error: the run ended without a result; a transaction " +
      "that fails in the run is a success.",
    ["status"],
  );
  const own = openOwnMetrics(counter, histogram, network);
  const lastSuccesses = new Map<string, number>();
  return {
    contentType: registry.contentType,
    registry,
    render: () => registry.metrics(),
    watch(gauges) {
      addGauges(registry, gauges);
      addNodeGauges(registry, { gauges, network, lastSuccesses });
      addReadiness(registry, gauges);
    },
    attempted({ node, succeeded, status: how, durationSeconds }) {
      if (how === "aborted") return;
      const labels = { node_address: node, network };
      responses.inc({ ...labels, status: succeeded ? "success" : "error" });
      durations.observe(labels, durationSeconds);
      if (!succeeded) return;
      const now = clock.unixMilliseconds() / 1000;
      lastResponse.set(labels, now);
      lastSuccesses.set(node, now);
    },
    simulated: (status) => simulations.inc({ status }),
    ...own,
  };
}

type Open<Metric> = (name: string, help: string, labelNames: string[]) => Metric;

/** The counters besides the four families. */
function openOwnMetrics(
  counter: Open<Counter>,
  histogram: (...parameters: [...Parameters<Open<Histogram>>, number[]]) => Histogram,
  network: string,
): Pick<Metrics, "proved" | "rested" | "called" | "answered" | "failed"> {
  const requests = histogram(
    "svc_request_duration_seconds",
    "Time from the headers of a request to its answer.",
    ["route", "code"],
    REQUEST_BUCKETS,
  );
  const rests = counter(
    "svc_node_rests_total",
    "Rests that a node began: it failed to connect, or to answer in time more than once.",
    NODE,
  );
  const calls = counter(
    "svc_rpc_calls_total",
    "Calls of POST /rpc by method and outcome; invalid: the client has to change the call, or left.",
    ["method", "outcome"],
  );
  const failures = counter(
    "svc_failures_total",
    "Requests that failed, by the code of the failure and whose fault it is: client, node or " +
      "daemon. Those with status 200 count too; a batch counts once, with its worst failure.",
    ["route", "code", "fault"],
  );
  const proofs = counter(
    "svc_proofs_total",
    "Look-ups of a transaction's state in a history archive, except those for capsules. unsigned: too " +
      "few validators signed the ledger. contradicted: they signed something other than a node showed. " +
      "error: no archive had an answer.",
    ["status"],
  );
  // A counter that first appears with its first event shows no increase, so each begins at 0.
  for (const status of PROOF_OUTCOMES) proofs.inc({ status }, 0);
  return {
    proved: (status) => proofs.inc({ status }),
    rested({ node, restMilliseconds }) {
      if (restMilliseconds !== null) rests.inc({ node_address: node, network });
    },
    called: (method, outcome) => calls.inc({ method, outcome }),
    answered: (route, status, durationSeconds) =>
      requests.observe({ route, code: String(status) }, durationSeconds),
    failed: (route, error) => failures.inc({ route, code: error.code, fault: faultOf(error.code) }),
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
  gauge(
    "svc_queue_depth",
    "Replays and simulations that wait for a worker.",
    () => gauges.workers().queued,
  );
  gauge(
    "svc_simulations_in_flight",
    "Replays and simulations that a worker runs.",
    () => gauges.workers().inFlight,
  );
  gauge("svc_requests_in_flight", "Requests without an answer so far.", gauges.requestsInFlight);
  gauge(
    "svc_request_body_bytes",
    "Total size of the bodies of the requests without an answer so far.",
    gauges.bodyBytes,
  );
  gauge(
    "svc_answer_bytes",
    "Total size of the large answers that wait until their clients have taken them.",
    gauges.answerBytes,
  );
  gauge("svc_workers", "Running svc-sim workers.", () => gauges.workers().workers);
  gauge(
    "svc_worker_resident_memory_bytes",
    "Resident memory of all workers; 0 if the system does not report it.",
    gauges.workerMemoryBytes,
  );
  gauge("svc_process_resident_memory_bytes", "Resident memory of the daemon itself.", () =>
    process.memoryUsage.rss(),
  );
  const { isSaved } = gauges;
  if (isSaved !== undefined)
    gauge(
      "svc_fork_state_saved",
      "1 if everything that the fork reported to its clients is on the disk.",
      () => (isSaved() ? 1 : 0),
    );
  const lost = new Counter({
    name: "svc_workers_lost_total",
    help:
      "Processes of svc-sim that crashed, hung, violated the protocol, or could not be started; " +
      "their work is done again.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(gauges.workers().lost);
    },
  });
  lost.inc(0);
  new Gauge({
    name: "svc_build_info",
    help: "Always 1; the labels identify this build.",
    labelNames: ["version", "commit"],
    registers: [registry],
  }).set({ version: BUILD_INFO.version, commit: BUILD_INFO.commit }, 1);
}

function addReadiness(registry: Registry, { whyNotReady }: Pick<Gauges, "whyNotReady">): void {
  new Gauge({
    name: "svc_ready",
    help: "1: /ready answers with status 200.",
    registers: [registry],
    async collect() {
      this.set((await whyNotReady()) === null ? 1 : 0);
    },
  });
  new Gauge({
    name: "svc_not_ready",
    help: "1: the reason why /ready fails, by its code. There is no series while the daemon is ready.",
    labelNames: ["code"],
    registers: [registry],
    async collect() {
      const reason = await whyNotReady();
      this.reset();
      if (reason === null) return;
      const { cause } = reason;
      this.set({ code: cause instanceof SvcError ? cause.code : reason.code }, 1);
    },
  });
}

interface NodeGauges {
  readonly gauges: Pick<Gauges, "resting" | "others">;
  readonly network: string;
  /** The Unix time in seconds. */
  readonly lastSuccesses: ReadonlyMap<string, number>;
}

function addNodeGauges(registry: Registry, { gauges, network, lastSuccesses }: NodeGauges): void {
  new Gauge({
    name: "svc_node_resting",
    help: "1: the node rests, and gets requests only when no other node has an answer.",
    labelNames: NODE,
    registers: [registry],
    collect() {
      for (const [node, rests] of gauges.resting()) {
        this.set({ node_address: node, network }, rests ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: "svc_node_others_last_response_timestamp_seconds",
    help:
      "Unix time of the last successful response of another node that can answer in the place of " +
      "this one; the earliest for a node of several kinds. There is no series if none has answered.",
    labelNames: NODE,
    registers: [registry],
    collect() {
      for (const [node, kinds] of gauges.others()) {
        const lasts = kinds.map((others) =>
          Math.max(0, ...others.map((other) => lastSuccesses.get(other) ?? 0)),
        );
        const last = Math.min(...lasts);
        if (last > 0) this.set({ node_address: node, network }, last);
      }
    },
  });
}
