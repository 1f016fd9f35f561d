// Turns of the event loop, and timers. Every JavaScript runtime has all that this file needs.

/** A function that Node and Bun have in addition to the web platform. */
interface TurnRuntime {
  readonly setImmediate?: (callback: () => void) => unknown;
}

/** Settles after everything that is due now, such as events of sockets, has run. */
export function nextTurn(): Promise<void> {
  const { setImmediate } = globalThis as TurnRuntime;
  return new Promise((resolve) => {
    if (setImmediate === undefined) setTimeout(resolve, 0);
    else setImmediate(resolve);
  });
}

/** Returns a function whose calls settle in turns of their own, one after the other in order. */
export function openQueueOfTurns(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(nextTurn);
    return last;
  };
}

/**
 * Calls `giveUp` once the time has passed since the creation or the last renewal. Renewing is
 * cheap. The program may end in the meantime, if its runtime waits for timers at all.
 */
export class Patience {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isRenewed = false;
  private renewedAtMilliseconds = 0;

  constructor(
    private readonly milliseconds: number,
    private readonly giveUp: () => void,
  ) {
    this.start(milliseconds);
  }

  renew(): void {
    this.isRenewed = true;
    this.renewedAtMilliseconds = performance.now();
  }

  end(): void {
    clearTimeout(this.timer);
  }

  private start(milliseconds: number): void {
    this.timer = setTimeout(() => {
      if (!this.isRenewed) {
        this.giveUp();
        return;
      }
      this.isRenewed = false;
      const passed = performance.now() - this.renewedAtMilliseconds;
      this.start(Math.max(1, this.milliseconds - passed));
    }, milliseconds);
    inBackground(this.timer);
  }
}

/** Lets the program end although the timer runs, if its runtime waits for timers at all. */
export function inBackground(timer: ReturnType<typeof setTimeout>): void {
  (timer as { unref?: () => void }).unref?.();
}
