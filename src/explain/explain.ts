// ChainRecord, Snapshot, Execution and Verdict → Explanation: the outcome in one sentence, the
// cause, and all values as text. It also works without a replay: for classic transactions, and for
// those refused before the contract host ran.

import type { Labels } from "../base/settings/labels.ts";
import type { ChainRecord } from "../model/chain-record.ts";
import type { Execution, LedgerChange } from "../model/execution.ts";
import type { Explanation, TransactionFacts } from "../model/explanation.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Verdict } from "../model/verdict.ts";
import { contractLookup } from "../xdr/contract/contract-specs.ts";
import type { Envelope, OpenedRecord } from "../xdr/envelope/envelope.ts";
import { type ChainFacts, readChain } from "../xdr/outcome/chain-facts.ts";
import { operationChanges } from "../xdr/outcome/operation-changes.ts";
import { type ResultFacts, reachedHost } from "../xdr/outcome/result.ts";
import { absentByNode } from "./causes/absent-entries.ts";
import { findCause, type Known } from "./causes/cause.ts";
import { type CauseFacts, diagnosticsOf, type TracedTree } from "./causes/failure.ts";
import { feeFacts } from "./fee-facts.ts";
import { nameAddresses } from "./naming/addresses.ts";
import { nameAuthorizations, nameInvocation } from "./naming/authorizations.ts";
import { completeCallTree } from "./naming/complete-call-tree.ts";
import { diagnosticTree, nameDiagnosticCalls } from "./naming/diagnostic-calls.ts";
import { headlineSubject } from "./naming/headline-subject.ts";
import { nameCalls } from "./naming/named-calls.ts";
import { nameEvents } from "./naming/named-events.ts";
import {
  keyNamer,
  nameChanges,
  nameDifference,
  nameKeys,
  nameResultCodes,
} from "./naming/named-values.ts";
import { operationInWords } from "./naming/operation-codes.ts";
import { type Balances, tokenFlow } from "./naming/token-flow.ts";
import { isMetaRewritten, reportedFacts } from "./reported-facts.ts";
import { resourceRows } from "./resources.ts";

export interface ExplainOptions extends TracedTree {
  /** The user's names of addresses. */
  readonly labels?: Labels;
}

