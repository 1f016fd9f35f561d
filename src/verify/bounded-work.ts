// Bounds the work that runs at the same time.

/** Starts work while there is room. The next start throws the first failure. */
export class BoundedWork {
  private running = 0;
  private failure: { readonly error: unknown } | null = null;
  /** Wakes everything that waits, because several callers may wait at once. */
  private ended = Promise.withResolvers<void>();

  constructor(private readonly limit: number) {}

  /** Resolves after the work has begun. */
  async start<T>(work: () => Promise<T>): Promise<{ readonly result: Promise<T> }> {
    while (this.running >= this.limit && this.failure === null) await this.ended.promise;
    if (this.failure !== null) throw this.failure.error;
    this.running += 1;
    const result = work();
    void this.follow(result);
    return { result };
  }

  private async follow(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.failure ??= { error };
    }
    this.running -= 1;
    this.ended.resolve();
    this.ended = Promise.withResolvers();
  }
}
