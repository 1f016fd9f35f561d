// Explains a Simulation: what the transaction would return and change, what must be signed and
// declared for it, or why it would fail. A classic transaction does not run in the contract host,
// so a simulation cannot show whether it would succeed.

import type { NamedAuthorization } from "../model/authorizations.ts";
import type { LedgerFacts } from "../model/chain-record.ts";
import type { CallNode, Execution } from "../model/execution.ts";
import type { NamedCall } from "../model/explanation.ts";
import type { Labels } from "../model/labels.ts";
import { invokeHostFunctionCode, SOROBAN_OPERATIONS } from "../model/result-code.ts";
import type {
  Sending,
  SimulatedChange,
  SimulatedResources,
  Simulation,
  SimulationExplanation,
} from "../model/simulation.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { type ContractLookup, contractLookup } from "../xdr/contract/contract-specs.ts";
import { isNonceKey } from "../xdr/contract/key-typed.ts";
import { showTyped } from "../xdr/contract/value-typed.ts";
import { readAuthorization } from "../xdr/envelope/authorizations.ts";
import { withCreated } from "../xdr/envelope/created-contracts.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import type { HostFunctionFacts } from "../xdr/envelope/host-function.ts";
import { readSorobanData } from "../xdr/envelope/soroban-data.ts";
import { readTransactionLimits, type TransactionLimits } from "../xdr/ledger/transaction-limits.ts";
import { readDiagnosticEvent } from "../xdr/outcome/diagnostics.ts";
import { readErrorReports } from "../xdr/outcome/error-reports.ts";
import { decode } from "../xdr/reader/value.ts";
import { int32At } from "../xdr/reader/words.ts";
import { withDoubtAboutNode } from "./causes/absent-entries.ts";
import { causeOfTrap } from "./causes/cause.ts";
import { failureOf } from "./causes/failure.ts";
import { causeOfWords, SIMULATION_REFUSED } from "./causes/reported-words.ts";
import { type FoundWhy, tracedCalls, withDecided } from "./explain.ts";
import { nameAddresses } from "./naming/addresses.ts";
import { nameAuthorization } from "./naming/authorizations.ts";
import { completeCallTree } from "./naming/complete-call-tree.ts";
import { decidingValue } from "./naming/deciding-value.ts";
import { diagnosticTree, nameDiagnosticCalls } from "./naming/diagnostic-calls.ts";
import { headlineSubject } from "./naming/headline-subject.ts";
import { nameEvents } from "./naming/named-events.ts";
import { logsOf } from "./naming/named-steps.ts";
import { type KeyNamer, keyNamer, nameChanges } from "./naming/named-values.ts";
import { provenRemedy } from "./naming/proven-remedy.ts";
import { callsWithin, type ReportedCall } from "./naming/traced-calls.ts";
import { exceededBudget, refusedByNetwork } from "./simulated-limits.ts";
import type { CauseFinding } from "./words/found-cause.ts";

interface Circumstances {
  readonly envelope: Envelope;
  readonly limits: TransactionLimits;
  readonly lookup: ContractLookup;
  readonly absentByNode: readonly string[];
}

/** The entries that a simulation read on the nodes' latest ledger. */
export interface ReadState {
  /** LedgerEntries, with the network's settings. */
  readonly entriesXdr: readonly string[];
  /** LedgerKeys for which no node has an entry. */
  readonly absentKeysXdr: readonly string[];
}

/** The deciding value, and the ledger for which it decides. */
export interface ForeseenWhy extends FoundWhy {
  readonly ledger: Pick<LedgerFacts, "sequence" | "closeTimeUnixSeconds">;
}

