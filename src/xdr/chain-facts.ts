// What the chain says of a transaction, decoded: for all comparisons, and for what is told of it.

import type { Recording } from "../model/recording.ts";
import { readCoreMetrics } from "./diagnostics.ts";
import { feeTakenBeforeRefund } from "./fees.ts";
import { readTransactionMeta, type TransactionMetaFacts } from "./meta.ts";
import { refundGiven } from "./refund.ts";
import { type ResultFacts, readTransactionResult } from "./result.ts";

export interface ChainFacts {
  readonly protocolVersion: number;
  readonly resultXdr: string;
  readonly result: ResultFacts;
  /** Null when no source had the meta. */
  readonly meta: TransactionMetaFacts | null;
  /** From the meta or from beside it; empty when the node reported none. */
  readonly diagnosticsXdr: readonly string[];
  readonly metrics: ReadonlyMap<string, string>;
  /** Stroops; null when no source had the fee phase. */
  readonly feeTakenStroops: string | null;
  /** Stroops; null when no source had the refund phase. */
  readonly refundStroops: string | null;
}

/** Throws XDR_INVALID when a part of the recording cannot be decoded. */
export function readChain(recording: Recording): ChainFacts {
  const meta =
    recording.resultMetaXdr === null ? null : readTransactionMeta(recording.resultMetaXdr);
  const inMeta = meta?.diagnosticsXdr ?? [];
  const diagnosticsXdr = inMeta.length > 0 ? inMeta : recording.diagnosticEventsXdr;
  const { protocolVersion } = recording.ledger;
  return {
    protocolVersion,
    resultXdr: recording.resultXdr,
    result: readTransactionResult(recording.resultXdr),
    meta,
    diagnosticsXdr,
    metrics: readCoreMetrics(diagnosticsXdr),
    feeTakenStroops: feeTakenBeforeRefund(recording),
    refundStroops: refundGiven(protocolVersion, recording.refundChangesXdr, meta),
  };
}
