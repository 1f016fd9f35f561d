// Delivers the waiting events of each sink in order. A slow or failing sink delays neither the
// others nor the verification: its events wait in the saved state. Invariant: an event is removed
// from the queue after the sink has accepted it, or after the log has it as dropped.

import type { Clock } from "../../base/clock.ts";
import type { FollowLog } from "../../ledgers/feed/feed-node.ts";
import type { FollowEvent } from "../../model/follow.ts";
import type { EventQueue } from "../event-queue.ts";
import type { Delivery, Sink } from "./sink.ts";

export type DeliveryOutcome = "delivered" | "failed" | "refused" | "abandoned";

export interface DeliverDependencies {
  readonly queue: Pick<EventQueue, "waiting" | "countWaiting" | "delivered">;
  readonly clock: Clock;
  /** A number between 0 and 1, which spreads the attempts of several daemons. */
  readonly random: () => number;
  readonly log: FollowLog;
  /** Called after each attempt, with the number of events. */
  readonly attempted: (sink: string, outcome: DeliveryOutcome, events: number) => void;
  /** Resolves when there may be new events. */
  readonly changed: (signal: AbortSignal) => Promise<void>;
}

export interface DeliverOptions {
  /** An event whose delivery failed for longer is dropped. */
  readonly giveUpMilliseconds: number;
  /** If more events wait, the oldest are dropped. */
  readonly mostWaiting: number;
}

const FIRST_WAIT_MILLISECONDS = 1000;
const LONGEST_WAIT_MILLISECONDS = 5 * 60_000;
const READ_AT_ONCE = 500;

/** Delivers until `signal` is aborted, and then throws its reason. */
export async function deliverTo(
  sink: Sink,
  dependencies: DeliverDependencies,
  options: DeliverOptions,
  signal: AbortSignal,
): Promise<never> {
  const { queue, changed } = dependencies;
  for (;;) {
    const waiting = queue.waiting(sink.name, READ_AT_ONCE);
    if (waiting.length === 0) await changed(signal);
    for (let at = 0; at < waiting.length; at += sink.batchSize) {
      const batch = waiting.slice(at, at + sink.batchSize);
      const events = batch.map(({ event }) => event);
      await deliverBatch(sink, events, dependencies, options, signal);
      queue.delivered(sink.name, batch.at(-1)?.sequence ?? 0);
    }
  }
}

/** Returns after the sink has accepted the batch, or after the batch was dropped. */
async function deliverBatch(
  sink: Sink,
  events: readonly FollowEvent[],
  dependencies: DeliverDependencies,
  { giveUpMilliseconds, mostWaiting }: DeliverOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, queue, log, attempted, random } = dependencies;
  const { name } = sink;
  const begin = clock.monotonicMilliseconds();
  let reported = false;
  for (let attempt = 0; ; attempt += 1) {
    const answer: Delivery = await sink.deliver(events, signal);
    attempted(name, answer.kind, events.length);
    if (answer.kind === "delivered") {
      if (reported) log("info", "the sink takes events again", { sink: name });
      return;
    }
    const { kind, reason } = answer;
    const late = clock.monotonicMilliseconds() - begin > giveUpMilliseconds;
    const tooMany = queue.countWaiting(name) > mostWaiting;
    if (kind === "refused" || late || tooMany) {
      if (kind !== "refused") attempted(name, "abandoned", events.length);
      logDropped(log, name, reason, events);
      return;
    }
    if (!reported) log("warn", "the sink fails", { sink: name, reason });
    reported = true;
    const backoff = Math.min(LONGEST_WAIT_MILLISECONDS, FIRST_WAIT_MILLISECONDS * 2 ** attempt);
    const wait = Math.max(answer.waitMilliseconds ?? 0, backoff * (0.5 + random() / 2));
    await clock.sleep(Math.min(wait, LONGEST_WAIT_MILLISECONDS), signal);
  }
}

/** Logs dropped events in full, because the log is then the only place that has them. */
export function logDropped(
  log: FollowLog,
  sink: string,
  reason: string,
  events: readonly FollowEvent[],
): void {
  for (const event of events)
    log("error", "event dropped", { sink, reason, event: JSON.stringify(event) });
}
