// Checks that a node's answer, or a capsule's chain record, is about one transaction, and is
// consistent. The envelope's hash is a proof. Result, meta and fees have no proof, so they are
// compared with the envelope, with each other and with the ledger. A careful lie can still pass.

import { SvcError } from "../base/errors/errors.ts";
import { flag, phrase, svc } from "../base/phrase.ts";
import { KNOWN_NETWORKS, networkInWords } from "../model/networks.ts";
import { resultCodeName } from "../model/result-code.ts";
import { type Envelope, openEnvelope } from "../xdr/envelope/envelope.ts";
import { readFeeEvents } from "../xdr/outcome/fee-events.ts";
import { changedBesidesBalance, gainOfPhase, sequencesOf } from "../xdr/outcome/fees.ts";
import {
  readEntryChanges,
  readTransactionMeta,
  type TransactionMetaFacts,
} from "../xdr/outcome/meta.ts";
import { type ResultFacts, readTransactionResult } from "../xdr/outcome/result.ts";
import { decodeBase64 } from "../xdr/reader/cursor.ts";
import { lastModifiedOf } from "../xdr/reader/keys.ts";
import { describeKey } from "../xdr/values/value.ts";
import { decodedAnswer } from "./decoded-answer.ts";
import type { TransactionAnswer } from "./source.ts";

export interface CheckedTransaction {
  readonly answer: TransactionAnswer;
  /** The name of the source. */
  readonly origin: string;
  readonly envelope: Envelope;
  readonly result: ResultFacts;
  readonly meta: TransactionMetaFacts | null;
}

export interface Claim {
  readonly answer: TransactionAnswer;
  readonly origin: string;
  /** The requested outer or inner hash, in lower-case hex. */
  readonly hash: string;
  readonly networkPassphrase: string;
}

/** The recorded parts of one transaction. Only the envelope has a hash. */
export interface TransactionParts
  extends Pick<CheckedTransaction, "envelope" | "result" | "meta">,
    Pick<TransactionAnswer, "feeChangesXdr" | "refundChangesXdr" | "ledgerSequence"> {}

export interface Contradiction {
  /** The part that cannot belong to the others, with the name that Stellar RPC gives it. */
  readonly field: string;
  /** The reason, as a clause. */
  readonly why: string;
}

const OPERATIONS_RAN = new Set(["txSuccess", "txFailed"]);

/** Checks a claim. Throws NODE_LIED, or NETWORK_BAD_ANSWER for XDR that cannot be decoded. */
export function checkTransaction(claim: Claim): CheckedTransaction {
  const { answer, origin, hash } = claim;
  const envelope = decoded(claim, "envelope", () =>
    openEnvelope(answer.envelopeXdr, claim.networkPassphrase),
  );
  if (!isOf(envelope, hash)) throw otherEnvelope(claim, envelope);
  const result = decoded(claim, "result", () => readTransactionResult(answer.resultXdr));
  const { resultMetaXdr } = answer;
  const meta =
    resultMetaXdr === null
      ? null
      : decoded(claim, "meta", () => readTransactionMeta(resultMetaXdr));
  const contradiction = decoded(claim, "fees", () =>
    contradictionIn({ ...answer, envelope, result, meta }),
  );
  if (contradiction !== null) throw lied(claim, contradiction);
  return { answer, origin, envelope, result, meta };
}

/**
 * The first contradiction between the parts; null if there is none. Throws XDR_INVALID if changes
 * or fee events cannot be decoded.
 */
export function contradictionIn(parts: TransactionParts): Contradiction | null {
  return ofResult(parts) ?? ofLedger(parts) ?? ofMeta(parts) ?? ofFees(parts);
}

/** Throws NODE_LIED when two sources contradict each other on one transaction. */
export function checkAgreement(left: CheckedTransaction, right: CheckedTransaction): void {
  const difference = differenceOf(left, right);
  if (difference === null) return;
  const who =
    left.origin === right.origin
      ? `${left.origin} contradicts itself`
      : `${left.origin} and ${right.origin} contradict each other`;
  throw new SvcError("NODE_LIED", {
    message: `${who} on ${left.envelope.hash}: ${difference.words} (${difference.field}).`,
    remedy: phrase`Set nodes that you trust with ${flag("horizonUrl")} and ${flag("rpcUrl")}.`,
    details: {
      hash: left.envelope.hash,
      sources: [left.origin, right.origin],
      field: difference.field,
    },
  });
}

