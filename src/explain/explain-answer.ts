// A node's answer, or XDR copied from one → what it shows about the outcome: the code, the cause as
// far as the diagnostics show it, and what to do. Nothing is fetched and nothing runs.

import { CAUSES, type STATUS_CAUSES } from "../model/cause-kinds.ts";
import type { AnswerExplanation, NodeAnswer, TransactionStatus } from "../model/node-answer.ts";
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
import {
  failedOperation,
  isApplied,
  type ResultFacts,
  readTransactionResult,
} from "../xdr/outcome/result.ts";
import { isOfSimulation, isOfUnitTest } from "../xdr/outcome/tool-messages.ts";
import { showValue } from "../xdr/values/value.ts";
import { symbolOf } from "../xdr/values/value-parts.ts";
import { causeOfOperation } from "./causes/cause.ts";
import { classicCause } from "./causes/classic.ts";
import { detailsOf, evidenceInFull, evidenceOf, failureOf } from "./causes/failure.ts";
import { refusalOfAnswer } from "./causes/refusal.ts";
import { causeOfWords, SIMULATION_REFUSED } from "./causes/reported-words.ts";
import { explainMessage } from "./codes-within.ts";
import { withEnvelope } from "./envelope-answer.ts";
import { eventsInWords } from "./events-answer.ts";
import { FIND_CAUSE } from "./explain-code.ts";
import { firstHostError } from "./host-messages/host-error-named.ts";
import { libraryErrorsInWords } from "./naming/library-errors.ts";
import { operationCodeInWords, operationCodeRemedy } from "./naming/operation-codes.ts";
import { type CauseFacts, inWords } from "./words/cause-words.ts";
import { evidenceInWords } from "./words/evidence-words.ts";

/** No text depends on it: it only decides an envelope's hash. */
const ANY_NETWORK = "";

/** What is known of contracts besides the answer. */
export interface KnownContract extends Pick<ContractFacts, "wasmHash" | "spec" | "token"> {
  /** Strkey; null: of the contract that raised the error, whichever it is. */
  readonly contract: string | null;
  /** Whose names they are, in words. */
  readonly of: string;
}

/** Throws XDR_INVALID when a part of the answer cannot be decoded. */
export function explainAnswer(
  answer: NodeAnswer,
  known: KnownContract | null = null,
): AnswerExplanation {
  const result = answer.resultXdr === null ? null : readTransactionResult(answer.resultXdr);
  const found: AnswerCause | null =
    contradiction(answer, result) ?? (result?.success ? null : causeOf(answer, result, known));
  const { kind, hash } = answer;
  const shown = found?.placeholders ?? new Map<string, string>();
  const operations = result?.operationResults.map(resultCodeName) ?? [];
  const codes = result === null ? [] : [result.code, result.innerCode, ...operations];
  const resultCodes = codes.filter((code) => code !== null);
  return {
    kind,
    headline: headlineOf(answer, result, found !== null),
    hash,
    resultCodes,
    cause: found && { ...found.cause, summary: asPasted(found.cause.summary, shown) },
    evidence:
      found === null
        ? eventsAlone(answer).map((line) => asPasted(line, shown))
        : evidenceInFull(found).map((line) => asPasted(line, shown)),
    reported: (found?.reported ?? []).map((line) => asPasted(line, shown)),
    remedy: asPasted(restoring(answer) ?? (found && remedyOf(answer, result, found, known)), shown),
  };
}

/** Events without an error are about something all the same, where nothing else shows it. */
function eventsAlone({ kind, resultXdr, diagnosticEventsXdr }: NodeAnswer): string[] {
  return kind === "xdr" && resultXdr === null ? eventsInWords(diagnosticEventsXdr) : [];
}

/** An address that was shortened or left out is shown as it was pasted. */
function asPasted<Text extends string | null>(
  text: Text,
  placeholders: ReadonlyMap<string, string>,
): Text {
  if (text === null || placeholders.size === 0) return text;
  let shown: string = text;
  for (const [stand, pasted] of placeholders) shown = shown.replaceAll(stand, pasted);
  return shown as Text;
}

