// The decoded outcome of a transaction on the chain, for all comparisons and for the explanation.
// Each part is read once, when it is first asked for.

import type { ChainRecord } from "../../model/chain-record.ts";
import { withParts } from "../reader/read-once.ts";
import { isOfApplier, readCoreMetrics } from "./diagnostics.ts";
import { type ErrorReport, readErrorReports } from "./error-reports.ts";
import { feeTakenBeforeRefund } from "./fees.ts";
import { readTransactionMeta, type TransactionMetaFacts } from "./meta.ts";
import { isRefundPaid, refundGiven } from "./refund.ts";
import { type ResultFacts, readTransactionResult } from "./result.ts";

export interface ChainFacts {
  readonly protocolVersion: number;
  readonly resultXdr: string;
  readonly result: ResultFacts;
  /** Null if no source had the meta. */
  readonly meta: TransactionMetaFacts | null;
  /** The events in the meta or beside it; empty if the node reported none. */
  readonly diagnosticsXdr: readonly string[];
  /** Those of the contract host, without stellar-core's own. */
  readonly hostDiagnosticsXdr: readonly string[];
  /** The errors that the contract host reported, in order. */
  readonly reports: readonly ErrorReport[];
  readonly metrics: ReadonlyMap<string, string>;
  /** Stroops; null if no source had the fee phase. */
  readonly feeTakenStroops: string | null;
  /** Stroops; null if no source had the refund phase. */
  readonly refundStroops: string | null;
  /** False when a refund was due, and the fee source could not receive it. */
  readonly refundIsPaid: boolean;
}

export type KnownOutcome = Partial<Pick<ChainFacts, "result" | "meta">>;

/**
 * `known`: parts that the caller has read. A part that cannot be decoded throws XDR_INVALID when it
 * is asked for.
 */
export function readChain(record: ChainRecord, known: KnownOutcome = {}): ChainFacts {
  const { protocolVersion } = record.ledger;
  const facts: ChainFacts = withParts<Omit<ChainFacts, "protocolVersion">, object>(
    {},
    {
      resultXdr: () => record.resultXdr,
      result: () => known.result ?? readTransactionResult(record.resultXdr),
      meta: () => known.meta ?? metaOf(record),
      diagnosticsXdr: () => {
        const inMeta = facts.meta?.diagnosticsXdr ?? [];
        return inMeta.length > 0 ? inMeta : record.diagnosticEventsXdr;
      },
      hostDiagnosticsXdr: () => facts.diagnosticsXdr.filter((event) => !isOfApplier(event)),
      reports: () => readErrorReports(facts.hostDiagnosticsXdr),
      metrics: () => readCoreMetrics(facts.diagnosticsXdr),
      feeTakenStroops: () => feeTakenBeforeRefund(record.feeChangesXdr, facts),
      refundStroops: () => {
        const { refundChangesXdr } = record;
        const isForged =
          facts.feeTakenStroops === null && refundChangesXdr === null && protocolVersion >= 23;
        return isForged ? null : refundGiven(protocolVersion, refundChangesXdr, facts.meta);
      },
      refundIsPaid: () => isRefundPaid(facts, record.refundChangesXdr),
    },
  ) as ChainFacts;
  return Object.assign(facts, { protocolVersion });
}

function metaOf({ resultMetaXdr }: ChainRecord): TransactionMetaFacts | null {
  return resultMetaXdr === null ? null : readTransactionMeta(resultMetaXdr);
}

/** A run of which the chain recorded nothing but the result. */
export function withResultAlone(chain: ChainFacts): ChainFacts {
  const nothing = { meta: null, diagnosticsXdr: [], hostDiagnosticsXdr: [], reports: [] };
  return { ...chain, ...nothing };
}
