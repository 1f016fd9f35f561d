// The resources of an invocation: used, declared, and allowed by the network per transaction.

import type { Execution } from "../model/execution.ts";
import type { ResourceRow } from "../model/explanation.ts";
import { isAssumed, isWord } from "../model/provenance.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import { readTransactionLimits } from "../xdr/ledger/transaction-limits.ts";
import type { ReportedFacts } from "./reported-facts.ts";

/** The rows; empty if nothing ran in the contract host. */
export function resourceRows(
  { soroban }: Envelope,
  snapshot: Snapshot | null,
  execution: Execution | null,
  { metrics }: ReportedFacts,
): ResourceRow[] {
  if (soroban === null || execution === null) return [];
  const limits = readTransactionLimits(snapshot?.settings.map(({ entryXdr }) => entryXdr) ?? []);
  const readWrite = soroban.footprint.readWrite.length;
  const footprint = String(soroban.footprint.readOnly.length + readWrite);
  const row = (
    [name, unit]: [string, ResourceRow["unit"]],
    used: string | undefined,
    declared: number | string | null,
    limit: string | undefined,
    setting: string,
  ): ResourceRow => ({
    name,
    used: used ?? null,
    declared: declared === null ? null : String(declared),
    limit: limit ?? null,
    limitProvenance: limit === undefined ? null : provenanceOf(setting),
    unit,
  });
  const provenanceOf = (setting: string) =>
    snapshot?.settings.find(({ name }) => name === setting)?.provenance.kind ?? null;
  const hostLimit = hostLimits(execution);
  const memory = limits.memoryBytes ?? hostLimit(COMPUTE, "memory_bytes");
  const events = limits.eventsBytes ?? hostLimit(EVENTS, "contract_events_bytes");
  const { instructions, diskReadBytes, writeBytes } = soroban;
  return [
    row(["CPU", "instructions"], metrics.cpu_insn, instructions, limits.instructions, COMPUTE),
    row(["memory", "bytes"], metrics.mem_byte, null, memory, COMPUTE),
    row(
      ["disk read", "bytes"],
      metrics.ledger_read_byte,
      diskReadBytes,
      limits.diskReadBytes,
      COST,
    ),
    row(["write", "bytes"], metrics.ledger_write_byte, writeBytes, limits.writeBytes, COST),
    row(["write", "entries"], metrics.write_entry, readWrite, limits.writeEntries, COST),
    row(["footprint", "entries"], footprint, null, limits.footprintEntries, COST_EXTENSION),
    row(["events and result", "bytes"], metrics.emit_event_byte, null, events, EVENTS),
  ];
}

const COMPUTE = "CONFIG_SETTING_CONTRACT_COMPUTE_V0";
const COST = "CONFIG_SETTING_CONTRACT_LEDGER_COST_V0";
const COST_EXTENSION = "CONFIG_SETTING_CONTRACT_LEDGER_COST_EXT_V0";
const EVENTS = "CONFIG_SETTING_CONTRACT_EVENTS_V0";

/** The reporter of the limits for one transaction, if no ledger shows them; null if ledgers do. */
export function reporterOfLimits({ settings }: Snapshot): "node" | "capsule" | null {
  const limits = settings.filter(({ name }) => LIMITS.has(name));
  if (limits.some(({ provenance: { kind } }) => kind === "claimed")) return "capsule";
  const isOpen = limits.some(({ provenance }) => isWord(provenance) || isAssumed(provenance));
  return isOpen ? "node" : null;
}

const LIMITS: ReadonlySet<string> = new Set([COMPUTE, COST, COST_EXTENSION, EVENTS]);

/** The host's limits that follow from a setting that svc-sim did not assume. */
function hostLimits({ limits, assumed }: Execution) {
  const isAssumed = new Set(assumed.map(({ what }) => what));
  return (setting: string, limit: string) => (isAssumed.has(setting) ? undefined : limits[limit]);
}
