// Refusals leave at a pace: clients that ask again at once, whatever the answer is, must not take
// the time in which accepted requests are answered. A few hundred a second are immediate, also when
// they come at once. When there are more, each waits for its turn, for a second at most: the time
// that Retry-After asks for.

import type { Clock } from "../../base/clock.ts";

const TICK_MILLISECONDS = 10;
const TICKS_OF_LONGEST_WAIT = 100;
/** 500 a second take a few percent of a core. */
const LEAST_TURNS_PER_TICK = 5;
/** Those of half a second, which take some milliseconds. */
const MOST_TURNS = 50 * LEAST_TURNS_PER_TICK;
/** A bound of memory: each has a connection. */
const MOST_WAITING = 10_000;
const NEVER = new AbortController().signal;

export function openPace(clock: Clock) {
  const waiting: (() => void)[] = [];
  let turnsLeft = MOST_TURNS;
  /** The most that waited since nobody did. */
  let most = 0;
  let ticking = false;
  const tick = async () => {
    ticking = true;
    while (turnsLeft < MOST_TURNS) {
      await clock.sleep(TICK_MILLISECONDS, NEVER);
      const share = Math.ceil(most / TICKS_OF_LONGEST_WAIT);
      const due = waiting.splice(0, Math.max(LEAST_TURNS_PER_TICK, share));
      if (waiting.length === 0) most = 0;
      const unused = Math.max(0, LEAST_TURNS_PER_TICK - due.length);
      turnsLeft = Math.min(MOST_TURNS, turnsLeft + unused);
      for (const go of due) go();
    }
    ticking = false;
  };
  return {
    /** Null: now. */
    turn(): Promise<void> | null {
      if (waiting.length >= MOST_WAITING) return null;
      const now = turnsLeft > 0;
      if (now) turnsLeft -= 1;
      const turn = now ? null : new Promise<void>((resolve) => void waiting.push(resolve));
      most = Math.max(most, waiting.length);
      if (!ticking) void tick();
      return turn;
    },
  };
}
