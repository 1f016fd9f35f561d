// Header facts → LedgerFacts: only the fields that a ChainRecord has.

import type { LedgerFacts } from "../../model/chain-record.ts";

export function headerFacts(header: LedgerFacts): LedgerFacts {
  return {
    sequence: header.sequence,
    protocolVersion: header.protocolVersion,
    closeTimeUnixSeconds: header.closeTimeUnixSeconds,
    baseFeeStroops: header.baseFeeStroops,
    baseReserveStroops: header.baseReserveStroops,
    transactionSetHash: header.transactionSetHash,
  };
}
