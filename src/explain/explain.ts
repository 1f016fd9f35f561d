// Recording, Snapshot, Execution and Verdict → Explanation: the outcome in one sentence, why, and
// all values as text. Works without a replay too: for classic transactions, and for those refused
// before the contract host.

import type { Labels } from "../base/labels.ts";
import type { Execution, LedgerChange } from "../model/execution.ts";
import type { Explanation, TransactionFacts } from "../model/explanation.ts";
import type { Recording } from "../model/recording.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Verdict } from "../model/verdict.ts";
import { type ChainFacts, readChain } from "../xdr/chain-facts.ts";
import { contractLookup } from "../xdr/contract-specs.ts";
import { type EnvelopeFacts, readEnvelope } from "../xdr/envelope.ts";
import { type HostFunctionFacts, readHostFunction } from "../xdr/host-function.ts";
import { operationChanges } from "../xdr/operation-changes.ts";
import { type ResultFacts, reachedHost } from "../xdr/result.ts";
import { nameAddresses } from "./addresses.ts";
import { nameAuthorizations, nameInvocation } from "./authorizations.ts";
import { findCause } from "./cause.ts";
import { diagnosticsOf, type TracedTree } from "./failure.ts";
import { feeFacts } from "./fee-facts.ts";
import { nameCalls } from "./named-calls.ts";
import { nameEvents } from "./named-events.ts";
import { keyNamer, nameChanges, nameDifference, nameEndings, nameKeys } from "./named-values.ts";
import { operationInWords } from "./operation-codes.ts";
import { resourceRows } from "./resources.ts";
import { subjectOf } from "./subject.ts";
import { type Balances, tokenFlow } from "./token-flow.ts";
import { nameToldCalls, toldTree } from "./told-calls.ts";
import { toldFacts } from "./told-facts.ts";
import { wholeTree } from "./whole-tree.ts";

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
  const chain = readChain(recording);
  const { result } = chain;
  const facts = toldFacts(chain, execution, verdict);
  const lookup = contractLookup(entriesAtHand(snapshot, facts.changes));
  const nameOf = keyNamer(snapshot, lookup);
  const endings = nameEndings(verdict);
  const isTold = execution === null || endings !== null;
  const told = isTold ? toldTree(diagnosticsOf(recording, null)) : null;
  const found = result.success
    ? null
    : findCause(recording, result, { envelope, snapshot, execution, lookup, tracedTree });
  const tokenOf = (contract: string) => lookup(contract)?.token ?? null;
  const { networkPassphrase, envelopeXdr } = recording;
  const asked = readHostFunction(envelopeXdr);
  const tree = execution === null ? null : wholeTree(execution, asked);
  const balances = execution === null ? balancesOnChain(chain) : facts.changes;
  const explanation = {
    headline: headlineOf(recording, envelope, asked, result),
    success: result.success,
    cause: found?.cause ?? null,
    evidence: found?.evidence ?? [],
    remedy: found?.remedy ?? null,
    difference: nameDifference(verdict?.firstDifference ?? null),
    endings,
    onlyReplayed: facts.onlyReplayed,
    transaction: transactionFacts(envelope, result),
    invocation: asked?.kind === "invoke" ? nameInvocation({ ...asked, calls: [] }, lookup) : null,
    calls: tree === null ? null : nameCalls(tree, lookup),
    toldCalls: told === null ? [] : nameToldCalls(told, lookup),
    authorizations: nameAuthorizations(envelopeXdr, lookup),
    events: nameEvents(facts.eventsXdr, lookup),
    changes: nameChanges(facts.changes, nameOf, snapshot),
    tokens: tokenFlow(facts.eventsXdr, balances, tokenOf, networkPassphrase),
    resources: resourceRows(envelope, snapshot, execution, facts),
    fees: feeFacts(envelope, chain, facts),
    keyNames: nameKeys(snapshot, verdict, nameOf),
  };
  const texts = [explanation, verdict?.doubts ?? []];
  const addresses = nameAddresses(texts, labels, tokenOf, networkPassphrase);
  return { ...explanation, addresses };
}

/** As they were before; of contracts and code made by the transaction, as it left them. */
function* entriesAtHand(snapshot: Snapshot | null, changes: readonly LedgerChange[]) {
  for (const { entryXdr } of snapshot?.entries ?? []) if (entryXdr !== null) yield entryXdr;
  for (const { afterXdr } of changes) if (afterXdr !== null) yield afterXdr;
}

/** Of the operations that took effect. */
function balancesOnChain({ meta, result }: ChainFacts): readonly Balances[] {
  return meta === null || !result.success ? [] : [...operationChanges(meta).values()];
}

function headlineOf(
  { ledger }: Recording,
  envelope: EnvelopeFacts,
  asked: HostFunctionFacts | null,
  result: ResultFacts,
): string {
  const bump = envelope.innerHash === null ? "" : " (fee-bump)";
  const { operationKinds } = envelope;
  const failed = failedAmongOthers(operationKinds, result);
  const subject = failed ?? subjectOf(asked, operationKinds);
  if (result.success) return `${subject}${bump} succeeded in ledger ${ledger.sequence}.`;
  const refused = envelope.soroban !== null && !reachedHost(result);
  const ended = refused ? "was refused" : "failed";
  return `${subject}${bump} ${ended} in ledger ${ledger.sequence}.`;
}

/** Which of several operations failed, and took the others with them; null: nothing says it. */
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