function ofResult({ envelope, result }: TransactionParts): Contradiction | null {
  const { innerHash } = result;
  const wrong = (why: string) => ({ field: "resultXdr", why });
  if (innerHash !== null && innerHash !== envelope.innerHash) {
    return wrong(`its result belongs to the inner transaction ${innerHash}`);
  }
  if (!operationsRan(result)) return null;
  const ran = result.operationResults.length;
  const declared = envelope.operationKinds.length;
  if (ran !== declared) return wrong(`its result has ${ran} operations, not ${declared}`);
  if (envelope.soroban === null) return null;
  const [kind] = envelope.operationKinds;
  const [ended] = result.operationResults;
  if (ended?.operation === null || (kind !== undefined && ended?.operation === kind)) return null;
  const code = ended && resultCodeName(ended);
  return wrong(`its result ${code} is not a result of the operation ${kind}`);
}

function operationsRan({ innerCode, code }: ResultFacts): boolean {
  return OPERATIONS_RAN.has(innerCode ?? code);
}

/** stellar-core writes the ledger's sequence into each entry that it creates or updates. */
function ofLedger(parts: TransactionParts): Contradiction | null {
  const { meta, feeChangesXdr, refundChangesXdr, ledgerSequence } = parts;
  const changes = meta && [
    ...meta.changesBefore,
    ...meta.operationChanges.flat(),
    ...meta.changesAfter,
  ];
  const written = [
    ["resultMetaXdr", "meta", changes ?? []],
    ["feeChangesXdr", "fee changes", readEntryChanges(feeChangesXdr)],
    ["refundChangesXdr", "refund changes", readEntryChanges(refundChangesXdr)],
  ] as const;
  for (const [field, name, list] of written) {
    for (const { kind, entryXdr } of list) {
      if (entryXdr === null || (kind !== "created" && kind !== "updated")) continue;
      const lastModified = lastModifiedOf(entryXdr);
      if (lastModified === ledgerSequence) continue;
      const why = `its ${name} are of ledger ${lastModified}, not of ledger ${ledgerSequence}`;
      return { field, why };
    }
  }
  return null;
}

function ofMeta({ envelope, result, meta }: TransactionParts): Contradiction | null {
  if (meta === null) return null;
  const field = "resultMetaXdr";
  // stellar-core writes the changes of operations only if all operations succeeded.
  if (!result.success && meta.operationChanges.some((each) => each.length > 0)) {
    return { field, why: "its result is a failure, but its meta has ledger changes" };
  }
  // Contracts were added long after the protocol that uses the sequence number before the
  // operations.
  if (envelope.soroban === null || !operationsRan(result)) return null;
  const { sourceAccount, sequence } = envelope;
  const source = sourceAccount.startsWith("M") ? envelope.terms.source : sourceAccount;
  if (meta.changesBefore.length === 0) return null;
  if (sequencesOf(meta.changesBefore).get(source) === sequence) return null;
  return { field, why: `its meta does not use the sequence number ${sequence} of ${source}` };
}

/** The fee phase takes at most the bid, and at least what is charged after the refund. */
function ofFees({ envelope, result, meta, ...parts }: TransactionParts): Contradiction | null {
  const { feeChangesXdr, refundChangesXdr } = parts;
  const payer = envelope.feeSource.startsWith("M") ? envelope.terms.payer : envelope.feeSource;
  for (const [field, changesXdr] of Object.entries({ feeChangesXdr, refundChangesXdr })) {
    const changes = readEntryChanges(changesXdr);
    const other = sequencesOf(changes)
      .keys()
      .find((account) => account !== payer);
    if (other !== undefined)
      return { field, why: `its fee is of the account ${other}, not of ${payer}` };
    // Contracts were added long after the protocol that uses the sequence number with the fee.
    const changed = envelope.soroban === null ? null : changedBesidesBalance(changes);
    if (changed !== null)
      return { field, why: `its fee changes more than the balance of ${changed}` };
  }
  if (feeChangesXdr === null) return null;
  const taken = -gainOfPhase(decodeBase64(feeChangesXdr, "fee changes"));
  const events = readFeeEvents(meta?.transactionEventsXdr ?? []);
  const { feeChargedStroops } = result;
  const { feeBidStroops } = envelope;
  const isPossible = taken >= BigInt(feeChargedStroops) && taken <= BigInt(feeBidStroops);
  if (isPossible && (events === null || BigInt(events.taken) === taken)) return null;
  const other = isPossible
    ? `its fee event ${events?.taken}`
    : `the bid is ${feeBidStroops} and the fee charged ${feeChargedStroops}`;
  return { field: "feeChangesXdr", why: `its fee changes show ${taken} stroops taken, ${other}` };
}

interface Difference {
  /** The field of the answer, with the name that Stellar RPC gives it. */
  readonly field: string;
  /** The difference, with both values. */
  readonly words: string;
}

