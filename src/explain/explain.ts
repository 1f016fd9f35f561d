// ChainRecord, Snapshot, Execution and Verdict → Explanation: the outcome in one sentence, the
// cause, and all values as text. It also works without a replay: for classic transactions, and for
// those refused before the contract host ran.

import type { Wording } from "../base/phrase.ts";
import type { CallNode, Execution, LedgerChange } from "../model/execution.ts";
import {
  causeInWords,
  type DecidedBy,
  type DecidingCondition,
  type DecidingTerm,
  type Explanation,
  type NamedCall,
  type TransactionFacts,
} from "../model/explanation.ts";
import type { Labels } from "../model/labels.ts";
import { resultCodeName } from "../model/result-code.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { hasOtherDiagnostics, isStateSure, type Verdict } from "../model/verdict.ts";
import type { FoundWrite, Why, WhyProof } from "../model/why.ts";
import { contractLookup } from "../xdr/contract/contract-specs.ts";
import { lookupIn } from "../xdr/contract/lookup-in.ts";
import { withCreated } from "../xdr/envelope/created-contracts.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import type { OpenedRecord } from "../xdr/envelope/opened-record.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { operationChanges } from "../xdr/outcome/operation-changes.ts";
import { isSuccess, type ResultFacts, reachedHost } from "../xdr/outcome/result.ts";
import { elementsOf } from "../xdr/values/value-parts.ts";
import { causeOfFailure } from "./cause-of-failure.ts";
import { diagnosticsOf, type Failure, type TracedTree } from "./causes/failure.ts";
import { feeFacts } from "./fee-facts.ts";
import { nameAddresses } from "./naming/addresses.ts";
import { nameAuthorization, nameInvocation } from "./naming/authorizations.ts";
import { completeCallTree } from "./naming/complete-call-tree.ts";
import { decidingValue } from "./naming/deciding-value.ts";
import { doneBefore, earlierCall, setBefore } from "./naming/deciding-writes.ts";
import {
  allReportedCalls,
  diagnosticTree,
  nameDiagnosticCalls,
} from "./naming/diagnostic-calls.ts";
import { headlineSubject } from "./naming/headline-subject.ts";
import { nameCalls } from "./naming/named-calls.ts";
import { nameEvents } from "./naming/named-events.ts";
import { logsOf } from "./naming/named-steps.ts";
import {
  keyNamer,
  nameChanges,
  nameFirstDifference,
  nameKeys,
  nameResultCodes,
} from "./naming/named-values.ts";
import { operationInWords } from "./naming/operation-codes.ts";
import { isZero, provenRemedy } from "./naming/proven-remedy.ts";
import { requiredAuthorizations } from "./naming/required-authorizations.ts";
import { StorageValues } from "./naming/storage-values.ts";
import { type Balances, tokenFlow } from "./naming/token-flow.ts";
import { traceCalls } from "./naming/traced-calls.ts";
import { isMetaRewritten, reportedFacts } from "./reported-facts.ts";
import { resourceRows } from "./resources.ts";
import type { CallForm } from "./words/call-name.ts";
import { inWords } from "./words/cause-words.ts";
import { missRemedy } from "./words/contract-words.ts";
import type { CauseFinding } from "./words/found-cause.ts";
import { isSupposition } from "./words/found-evidence.ts";

export interface ExplainOptions extends TracedTree {
  /** The user's names for addresses. */
  readonly labels?: Labels;
  /** The cause, if more is known about it than `causeOfFailure` finds. */
  readonly finding?: CauseFinding | null;
  /** The calls of one additional run, with the host calls that the replay did not record. */
  readonly tracedTree?: CallNode | null;
  /** The value that decided the failure. */
  readonly why?: FoundWhy | null;
}

/** The deciding value, and a run that proves it. */
export interface FoundWhy {
  readonly why: Why;
  readonly proof: WhyProof | null;
  /** The transactions that last wrote the stored values, if ledgers show them. */
  readonly writes?: readonly FoundWrite[];
}

