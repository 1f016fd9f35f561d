// The order in which calls are read that are replayed side by side. What is kept of several calls
// that are alike must not depend on whose replay ends first, so each call waits there for its turn.

export interface Turn {
  /** Resolves once all turns before it have ended. */
  readonly comes: Promise<void>;
  /** Lets the next call have its turn. */
  readonly end: () => void;
}

/** The turn of a call that has not to wait. */
export const AT_ONCE: Turn = { comes: Promise.resolve(), end: () => {} };

export class ReadingOrder {
  private last = AT_ONCE.comes;

  /**
   * The turn after all that were taken before. A call that fails does not end its turn, because
   * nothing is decided after it.
   */
  take(): Turn {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const comes = this.last;
    this.last = comes.then(() => promise);
    return { comes, end };
  }
}
