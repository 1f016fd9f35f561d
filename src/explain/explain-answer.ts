// Explains a node's answer, or XDR copied from one: the code, the cause as far as the diagnostics
// show it, and what to do. Nothing is fetched, and nothing runs.

import type { STATUS_CAUSES } from "../model/cause-kinds.ts";
import {
  type AnswerExplanation,
  NOTHING_REPORTED,
  type NodeAnswer,
  type TransactionStatus,
} from "../model/node-answer.ts";
import {
  endedWith,
  invokeHostFunctionCode,
  isSorobanResult,
  type ResultCode,
  resultCodeName,
  transactionCode,
} from "../model/result-code.ts";
import type { ContractSpec } from "../xdr/contract/contract-spec.ts";
import type { ContractFacts, ContractLookup } from "../xdr/contract/contract-specs.ts";
import { type Envelope, openEnvelope } from "../xdr/envelope/envelope.ts";
import { isOfApplier, readDiagnosticEvent } from "../xdr/outcome/diagnostics.ts";
import { isSameError, readErrorReports } from "../xdr/outcome/error-reports.ts";
import { resultOfMessage } from "../xdr/outcome/host-messages.ts";
import { reportedDiagnostics } from "../xdr/outcome/meta.ts";
import { type PrintedLog, readPrintedLog } from "../xdr/outcome/printed-events.ts";
import { failedOperation, type ResultFacts, readTransactionResult } from "../xdr/outcome/result.ts";
import { isOfSimulation, isOfUnitTest } from "../xdr/outcome/tool-origins.ts";
import { showValue } from "../xdr/values/value.ts";
import { symbolOf } from "../xdr/values/value-parts.ts";
import type { ErrorFacts } from "../xdr/values/value-text.ts";
import { causeOfOperation } from "./causes/cause.ts";
import { classicCause } from "./causes/classic.ts";
import { detailsOf, evidenceOf, failureOf } from "./causes/failure.ts";
import { declaredLimitCause } from "./causes/limits.ts";
import { refusalOfAnswer } from "./causes/refusal.ts";
import { causeOfWords, SIMULATION_REFUSED } from "./causes/reported-words.ts";
import { explainMessage, type ToolMessages } from "./codes-within.ts";
import { networkOfHash, withEnvelope } from "./envelope-answer.ts";
import { eventsInWords } from "./events-answer.ts";
import { firstHostError } from "./host-messages/host-error-named.ts";
import {
  answerHeadline,
  answerRemedy,
  askAgain,
  type BesideAnswer,
  restoringFirst,
} from "./words/answer-words.ts";
import { evidenceInFull, inWords } from "./words/cause-words.ts";
import type { CauseFinding } from "./words/found-cause.ts";
import type { CauseEvidence } from "./words/found-evidence.ts";
import { type PastedValues, withPastedValues } from "./words/pasted-values.ts";

/** No text depends on the network, which only decides the hash of an envelope. */
const ANY_NETWORK = "";

/** The facts that are known of contracts besides the answer. */
export interface KnownContract extends Pick<ContractFacts, "wasmHash" | "spec" | "token"> {
  /** The strkey; null for the contract that raised the error, whichever it is. */
  readonly contract: string | null;
  /** The owner of the names, in words. */
  readonly of: string;
}

/** Explains an answer. Throws XDR_INVALID if a part of it cannot be decoded. */
export function explainAnswer(
  answer: NodeAnswer,
  known: KnownContract | null,
  toolMessages: ToolMessages,
): AnswerExplanation {
  const result = answer.resultXdr === null ? null : readTransactionResult(answer.resultXdr);
  const cause: AnswerCause | null =
    contradiction(answer, result) ??
    (result?.success ? null : causeOf(answer, result, known, toolMessages));
  const said = cause && inWords(withPastedValues(cause.finding, cause.pasted ?? new Map()));
  const { kind, hash } = answer;
  const operations = result?.operationResults.map(resultCodeName) ?? [];
  const codes = result === null ? [] : [result.code, result.innerCode, ...operations];
  const resultCodes = codes.filter((code) => code !== null);
  const remedy =
    restoringFirst(answer) ??
    askAgain(answer) ??
    (said &&
      answerRemedy(
        answer,
        said,
        factsForRemedy(answer, result, known, cause?.contract ?? null, toolMessages),
      ));
  return {
    kind,
    headline: answerHeadline(answer, result, cause?.finding ?? null),
    hash,
    resultCodes,
    cause: said?.cause ?? null,
    evidence: said === null ? eventsAlone(answer) : evidenceInFull(said),
    reported: said?.reported ?? NOTHING_REPORTED,
    remedy,
  };
}

/** Events without an error, which are explained if nothing else shows what happened. */
function eventsAlone({ kind, resultXdr, diagnosticEventsXdr }: NodeAnswer): string[] {
  return kind === "xdr" && resultXdr === null ? eventsInWords(diagnosticEventsXdr) : [];
}