/**
 * Explains a transaction. `snapshot` is null if nothing ran. Throws XDR_INVALID if the record
 * cannot be decoded.
 */
export function explain(
  opened: OpenedRecord & { readonly snapshot: Snapshot | null },
  execution: Execution | null,
  verdict: Verdict | null,
  {
    labels = new Map(),
    tracedTree = null,
    why = null,
    finding = causeOfFailure(opened, execution, verdict, { tracedTree }),
  }: ExplainOptions = {},
): Explanation {
  const { record, envelope, chain, snapshot } = opened;
  const { result } = chain;
  const facts = reportedFacts(chain, execution, verdict);
  const lookup = withCreated(
    facts.changes.length === 0
      ? lookupIn(snapshot?.entries ?? [])
      : contractLookup(knownEntriesXdr(snapshot, facts.changes)),
    envelope,
    tracedTree ?? execution?.callTree ?? null,
  );
  const decidedBy =
    why && decidingValue(why.why, lookup, why.proof, isStateSure(verdict), why.writes);
  const nameOf = keyNamer(snapshot, lookup);
  const resultCodes = nameResultCodes(verdict);
  const isReplayed =
    execution !== null && resultCodes === null && (result.success || !hasOtherDiagnostics(verdict));
  const onChain = isReplayed ? null : diagnosticTree(diagnosticsOf(chain, null));
  // A replay that lacked an entry stopped at a place from which the chain continued.
  const stopped =
    onChain !== null &&
    verdict?.caveats.some(({ kind, keyXdr }) => kind === "unknown" && keyXdr !== null);
  const tokenOf = (contract: string) => lookup(contract)?.token ?? null;
  const { networkPassphrase } = record;
  const { hostFunction } = envelope;
  const invoked = hostFunction?.kind === "invoke" ? { ...hostFunction, calls: [] } : null;
  const tree = execution === null || stopped ? null : completeCallTree(execution, hostFunction);
  const ranOn = { snapshot, ledger: record.ledger.sequence, lookup };
  const calls = tree === null || execution === null ? null : tracedCalls(tree, execution, ranOn);
  const diagnosticCalls = onChain === null ? [] : nameDiagnosticCalls(onChain, lookup);
  const balances = execution === null ? balancesOnChain(chain) : facts.changes;
  const proven = decidedBy && provenRemedy(decidedBy, record.ledger, tokenOf);
  const besideCalls = withDecided(decidedBy, finding, proven, "short");
  const explanation = {
    headline: headlineOf(envelope, record.ledger.sequence, result, isMetaRewritten(verdict)),
    success: result.success,
    ...withDecided(decidedBy, finding, proven),
    besideCalls: {
      summary: besideCalls.cause?.summary ?? null,
      evidence: besideCalls.evidence,
    },
    decidedBy,
    difference: nameFirstDifference(verdict),
    resultCodes,
    replayOnly: facts.replayOnly.filter((fact) => tree !== null || fact !== "calls"),
    transaction: transactionFacts(envelope, result),
    invocation: invoked === null ? null : nameInvocation(invoked, lookup),
    calls,
    diagnosticCalls,
    logs: calls === null ? diagnosticCalls.flatMap(logsOf) : logsOf(calls),
    authorizations: envelope.authorizations.map((each) => nameAuthorization(each, lookup)),
    requiredAuthorizations: tree === null ? null : requiredAuthorizations(tree, lookup),
    events: nameEvents(facts.eventsXdr, lookup),
    changes: nameChanges(facts.changes, nameOf, snapshot),
    tokens: tokenFlow(facts.eventsXdr, balances, tokenOf, networkPassphrase),
    resources: resourceRows(envelope, snapshot, execution, facts),
    fees: feeFacts(envelope, chain, facts),
    keyNames: nameKeys(snapshot, verdict, nameOf),
  };
  const texts = [explanation, verdict?.caveats ?? []];
  const addresses = nameAddresses(texts, labels, tokenOf, networkPassphrase);
  return { ...explanation, addresses };
}

