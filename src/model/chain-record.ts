// A ChainRecord holds what the chain recorded about one transaction: the envelope, the result, and
// the facts of its ledger. All XDR is base64 and not interpreted yet.
// Invariant: with the passphrase, the envelope hashes to `hash`. The sources check this.

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
  /** The hash that the user requested, outer or inner, in lower-case hex. */
  readonly requestedHash: string;
  /** Hash of the envelope; for a fee-bump, the outer hash. */
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
  /** DiagnosticEvent[] that a node returned beside the meta; empty if in the meta or missing. */
  readonly diagnosticEventsXdr: readonly string[];
  readonly ledger: LedgerFacts;
  /** LedgerHeader of that ledger, after its own upgrades; absent: no source had it. */
  readonly ledgerHeaderXdr?: string;
  /** Position among the ledger's transactions in apply order, from 1, as Stellar RPC counts. */
  readonly applicationOrder: number;
  /**
   * One sentence for each part of `ledger` and `applicationOrder` that no source had and that was
   * filled in. Any of them prevents an exact verdict. Absent when nothing was filled in.
   */
  readonly assumedFacts?: readonly string[];
  /** Field name → name of the source it came from, for the report. */
  readonly origins: Readonly<Record<string, string>>;
}
