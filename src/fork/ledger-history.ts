// The ledgers that a fork has closed, from which RPC answers. The oldest are forgotten.

import type { ClosedLedger, ClosedTransaction } from "./ledger/chain.ts";

export interface FoundTransaction {
  readonly ledger: ClosedLedger;
  readonly transaction: ClosedTransaction;
}

/** A week of ledgers, which is what a node of Stellar RPC keeps. */
export const RETENTION_LEDGERS = 120_960;
/** The limit of envelopes, results and metas in characters. */
const KEPT_CHARACTERS = 256 * 1024 * 1024;

export class LedgerHistory {
  /** The ledgers in rising order. */
  private ledgers: ClosedLedger[] = [];
  private readonly byHash = new Map<string, FoundTransaction>();
  private characters = 0;
  /** True if some are no longer kept. */
  forgot = false;

  /** The ledgers in rising order, without those that the fork skipped. */
  get all(): readonly ClosedLedger[] {
    return this.ledgers;
  }

  get(sequence: number): ClosedLedger | null {
    const ledger = this.ledgers[this.indexOf(sequence)];
    return ledger?.sequence === sequence ? ledger : null;
  }

  /** The closed ledgers from first to last. */
  range(first: number, last: number): readonly ClosedLedger[] {
    return this.ledgers.slice(this.indexOf(first), this.indexOf(last + 1));
  }

  /** The transaction with this hash of its envelope, or of a fee bump's inner transaction. */
  find(hash: string): FoundTransaction | null {
    return this.byHash.get(hash) ?? null;
  }

  add(ledger: ClosedLedger): void {
    this.ledgers.push(ledger);
    this.characters += sizeOf(ledger);
    for (const transaction of ledger.transactions) {
      const placedTransaction = { ledger, transaction };
      this.byHash.set(transaction.hash, placedTransaction);
      if (transaction.innerHash !== null) this.byHash.set(transaction.innerHash, placedTransaction);
    }
    while (
      this.ledgers.length > RETENTION_LEDGERS ||
      (this.characters > KEPT_CHARACTERS && this.ledgers.length > 1)
    ) {
      this.forget(this.ledgers.shift() as ClosedLedger);
      this.forgot = true;
    }
  }

  /** Removes the ledgers after this one. */
  dropAfter(sequence: number): void {
    for (const ledger of this.ledgers.splice(this.indexOf(sequence + 1))) this.forget(ledger);
  }

  private forget(ledger: ClosedLedger): void {
    this.characters -= sizeOf(ledger);
    for (const { hash, innerHash } of ledger.transactions) {
      this.byHash.delete(hash);
      if (innerHash !== null) this.byHash.delete(innerHash);
    }
  }

  /** The index of the first ledger that is not before this one. */
  private indexOf(sequence: number): number {
    let low = 0;
    let high = this.ledgers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.ledgers[middle] as ClosedLedger).sequence < sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * The weight of an empty ledger: its header, its transaction set, and JavaScript's own memory for
 * them.
 */
const LEDGER_CHARACTERS = 4_000;

function sizeOf({ transactions }: ClosedLedger): number {
  return transactions.reduce(
    (sum, each) => sum + each.envelopeXdr.length + each.resultXdr.length + each.metaXdr.length,
    LEDGER_CHARACTERS,
  );
}
