// Checks that a node's answer is about the requested transaction, and is consistent. The envelope's
// hash is a proof. Result and meta have no proof, so they are compared with the envelope, with each
// other and with the ledger. A careful lie can still pass.

import { SvcError } from "../../base/errors/errors.ts";
import { type Envelope, openEnvelope } from "../../xdr/envelope/envelope.ts";
import { readTransactionMeta, type TransactionMetaFacts } from "../../xdr/outcome/meta.ts";
import { type ResultFacts, readTransactionResult } from "../../xdr/outcome/result.ts";
import { lastModifiedOf } from "../../xdr/reader/keys.ts";
import type { TransactionAnswer } from "../source.ts";

export interface CheckedTransaction {
  readonly answer: TransactionAnswer;
  /** Name of the source. */
  readonly origin: string;
  readonly envelope: Envelope;
  readonly result: ResultFacts;
  readonly meta: TransactionMetaFacts | null;
}

export interface Claim {
  readonly answer: TransactionAnswer;
  readonly origin: string;
  /** Lower-case hex: the requested outer or inner hash. */
  readonly hash: string;
  readonly networkPassphrase: string;
}

const OPERATIONS_RAN = new Set(["txSuccess", "txFailed"]);

/** Throws NODE_LIED, or NETWORK_BAD_ANSWER for XDR that cannot be decoded. */
export function checkTransaction(claim: Claim): CheckedTransaction {
  const { answer, origin, hash } = claim;
  const envelope = decoded(claim, "envelope", () =>
    openEnvelope(answer.envelopeXdr, claim.networkPassphrase),
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

/** Throws NODE_LIED when two sources contradict each other on one transaction. */
export function checkAgreement(one: CheckedTransaction, other: CheckedTransaction): void {
  const difference = differenceOf(one, other);
  if (difference === null) return;
  throw new SvcError("NODE_LIED", {
    message: `${one.origin} and ${other.origin} contradict each other on ${one.envelope.hash}: ${difference}.`,
    remedy: "Set nodes that you trust with `--horizon-url` and `--rpc-url`.",
    details: { hash: one.envelope.hash, sources: [one.origin, other.origin], difference },
  });
}

function checkResult(claim: Claim, envelope: Envelope, result: ResultFacts): void {
  const { innerHash, innerCode } = result;
  if (innerHash !== null && innerHash !== envelope.innerHash) {
    throw lied(claim, `its result belongs to the inner transaction ${innerHash}`);
  }
  if (!OPERATIONS_RAN.has(innerCode ?? result.code)) return;
  const ran = result.operationCodes.length;
  const declared = envelope.operationKinds.length;
  if (ran !== declared) throw lied(claim, `its result has ${ran} operations, not ${declared}`);
  if (envelope.soroban === null) return;
  const [kind] = envelope.operationKinds;
  const [code] = result.operationCodes;
  if (code?.startsWith("op") || (kind !== undefined && code?.startsWith(kind))) return;
  throw lied(claim, `its result ${code} is not a result of the operation ${kind}`);
}

function checkMeta(claim: Claim, result: ResultFacts, meta: TransactionMetaFacts): void {
  const changes = [...meta.changesBefore, ...meta.operationChanges.flat(), ...meta.changesAfter];
  const ledger = claim.answer.ledgerSequence;
  for (const { kind, entryXdr } of changes) {
    if (entryXdr === null || (kind !== "created" && kind !== "updated")) continue;
    const lastModified = lastModifiedOf(entryXdr);
    if (lastModified === ledger) continue;
    throw lied(claim, `its meta belongs to ledger ${lastModified}, not to ledger ${ledger}`);
  }
  // stellar-core writes the changes of operations only when all operations succeeded.
  if (!result.success && meta.operationChanges.some((each) => each.length > 0)) {
    throw lied(claim, "its result is a failure, but its meta has ledger changes");
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
  // A node's settings can rewrite events, but not changes (protocol 23 and later).
  if (one.meta.version !== other.meta.version || one.meta.version < 4) return null;
  const [changes, others] = [one.meta, other.meta].map(sortedChanges);
  return changes === others ? null : "the ledger changes in their metas differ";
}

/** Each node writes the changes of a parallel phase in its own order. */
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
      message: `${claim.origin} returned ${part === "envelope" ? "an" : "a"} ${part} of ${claim.hash} that cannot be decoded.`,
      remedy: "Set another node with `--horizon-url` or `--rpc-url`.",
      cause,
      details: { source: claim.origin, hash: claim.hash, part },
    });
  }
}

function lied(claim: Claim, why: string): SvcError {
  return new SvcError("NODE_LIED", {
    message: `${claim.origin} gave a wrong answer for ${claim.hash}: ${why}.`,
    remedy:
      "Check that the node serves your network, or set another with `--horizon-url` or `--rpc-url`.",
    details: { source: claim.origin, hash: claim.hash, networkPassphrase: claim.networkPassphrase },
  });
}