/** The contradiction of a status and a result; null where they agree. */
function contradiction(
  { status, hash }: NodeAnswer,
  result: ResultFacts | null,
): CauseFacts | null {
  if (status === null || result === null) return null;
  if ((status === "SUCCESS") === result.success) return null;
  const summary = `The answer contradicts itself: its status is ${status}, and its result is ${result.code}.`;
  const check =
    hash === null ? "" : `, or run \`svc debug ${hash}\`, which checks it by the ledger`;
  const cause = { kind: "answer-contradicts-itself", summary, confidence: "known" } as const;
  return { cause, evidence: [], remedy: `Ask another node${check}.` };
}

/** `contract`: the one that raised the error, where the answer shows it. */
interface AnswerCause extends CauseFacts {
  readonly contract?: string | null;
  /** Addresses that stand for texts of a pasted log. */
  readonly placeholders?: ReadonlyMap<string, string>;
}

function causeOf(
  answer: NodeAnswer,
  result: ResultFacts | null,
  known: KnownContract | null,
): AnswerCause | null {
  const envelope =
    answer.envelopeXdr === null ? null : openEnvelope(answer.envelopeXdr, ANY_NETWORK);
  const diagnostics = reportedDiagnostics(answer).filter((event) => !isOfApplier(event));
  if (result !== null) {
    const found = causeOfResult(answer, result, envelope, diagnostics, known);
    if (envelope === null) return found;
    return withEnvelope(found, result, envelope.xdr, diagnostics.length > 0);
  }
  const printed = diagnostics.length === 0;
  const { eventsXdr, placeholders } = printed
    ? printedLog(answer.error ?? "")
    : { eventsXdr: diagnostics, placeholders: new Map<string, string>() };
  if (readErrorReports(eventsXdr).length > 0) {
    const failed = resultOf(eventsXdr);
    const found = causeInHost(answer, failed, envelope, eventsXdr, { known, printed });
    const isWhole = found.contract === null || !placeholders.has(found.contract ?? "");
    const contract = isWhole ? (found.contract ?? null) : null;
    const evidence = [
      ...librariesWith(found, eventsXdr, known),
      ...found.evidence,
      ...(isOfUnitTest(answer.error) ? returnedBefore(eventsXdr) : []),
    ];
    return { ...found, evidence, contract, placeholders };
  }
  if (answer.error !== null) {
    const isSimulation = answer.kind === "simulateTransaction";
    const kind = isSimulation ? SIMULATION_REFUSED : "request-refused";
    const found = inWords(causeOfWords(answer.error, kind));
    const told = found.cause.kind === kind ? explainMessage(answer.error) : null;
    return told === null ? found : { ...found, evidence: [told.meaning, ...found.evidence] };
  }
  return causeOfStatus(answer.status);
}

/** Names that well-known libraries have for a number that nothing else names. */
function librariesWith(
  { cause }: CauseFacts,
  eventsXdr: readonly string[],
  known: KnownContract | null,
): string[] {
  const number = readErrorReports(eventsXdr).at(-1)?.error.contractCode ?? null;
  if (cause.kind !== "contract-error" || number === null || known !== null) return [];
  const words = libraryErrorsInWords(number);
  return words === null ? [] : [words];
}

/**
 * The call that returned last before the first error, where the log does not have the call that
 * failed, as in a unit test: the value that it returned is often why.
 */
function returnedBefore(eventsXdr: readonly string[]): string[] {
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
  const of = last.contract === null ? "" : ` of contract ${last.contract}`;
  return [`Just before the error, ${showValue(called)}${of} returned ${showValue(last.dataXdr)}.`];
}

/** The log below an error, where it ends with that very error; otherwise none. */
function printedLog(error: string): Pick<PrintedLog, "eventsXdr" | "placeholders"> {
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
    const summary = `${code}: ${operationCodeInWords(code) ?? "it failed"}.`;
    const cause = { kind: "result-code", summary, confidence: "known" } as const;
    return { cause, evidence: [], remedy: operationCodeRemedy(code) };
  }
  const isClassic = envelope !== null && envelope.soroban === null;
  if (isClassic && result.operationResults.length > 0) return classicCause(envelope, result);
  const failure = failureIn(
    answer,
    transactionCode(result.code),
    envelope,
    diagnostics,
    () => null,
  );
  const evidence = evidenceOf(failure).map(evidenceInWords);
  const reported = { evidence, details: detailsOf(failure) };
  const refusal = refusalOfAnswer(result, evidenceInFull(reported));
  return { ...refusal, remedy: refusal.remedy ?? (code ? operationCodeRemedy(code) : null) };
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
    return { ...causeOfOperation(failure), contract };
  const { wasmHash, token } = known;
  const spec = printed ? withoutTypes(known.spec) : known.spec;
  const facts = { wasmHash, token, spec, requiresOwnArguments: false };
  const lookup = (of: string | null) => (of === contract ? facts : null);
  const found = causeOfOperation({ ...failure, lookup });
  const evidence = [...found.evidence, `The names are those of ${known.of}.`];
  return { ...found, evidence, contract };
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

