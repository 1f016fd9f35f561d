// A ledger from an archive: the facts that its transactions ran under, and the chain record of
// each, which has no meta and no fee phase. Headers that name each other prove both.

import type { LedgerFacts } from "../model/chain-record.ts";
import { openEnvelope } from "../xdr/envelope/envelope.ts";
import { type OpenedRecord, openRecord } from "../xdr/envelope/opened-record.ts";
import { factsAfter, headerFacts } from "../xdr/ledger/facts-before-upgrades.ts";
import {
  type ArchivedChain,
  type ArchivedHeader,
  type ArchivedTransaction,
  linkedHeaders,
} from "./chain.ts";

export interface ArchivedLedgerRecords {
  readonly header: ArchivedHeader;
  readonly facts: LedgerFacts;
  /** The transactions in apply order. */
  readonly transactions: readonly ArchivedRecord[];
}

export interface ArchivedRecord extends OpenedRecord {
  readonly placed: ArchivedTransaction;
}

/** Throws ARCHIVE_LACKS and ARCHIVE_DAMAGED. */
export async function readArchivedLedger(
  chain: ArchivedChain,
  sequence: number,
  networkPassphrase: string,
): Promise<ArchivedLedgerRecords> {
  const header = await chain.header(sequence);
  const facts = await readArchivedFacts(chain, header);
  const transactions = await chain.transactions(sequence);
  return {
    header,
    facts,
    transactions: transactions.map((placed, index) => {
      const { hash, envelope: bytes, result } = placed;
      const envelopeXdr = bytes.toBase64();
      const envelope = openEnvelope(envelopeXdr, networkPassphrase);
      const record = {
        requestedHash: hash,
        hash,
        innerHash: envelope.innerHash,
        networkPassphrase,
        envelopeXdr,
        resultXdr: result.toBase64(),
        resultMetaXdr: null,
        feeChangesXdr: null,
        refundChangesXdr: null,
        diagnosticEventsXdr: [],
        ledger: facts,
        ledgerHeaderXdr: header.header.toBase64(),
        applicationOrder: index + 1,
        origins: { transaction: chain.archive.name, ledger: chain.archive.name },
      };
      return { ...openRecord(record, envelope), placed };
    }),
  };
}

/** Returns the facts that the ledger's transactions ran under. */
export async function readArchivedFacts(
  chain: ArchivedChain,
  header: ArchivedHeader,
): Promise<LedgerFacts> {
  const own = headerFacts(header);
  // The ledger's own upgrades come after its transactions. The first ledger has neither.
  if (header.sequence === 1) return own;
  return factsAfter(own, (await linkedHeaders(chain, header.sequence)).before);
}
