// What the invocation used beside what it declared and what the network allows one transaction.

import type { Execution } from "../model/execution.ts";
import type { FeeFacts, ResourceRow } from "../model/explanation.ts";
import type { EnvelopeFacts } from "../xdr/envelope.ts";
import type { ResultFacts } from "../xdr/result.ts";

/** Empty when nothing ran in the contract host. */
export function resourceRows(envelope: EnvelopeFacts, execution: Execution | null): ResourceRow[] {
  const { soroban } = envelope;
  if (soroban === null || execution === null) return [];
  const { metrics, limits } = execution;
  const used = (name: string) => metrics[name] ?? null;
  const limit = (name: string) => limits[name] ?? null;
  const footprint = soroban.footprint.readOnly.length + soroban.footprint.readWrite.length;
  return [
    {
      name: "CPU instructions",
      used: used("cpu_insn"),
      declared: String(soroban.instructions),
      limit: limit("network_instructions"),
      unit: "instructions",
    },
    {
      name: "memory",
      used: used("mem_byte"),
      declared: null,
      limit: limit("memory_bytes"),
      unit: "bytes",
    },
    {
      name: "disk read",
      used: used("ledger_read_byte"),
      declared: String(soroban.diskReadBytes),
      limit: limit("network_disk_read_bytes"),
      unit: "bytes",
    },
    {
      name: "write",
      used: used("ledger_write_byte"),
      declared: String(soroban.writeBytes),
      limit: limit("network_write_bytes"),
      unit: "bytes",
    },
    {
      name: "events and return value",
      used: used("emit_event_byte"),
      declared: null,
      limit: limit("contract_events_bytes"),
      unit: "bytes",
    },
    {
      name: "footprint entries",
      used: String(footprint),
      declared: String(footprint),
      limit: limit("network_footprint_entries"),
      unit: "entries",
    },
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
