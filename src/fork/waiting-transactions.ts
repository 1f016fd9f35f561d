// The transactions that a fork has accepted and that no ledger includes yet, and the failures of
// those that never came into one. Invariant: a transaction leaves the queue with a ledger that
// includes it, or with its failure.

import { asAnswer } from "../http-server/routes/json-answer.ts";
import { isFailureOfNode } from "../sources/source.ts";
import { transactionNotApplied } from "./errors.ts";

export interface WaitingTransaction {
  /** The hash in hex. */
  readonly hash: string;
  /** The hash of a fee bump's inner transaction; null for every other. */
  readonly innerHash: string | null;
  readonly envelopeXdr: string;
  /** Each account has one transaction in a node's queue. */
  readonly source: string;
}

interface Queued extends WaitingTransaction {
  /** The number of ledgers that closed without it because nodes failed. */
  failedReads: number;
  /** True while nodes are asked for entries that it needs. */
  isReading: boolean;
}

/** stellar-core drops a transaction that no ledger has included for as long. */
const MOST_FAILED_READS = 4;
const MOST_FAILURES = 10_000;

export class WaitingTransactions {
  private queued: Queued[] = [];
  /** The failures by hash, the oldest first. */
  private readonly failures = new Map<string, unknown>();

  /**
   * Opens a queue. `failed` is called with each transaction that leaves the queue without a ledger.
   */
  constructor(private readonly failed: (error: unknown, hash: string) => void) {}

  get all(): readonly WaitingTransaction[] {
    return this.queued;
  }

  /** The transactions that the next ledger can include: no node is asked for what they need. */
  get ready(): readonly WaitingTransaction[] {
    return this.queued.filter(({ isReading }) => !isReading);
  }

  has(hash: string): boolean {
    return this.find(hash) !== undefined;
  }

  add(transaction: WaitingTransaction): void {
    this.queued.push({ ...transaction, failedReads: 0, isReading: false });
    for (const hash of hashesOf(transaction)) this.failures.delete(hash);
  }

  /** Replaces the queue by that of another moment. */
  replace(transactions: readonly WaitingTransaction[]): void {
    this.queued = [];
    for (const each of transactions) this.add(each);
  }

  remove(hashes: ReadonlySet<string>): void {
    this.queued = this.queued.filter(({ hash }) => !hashes.has(hash));
  }

  /**
   * Drops a transaction. No ledger includes it, and clients that ask for its hash get the error.
   */
  drop(hash: string, error: unknown): void {
    const dropped = this.find(hash);
    if (dropped === undefined) return;
    this.remove(new Set([hash]));
    for (const each of hashesOf(dropped)) this.failures.set(each, error);
    for (const oldest of this.failures.keys()) {
      if (this.failures.size <= MOST_FAILURES) break;
      this.failures.delete(oldest);
    }
    this.failed(error, hash);
  }

  /** Throws FORK_NOT_APPLIED for a transaction that was dropped and has not been sent again. */
  requireNotDropped(hash: string): void {
    const error = this.failures.get(hash);
    if (error !== undefined) throw transactionNotApplied(hash, asAnswer(error));
  }

  /**
   * Waits until the entries that the transaction needs are read, or cannot be read. It is not ready
   * meanwhile. Never throws, unless the signal is aborted.
   */
  async waitForEntries(
    hash: string,
    read: () => Promise<unknown>,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<void> {
    const transaction = this.find(hash);
    if (transaction === undefined) return;
    transaction.isReading = true;
    try {
      await read();
    } catch (error) {
      if (signal.aborted) throw error;
      transaction.failedReads += 1;
      const isPassing = isFailureOfNode(error) && transaction.failedReads < MOST_FAILED_READS;
      if (!isPassing) this.drop(hash, error);
    } finally {
      transaction.isReading = false;
    }
  }

  private find(hash: string): Queued | undefined {
    return this.queued.find((each) => each.hash === hash);
  }
}

function hashesOf({ hash, innerHash }: WaitingTransaction): readonly string[] {
  return innerHash === null ? [hash] : [hash, innerHash];
}
