// Checks that a node's answer is about the requested transaction, and is consistent. The envelope's
// hash is a proof. Result and meta have no proof, so they are compared with the envelope, with each
// other and with the ledger. A careful lie can still pass.

import { SvcError } from "../../base/errors/errors.ts";
import { type Envelope, openEnvelope } from "../../xdr/envelope/envelope.ts";
import { readFeeEvents } from "../../xdr/outcome/fee-events.ts";
import { feeTaken } from "../../xdr/outcome/fees.ts";
import { readTransactionMeta, type TransactionMetaFacts } from "../../xdr/outcome/meta.ts";
import { type ResultFacts, readTransactionResult } from "../../xdr/outcome/result.ts";
import { decodeBase64 } from "../../xdr/reader/cursor.ts";
import { lastModifiedOf } from "../../xdr/reader/keys.ts";
import { describeKey } from "../../xdr/values/value.ts";
import { decodedAnswer } from "../decoded-answer.ts";
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
    throw lied(claim, "envelopeXdr", `its envelope has the hash ${envelope.hash}`);
  }
  const result = decoded(claim, "result", () => readTransactionResult(answer.resultXdr));
  checkResult(claim, envelope, result);
  const { resultMetaXdr } = answer;
  const meta =
    resultMetaXdr === null
      ? null
      : decoded(claim, "meta", () => readTransactionMeta(resultMetaXdr));
  if (meta !== null) checkMeta(claim, result, meta);
  checkFees(claim, envelope, result, meta);
  return { answer, origin, envelope, result, meta };
}

/** Throws NODE_LIED when two sources contradict each other on one transaction. */
export function checkAgreement(one: CheckedTransaction, other: CheckedTransaction): void {
  const difference = differenceOf(one, other);
  if (difference === null) return;
  const who =
    one.origin === other.origin
      ? `${one.origin} contradicts itself`
      : `${one.origin} and ${other.origin} contradict each other`;
  throw new SvcError("NODE_LIED", {
    message: `${who} on ${one.envelope.hash}: ${difference.words} (${difference.field}).`,
    remedy: "Set nodes that you trust with `--horizon-url` and `--rpc-url`.",
    details: {
      hash: one.envelope.hash,
      sources: [one.origin, other.origin],
      field: difference.field,
    },
  });
}

function checkResult(claim: Claim, envelope: Envelope, result: ResultFacts): void {
  const { innerHash, innerCode } = result;
  if (innerHash !== null && innerHash !== envelope.innerHash) {
    throw lied(claim, "resultXdr", `its result belongs to the inner transaction ${innerHash}`);
  }
  if (!OPERATIONS_RAN.has(innerCode ?? result.code)) return;
  const ran = result.operationCodes.length;
  const declared = envelope.operationKinds.length;
  if (ran !== declared)
    throw lied(claim, "resultXdr", `its result has ${ran} operations, not ${declared}`);
  if (envelope.soroban === null) return;
  const [kind] = envelope.operationKinds;
  const [code] = result.operationCodes;
  if (code?.startsWith("op") || (kind !== undefined && code?.startsWith(kind))) return;
  throw lied(claim, "resultXdr", `its result ${code} is not a result of the operation ${kind}`);
}

function checkMeta(claim: Claim, result: ResultFacts, meta: TransactionMetaFacts): void {
  const changes = [...meta.changesBefore, ...meta.operationChanges.flat(), ...meta.changesAfter];
  const ledger = claim.answer.ledgerSequence;
  for (const { kind, entryXdr } of changes) {
    if (entryXdr === null || (kind !== "created" && kind !== "updated")) continue;
    const lastModified = lastModifiedOf(entryXdr);
    if (lastModified === ledger) continue;
    throw lied(
      claim,
      "resultMetaXdr",
      `its meta belongs to ledger ${lastModified}, not to ledger ${ledger}`,
    );
  }
  // stellar-core writes the changes of operations only when all operations succeeded.
  if (!result.success && meta.operationChanges.some((each) => each.length > 0)) {
    throw lied(claim, "resultMetaXdr", "its result is a failure, but its meta has ledger changes");
  }
}