/** The contradiction between a status and a result; null if they agree. */
function contradiction(
  { status, hash }: NodeAnswer,
  result: ResultFacts | null,
): AnswerCause | null {
  if (status === null || result === null) return null;
  if ((status === "SUCCESS") === result.success) return null;
  const facts = { status, code: result.code, hash };
  const known = { confidence: "known", evidence: [] } as const;
  return found({ by: "contradiction", kind: "answer-contradicts-itself", facts, ...known });
}

interface AnswerCause {
  readonly finding: CauseFinding;
  /** The contract that raised the error; null if the answer does not show it. */
  readonly contract: string | null;
  /** The values of a pasted log that stand for others (default: none). */
  readonly pasted?: PastedValues;
}

function found(finding: CauseFinding, contract: string | null = null): AnswerCause {
  return { finding, contract };
}

function causeOf(
  answer: NodeAnswer,
  result: ResultFacts | null,
  known: KnownContract | null,
  toolMessages: ToolMessages,
): AnswerCause | null {
  const envelope =
    answer.envelopeXdr === null ? null : openEnvelope(answer.envelopeXdr, ANY_NETWORK);
  const diagnostics = reportedDiagnostics(answer).filter((event) => !isOfApplier(event));
  if (result !== null) {
    const cause = causeOfResult(answer, result, envelope, diagnostics, known);
    if (envelope === null) return cause;
    const hasLog = diagnostics.length > 0;
    return { ...cause, finding: withEnvelope(cause.finding, result, envelope.xdr, hasLog) };
  }
  const printed = diagnostics.length === 0;
  const { eventsXdr, pasted } = printed
    ? printedLog(answer.error ?? "")
    : { eventsXdr: diagnostics, pasted: new Map<string, string>() };
  if (readErrorReports(eventsXdr).length > 0) {
    const failed = resultOf(eventsXdr);
    const beside = { known, printed };
    const { finding, contract } = causeInHost(answer, failed, envelope, eventsXdr, beside);
    const evidence = [
      ...librariesWith(finding, readErrorReports(eventsXdr).at(-1)?.error ?? null, known),
      ...finding.evidence,
      ...(isOfUnitTest(answer.error) ? returnedBefore(eventsXdr) : []),
    ];
    return {
      finding: { ...finding, evidence },
      contract: pasted.has(contract ?? "") ? null : contract,
      pasted,
    };
  }
  if (answer.error !== null) {
    const isSimulation = answer.kind === "simulateTransaction";
    const kind = isSimulation ? SIMULATION_REFUSED : "request-refused";
    const finding = causeOfWords(answer.error, kind);
    const explained = finding.kind === kind ? explainMessage(answer.error, toolMessages) : null;
    if (explained === null)
      return found({
        ...finding,
        evidence: [
          ...librariesWith(finding, firstHostError(answer.error), known),
          ...finding.evidence,
        ],
      });
    const meaning = { kind: "message-meaning", meaning: explained.meaning } as const;
    return found({ ...finding, evidence: [meaning, ...finding.evidence] });
  }
  return causeOfStatus(answer.status);
}

/** The names that well-known libraries have for a number that nothing else names. */
function librariesWith(
  { kind }: CauseFinding,
  error: ErrorFacts | null,
  known: KnownContract | null,
): CauseEvidence[] {
  const number = error?.contractCode ?? null;
  if (kind !== "contract-error" || number === null || known !== null) return [];
  return [{ kind: "library-errors", number }];
}

/**
 * The call that returned last before the first error, if the log does not have the failed call, as
 * in a unit test. Its return value is often the reason.
 */
function returnedBefore(eventsXdr: readonly string[]): CauseEvidence[] {
  const events = eventsXdr.map((xdr) => readDiagnosticEvent(xdr));
  const names = events.map(({ topicsXdr: [name] }) => (name === undefined ? null : symbolOf(name)));
  const failedAt = names.indexOf("error");
  const open = names
    .slice(0, failedAt)
    .reduce((depth, name) => depth + Number(name === "fn_call") - Number(name === "fn_return"), 0);
  const last = events[failedAt - 1];
  if (failedAt < 1 || open > 0 || last === undefined || names[failedAt - 1] !== "fn_return")
    return [];
  const [, called = ""] = last.topicsXdr;
  const { contract, dataXdr } = last;
  const [call, value] = [showValue(called), showValue(dataXdr)];
  return [{ kind: "returned-before", call, contract, value }];
}

/** The log after an error, if it ends with that error; otherwise none. */
function printedLog(error: string): Pick<PrintedLog, "eventsXdr" | "pasted"> {
  const log = readPrintedLog(error);
  const { eventsXdr, text } = log;
  const beforeLog = text.split(/ Event(?: \(not emitted\))?\]/, 1)[0] ?? "";
  const named = firstHostError(beforeLog);
  const last = readErrorReports(eventsXdr).at(-1)?.error;
  const isOfError = named === null || last === undefined || isSameError(named, last);
  return isOfError ? log : { ...log, eventsXdr: [] };
}

