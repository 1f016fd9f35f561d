// The network's limits for one transaction, beside what a simulation used. A simulation declares
// nothing, so only the network limits it, and of these limits the host checks CPU and memory alone.
// A transaction that exceeds another one fails, whatever it declares (stellar-core:
// InvokeHostFunctionOpFrame.cpp; TransactionFrame::checkSorobanResources).

import { base64Length } from "../base/bytes.ts";
import { grouped } from "../base/text/grouped.ts";
import type { CauseKind } from "../model/cause-kinds.ts";
import type { Simulation } from "../model/simulation.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import { readSorobanData } from "../xdr/envelope/soroban-data.ts";
import { exceededLimits } from "../xdr/ledger/exceeded-limits.ts";
import type { TransactionLimits } from "../xdr/ledger/transaction-limits.ts";
import { ENTRY_TYPE, isSorobanKey, typeOfKey } from "../xdr/reader/keys.ts";
import { dataOfEntry } from "../xdr/values/value-parts.ts";
import { entryTooLarge } from "./causes/entry-size.ts";
import { type CauseFacts, callInWords, evidenceOf, type Failure } from "./causes/failure.ts";
import { networkRemedyOf } from "./causes/limits.ts";
import type { KeyNamer } from "./naming/named-values.ts";

/** The cause of a simulation that the host's budget stopped. Null when nothing ran out. */
export function exceededBudget(
  failure: Failure,
  { cpuInstructions, memoryBytes }: Simulation,
  limits: TransactionLimits,
): CauseFacts | null {
  const call = callInWords(failure);
  const where = call === null ? "" : ` in ${call}`;
  const isOver = (used: string, limit?: string): limit is string =>
    limit !== undefined && BigInt(used) >= BigInt(limit);
  const found = isOver(cpuInstructions, limits.instructions)
    ? ofNetwork("cpu-exceeded", `CPU limit exceeded${where}`, [
        `${grouped(cpuInstructions)} instructions`,
        limits.instructions,
      ])
    : isOver(memoryBytes, limits.memoryBytes)
      ? ofNetwork("memory-exceeded", `Memory limit exceeded${where}`, [
          `${grouped(memoryBytes)} bytes`,
          limits.memoryBytes,
        ])
      : null;
  return found && { ...found, evidence: evidenceOf(failure) };
}

/** The cause of a simulation that ran to its end; null when no refusal of it is known. */
export function refusedByNetwork(
  simulation: Simulation,
  { terms, soroban }: Envelope,
  limits: TransactionLimits,
  { eventsXdr, nameOf }: { readonly eventsXdr: readonly string[]; readonly nameOf: KeyNamer },
): CauseFacts | null {
  const { transactionDataXdr, cpuInstructions, returnValueXdr, host } = simulation;
  if (simulation.changes.some(isEmptyCode)) return EMPTY_CODE;
  if (transactionDataXdr === null) return null;
  const large = largeEntry(simulation, limits, nameOf);
  if (large !== null) return large;
  // The instructions of the data have a margin.
  const operation = soroban?.operation ?? "invoke_host_function";
  const needed = {
    ...readSorobanData(transactionDataXdr),
    ...{ operation, instructions: Number(cpuInstructions) },
  };
  const [over] = exceededLimits(needed, terms.sizeBytes, limits, host.protocol);
  if (over !== undefined) {
    const summary = `Network limit exceeded: the transaction needs ${over}.`;
    const cause = { kind: "resource-limit-exceeded", summary, confidence: "known" } as const;
    return { cause, evidence: [], remedy: networkRemedyOf() };
  }
  const emitted = [...eventsXdr, returnValueXdr ?? ""].reduce((sum, xdr) => sum + sizeOf(xdr), 0);
  if (limits.eventsBytes === undefined || emitted <= Number(limits.eventsBytes)) return null;
  const used = `${grouped(emitted)} bytes`;
  const exceeded = "Event and result size limit exceeded";
  return ofNetwork("events-size-exceeded", exceeded, [used, limits.eventsBytes]);
}

/** The hosts that record take it until protocol 28, as those of the SDK's tests do (lifecycle.rs). */
function isEmptyCode({ afterXdr }: Simulation["changes"][number]): boolean {
  const data = afterXdr === null ? null : dataOfEntry(afterXdr);
  return data?.type === ENTRY_TYPE.contractCode && data.contractCode.code.length === 0;
}

const EMPTY_CODE: CauseFacts = {
  cause: {
    kind: "wasm-invalid",
    summary:
      "The code to upload has 0 bytes. The network refuses it, although a simulation accepts it.",
    confidence: "known",
  },
  evidence: [],
  remedy: "Upload the contract's wasm file.",
};

function ofNetwork(
  kind: CauseKind,
  exceeded: string,
  [used, allowed]: readonly [used: string, allowed: string],
): CauseFacts {
  const summary = `${exceeded}: ${used} used, ${grouped(allowed)} allowed by the network.`;
  return {
    cause: { kind, summary, confidence: "known" },
    evidence: [],
    remedy: networkRemedyOf(kind),
  };
}

function largeEntry(
  { changes }: Simulation,
  { dataEntryBytes, codeBytes }: TransactionLimits,
  nameOf: KeyNamer,
): CauseFacts | null {
  for (const { keyXdr, afterXdr } of changes) {
    const type = typeOfKey(keyXdr);
    const limit = type === ENTRY_TYPE.contractCode ? codeBytes : dataEntryBytes;
    const size = sizeOf(afterXdr ?? "");
    if (isSorobanKey(keyXdr) && limit !== undefined && size > Number(limit))
      return entryTooLarge(type, nameOf(keyXdr), String(size), limit);
  }
  return null;
}

function sizeOf(xdr: string): number {
  return base64Length(xdr);
}