/** The fee phase takes the bid at most, and what is charged after the refund at least. */
function checkFees(
  claim: Claim,
  { feeBidStroops }: Envelope,
  { feeChargedStroops }: ResultFacts,
  meta: TransactionMetaFacts | null,
): void {
  const { feeChangesXdr } = claim.answer;
  if (feeChangesXdr === null) return;
  const taken = decoded(claim, "fee changes", () =>
    feeTaken(decodeBase64(feeChangesXdr, "fee changes")),
  );
  const events = decoded(claim, "fee events", () =>
    readFeeEvents(meta?.transactionEventsXdr ?? []),
  );
  const isPossible = taken >= BigInt(feeChargedStroops) && taken <= BigInt(feeBidStroops);
  if (isPossible && (events === null || BigInt(events.taken) === taken)) return;
  const other = isPossible
    ? `its fee event ${events?.taken}`
    : `the bid is ${feeBidStroops} and the fee charged ${feeChargedStroops}`;
  throw lied(claim, "feeChangesXdr", `its fee changes show ${taken} stroops taken, ${other}`);
}

interface Difference {
  /** Of the answer, as Stellar RPC names it. */
  readonly field: string;
  /** What differs, with both values. */
  readonly words: string;
}

function differenceOf(one: CheckedTransaction, other: CheckedTransaction): Difference | null {
  if (one.envelope.hash !== other.envelope.hash) {
    const words = `the envelopes have the hashes ${one.envelope.hash} and ${other.envelope.hash}`;
    return { field: "envelopeXdr", words };
  }
  if (one.answer.resultXdr !== other.answer.resultXdr)
    return { field: "resultXdr", words: resultDifference(one.result, other.result) };
  const [ledger, otherLedger] = [one.answer.ledgerSequence, other.answer.ledgerSequence];
  if (ledger !== otherLedger)
    return { field: "ledger", words: `the ledgers are ${ledger} and ${otherLedger}` };
  if (one.meta === null || other.meta === null) return null;
  // A node's settings can rewrite events, but not changes (protocol 23 and later).
  if (one.meta.version !== other.meta.version || one.meta.version < 4) return null;
  const [changes, others] = [one.meta, other.meta].map(sortedChanges);
  if (changes === others) return null;
  return { field: "resultMetaXdr", words: changeDifference(one.meta, other.meta) };
}

const RESULT_FIELDS: readonly (readonly [name: string, field: keyof ResultFacts])[] = [
  ["result codes", "code"],
  ["codes of the inner transaction", "innerCode"],
  ["codes of the operations", "operationCodes"],
  ["fees charged", "feeChargedStroops"],
  ["fees charged to the inner transaction", "innerFeeChargedStroops"],
  ["hashes of the return value and events", "successHash"],
];

function resultDifference(one: ResultFacts, other: ResultFacts): string {
  for (const [name, field] of RESULT_FIELDS) {
    const [value, otherValue] = [one, other].map((facts) => String(facts[field] ?? "none"));
    if (value !== otherValue) return `the ${name} are ${value} and ${otherValue}`;
  }
  return "the results differ in a value of an operation";
}

/** The first entry that only one of them changes, or that they change in another way. */
function changeDifference(one: TransactionMetaFacts, other: TransactionMetaFacts): string {
  const [mine, theirs] = [one, other].map((meta) => new Map(allChanges(meta)));
  const only = (some?: ReadonlyMap<string, string>, others?: ReadonlyMap<string, string>) =>
    [...(some ?? [])].find(([change]) => !others?.has(change))?.[1];
  const keyXdr = only(mine, theirs) ?? only(theirs, mine);
  const what = keyXdr === undefined ? "" : ` of ${describeKey(keyXdr)}`;
  return `the ledger changes${what} in their metas differ`;
}

/** Each change with its key. */
function allChanges({ changesBefore, operationChanges, changesAfter }: TransactionMetaFacts) {
  return [...changesBefore, ...operationChanges.flat(), ...changesAfter].map(
    (change): [string, string] => [JSON.stringify(change), change.keyXdr],
  );
}

/** Each node writes the changes of a parallel phase in its own order. */
function sortedChanges(meta: TransactionMetaFacts): string {
  const lists = [meta.changesBefore, ...meta.operationChanges, meta.changesAfter];
  return JSON.stringify(lists.map((changes) => changes.map((each) => JSON.stringify(each)).sort()));
}

function decoded<T>({ origin, hash }: Claim, part: string, read: () => T): T {
  return decodedAnswer(origin, `the ${part} of ${hash}`, read);
}

function lied(claim: Claim, field: string, why: string): SvcError {
  return new SvcError("NODE_LIED", {
    message: `${claim.origin} gave a wrong answer for ${claim.hash}: ${why} (${field}).`,
    remedy:
      "Check that the node serves your network, or set another with `--horizon-url` or `--rpc-url`.",
    details: {
      source: claim.origin,
      hash: claim.hash,
      field,
      networkPassphrase: claim.networkPassphrase,
    },
  });
}
