// A queue in which the clients take turns, so that a client with many jobs delays another by at
// most one of them. Jobs that have to run again come first.

export class FairQueue<Job extends { readonly client: string }> {
  private again: Job[] = [];
  /** The waiting jobs of each client, in the order of turns. No list is empty. */
  private readonly byClient = new Map<string, Job[]>();
  private waiting = 0;

  get length(): number {
    return this.again.length + this.waiting;
  }

  push(job: Job): void {
    const jobs = this.byClient.get(job.client);
    if (jobs === undefined) this.byClient.set(job.client, [job]);
    else jobs.push(job);
    this.waiting += 1;
  }

  /** Puts jobs back that a worker had already taken, the oldest first. */
  putBack(jobs: readonly Job[]): void {
    this.again.unshift(...jobs);
  }

  /**
   * Returns the job whose turn it is, among the clients that may run one. The job stays in the
   * queue.
   */
  next(mayRun: (client: string) => boolean): Job | null {
    const again = this.again.find(({ client }) => mayRun(client));
    if (again !== undefined) return again;
    for (const [client, [job]] of this.byClient) if (mayRun(client)) return job ?? null;
    return null;
  }

  /**
   * Removes a job and gives the turn to the next client. Returns false if the job is not in the
   * queue.
   */
  remove(job: Job): boolean {
    const again = this.again.indexOf(job);
    if (again !== -1) {
      this.again.splice(again, 1);
      return true;
    }
    const jobs = this.byClient.get(job.client) ?? [];
    const at = jobs.indexOf(job);
    if (at === -1) return false;
    jobs.splice(at, 1);
    this.waiting -= 1;
    this.byClient.delete(job.client);
    if (jobs.length > 0) this.byClient.set(job.client, jobs);
    return true;
  }

  clear(): void {
    this.again = [];
    this.byClient.clear();
    this.waiting = 0;
  }
}