type RanOn = Pick<Failure, "snapshot" | "ledger" | "lookup">;

/** The calls of a run on the snapshot, with everything that the run shows of them. */
export function tracedCalls(
  tree: CallNode,
  { diagnosticsXdr, hostError }: Pick<Execution, "diagnosticsXdr" | "hostError">,
  { snapshot, ledger, lookup }: RanOn,
): NamedCall {
  const { tree: reported } = allReportedCalls(diagnosticsXdr);
  const storage = snapshot && new StorageValues(snapshot, ledger);
  return nameCalls(traceCalls(tree, reported, hostError), lookup, storage);
}

type SaidCause = Pick<
  Explanation,
  | "cause"
  | "causeInBrief"
  | "evidence"
  | "ownEvidence"
  | "namesCall"
  | "details"
  | "remedy"
  | "isDone"
>;

const NOTHING_SAID: SaidCause = {
  cause: null,
  causeInBrief: null,
  evidence: [],
  ownEvidence: 0,
  namesCall: false,
  details: [],
  remedy: null,
  isDone: false,
};

/**
 * The explanation with the deciding value, without suspicions and repetitions. `proven` is the
 * remedy that a run proved.
 */
export function withDecided(
  by: DecidedBy | null,
  finding: CauseFinding | null,
  proven: string | null = null,
  form: CallForm = "whole",
): SaidCause {
  if (finding === null) return NOTHING_SAID;
  const { byNode = false, restsOnLikelyState = false } = finding;
  const certain = finding.evidence.filter((each) => !isSupposition(each));
  const said = inWords(by === null ? finding : { ...finding, evidence: certain }, form);
  const { cause, beforeDecision, firstSentence, details, namesCall } = said;
  const beside = { details, namesCall, isDone: false };
  if (by === null) {
    const { evidence, ownEvidence, remedy } = said;
    const causeInBrief = causeInWords(cause, firstSentence);
    return { cause, causeInBrief, evidence, ownEvidence, remedy, ...beside };
  }
  const written = by.writes.map(({ text }) => text);
  const shown = {
    evidence: [by.summary, ...written, ...said.evidence],
    ownEvidence: said.ownEvidence + 1 + written.length,
    ...beside,
  };
  const remedy = said.isLastResort ? null : said.remedy;
  if (by.end === "refused") {
    const causeInBrief = causeInWords(cause, firstSentence);
    return { cause, causeInBrief, ...shown, remedy: remedy ?? proven };
  }
  const isGuess = !by.always || cause.confidence === "known";
  const confidence = restsOnLikelyState ? ("likely" as const) : ("known" as const);
  const before = isGuess ? beforeDecision : undefined;
  const decided = before ? { ...cause, summary: before.join(" "), confidence } : cause;
  const isPanic = by.end === "stopped" && !by.always;
  const [ofCause] = before ?? [firstSentence];
  const inBrief = { causeInBrief: isPanic ? by.firstSentence : causeInWords(decided, ofCause) };
  const done = by.always ? null : earlierCall(by);
  if (done !== null)
    return { cause: decided, ...inBrief, ...shown, remedy: doneBefore(done), isDone: true };
  const wasRemoved = by.writes.some(({ of }) => of === "entry");
  const again = by.always ? null : setBefore(by);
  if (again !== null) return { cause: decided, ...inBrief, ...shown, remedy: again };
  const missing = (of: readonly DecidingCondition[]) => missingEntry(of, byNode, wasRemoved);
  // If an entry is absent, a number is often compared with 0, and a smaller number does not help.
  const first = isZero(by.proof?.other) ? missing(by.because) : null;
  return {
    cause: decided,
    ...inBrief,
    ...shown,
    remedy: by.always
      ? (remedy ?? proven)
      : (first ?? proven ?? remedy ?? missing(by.because) ?? missing(by.conditions)),
  };
}

