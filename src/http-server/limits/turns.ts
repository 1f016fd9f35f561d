// Limits the work that goes on at a time; the rest waits. Clients take turns, and one client never
// has all places: another one gets a place at once, or as soon as any work ends. admission.ts
// limits how much may wait.

import { FairQueue } from "../../base/fair-queue.ts";

/** The client that waits, and its signal. */
interface Waiter {
  readonly client?: string | undefined;
  readonly signal: AbortSignal;
}

export interface Turns {
  /** Runs the work when a place is free. Rejects with the signal's reason while it waits. */
  run<Result>(waiter: Waiter, work: () => Promise<Result>): Promise<Result>;
  readonly waiting: () => number;
}

/** The share of all places that one client leaves to others. */
const LEFT_TO_OTHERS = 1 / 4;

export function openTurns(places: number): Turns {
  const mostOfOne = Math.max(1, places - Math.ceil(places * LEFT_TO_OTHERS));
  const queue = new FairQueue<{ readonly client: string; readonly go: () => void }>();
  const held = new Map<string, number>();
  let taken = 0;
  const hold = (client: string, change: 1 | -1) => {
    const count = (held.get(client) ?? 0) + change;
    if (count === 0) held.delete(client);
    else held.set(client, count);
    taken += change;
  };
  const pump = () => {
    while (taken < places) {
      const next = queue.next((client) => (held.get(client) ?? 0) < mostOfOne);
      if (next === null) return;
      queue.remove(next);
      hold(next.client, 1);
      next.go();
    }
  };
  return {
    waiting: () => queue.length,
    async run({ client = "", signal }, work) {
      signal.throwIfAborted();
      const turn = Promise.withResolvers<void>();
      const waiter = { client, go: turn.resolve };
      const leave = () => {
        if (queue.remove(waiter)) turn.reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      queue.push(waiter);
      pump();
      try {
        await turn.promise;
      } finally {
        signal.removeEventListener("abort", leave);
      }
      try {
        return await work();
      } finally {
        hold(client, -1);
        pump();
      }
    },
  };
}