function causeOfResult(
  answer: NodeAnswer,
  result: ResultFacts,
  envelope: Envelope | null,
  diagnostics: readonly string[],
  known: KnownContract | null,
): AnswerCause {
  const failed = failedOperation(result);
  const code = failed ? resultCodeName(failed) : null;
  if (failed !== undefined && code !== null && reachedContractHost(failed)) {
    if (diagnostics.length > 0)
      return causeInHost(answer, failed, envelope, diagnostics, { known, printed: false });
    const sure = { confidence: "known", evidence: [] } as const;
    return found({ by: "code", kind: "result-code", facts: { code }, ...sure });
  }
  const isClassic = envelope !== null && envelope.soroban === null;
  if (isClassic && result.operationResults.length > 0) return found(classicCause(envelope, result));
  const failure = failureIn(
    answer,
    transactionCode(result.code),
    envelope,
    diagnostics,
    () => null,
  );
  const limit = declaredLimitCause(failure, result.innerCode ?? result.code);
  if (limit !== null) return found({ ...limit, details: detailsOf(failure) });
  const reported = { evidence: evidenceOf(failure), details: detailsOf(failure) };
  return found(refusalOfAnswer(result, reported));
}

function reachedContractHost(result: ResultCode): boolean {
  return isSorobanResult(result) && !endedWith(result, "malformed", "success");
}

interface Beside {
  readonly known: KnownContract | null;
  /** The events are those of a printed log, which does not show the types of numbers. */
  readonly printed: boolean;
}

function causeInHost(
  answer: NodeAnswer,
  result: ResultCode,
  envelope: Envelope | null,
  diagnostics: readonly string[],
  { known, printed }: Beside,
): AnswerCause {
  const failure = failureIn(answer, result, envelope, diagnostics, () => null);
  const contract = failure.origin?.contract ?? failure.call?.contract ?? null;
  if (known === null || (known.contract !== null && known.contract !== contract))
    return found(causeOfOperation(failure), contract);
  const { wasmHash, token } = known;
  const spec = printed ? withoutTypes(known.spec) : known.spec;
  const facts = { wasmHash, token, spec, requiresOwnArguments: false };
  const lookup = (of: string | null) => (of === contract ? facts : null);
  const finding = causeOfOperation({ ...failure, lookup });
  const named = { kind: "names-of", of: known.of } as const;
  return found({ ...finding, evidence: [...finding.evidence, named] }, contract);
}

function withoutTypes(spec: ContractSpec | null): ContractSpec | null {
  if (spec === null) return null;
  const functions = [...spec.functions].map(([name, each]) => {
    const inputs = each.inputs.map((input) => ({ ...input, type: ANY_TYPE }));
    return [name, { ...each, inputs }] as const;
  });
  return { ...spec, functions: new Map(functions) };
}

const ANY_TYPE = { kind: "plain", name: "val" } as const;

function failureIn(
  { kind, ledger, error }: NodeAnswer,
  result: ResultCode,
  envelope: Envelope | null,
  diagnostics: readonly string[],
  lookup: ContractLookup,
) {
  return failureOf(diagnostics, {
    result,
    envelope,
    ledger: ledger ?? 0,
    snapshot: null,
    execution: null,
    lookup,
    simulated: kind === "simulateTransaction" || isOfSimulation(error),
  });
}

/** The result that stellar-core gives with these diagnostics. */
function resultOf(diagnostics: readonly string[]): ResultCode {
  const message = readErrorReports(diagnostics).at(-1)?.message ?? "";
  return invokeHostFunctionCode(resultOfMessage(message) ?? "trapped");
}

/** Kinds of cause by a status that has no result beside it. The other statuses are no failure. */
const CAUSE_OF_STATUS: Readonly<
  Partial<Record<TransactionStatus, (typeof STATUS_CAUSES)[number]>>
> = {
  DUPLICATE: "duplicate",
  ERROR: "error",
  NOT_FOUND: "not-found",
  TRY_AGAIN_LATER: "try-again-later",
};

function causeOfStatus(status: TransactionStatus | null): AnswerCause | null {
  const kind = status === null ? undefined : CAUSE_OF_STATUS[status];
  if (kind === undefined || status === null) return null;
  return found({ by: "status", kind, facts: { status }, confidence: "known", evidence: [] });
}

/** The facts that decide which remedy a reader of the answer needs. */
function factsForRemedy(
  { hash, envelopeXdr, error }: NodeAnswer,
  result: ResultFacts | null,
  known: KnownContract | null,
  contract: string | null,
  toolMessages: ToolMessages,
): BesideAnswer {
  const isReplayable = hash !== null && result?.operationResults.some(reachedContractHost) === true;
  return {
    contract,
    knowsContract: known !== null,
    isReplayable,
    network: isReplayable && hash !== null ? networkOfHash(hash, envelopeXdr) : null,
    messageRemedy: () =>
      (error === null ? null : explainMessage(error, toolMessages)?.remedy) ?? null,
  };
}
