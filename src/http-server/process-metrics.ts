// Metrics of the process, as far as the system shows them: its start, CPU time, descriptors, the
// delay of its thread, and the memory of its machine or control group.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { ifVisible } from "../base/files/read-file.ts";
import { readMemory } from "./limits/read-memory.ts";

export interface ProcessMetricsOptions {
  readonly registry: Registry;
  /** The number of open connections of clients; null if they cannot be seen. */
  readonly connections: () => number | null;
}

/** The time between two looks. Clients notice a delay that is longer than a few of these. */
const LOOK_MILLISECONDS = 100;
const DELAY_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const MICROSECONDS = 1e6;

/** Registers the metrics, which are measured until the result is disposed. */
export function openProcessMetrics({ registry, connections }: ProcessMetricsOptions): Disposable {
  const registers = [registry];
  /** A value of null means that the system does not show it, and that there is no series. */
  const gauge = (name: string, help: string, value: () => number | null) => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const now = value();
        if (now === null) this.remove();
        else this.set(now);
      },
    });
  };
  new Gauge({
    name: "svc_process_start_time_seconds",
    help: "Unix time at which the daemon was started.",
    registers,
  }).set(performance.timeOrigin / 1000);
  new Counter({
    name: "svc_process_cpu_seconds_total",
    help: "CPU time of the daemon itself, without svc-sim.",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / MICROSECONDS);
    },
  });
  gauge("svc_process_open_fds", "Open descriptors of the daemon.", openDescriptors);
  gauge("svc_process_max_fds", "Descriptors that the daemon may have open.", mostDescriptors);
  gauge("svc_connections", "Open connections of clients.", connections);
  gauge(
    "svc_memory_used_bytes",
    "Memory in use in the control group of the daemon, including svc-sim, or on the machine: " +
      "whichever is nearer to its limit.",
    () => readMemory()?.usedBytes ?? null,
  );
  gauge(
    "svc_memory_limit_bytes",
    "The limit for svc_memory_used_bytes.",
    () => readMemory()?.limitBytes ?? null,
  );
  const delays = new Histogram({
    name: "svc_event_loop_delay_seconds",
    help: "Delay of the thread that answers all requests, measured every 100 ms.",
    buckets: DELAY_BUCKETS,
    registers,
  });
  let due = performance.now() + LOOK_MILLISECONDS;
  const timer = setInterval(() => {
    const now = performance.now();
    delays.observe(Math.max(0, now - due) / 1000);
    due = now + LOOK_MILLISECONDS;
  }, LOOK_MILLISECONDS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Null if the system has no /proc. */
export function openDescriptors(): number | null {
  // Since Linux 6.2 the size is their number. On earlier and other systems it is 0.
  const size = ifVisible(() => statSync("/proc/self/fd").size) ?? 0;
  return size > 0 ? size : ifVisible(() => readdirSync("/proc/self/fd").length);
}

/** Null if there is no limit, or if the system does not show it. */
export function mostDescriptors(): number | null {
  const limits = ifVisible(() => readFileSync("/proc/self/limits", "utf8")) ?? "";
  const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? [];
  return soft === undefined ? null : Number(soft);
}
