// Recording, Snapshot, Execution and Verdict → Explanation: the outcome in one sentence, why, and
// all values as text. Works without a replay too: for classic transactions, and for those refused
// before the contract host.

import type { Labels } from "../base/labels.ts";
import type { CallNode, Execution } from "../model/execution.ts";
import type { Explanation, TransactionFacts } from "../model/explanation.ts";
import type { Recording } from "../model/recording.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Verdict } from "../model/verdict.ts";
import { contractLookup } from "../xdr/contract-specs.ts";
import { type EnvelopeFacts, readEnvelope } from "../xdr/envelope.ts";
import { pairedChanges, readTransactionMeta } from "../xdr/meta.ts";
import { type ResultFacts, reachedHost, readTransactionResult } from "../xdr/result.ts";
import { nameAddresses } from "./addresses.ts";
import { nameAuthorizations } from "./authorizations.ts";
import { findCause } from "./cause.ts";
import { diagnosticsOf, type TracedTree } from "./failure.ts";
import { nameCalls, showFunction } from "./named-calls.ts";
import { nameEvents } from "./named-events.ts";
import { keyNamer, nameChanges, nameDifference, nameKeys } from "./named-values.ts";
import { operationInWords } from "./operation-codes.ts";
import { feeFacts, resourceRows } from "./resources.ts";
import { type Balances, tokenFlow } from "./token-flow.ts";
import { nameToldCalls, toldTree } from "./told-calls.ts";

export interface ExplainOptions extends TracedTree {
  /** What the user calls addresses. */
  readonly labels?: Labels;
}

/** Throws XDR_INVALID when the recording cannot be decoded. */
export function explain(
  recording: Recording,
  snapshot: Snapshot | null,
  execution: Execution | null,
  verdict: Verdict | null,
  { labels = new Map(), tracedTree = null }: ExplainOptions = {},
): Explanation {
  const envelope = readEnvelope(recording.envelopeXdr, recording.networkPassphrase);
  const result = readTransactionResult(recording.resultXdr);
  const lookup = contractLookup(entriesAtHand(snapshot, execution));
  const events = eventsOf(recording, execution);
  const nameOf = keyNamer(snapshot, lookup);
  const told = execution === null ? toldTree(diagnosticsOf(recording, null)) : null;
  const found = result.success
    ? null
    : findCause(recording, result, { envelope, snapshot, execution, lookup, tracedTree });
  const tokenOf = (contract: string) => lookup(contract)?.token ?? null;
  const { networkPassphrase } = recording;
  const explanation = {
    headline: headlineOf(recording, envelope, result, execution?.callTree ?? told),
    success: result.success,
    cause: found?.cause ?? null,
    evidence: found?.evidence ?? [],
    remedy: found?.remedy ?? null,
    difference: nameDifference(verdict?.firstDifference ?? null),
    transaction: transactionFacts(envelope, result),
    calls: execution?.callTree ? nameCalls(execution.callTree, lookup) : null,
    toldCalls: told === null ? [] : nameToldCalls(told, lookup),
    authorizations: nameAuthorizations(recording.envelopeXdr, lookup),
    events: nameEvents(events, lookup),
    changes: nameChanges(execution?.changes ?? [], nameOf),
    tokens: tokenFlow(events, balancesOf(recording, result, execution), tokenOf, networkPassphrase),
    resources: resourceRows(envelope, snapshot, execution),
    fees: feeFacts(envelope, result, execution),
    keyNames: nameKeys(snapshot, verdict, nameOf),
  };
  const texts = [explanation, verdict?.doubts ?? []];
  const addresses = nameAddresses(texts, labels, tokenOf, networkPassphrase);
  return { ...explanation, addresses };
}

/** As they were before; of contracts and code made by the transaction, as it left them. */
function* entriesAtHand(snapshot: Snapshot | null, execution: Execution | null) {
  for (const { entryXdr } of snapshot?.entries ?? []) if (entryXdr !== null) yield entryXdr;
  for (const { afterXdr } of execution?.changes ?? []) if (afterXdr !== null) yield afterXdr;
}

/** The replay's changes; without a replay the chain's, of the operations that took effect. */
function balancesOf(
  { resultMetaXdr }: Recording,
  { success }: ResultFacts,
  execution: Execution | null,
): readonly Balances[] {
  if (execution !== null) return execution.changes;
  if (resultMetaXdr === null || !success) return [];
  const changes = readTransactionMeta(resultMetaXdr).operationChanges.flat();
  return pairedChanges(changes);
}

function headlineOf(
  { ledger }: Recording,
  envelope: EnvelopeFacts,
  result: ResultFacts,
  tree: CallNode | null,
): string {
  const subject = subjectOf(envelope, tree);
  if (result.success) return `${subject} succeeded in ledger ${ledger.sequence}.`;
  const refused = envelope.soroban !== null && !reachedHost(result);
  return `${subject} ${refused ? "was refused" : "failed"} in ledger ${ledger.sequence}.`;
}

/** Kinds of the call tree's first frame that are no contract call. */
const HOST_FUNCTIONS: Readonly<Record<string, string>> = {
  upload_wasm: "Upload of contract code",
  create_contract: "Creation of a contract",
};

/** The contract's function where a call tree names it, the operation otherwise. */
function subjectOf(envelope: EnvelopeFacts, root: CallNode | null): string {
  const { operationKinds, innerHash } = envelope;
  const bump = innerHash === null ? "" : " (fee-bump)";
  const hostFunction = HOST_FUNCTIONS[root?.calls[0]?.kind ?? ""];
  if (hostFunction !== undefined) return `${hostFunction}${bump}`;
  const called = root === null ? null : firstFunction(root);
  if (called !== null) return `Contract call ${showFunction(called)}${bump}`;
  if (operationKinds.length > 1) return `${operationKinds.length} operations${bump}`;
  return `${capitalised(operationInWords(operationKinds[0] ?? "operation"))}${bump}`;
}

/** Down the first calls: the root and the frames below it have no function. */
function firstFunction(root: CallNode): string | null {
  let node: CallNode | undefined = root;
  while (node !== undefined && node.function === null) node = node.calls[0];
  return node?.function ?? null;
}

function transactionFacts(envelope: EnvelopeFacts, result: ResultFacts): TransactionFacts {
  return {
    sourceAccount: envelope.sourceAccount,
    feeSource: envelope.feeSource,
    feeBump: envelope.innerHash !== null,
    operations: envelope.operationKinds,
    resultCode: result.code,
    operationCodes: result.operationCodes,
  };
}

/** The chain's events where the meta is there, the replay's otherwise. */
function eventsOf(recording: Recording, execution: Execution | null): readonly string[] {
  if (recording.resultMetaXdr === null) return execution?.eventsXdr ?? [];
  return readTransactionMeta(recording.resultMetaXdr).eventsXdr;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
