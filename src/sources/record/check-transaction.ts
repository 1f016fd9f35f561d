// Is what a node says of a transaction about that transaction, and at one with itself?
// The envelope's hash is proof. Result and meta carry none, so they are held against the envelope,
// against each other and against the ledger; what passes can still be a careful lie.

import { SvcError } from "../../base/errors/errors.ts";
import { type EnvelopeFacts, readEnvelope } from "../../xdr/envelope/envelope.ts";
import { readTransactionMeta, type TransactionMetaFacts } from "../../xdr/outcome/meta.ts";
import { type ResultFacts, readTransactionResult } from "../../xdr/outcome/result.ts";
import { lastModifiedOf } from "../../xdr/reader/keys.ts";
import type { TransactionAnswer } from "../source.ts";

export interface CheckedTransaction {
  readonly answer: TransactionAnswer;
  /** Name of the source. */
  readonly origin: string;
  readonly envelope: EnvelopeFacts;
  readonly result: ResultFacts;
  readonly meta: TransactionMetaFacts | null;
}

export interface Claim {
  readonly answer: TransactionAnswer;
  readonly origin: string;
  /** Lower-case hex: outer or inner hash that was asked for. */
  readonly hash: string;
  readonly networkPassphrase: string;
}

const OPERATIONS_RAN = new Set(["txSuccess", "txFailed"]);

/** Throws NODE_LIED, or NETWORK_BAD_ANSWER for XDR that cannot be decoded. */
export function checkTransaction(claim: Claim): CheckedTransaction {
  const { answer, origin, hash } = claim;
  const envelope = decoded(claim, "envelope", () =>
    readEnvelope(answer.envelopeXdr, claim.networkPassphrase),
  );
  if (envelope.hash !== hash && envelope.innerHash !== hash) {
    throw lied(claim, `its envelope has the hash ${envelope.hash}`);
  }
  const result = decoded(claim, "result", () => readTransactionResult(answer.resultXdr));
  checkResult(claim, envelope, result);
  const { resultMetaXdr } = answer;
  const meta =
    resultMetaXdr === null
      ? null
      : decoded(claim, "meta", () => readTransactionMeta(resultMetaXdr));
  if (meta !== null) checkMeta(claim, result, meta);
  return { answer, origin, envelope, result, meta };
}

/** Throws NODE_LIED when two sources say different things of one transaction. */
export function checkAgreement(one: CheckedTransaction, other: CheckedTransaction): void {
  const difference = differenceOf(one, other);
  if (difference === null) return;
  throw new SvcError("NODE_LIED", {
    message: `${one.origin} and ${other.origin} contradict each other on ${one.envelope.hash}: ${difference}.`,
    remedy: "Name nodes that you trust with --horizon-url and --rpc-url.",
    details: { hash: one.envelope.hash, sources: [one.origin, other.origin], difference },
  });
}

function checkResult(claim: Claim, envelope: EnvelopeFacts, result: ResultFacts): void {
  const { innerHash, innerCode } = result;
  if (innerHash !== null && innerHash !== envelope.innerHash) {
    throw lied(claim, `its result is that of the inner transaction ${innerHash}`);
  }
  if (!OPERATIONS_RAN.has(innerCode ?? result.code)) return;
  const ran = result.operationCodes.length;
  const declared = envelope.operationKinds.length;
  if (ran !== declared) throw lied(claim, `its result has ${ran} operations, not ${declared}`);
  if (envelope.soroban === null) return;
  const [kind] = envelope.operationKinds;
  const [code] = result.operationCodes;
  if (code?.startsWith("op") || (kind !== undefined && code?.startsWith(kind))) return;
  throw lied(claim, `its result ${code} is not one of the operation ${kind}`);
}

function checkMeta(claim: Claim, result: ResultFacts, meta: TransactionMetaFacts): void {
  const changes = [...meta.changesBefore, ...meta.operationChanges.flat(), ...meta.changesAfter];
  const ledger = claim.answer.ledgerSequence;
  for (const { kind, entryXdr } of changes) {
    if (entryXdr === null || (kind !== "created" && kind !== "updated")) continue;
    const lastModified = lastModifiedOf(entryXdr);
    if (lastModified === ledger) continue;
    throw lied(claim, `its meta belongs to ledger ${lastModified}, not to ${ledger}`);
  }
  // stellar-core writes the changes of operations only when all of them succeeded.
  if (!result.success && meta.operationChanges.some((each) => each.length > 0)) {
    throw lied(claim, "its result says that it failed, its meta that it changed the ledger");
  }
}

function differenceOf(one: CheckedTransaction, other: CheckedTransaction): string | null {
  if (one.envelope.hash !== other.envelope.hash) return "the envelopes differ";
  if (one.answer.resultXdr !== other.answer.resultXdr) {
    const codes = [one, other].map(({ result }) => result.operationCodes[0] ?? result.code);
    const fees = [one, other].map(({ result }) => result.feeChargedStroops);
    return `the results are ${codes.join(" and ")}, the fees ${fees.join(" and ")}`;
  }
  if (one.answer.ledgerSequence !== other.answer.ledgerSequence) {
    return `the ledgers are ${one.answer.ledgerSequence} and ${other.answer.ledgerSequence}`;
  }
  if (one.meta === null || other.meta === null) return null;
  // Events can be written anew by a node's settings; changes cannot (protocol 23 and later).
  if (one.meta.version !== other.meta.version || one.meta.version < 4) return null;
  const [changes, others] = [one.meta, other.meta].map(sortedChanges);
  return changes === others ? null : "the ledger changes in their metas differ";
}

/** Nodes write the changes of a parallel phase in an order of their own. */
function sortedChanges(meta: TransactionMetaFacts): string {
  const lists = [meta.changesBefore, ...meta.operationChanges, meta.changesAfter];
  return JSON.stringify(lists.map((changes) => changes.map((each) => JSON.stringify(each)).sort()));
}

function decoded<T>(claim: Claim, part: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof SvcError && cause.code === "XDR_INVALID")) throw cause;
    throw new SvcError("NETWORK_BAD_ANSWER", {
      message: `${claim.origin} gave a ${part} of ${claim.hash} that cannot be decoded.`,
      remedy: "Name another node with --horizon-url or --rpc-url.",
      cause,
      details: { source: claim.origin, hash: claim.hash, part },
    });
  }
}

function lied(claim: Claim, why: string): SvcError {
  return new SvcError("NODE_LIED", {
    message: `${claim.origin} answered wrongly when asked for ${claim.hash}: ${why}.`,
    remedy:
      "Check that the node serves the network you named; name another with --horizon-url or --rpc-url.",
    details: { source: claim.origin, hash: claim.hash, networkPassphrase: claim.networkPassphrase },
  });
}
