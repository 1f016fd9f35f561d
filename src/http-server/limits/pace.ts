// Limits the pace of refusals: clients that repeat a request at once, whatever the answer is, must
// not take the time of accepted requests. A few hundred refusals a second are immediate, even if
// they come together. Further ones wait for their turn, at most for a second: the time that
// Retry-After asks for.

import type { Clock } from "../../base/clock.ts";

const TICK_MILLISECONDS = 10;
const TICKS_OF_LONGEST_WAIT = 100;
/** 500 a second take a few percent of a core. */
const LEAST_TURNS_PER_TICK = 5;
/** The turns of half a second, which take some milliseconds. */
const MOST_TURNS = 50 * LEAST_TURNS_PER_TICK;
/** This bounds the memory, because each has a connection. */
const MOST_WAITING = 10_000;
const NEVER = new AbortController().signal;

export function openPace(clock: Clock) {
  const waiting: (() => void)[] = [];
  let turnsLeft = MOST_TURNS;
  /** The largest number that waited since none did. */
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
    /** Waits for a turn; null if it is now. */
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
