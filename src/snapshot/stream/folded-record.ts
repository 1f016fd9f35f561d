// Makes the chain record of a transaction in a folded ledger.

import type { ChainRecord, LedgerFacts } from "../../model/chain-record.ts";
import type { LedgerCloseMetaView, LedgerTransaction } from "../../xdr/ledger/ledger-close-meta.ts";

/**
 * Makes the record. `facts` are those that held for the ledger's transactions, with the assumed
 * ones.
 */
export function foldedRecord(
  transaction: LedgerTransaction,
  {
    view,
    facts,
    assumed,
  }: {
    readonly view: LedgerCloseMetaView;
    readonly facts: LedgerFacts;
    readonly assumed: readonly string[];
  },
  { networkPassphrase, source }: { readonly networkPassphrase: string; readonly source: string },
): ChainRecord {
  return {
    requestedHash: transaction.hash,
    hash: transaction.hash,
    innerHash: transaction.innerHash,
    networkPassphrase,
    // Of most transactions, only the envelope is ever read as base64.
    get envelopeXdr() {
      return transaction.envelopeXdr;
    },
    get resultXdr() {
      return transaction.resultXdr;
    },
    get resultMetaXdr() {
      return transaction.metaXdr;
    },
    get feeChangesXdr() {
      return transaction.feeChangesXdr;
    },
    get refundChangesXdr() {
      return transaction.refundChangesXdr;
    },
    diagnosticEventsXdr: [],
    ledger: facts,
    get ledgerHeaderXdr() {
      return view.facts.header.toBase64();
    },
    applicationOrder: transaction.order,
    ...(assumed.length === 0 ? {} : { assumedFacts: assumed }),
    origins: { transaction: source, ledger: source },
  };
}
