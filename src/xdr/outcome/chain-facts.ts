// The decoded chain record of a transaction, for all comparisons and for the explanation.

import type { ChainRecord } from "../../model/chain-record.ts";
import { readCoreMetrics } from "./diagnostics.ts";
import { feeTakenBeforeRefund } from "./fees.ts";
import { readTransactionMeta, type TransactionMetaFacts } from "./meta.ts";
import { refundGiven } from "./refund.ts";
import { type ResultFacts, readTransactionResult } from "./result.ts";

export interface ChainFacts {
  readonly protocolVersion: number;
  readonly resultXdr: string;
  readonly result: ResultFacts;
  /** Null if no source had the meta. */
  readonly meta: TransactionMetaFacts | null;
  /** The events in the meta or beside it; empty if the node reported none. */
  readonly diagnosticsXdr: readonly string[];
  readonly metrics: ReadonlyMap<string, string>;
  /** Stroops; null if no source had the fee phase. */
  readonly feeTakenStroops: string | null;
  /** Stroops; null if no source had the refund phase. */
  readonly refundStroops: string | null;
}

/** A record is judged again for each input that a further run proves, so its facts are kept. */
const known = new WeakMap<ChainRecord, ChainFacts>();

/** Throws XDR_INVALID if a part of the chain record cannot be decoded. */
export function readChain(record: ChainRecord): ChainFacts {
  const facts = known.get(record) ?? decodeChain(record);
  known.set(record, facts);
  return facts;
}

function decodeChain(record: ChainRecord): ChainFacts {
  const meta = record.resultMetaXdr === null ? null : readTransactionMeta(record.resultMetaXdr);
  const inMeta = meta?.diagnosticsXdr ?? [];
  const diagnosticsXdr = inMeta.length > 0 ? inMeta : record.diagnosticEventsXdr;
  const { protocolVersion } = record.ledger;
  const { refundChangesXdr } = record;
  const feeTakenStroops = feeTakenBeforeRefund(record);
  const isForged = feeTakenStroops === null && refundChangesXdr === null && protocolVersion >= 23;
  return {
    protocolVersion,
    resultXdr: record.resultXdr,
    result: readTransactionResult(record.resultXdr),
    meta,
    diagnosticsXdr,
    metrics: readCoreMetrics(diagnosticsXdr),
    feeTakenStroops,
    refundStroops: isForged ? null : refundGiven(protocolVersion, refundChangesXdr, meta),
  };
}
