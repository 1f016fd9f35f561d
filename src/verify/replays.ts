// Replays under way, at most so many at a time.

/** Starts work while there is room; the first failure comes out at the next start or at the end. */
export class Replays {
  private running = 0;
  private failure: { readonly error: unknown } | null = null;
  private wake: () => void = () => {};

  constructor(private readonly limit: number) {}

  /** Resolves when the work has begun. */
  async start<T>(work: () => Promise<T>): Promise<{ readonly result: Promise<T> }> {
    await this.untilBelow(this.limit);
    this.running += 1;
    const result = work();
    void this.follow(result);
    return { result };
  }

  async end(): Promise<void> {
    await this.untilBelow(1);
  }

  private async untilBelow(limit: number): Promise<void> {
    while (this.running >= limit && this.failure === null) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    if (this.failure !== null) throw this.failure.error;
  }

  private async follow(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.failure ??= { error };
    }
    this.running -= 1;
    this.wake();
  }
}
