// A transaction of a folded ledger → its chain record.

import type { ChainRecord, LedgerFacts } from "../../model/chain-record.ts";
import type { LedgerCloseMetaView, LedgerTransaction } from "../../xdr/ledger/ledger-close-meta.ts";

/** `facts`: as they held for the ledger's transactions, with what of them is assumed. */
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
    // Of most transactions nothing but the envelope is ever read as base64.
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