/** The remedy if the absence of an entry decided, which a known transaction may have removed. */
function missingEntry(
  conditions: readonly DecidingCondition[],
  byNode: boolean,
  wasRemoved: boolean,
): Wording | null {
  const [entry = null] = conditions.flatMap(({ relation, terms }) =>
    relation === "absent" ? terms.filter(({ kind }) => kind === "entry") : [],
  );
  if (entry === null) return null;
  const { durability, of, keyXdr = "" } = entry;
  const key = wasRemoved ? "right" : of.length > 0 ? "made" : bareKey(keyXdr);
  return missRemedy({ durability, byNode, names: argumentsOf(of), ...(key && { key }) });
}

/** A word or a number that code has as a constant; a longer key may have lost its parts. */
function bareKey(keyXdr: string): "constant" | null {
  const [, ...parts] = elementsOf(keyXdr) ?? [];
  return parts.length === 0 ? "constant" : null;
}

/** The names of the failed call's arguments among the values from which a value was made. */
function argumentsOf(terms: readonly DecidingTerm[]): string[] {
  const names = terms.flatMap(({ kind, name, of }) =>
    kind === "argument" ? (name ?? []) : argumentsOf(of),
  );
  return [...new Set(names)];
}

/** The state before, then the state after, for contracts and code that the transaction created. */
function* knownEntriesXdr(snapshot: Snapshot | null, changes: readonly LedgerChange[]) {
  for (const { entryXdr } of snapshot?.entries ?? []) if (entryXdr !== null) yield entryXdr;
  for (const { afterXdr } of changes) if (afterXdr !== null) yield afterXdr;
}

/** Balance changes of the operations that took effect. */
function balancesOnChain({ meta, result }: ChainFacts): readonly Balances[] {
  return meta === null || !result.success ? [] : [...operationChanges(meta).values()];
}

function headlineOf(
  { isFeeBump, operationKinds, hostFunction, soroban }: Envelope,
  ledger: number,
  result: ResultFacts,
  isMetaRewritten: boolean,
): string {
  const bump = isFeeBump ? " (fee-bump)" : "";
  const failed = failedAmongOthers(operationKinds, result);
  const subject = failed ?? headlineSubject(hostFunction, operationKinds);
  const but = isMetaRewritten ? ", but its meta does not show what it did" : "";
  if (result.success) return `${subject}${bump} succeeded in ledger ${ledger}${but}.`;
  const refused = soroban !== null && !reachedHost(result);
  const ended = refused ? "was refused" : "failed";
  return `${subject}${bump} ${ended} in ledger ${ledger}${but}.`;
}

/** The operation that failed and rolled back the others; null if it is unknown. */
function failedAmongOthers(
  operationKinds: readonly string[],
  { operationResults }: ResultFacts,
): string | null {
  const count = operationKinds.length;
  const failed = operationKinds.flatMap((_, i) => {
    const ended = operationResults[i];
    return ended === undefined || isSuccess(ended) ? [] : [i];
  });
  const [first] = failed;
  if (count < 2 || first === undefined) return null;
  if (failed.length > 1) return `${failed.length} of ${count} operations`;
  return `Operation ${first + 1} of ${count} (${operationInWords(operationKinds[first] ?? "")})`;
}

function transactionFacts(envelope: Envelope, result: ResultFacts): TransactionFacts {
  const { operationSource, source } = envelope.terms;
  return {
    sourceAccount: envelope.sourceAccount,
    operationSource:
      envelope.soroban === null || operationSource === source ? null : operationSource,
    feeSource: envelope.feeSource,
    feeBump: envelope.isFeeBump,
    operations: envelope.operationKinds,
    resultCode: result.code,
    operationCodes: result.operationResults.map(resultCodeName),
  };
}
