// What the invocation used beside what it declared and what the network allows one transaction.

import type { Execution } from "../model/execution.ts";
import type { FeeFacts, ResourceRow } from "../model/explanation.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { EnvelopeFacts } from "../xdr/envelope.ts";
import type { ResultFacts } from "../xdr/result.ts";
import { readTransactionLimits } from "../xdr/transaction-limits.ts";

/** Empty when nothing ran in the contract host. */
export function resourceRows(
  envelope: EnvelopeFacts,
  snapshot: Snapshot | null,
  execution: Execution | null,
): ResourceRow[] {
  const { soroban } = envelope;
  if (soroban === null || execution === null) return [];
  const limits = readTransactionLimits(snapshot?.settings.map(({ entryXdr }) => entryXdr) ?? []);
  const readWrite = soroban.footprint.readWrite.length;
  const footprint = String(soroban.footprint.readOnly.length + readWrite);
  const row = (
    [name, unit]: [string, ResourceRow["unit"]],
    used: string | undefined,
    declared: number | string | null,
    limit: string | undefined,
  ): ResourceRow => ({
    name,
    used: used ?? null,
    declared: declared === null ? null : String(declared),
    limit: limit ?? null,
    unit,
  });
  const { metrics } = execution;
  const memory = limits.memoryBytes ?? execution.limits.memory_bytes;
  const events = limits.eventsBytes ?? execution.limits.contract_events_bytes;
  const { instructions, diskReadBytes, writeBytes } = soroban;
  return [
    row(["CPU", "instructions"], metrics.cpu_insn, instructions, limits.instructions),
    row(["memory", "bytes"], metrics.mem_byte, null, memory),
    row(["disk read", "bytes"], metrics.ledger_read_byte, diskReadBytes, limits.diskReadBytes),
    row(["write", "bytes"], metrics.ledger_write_byte, writeBytes, limits.writeBytes),
    row(["write", "entries"], metrics.write_entry, readWrite, limits.writeEntries),
    row(["footprint", "entries"], footprint, null, limits.footprintEntries),
    row(["events and result", "bytes"], metrics.emit_event_byte, null, events),
  ];
}

export function feeFacts(
  envelope: EnvelopeFacts,
  result: ResultFacts,
  execution: Execution | null,
): FeeFacts {
  const fees = execution?.fees;
  return {
    bidStroops: envelope.feeBidStroops,
    chargedStroops: result.feeChargedStroops,
    resourceFeeStroops: envelope.soroban?.resourceFeeStroops ?? null,
    nonRefundableStroops: fees?.nonRefundableStroops ?? null,
    refundableConsumedStroops: fees?.refundableConsumedStroops ?? null,
    rentStroops: fees?.rentStroops ?? null,
    refundStroops: fees?.refundStroops ?? null,
  };
}