/** `snapshot`: null when nothing ran. Throws XDR_INVALID when the record cannot be decoded. */
export function explain(
  { record, envelope, snapshot }: OpenedRecord & { readonly snapshot: Snapshot | null },
  execution: Execution | null,
  verdict: Verdict | null,
  { labels = new Map(), tracedTree = null }: ExplainOptions = {},
): Explanation {
  const chain = readChain(record);
  const { result } = chain;
  const facts = reportedFacts(chain, execution, verdict);
  const lookup = contractLookup(knownEntriesXdr(snapshot, facts.changes));
  const nameOf = keyNamer(snapshot, lookup);
  const resultCodes = nameResultCodes(verdict);
  const isReplayed = execution !== null && resultCodes === null;
  const onChain = isReplayed ? null : diagnosticTree(diagnosticsOf(record, null));
  const found = result.success
    ? null
    : explainFailure(record, result, verdict, {
        envelope,
        snapshot: snapshot && certainOf(snapshot, verdict),
        absentByNode: absentByNode(record, snapshot),
        lookup,
        execution,
        tracedTree,
      });
  const tokenOf = (contract: string) => lookup(contract)?.token ?? null;
  const { networkPassphrase } = record;
  const { hostFunction } = envelope;
  const invoked = hostFunction?.kind === "invoke" ? { ...hostFunction, calls: [] } : null;
  const tree = execution === null ? null : completeCallTree(execution, hostFunction);
  const balances = execution === null ? balancesOnChain(chain) : facts.changes;
  const explanation = {
    headline: headlineOf(envelope, record.ledger.sequence, result, isMetaRewritten(verdict)),
    success: result.success,
    cause: found?.cause ?? null,
    evidence: found?.evidence ?? [],
    remedy: found?.remedy ?? null,
    difference: nameDifference(verdict?.firstDifference ?? null),
    resultCodes,
    replayOnly: facts.replayOnly,
    transaction: transactionFacts(envelope, result),
    invocation: invoked === null ? null : nameInvocation(invoked, lookup),
    calls: tree === null ? null : nameCalls(tree, lookup),
    diagnosticCalls: onChain === null ? [] : nameDiagnosticCalls(onChain, lookup),
    authorizations: nameAuthorizations(envelope.authorizations, lookup),
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

/**
 * What a replay did is said of the chain only where it reproduced the chain, with the diagnostics
 * that the chain recorded. Where the chain recorded none, and an input is assumed or a node's word
 * alone, what the replay shows beyond the chain's record is likely, and no more.
 */
function explainFailure(
  record: ChainRecord,
  result: ResultFacts,
  verdict: Verdict | null,
  known: Known,
): CauseFacts {
  const caveats = verdict?.caveats ?? [];
  const isReproduced =
    verdict === null ||
    verdict.kind === "exact" ||
    (verdict.kind === "equivalent" && !caveats.some(({ kind }) => kind === "diagnostics"));
  if (!isReproduced) {
    const found = findCause(record, result, { ...known, execution: null, tracedTree: null });
    return hasOtherError(verdict) ? likely(found) : found;
  }
  const found = findCause(record, result, known);
  if (known.execution === null || diagnosticsOf(record, null).length > 0) return found;
  const assumes = caveats.some(({ kind }) => kind === "assumed");
  if (!assumes && (verdict?.unconfirmed.entries ?? 0) === 0) return found;
  const alone = findCause(record, result, { ...known, execution: null, tracedTree: null });
  return alone.cause.summary === found.cause.summary ? found : likely(found);
}

function likely(found: CauseFacts): CauseFacts {
  return { ...found, cause: { ...found.cause, confidence: "likely" } };
}

/** The node's diagnostic events name another error than the replay, which missed no entry. */
function hasOtherError(verdict: Verdict | null): boolean {
  const { comparisons = [], caveats = [] } = verdict ?? {};
  return (
    caveats.every(({ keyXdr }) => keyXdr === null) &&
    comparisons.some(
      ({ subject, result }) => subject === "diagnostic-error" && result === "different",
    )
  );
}

/** Without the entries whose state is assumed, or unknown to the verdict: no claim rests on one. */
function certainOf(snapshot: Snapshot, verdict: Verdict | null): Snapshot {
  const unknown = new Set(verdict?.caveats.map(({ keyXdr }) => keyXdr));
  const entries = snapshot.entries.filter(
    ({ keyXdr, provenance, ttlProvenance }) =>
      provenance.kind !== "assumed" && ttlProvenance?.kind !== "assumed" && !unknown.has(keyXdr),
  );
  return { ...snapshot, entries };
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

/** Which of several operations failed and rolled back the others; null when it is unknown. */
function failedAmongOthers(
  operationKinds: readonly string[],
  { operationCodes }: ResultFacts,
): string | null {
  const count = operationKinds.length;
  const failed = operationKinds.flatMap((_, i) => {
    const code = operationCodes[i] ?? "";
    return code === "" || code.endsWith("Success") ? [] : [i];
  });
  const [first] = failed;
  if (count < 2 || first === undefined) return null;
  if (failed.length > 1) return `${failed.length} of ${count} operations`;
  return `Operation ${first + 1} of ${count} (${operationInWords(operationKinds[first] ?? "")})`;
}

function transactionFacts(envelope: Envelope, result: ResultFacts): TransactionFacts {
  return {
    sourceAccount: envelope.sourceAccount,
    feeSource: envelope.feeSource,
    feeBump: envelope.isFeeBump,
    operations: envelope.operationKinds,
    resultCode: result.code,
    operationCodes: result.operationCodes,
  };
}