export function explainSimulation(
  simulation: Simulation,
  envelope: Envelope,
  { entriesXdr, absentKeysXdr }: ReadState,
  sending: Sending | null,
  ran: RanAsSimulated | null = null,
  why: ForeseenWhy | null = null,
): SimulationExplanation {
  const { hostFunction } = envelope;
  const after = simulation.changes.flatMap(({ afterXdr }) => afterXdr ?? []);
  const known = contractLookup([...entriesXdr, ...after]);
  const lookup = withCreated(known, envelope, ran?.execution.callTree ?? null);
  const tokenOf = (contract: string) => lookup(contract)?.token ?? null;
  const nameOf = keyNamer(null, lookup);
  const cause = causeOfSimulation(simulation, envelope, { entriesXdr, absentKeysXdr });
  // The state is as a node reports it.
  const by = why && decidingValue(why.why, lookup, why.proof, false);
  const shownCause = withDecided(by, cause, by && why && provenRemedy(by, why.ledger, tokenOf));
  const outcome =
    cause !== null ? "fails" : simulation.error === null ? "succeeds" : "nothing-to-simulate";
  const subject = headlineSubject(hostFunction, envelope.operationKinds);
  // The network rolls everything back if one of its limits stops the transaction at its end.
  const kept = cause === null ? simulation : { ...simulation, ...NOTHING };
  const reported = diagnosticTree(simulation.diagnosticsXdr);
  const calls = reported === null ? [] : nameDiagnosticCalls(reported, lookup);
  const trace = reported && ran && traceOf(reported, ran, { hostFunction, lookup });
  const caught = readErrorReports(kept.diagnosticsXdr).length > 0;
  const isUncertain = ({ kind }: SimulatedChange) => caught && kind === "deleted";
  return {
    outcome,
    headline: headlineOf(outcome, subject, simulation, sending, isUnsigned(envelope)),
    cause: shownCause.cause,
    evidence: shownCause.evidence,
    remedy: cause && (shownCause.remedy ?? TRY_ANOTHER),
    result: resultOf(kept, hostFunction, lookup),
    authorizations: authorizationsOf(simulation, lookup),
    resources: resourcesOf(kept.transactionDataXdr, nameOf),
    restoreFirst: restoredBy(simulation.restorePreamble?.transactionDataXdr ?? null, nameOf),
    changes: nameChanges(
      kept.changes
        .filter((change) => !isUncertain(change))
        .map((change) => ({
          ...change,
          kind: change.kind === "deleted" ? "removed" : change.kind,
        })),
      nameOf,
    ),
    maybeRemoved: kept.changes.filter(isUncertain).map(({ keyXdr }) => nameOf(keyXdr)),
    events: nameEvents(emitted(kept.diagnosticsXdr), lookup),
    calls,
    trace,
    logs: calls.flatMap(logsOf),
    addresses: nameAddresses([calls, trace], NO_LABELS, tokenOf, envelope.networkPassphrase),
  };
}

/** The remedy for errors and panics of a contract. */
const TRY_ANOTHER = "Change the arguments or correct the contract, and simulate again.";
const NO_LABELS: Labels = new Map();

/** A run in the next ledger with the resources and authorizations that its simulation reports. */
export interface RanAsSimulated {
  readonly ledger: number;
  readonly snapshot: Snapshot;
  readonly execution: Execution;
}

/** Null if the run did not make the calls of the simulation. */
function traceOf(
  reported: ReportedCall,
  { execution, snapshot, ledger }: RanAsSimulated,
  { hostFunction, lookup }: Pick<Envelope, "hostFunction"> & Pick<Circumstances, "lookup">,
): NamedCall | null {
  const tree = completeCallTree(execution, hostFunction);
  // Values may differ, for example the number of the ledger.
  const shapes = (calls: readonly CallNode[]) =>
    calls.map(({ contract, function: name, failed }) => `${contract} ${name} ${failed}`).join();
  const isSame = tree && shapes(callsWithin<CallNode>(tree)) === shapes(callsWithin(reported));
  return isSame ? tracedCalls(tree, execution, { snapshot, ledger, lookup }) : null;
}

const NOTHING = {
  returnValueXdr: null,
  transactionDataXdr: null,
  changes: [],
  diagnosticsXdr: [],
} as const;

/** Null if it would succeed, or if there is nothing to simulate. */
export function causeOfSimulation(
  simulation: Simulation,
  envelope: Envelope,
  { entriesXdr, absentKeysXdr }: ReadState,
): CauseFinding | null {
  const { error, changes, diagnosticsXdr } = simulation;
  const after = changes.flatMap(({ afterXdr }) => afterXdr ?? []);
  const lookup = contractLookup([...entriesXdr, ...after]);
  const limits = readTransactionLimits(entriesXdr);
  // A transaction never fails because a nonce has not been used.
  const absentByNode = absentKeysXdr.filter((key) => !isNonceKey(key));
  if (error === null) {
    const emittedXdr = { eventsXdr: emitted(diagnosticsXdr), nameOf: keyNamer(null, lookup) };
    const refusal = refusedByNetwork(simulation, envelope, limits, emittedXdr);
    return refusal && withDoubtAboutNode(refusal, { absentByNode, lookup });
  }
  return envelope.operationKinds.some((kind) => SOROBAN_OPERATIONS.has(kind))
    ? causeOfError(simulation, error, { envelope, limits, lookup, absentByNode })
    : null;
}

const NOT_SIGNED: ReadonlySet<string> = new Set(["txBadAuth", "opBadAuth"]);

function isUnsigned({ terms }: Envelope): boolean {
  return terms.signatures.length + terms.innerSignatures.length === 0;
}

