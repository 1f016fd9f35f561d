// A Recording is what the chain says of one transaction: what was submitted, what came of it, and
// the ledger facts it ran under. All XDR is base64; nothing in it has been interpreted yet.
// Invariant: the envelope hashes, under the passphrase, to `hash`; the sources check it.

/** Ledger header facts that the contract host or the fee rules read. */
export interface LedgerFacts {
  readonly sequence: number;
  readonly protocolVersion: number;
  /** Decimal string: a TimePoint is 64 bits wide. */
  readonly closeTimeUnixSeconds: string;
  readonly baseFeeStroops: number;
  readonly baseReserveStroops: number;
  /** Hex of `scpValue.txSetHash`: the base PRNG seed of the ledger's transactions. */
  readonly transactionSetHash: string;
}

export interface ChainRecord {
  /** The hash the user asked for, lower-case hex: outer or inner. */
  readonly requestedHash: string;
  /** Hash of the whole envelope (of a fee-bump: the outer hash). */
  readonly hash: string;
  /** Hash of the inner transaction of a fee-bump; null otherwise. */
  readonly innerHash: string | null;
  readonly networkPassphrase: string;
  /** TransactionEnvelope. */
  readonly envelopeXdr: string;
  /** TransactionResult. */
  readonly resultXdr: string;
  /** TransactionMeta; null when no source had it. */
  readonly resultMetaXdr: string | null;
  /** LedgerEntryChanges of the fee phase; null when no source had them. */
  readonly feeChangesXdr: string | null;
  /** LedgerEntryChanges of the refund phase (protocol 23+, LedgerCloseMeta V2); null: unknown. */
  readonly refundChangesXdr: string | null;
  /** DiagnosticEvent[] a node gave beside the meta; empty when they are in the meta or nowhere. */
  readonly diagnosticEventsXdr: readonly string[];
  readonly ledger: LedgerFacts;
  /** Position among the ledger's transactions in apply order, from 1, as Stellar RPC counts. */
  readonly applicationOrder: number;
  /**
   * What no source said of `ledger` and `applicationOrder` and was filled in, a sentence each. Any
   * of it keeps a verdict from being exact. Absent: nothing.
   */
  readonly assumedFacts?: readonly string[];
  /** Which source gave what, for the report: field name → source name. */
  readonly origins: Readonly<Record<string, string>>;
}
