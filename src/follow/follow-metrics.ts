// The metrics of following. The values of labels come from closed sets: verdicts, kinds of causes,
// and the names of sinks and watched things in the settings. No hash and no text of the chain is a
// label.

import { Counter, Gauge, type Registry } from "prom-client";
import type { Clock } from "../base/clock.ts";
import { FOLLOW_COUNTS } from "../model/follow.ts";
import type { VerdictKind } from "../model/verdict.ts";
import { valuesOf } from "../model/verification.ts";
import type { FollowProgress } from "./follow-ledgers.ts";
import type { FollowPosition } from "./follow-position.ts";
import type { DeliveryOutcome } from "./sinks/deliver.ts";

export interface FollowMetrics {
  readonly committed: (progress: FollowProgress) => void;
  /** Counts a ledger that was not accepted. */
  readonly refused: () => void;
  readonly attempted: (sink: string, outcome: DeliveryOutcome, events: number) => void;
}

export interface FollowMetricsOptions {
  readonly clock: Clock;
  /** The names of the sinks. */
  readonly sinks: readonly string[];
  readonly rehearseProtocol: number | null;
  /** These two are read at each scrape. */
  readonly waiting: (sink: string) => number;
  readonly position: FollowPosition;
}

const VERDICTS: readonly VerdictKind[] = ["exact", "equivalent", "diverged", "inconclusive"];
const MISMATCHES = ["state", "restored"] as const;
const OUTCOMES: readonly DeliveryOutcome[] = ["delivered", "failed", "refused", "abandoned"];
/** The label of every failure if nothing in particular is watched. */
const EVERYTHING = "all";

export function openFollowMetrics(
  registry: Registry,
  { clock, sinks, rehearseProtocol, waiting, position }: FollowMetricsOptions,
): FollowMetrics {
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name, help, labelNames, registers });
  openLag(registry, clock, position);
  openUnknownProtocol(registry, position);
  const ledgers = counter(
    "svc_follow_ledgers_total",
    "Ledgers that were verified, skipped by the backlog policy, or refused because they differ from the " +
      "chain. svc fetches a refused ledger again.",
    ["outcome"],
  );
  const transactions = counter(
    "svc_follow_transactions_total",
    "Soroban transactions that were replayed, by verdict.",
    ["verdict"],
  );
  const mismatches = counter(
    "svc_follow_state_mismatches_total",
    "Entries that were read or restored with another value than earlier ledgers gave them.",
    ["kind"],
  );
  const failures = counter(
    "svc_follow_failures_total",
    "Failed transactions that name a watched contract or account, by its label and the kind of cause.",
    ["watched", "cause"],
  );
  const rehearsed = counter(
    "svc_follow_rehearsed_total",
    "Transactions that were run under the rehearsed protocol too.",
    ["protocol", "result"],
  );
  const alerts = counter(
    "svc_alerts_total",
    "Events sent to sinks: delivered, failed (tried again), refused, or abandoned. The log has " +
      "the last two in full.",
    ["sink", "outcome"],
  );
  new Gauge({
    name: "svc_alerts_waiting",
    help: "Events that wait for the sink.",
    labelNames: ["sink"],
    registers,
    collect() {
      for (const sink of sinks) this.set({ sink }, waiting(sink));
    },
  });
  // A counter that first appears with its first event shows no increase, so each begins at 0.
  for (const outcome of ["verified", "skipped", "refused"]) ledgers.inc({ outcome }, 0);
  for (const verdict of VERDICTS) transactions.inc({ verdict }, 0);
  for (const kind of MISMATCHES) mismatches.inc({ kind }, 0);
  for (const sink of sinks) for (const outcome of OUTCOMES) alerts.inc({ sink, outcome }, 0);
  const protocol = String(rehearseProtocol);
  if (rehearseProtocol !== null) {
    for (const result of ["same", "different"]) rehearsed.inc({ protocol, result }, 0);
  }
  return {
    refused: () => ledgers.inc({ outcome: "refused" }),
    attempted: (sink, outcome, events) => alerts.inc({ sink, outcome }, events),
    committed({ outcome, events }) {
      for (const event of events) {
        if (event.kind === "ledgers-skipped") {
          ledgers.inc({ outcome: "skipped" }, event.lastSkipped - event.firstSkipped + 1);
        }
      }
      if (outcome === null) return;
      ledgers.inc({ outcome: "verified" });
      const counts = valuesOf(FOLLOW_COUNTS, outcome);
      for (const verdict of VERDICTS) transactions.inc({ verdict }, counts.verdicts[verdict]);
      for (const { kind } of outcome.mismatches) mismatches.inc({ kind });
      for (const { watched, cause } of outcome.seen.filter((seen) => seen.kind === "failure")) {
        const names = watched.length === 0 ? [EVERYTHING] : watched;
        for (const name of names) failures.inc({ watched: name, cause });
      }
      const { rehearsed: ran, rehearsalDifferences: different } = counts;
      if (rehearseProtocol === null) return;
      rehearsed.inc({ protocol, result: "different" }, different);
      rehearsed.inc({ protocol, result: "same" }, ran - different);
    },
  };
}

/** The metric is 0 while nothing is wrong, because an alert needs a sample. */
function openUnknownProtocol(registry: Registry, position: FollowPosition): void {
  new Gauge({
    name: "svc_follow_unknown_protocol",
    help:
      "The protocol of the next ledger if this svc does not know it, else 0. svc verifies nothing " +
      "until it is updated.",
    registers: [registry],
    collect() {
      this.set(position.unknownProtocol() ?? 0);
    },
  });
}

/**
 * An unknown lag has no sample: no ledger was verified yet, or no node reports its latest ledger.
 */
function openLag(registry: Registry, clock: Clock, position: FollowPosition): void {
  const gauge = (name: string, help: string, read: () => number | undefined) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.remove();
        const value = read();
        if (value !== undefined) this.set(value);
      },
    });
  gauge(
    "svc_follow_last_ledger",
    "The last ledger that was verified.",
    () => position.verified()?.ledger,
  );
  gauge("svc_follow_lag_seconds", "Time since the last verified ledger closed.", () => {
    const verified = position.verified();
    if (verified === null) return undefined;
    return Math.max(0, clock.unixMilliseconds() / 1000 - verified.closeTimeUnixSeconds);
  });
  gauge(
    "svc_follow_lag_ledgers",
    "Ledgers that a node has and svc has not verified yet. No series while no node shows its latest ledger.",
    () => position.lag() ?? undefined,
  );
}