function headlineOf(
  outcome: SimulationExplanation["outcome"],
  subject: string,
  simulation: Simulation,
  sending: Sending | null,
  unsigned: boolean,
): string {
  if (outcome === "nothing-to-simulate")
    return "This transaction runs nothing in the contract host, so there is nothing to simulate.";
  const on = inLedger(simulation);
  if (outcome === "fails") return `${subject} would fail${on}.`;
  const restores = simulation.restorePreamble !== null;
  const once = restores ? ", once its archived entries are restored" : "";
  const none = sending?.refusals.length === 0;
  if (none && !restores) return `${subject} would succeed${on}.`;
  const lacksSignatures = unsigned && sending?.refusals.every(({ code }) => NOT_SIGNED.has(code));
  if (lacksSignatures && !restores)
    return `${subject} would succeed${on}, once the transaction is signed.`;
  const isSure = sending?.refusals.some(({ confidence }) => confidence === "known");
  const would = isSure ? "would not" : "may not";
  const but = sending === null || none ? "" : `, but the transaction ${would} succeed as it is`;
  return `${subject} would run without an error${on}${once}${but}.`;
}

function inLedger({ latestLedger }: Simulation): string {
  return latestLedger === 0 ? "" : ` on the state of ledger ${latestLedger}`;
}

/**
 * The cause from the host's diagnostics; without any, from the host's message or from the earlier
 * refusal.
 */
function causeOfError(
  simulation: Simulation,
  error: string,
  { envelope, limits, lookup, absentByNode }: Circumstances,
): CauseFinding {
  const { diagnosticsXdr, latestLedger: ledger } = simulation;
  const failure = failureOf(diagnosticsXdr, {
    result: invokeHostFunctionCode("trapped"),
    envelope,
    ledger,
    snapshot: null,
    execution: null,
    lookup,
    absentByNode,
    simulated: true,
  });
  const cause =
    failure.error === null
      ? withDoubtAboutNode(causeOfWords(error, SIMULATION_REFUSED), failure)
      : causeOfTrap(failure);
  if (cause.kind !== "budget-exceeded") return cause;
  const ofNetwork = exceededBudget(failure, simulation, limits);
  return ofNetwork === null ? cause : withDoubtAboutNode(ofNetwork, failure);
}

function resultOf(
  { returnValueXdr }: Simulation,
  hostFunction: HostFunctionFacts | null,
  lookup: ContractLookup,
): string | null {
  if (returnValueXdr === null) return null;
  if (hostFunction?.kind !== "invoke") return showTyped(returnValueXdr, null, null);
  const spec = lookup(hostFunction.contract)?.spec ?? null;
  const output = spec?.functions.get(hostFunction.function)?.output ?? null;
  return showTyped(returnValueXdr, output, spec);
}

/** A recorded entry has expiration ledger 0: its signer sets the ledger. */
function authorizationsOf(
  { authorizationsXdr }: Simulation,
  lookup: ContractLookup,
): NamedAuthorization[] {
  return authorizationsXdr.map((entryXdr) => {
    const named = nameAuthorization(
      readAuthorization(decode("SorobanAuthorizationEntry", entryXdr)),
      lookup,
    );
    return named.validUntilLedger === 0 ? { ...named, validUntilLedger: null } : named;
  });
}

function resourcesOf(dataXdr: string | null, nameOf: KeyNamer): SimulatedResources | null {
  if (dataXdr === null) return null;
  const { footprint, instructions, diskReadBytes, writeBytes, archivedEntryIndexes } =
    readSorobanData(dataXdr);
  const readWrite = footprint.readWrite.map(nameOf);
  return {
    instructions,
    diskReadBytes,
    writeBytes,
    readOnly: footprint.readOnly.map(nameOf),
    readWrite,
    restored: archivedEntryIndexes.flatMap((index) => readWrite[index] ?? []),
  };
}

function restoredBy(dataXdr: string | null, nameOf: KeyNamer): string[] {
  return dataXdr === null ? [] : readSorobanData(dataXdr).footprint.readWrite.map(nameOf);
}

/**
 * The ContractEvents of successful calls. A DiagnosticEvent is a flag followed by a ContractEvent.
 */
function emitted(diagnosticsXdr: readonly string[]): string[] {
  return diagnosticsXdr.flatMap((eventXdr) => {
    const bytes = Uint8Array.fromBase64(eventXdr);
    const inSuccessfulCall = int32At(bytes, 0) === 1;
    if (!inSuccessfulCall || readDiagnosticEvent(eventXdr).kind === "diagnostic") return [];
    return bytes.subarray(4).toBase64();
  });
}
