// Ledgers that were read, as many as fit: those that were not used for longest go first.

import type { LedgerBytes } from "../sources/files/ledger-stream.ts";

/** Enough for the ledgers around one transaction, even large ones. */
const MAXIMUM_BYTES = 64 * 1024 * 1024;

export class KeptLedgers<Ledger extends LedgerBytes> {
  /** In the order of use. */
  private readonly ledgers = new Map<number, Ledger>();
  private bytes = 0;

  constructor(private readonly maximumBytes = MAXIMUM_BYTES) {}

  use(sequence: number): Ledger | null {
    const ledger = this.ledgers.get(sequence);
    if (ledger === undefined) return null;
    this.ledgers.delete(sequence);
    this.ledgers.set(sequence, ledger);
    return ledger;
  }

  keep(ledger: Ledger): void {
    this.drop(ledger.sequence);
    this.ledgers.set(ledger.sequence, ledger);
    this.bytes += ledger.ledgerCloseMeta.length;
    for (const oldest of this.ledgers.keys()) {
      if (this.bytes <= this.maximumBytes) return;
      this.drop(oldest);
    }
  }

  drop(sequence: number): void {
    this.bytes -= this.ledgers.get(sequence)?.ledgerCloseMeta.length ?? 0;
    this.ledgers.delete(sequence);
  }
}
