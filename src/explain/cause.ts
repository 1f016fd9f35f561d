// Why a transaction failed: its result codes in plain words and, for a Soroban one, the host error
// and the call that it ended. What the chain's own diagnostics say goes before what the replay
// says.

import type { CallNode, Execution, HostError } from "../model/execution.ts";
import type { Cause } from "../model/explanation.ts";
import type { Recording } from "../model/recording.ts";
import { isCoreMetric, readDiagnosticErrors, readDiagnosticEvent } from "../xdr/diagnostics.ts";
import { readTransactionMeta } from "../xdr/meta.ts";
import { type ResultFacts, reachedHost } from "../xdr/result.ts";
import { showValue } from "../xdr/value.ts";
import { showError } from "../xdr/value-text.ts";
import { hostErrorInWords } from "./host-errors.ts";
import { showFunction } from "./named-calls.ts";
import { operationCodeInWords } from "./operation-codes.ts";
import { transactionCodeInWords } from "./transaction-codes.ts";

export interface CauseFacts {
  readonly cause: Cause;
  readonly evidence: readonly string[];
  readonly remedy: string | null;
}

const SHOWN_ERRORS = 6;

/** Of a failed transaction. */
export function findCause(
  recording: Recording,
  result: ResultFacts,
  soroban: boolean,
  execution: Execution | null,
): CauseFacts {
  if (!soroban) return classicCause(result);
  if (!reachedHost(result)) return refusalCause(result);
  const diagnostics = diagnosticsOf(recording, execution);
  const evidence = [...callEvidence(execution), ...errorEvidence(diagnostics)];
  const code = result.operationCodes[0] ?? result.code;
  if (!code.endsWith("Trapped")) return limitCause(code, evidence);
  const error = readDiagnosticErrors(diagnostics).at(-1) ?? execution?.hostError ?? null;
  if (error === null) {
    const summary = `The contract call trapped (${code}); the node reported no diagnostics.`;
    return { cause: { kind: "trapped", summary }, evidence, remedy: null };
  }
  const upload = execution?.callTree?.calls[0]?.kind === "upload_wasm";
  return trapCause(error, evidence, upload);
}

function classicCause(result: ResultFacts): CauseFacts {
  const code = result.innerCode ?? result.code;
  const evidence: string[] = [];
  for (const [i, operation] of result.operationCodes.entries()) {
    const words = operationCodeInWords(operation) ?? transactionCodeInWords(operation);
    if (operation.endsWith("Success") || words === null) continue;
    evidence.push(`Operation ${i + 1} ended with ${operation}: ${words}.`);
  }
  const words = transactionCodeInWords(code) ?? "the network refused it";
  const [only, ...others] = evidence;
  // One failing operation is the whole cause; of several, each is evidence.
  if (only !== undefined && others.length === 0) {
    return { cause: { kind: "result-code", summary: only }, evidence: [], remedy: null };
  }
  const summary = `${code}: ${words}.`;
  return { cause: { kind: "result-code", summary }, evidence, remedy: null };
}

function refusalCause(result: ResultFacts): CauseFacts {
  const code = result.operationCodes[0] ?? result.innerCode ?? result.code;
  const words = transactionCodeInWords(code) ?? operationCodeInWords(code) ?? "it was refused";
  const summary = `It was refused before the contract host (${code}): ${words}.`;
  return { cause: { kind: "refused", summary }, evidence: [], remedy: null };
}

const LIMIT_CAUSES: readonly { ending: string; kind: string; summary: string; remedy: string }[] = [
  {
    ending: "EntryArchived",
    kind: "entry-archived",
    summary: "An entry of its footprint is archived: its time to live had run out.",
    remedy:
      "Restore the entry with a RestoreFootprint operation, or simulate again so that the " +
      "transaction restores it itself.",
  },
  {
    ending: "ResourceLimitExceeded",
    kind: "resource-limit-exceeded",
    summary: "It needed more of a resource than it declared, or than the network allows.",
    remedy: "Simulate again and declare what it uses now.",
  },
  {
    ending: "InsufficientRefundableFee",
    kind: "insufficient-refundable-fee",
    summary: "Its refundable fee does not cover the rent and the events.",
    remedy: "Raise the resource fee; what is not used is paid back.",
  },
];

function limitCause(code: string, evidence: readonly string[]): CauseFacts {
  const known = LIMIT_CAUSES.find(({ ending }) => code.endsWith(ending));
  if (known !== undefined) {
    return { cause: { kind: known.kind, summary: known.summary }, evidence, remedy: known.remedy };
  }
  const words = operationCodeInWords(code) ?? transactionCodeInWords(code) ?? "it failed";
  return { cause: { kind: "result-code", summary: `${code}: ${words}.` }, evidence, remedy: null };
}

function trapCause(error: HostError, evidence: readonly string[], upload: boolean): CauseFacts {
  const { kind, words, remedy } = hostErrorInWords(error, upload);
  return { cause: { kind, summary: `${showError(error)}: ${words}.` }, evidence, remedy };
}

/** The chain's, where it has any: they are what happened. */
function diagnosticsOf(recording: Recording, execution: Execution | null): readonly string[] {
  const ofMeta =
    recording.resultMetaXdr === null
      ? []
      : readTransactionMeta(recording.resultMetaXdr).diagnosticsXdr;
  const candidates = [ofMeta, recording.diagnosticEventsXdr, execution?.diagnosticsXdr ?? []];
  const found = candidates.find((events) => events.length > 0) ?? [];
  return found.filter((event) => !isCoreMetric(event));
}

/** The innermost call that failed. */
function callEvidence(execution: Execution | null): string[] {
  let node: CallNode | undefined = execution?.callTree ?? undefined;
  let failing: CallNode | null = null;
  while (node?.failed) {
    if (node.function !== null) failing = node;
    node = node.calls.findLast((call) => call.failed);
  }
  if (failing === null || failing.function === null) return [];
  const shown = failing.argumentsXdr.map((argument) => showValue(argument, 40)).join(", ");
  const where = failing.contract === null ? "" : ` of contract ${failing.contract}`;
  return [`The innermost failing call is ${showFunction(failing.function)}(${shown})${where}.`];
}

/** What the diagnostic `error` events say, the innermost first. */
function errorEvidence(diagnosticsXdr: readonly string[]): string[] {
  const said: string[] = [];
  for (const xdr of diagnosticsXdr) {
    const { contract, topicsXdr, dataXdr } = readDiagnosticEvent(xdr);
    const [name, error] = topicsXdr;
    if (name === undefined || error === undefined || showValue(name) !== "error") continue;
    const who = contract === null ? "The host" : `Contract ${contract}`;
    said.push(`${who} reported ${showValue(error)}: ${showValue(dataXdr, 240)}`);
  }
  return said.slice(0, SHOWN_ERRORS);
}
