// Compares a simulation with the network's limits for one transaction. A simulation declares
// nothing, so only the network limits it, and the host checks only CPU and memory. A transaction
// that exceeds another limit fails, whatever it declares (stellar-core:
// InvokeHostFunctionOpFrame.cpp; TransactionFrame::checkSorobanResources).

import { base64Length } from "../base/bytes.ts";
import type { Simulation } from "../model/simulation.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import { readSorobanData } from "../xdr/envelope/soroban-data.ts";
import { exceededLimits } from "../xdr/ledger/exceeded-limits.ts";
import type { TransactionLimits } from "../xdr/ledger/transaction-limits.ts";
import { LIMITS } from "../xdr/outcome/host-messages.ts";
import { ENTRY_TYPE, isSorobanKey, typeOfKey } from "../xdr/reader/keys.ts";
import { dataOfEntry } from "../xdr/values/value-parts.ts";
import { evidenceOf, type Failure, failedCallOf } from "./causes/failure.ts";
import type { KeyNamer } from "./naming/named-values.ts";
import type { CallName } from "./words/call-name.ts";
import type { CauseFinding } from "./words/found-cause.ts";

/** The cause of a simulation that the host's budget stopped. Null if the budget did not run out. */
export function exceededBudget(
  failure: Failure,
  { cpuInstructions, memoryBytes }: Simulation,
  limits: TransactionLimits,
): CauseFinding | null {
  const isOver = (used: string, limit?: string): limit is string =>
    limit !== undefined && BigInt(used) >= BigInt(limit);
  const beside = { call: failedCallOf(failure), evidence: evidenceOf(failure) };
  if (isOver(cpuInstructions, limits.instructions))
    return ofNetwork("instructions", [cpuInstructions, limits.instructions], beside);
  return isOver(memoryBytes, limits.memoryBytes)
    ? ofNetwork("memory", [memoryBytes, limits.memoryBytes], beside)
    : null;
}

/** The cause of a simulation that ran to its end; null if the network would not refuse it. */
export function refusedByNetwork(
  simulation: Simulation,
  { terms, soroban }: Envelope,
  limits: TransactionLimits,
  { eventsXdr, nameOf }: { readonly eventsXdr: readonly string[]; readonly nameOf: KeyNamer },
): CauseFinding | null {
  const { transactionDataXdr, cpuInstructions, returnValueXdr, host } = simulation;
  if (simulation.changes.some(isEmptyCode))
    return { by: "empty-code", kind: "wasm-invalid", facts: {}, ...SHOWN };
  if (transactionDataXdr === null) return null;
  const large = largeEntry(simulation, limits, nameOf);
  if (large !== null) return large;
  // The instructions of the data have a margin.
  const operation = soroban?.operation ?? "invoke_host_function";
  const needed = {
    ...readSorobanData(transactionDataXdr),
    operation,
    instructions: Number(cpuInstructions),
  };
  const [over] = exceededLimits(needed, terms.sizeBytes, limits, host.protocol);
  if (over !== undefined)
    return { by: "network-limits", kind: "resource-limit-exceeded", facts: { over }, ...SHOWN };
  const emitted = [...eventsXdr, returnValueXdr ?? ""].reduce((sum, xdr) => sum + sizeOf(xdr), 0);
  if (limits.eventsBytes === undefined || emitted <= Number(limits.eventsBytes)) return null;
  return ofNetwork("result", [String(emitted), limits.eventsBytes]);
}

const SHOWN = { confidence: "known", evidence: [] } as const;

/** The hosts that record take it until protocol 28, as those of the SDK's tests do (lifecycle.rs). */
function isEmptyCode({ afterXdr }: Simulation["changes"][number]): boolean {
  const data = afterXdr === null ? null : dataOfEntry(afterXdr);
  return data?.type === ENTRY_TYPE.contractCode && data.contractCode.code.length === 0;
}

function ofNetwork(
  id: "instructions" | "memory" | "result",
  [used, allowed]: readonly [used: string, allowed: string],
  {
    call,
    evidence,
  }: { readonly call: CallName | null } & Pick<CauseFinding, "evidence"> = NOT_CALLED,
): CauseFinding {
  const { kind } = LIMITS[id];
  const facts = { id, used: BigInt(used), allowed: BigInt(allowed), call };
  return { by: "network-limit", kind, facts, confidence: "known", evidence };
}

const NOT_CALLED = { call: null, evidence: [] } as const;

function largeEntry(
  { changes }: Simulation,
  { dataEntryBytes, codeBytes }: TransactionLimits,
  nameOf: KeyNamer,
): CauseFinding | null {
  for (const { keyXdr, afterXdr } of changes) {
    const type = typeOfKey(keyXdr);
    const limit = type === ENTRY_TYPE.contractCode ? codeBytes : dataEntryBytes;
    const size = sizeOf(afterXdr ?? "");
    if (isSorobanKey(keyXdr) && limit !== undefined && size > Number(limit))
      return {
        by: "entry-size",
        kind: "entry-size-exceeded",
        facts: {
          type: type === ENTRY_TYPE.contractCode ? "code" : "data",
          entry: nameOf(keyXdr),
          size: BigInt(size),
          allowed: BigInt(limit),
        },
        ...SHOWN,
      };
  }
  return null;
}

function sizeOf(xdr: string): number {
  return base64Length(xdr);
}
