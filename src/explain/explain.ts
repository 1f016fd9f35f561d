// Recording, Snapshot, Execution and Verdict → Explanation: the outcome in one sentence, why, and
// all values as text. Works without a replay too: for classic transactions, and for those refused
// before the contract host.

import type { Execution } from "../model/execution.ts";
import type { Explanation, TransactionFacts } from "../model/explanation.ts";
import type { Recording } from "../model/recording.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Verdict } from "../model/verdict.ts";
import { type EnvelopeFacts, readEnvelope } from "../xdr/envelope.ts";
import { readTransactionMeta } from "../xdr/meta.ts";
import { type ResultFacts, reachedHost, readTransactionResult } from "../xdr/result.ts";
import { findCause } from "./cause.ts";
import { nameCalls, nameChanges, nameEvents, nameKeys } from "./named-values.ts";
import { operationInWords } from "./operation-codes.ts";
import { feeFacts, resourceRows } from "./resources.ts";

/** Throws XDR_INVALID when the recording cannot be decoded. */
export function explain(
  recording: Recording,
  snapshot: Snapshot | null,
  execution: Execution | null,
  verdict: Verdict | null,
): Explanation {
  const envelope = readEnvelope(recording.envelopeXdr, recording.networkPassphrase);
  const result = readTransactionResult(recording.resultXdr);
  const soroban = envelope.soroban !== null;
  const found = result.success ? null : findCause(recording, result, soroban, execution);
  return {
    headline: headlineOf(recording, envelope, result),
    success: result.success,
    cause: found?.cause ?? null,
    evidence: found?.evidence ?? [],
    remedy: found?.remedy ?? null,
    transaction: transactionFacts(envelope, result),
    calls: execution?.callTree ? nameCalls(execution.callTree) : null,
    events: nameEvents(eventsOf(recording, execution)),
    changes: nameChanges(execution?.changes ?? []),
    resources: resourceRows(envelope, execution),
    fees: feeFacts(envelope, result, execution),
    keyNames: nameKeys(snapshot, verdict),
  };
}

function headlineOf({ ledger }: Recording, envelope: EnvelopeFacts, result: ResultFacts): string {
  const count = envelope.operationKinds.length;
  const first = operationInWords(envelope.operationKinds[0] ?? "operation");
  const what = count > 1 ? `${count} operations` : first;
  const bump = envelope.innerHash === null ? "" : " (fee-bump)";
  const subject = `${capitalised(what)}${bump}`;
  if (result.success) return `${subject} succeeded in ledger ${ledger.sequence}.`;
  const refused = envelope.soroban !== null && !reachedHost(result);
  return `${subject} ${refused ? "was refused" : "failed"} in ledger ${ledger.sequence}.`;
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