function differenceOf(left: CheckedTransaction, right: CheckedTransaction): Difference | null {
  if (left.envelope.hash !== right.envelope.hash) {
    const words = `the envelopes have the hashes ${left.envelope.hash} and ${right.envelope.hash}`;
    return { field: "envelopeXdr", words };
  }
  if (left.answer.resultXdr !== right.answer.resultXdr)
    return { field: "resultXdr", words: resultDifference(left.result, right.result) };
  const [ledger, otherLedger] = [left.answer.ledgerSequence, right.answer.ledgerSequence];
  if (ledger !== otherLedger)
    return { field: "ledger", words: `the ledgers are ${ledger} and ${otherLedger}` };
  if (left.meta === null || right.meta === null) return null;
  // The settings of a node can rewrite events, but not changes (protocol 23 and later).
  if (left.meta.version !== right.meta.version || left.meta.version < 4) return null;
  const [changes, others] = [left.meta, right.meta].map(sortedChanges);
  if (changes === others) return null;
  return { field: "resultMetaXdr", words: changeDifference(left.meta, right.meta) };
}

const RESULT_FIELDS: readonly (readonly [
  name: string,
  read: (facts: ResultFacts) => string | null,
])[] = [
  ["result codes", ({ code }) => code],
  ["codes of the inner transaction", ({ innerCode }) => innerCode],
  [
    "codes of the operations",
    ({ operationResults }) => operationResults.map(resultCodeName).join(","),
  ],
  ["fees charged", ({ feeChargedStroops }) => feeChargedStroops],
  ["fees charged to the inner transaction", ({ innerFeeChargedStroops }) => innerFeeChargedStroops],
  ["hashes of the return value and events", ({ successHash }) => successHash],
];

function resultDifference(left: ResultFacts, right: ResultFacts): string {
  for (const [name, read] of RESULT_FIELDS) {
    const [value, otherValue] = [left, right].map((facts) => read(facts) ?? "none");
    if (value !== otherValue) return `the ${name} are ${value} and ${otherValue}`;
  }
  return "the results differ in a value of an operation";
}

/** The first entry that only one of the metas changes, or that they change differently. */
function changeDifference(left: TransactionMetaFacts, right: TransactionMetaFacts): string {
  const [mine, theirs] = [left, right].map((meta) => new Map(allChanges(meta)));
  const only = (some?: ReadonlyMap<string, string>, others?: ReadonlyMap<string, string>) =>
    [...(some ?? [])].find(([change]) => !others?.has(change))?.[1];
  const keyXdr = only(mine, theirs) ?? only(theirs, mine);
  const keyInWords = keyXdr === undefined ? "" : ` of ${describeKey(keyXdr)}`;
  return `the ledger changes${keyInWords} in their metas differ`;
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

/** Answers that could not be decoded, by the error that reports it. */
const undecoded = new WeakMap<Error, TransactionAnswer>();

/** The answer that could not be decoded, if the error or its cause reports one. */
export function undecodedAnswer(error: unknown): TransactionAnswer | null {
  if (!(error instanceof Error)) return null;
  return undecoded.get(error) ?? undecodedAnswer(error.cause);
}

function decoded<T>({ origin, hash, answer }: Claim, part: string, read: () => T): T {
  try {
    return decodedAnswer(origin, `the ${part} of ${hash}`, read);
  } catch (error) {
    if (error instanceof SvcError) undecoded.set(error, answer);
    throw error;
  }
}

function isOf(envelope: Envelope, hash: string): boolean {
  return envelope.hash === hash || envelope.innerHash === hash;
}

/** The envelope has the hash only with the passphrase of the network that it was sent to. */
function otherEnvelope(claim: Claim, { hash }: Envelope): SvcError {
  const { envelopeXdr } = claim.answer;
  const ofNetwork = KNOWN_NETWORKS.find(({ passphrase }) =>
    isOf(openEnvelope(envelopeXdr, passphrase), claim.hash),
  );
  if (ofNetwork === undefined) {
    const why = `its envelope has the hash ${hash}`;
    const remedy = phrase`The node probably serves another network: check ${flag("network")}, and the node with ${svc("doctor")}.`;
    return lied(claim, { field: "envelopeXdr", why }, remedy);
  }
  const [name, expected] = [ofNetwork.passphrase, claim.networkPassphrase].map(networkInWords);
  // The hash proves the network, and the setting is wrong more often than the node.
  return new SvcError("NODE_LIED", {
    message:
      `${claim.origin} has ${claim.hash}, but it is a transaction of the network ${name}, not of ` +
      `${expected}.`,
    remedy: phrase`Pass ${flag("network", name)}.`,
    details: detailsOf(claim, "envelopeXdr"),
  });
}

function lied(
  claim: Claim,
  { field, why }: Contradiction,
  remedy = phrase`Check that the node serves your network, or set another with ${flag("horizonUrl")} or ${flag("rpcUrl")}.`,
): SvcError {
  return new SvcError("NODE_LIED", {
    message: `${claim.origin} gave a wrong answer for ${claim.hash}: ${why} (${field}).`,
    remedy,
    details: detailsOf(claim, field),
  });
}

function detailsOf({ origin, hash, networkPassphrase }: Claim, field: string) {
  return { source: origin, hash, field, networkPassphrase };
}