/** The words for a refusal without an errorResultXdr, which would have the cause. */
const WITHOUT_RESULT = {
  meaning: "The node refused the transaction. Its answer has no errorResultXdr.",
  remedy: "Send it again with xdrFormat base64, and pass that answer to `svc explain`.",
};

function causeOfStatus(status: TransactionStatus | null): CauseFacts | null {
  const kind = status === null ? undefined : CAUSE_OF_STATUS[status];
  if (kind === undefined) return null;
  const { meaning, remedy = null } = kind === "error" ? WITHOUT_RESULT : CAUSES[kind];
  const summary = `${status}: ${meaning}`;
  return { cause: { kind, summary, confidence: "known" }, evidence: [], remedy };
}

function headlineOf(answer: NodeAnswer, result: ResultFacts | null, failed: boolean): string {
  const { kind, status, ledger, restoresFirst } = answer;
  if (contradiction(answer, result) !== null) return "The answer contradicts itself.";
  const inLedger = ledger === null ? "" : ` in ledger ${ledger}`;
  switch (kind) {
    case "simulateTransaction": {
      const state = ledger === null ? "" : ` on the state of ledger ${ledger}`;
      if (failed) return `The simulation failed${state}.`;
      const after = restoresFirst ? ", once archived entries are restored" : "";
      return `The simulation succeeded${state}${after}.`;
    }
    case "sendTransaction":
      if (status === "PENDING") return "The node accepted the transaction into its queue.";
      if (status === "DUPLICATE") return "The node already has the transaction.";
      // Horizon answers a submission when its transaction is in a ledger.
      if (result !== null && isApplied(result))
        return "The transaction is in a ledger, and failed: its fee was charged.";
      return "The node did not accept the transaction.";
    case "request":
      return "The node refused the request.";
    default:
      if (result !== null) return `The transaction ${failed ? "failed" : "succeeded"}${inLedger}.`;
      if (kind === "getTransaction") return "The node does not have the transaction.";
      return failed
        ? "The contract host reported an error."
        : "The diagnostic events contain no error.";
  }
}

function restoring({ restoresFirst, error }: NodeAnswer): string | null {
  if (!restoresFirst) return null;
  const again = error === null ? "" : " Then simulate again.";
  return `Send a RestoreFootprint transaction with the restorePreamble of the answer first.${again}`;
}

/** A transaction that only was simulated has no hash that a network knows. */
const SIMULATE_IT =
  "Run `svc simulate` with the envelope: it shows the calls, and which of them failed.";

const REQUEST_REFUSED =
  "The words are the node's own. Check the method and its parameters; if they are right, try again or ask " +
  "another node.";

/** A replay reads the contract's specification, and has the remedy that the answer lacks. */
function remedyOf(
  { kind, hash, error }: NodeAnswer,
  result: ResultFacts | null,
  { cause, remedy, contract = null }: AnswerCause,
  known: KnownContract | null,
): string | null {
  if (cause.kind === "answer-contradicts-itself") return remedy;
  const isReplayable = hash !== null && result?.operationResults.some(reachedContractHost) === true;
  if (isReplayable && (remedy === null || cause.kind === "contract-error"))
    return `Run \`svc debug ${hash}\` to replay the transaction, which shows more.`;
  const inTest = CAUSES[cause.kind].inTest ?? null;
  if (inTest !== null && isOfUnitTest(error)) return inTest;
  if (cause.kind === "contract-error" && known === null)
    return (
      `Read the number's name from the contract: pass it as \`--id ${contract ?? "C…"}\` with ` +
      "`--network` for its network, or its code as `--wasm FILE`."
    );
  if (remedy !== null) return remedy;
  const told = error === null ? null : explainMessage(error);
  // Not every request is about a transaction.
  if (told === null && kind === "request") return REQUEST_REFUSED;
  const isSimulation = kind === "simulateTransaction" || isOfSimulation(error);
  return told?.remedy ?? (isSimulation ? SIMULATE_IT : FIND_CAUSE);
}
