// Fetches what the chain says about one transaction, from several sources in order, and compares
// the answers. Horizon finds outer and inner hashes, Stellar RPC only outer ones, so later sources
// are asked for the outer hash of the first envelope. Everything that the envelope names is
// requested at the same time, because people wait for as many answers as follow one another.
// Invariant: the envelope of a ChainRecord has the requested hash.

import { SvcError } from "../base/errors/errors.ts";
import { awaitInOrder } from "../base/in-parallel.ts";
import { flag, phrase, svc } from "../base/phrase.ts";
import { isProtocolUnknown, namedLedger } from "../model/protocols.ts";
import type { TransactionOutline } from "../model/transaction-outline.ts";
import { LOCAL_HOSTS } from "../model/transaction-url.ts";
import { type Asked, askInTurn } from "../sources/ask-in-turn.ts";
import {
  type CheckedTransaction,
  checkAgreement,
  checkTransaction,
  undecodedAnswer,
} from "../sources/check-transaction.ts";
import { decodedAnswer } from "../sources/decoded-answer.ts";
import type { Elsewhere } from "../sources/open-source.ts";
import type { FetchContext, Source, TransactionAnswer } from "../sources/source.ts";
import { type OpenedRecord, openRecord } from "../xdr/envelope/opened-record.ts";
import { outlineTransaction } from "../xdr/envelope/outline-transaction.ts";
import { transactionInLedger } from "../xdr/ledger/ledger-close-meta.ts";
import { isUnknownXdr } from "../xdr/reader/shape.ts";
import { askForHeader, type FoundFacts, factsOfLedger, fetchFacts } from "./facts-of-ledger.ts";
import type { LedgerReader, ReadLedger } from "./ledger-reader.ts";
import { transactionNotFound } from "./transaction-not-found.ts";

export interface ChainRecordDependencies {
  /** The sources in the order of requests. */
  readonly sources: readonly Source[];
  /** The reader of the same sources. */
  readonly ledgers: LedgerReader;
  readonly networkPassphrase: string;
  /** Other networks to search for a hash that no source has. */
  readonly elsewhere?: readonly Elsewhere[];
}

/** The first answer that names the transaction. */
export interface LocatedTransaction {
  readonly requestedHash: string;
  readonly first: CheckedTransaction;
  /** The hash that each source was asked for, because RPC finds only outer hashes. */
  readonly hashesAsked: AskedSources;
}

type AskedSources = ReadonlyMap<Source, string>;

/**
 * `hash` has 64 hexadecimal characters, and may be the outer or the inner hash. Throws
 * TRANSACTION_NOT_FOUND, NODE_LIED, and NETWORK_* if no source that may have the transaction could
 * be asked.
 */
export async function findTransaction(
  dependencies: ChainRecordDependencies,
  hash: string,
  context: FetchContext,
): Promise<LocatedTransaction> {
  const { sources, elsewhere = [] } = dependencies;
  const requestedHash = hash.toLowerCase();
  const hashesAsked = new Map<Source, string>();
  const { answer, source, failures } = await askForTransaction(
    dependencies,
    sources,
    requestedHash,
    context,
    (each) => hashesAsked.set(each, requestedHash),
  );
  if (answer === null) {
    if (failures.length > 0) throw await failureOf(dependencies, requestedHash, failures, context);
    throw await transactionNotFound(requestedHash, sources, elsewhere, context);
  }
  hashesAsked.set(source as Source, answer.envelope.hash);
  return { requestedHash, first: answer, hashesAsked };
}

/**
 * Returns the failure of the nodes. If an answer has something unknown to svc, its ledger's header
 * decides whose fault that is. A node that does not have the ledger says what its network is.
 */
async function failureOf(
  { sources, networkPassphrase }: ChainRecordDependencies,
  hash: string,
  failures: readonly SvcError[],
  context: FetchContext,
): Promise<unknown> {
  const unknown = failures.find((each) => isProtocolUnknown(each) || isUnknownXdr(each));
  const answer = unknown && undecodedAnswer(unknown);
  if (!unknown || !answer) return failureOfAll(failures);
  const outlined = (error: unknown) =>
    withOutline(error, outlineTransaction(answer, hash, networkPassphrase));
  try {
    const { answer: facts } = await fetchFacts(sources, answer.ledgerSequence, context);
    // The ledger is of a protocol that svc knows, so the node's answer is bad, whatever its network
    // is.
    if (facts !== null) return isProtocolUnknown(unknown) ? unknown.cause : unknown;
  } catch (error) {
    if (!isProtocolUnknown(error)) throw error;
    return outlined(namedLedger(error, answer.ledgerSequence));
  }
  return outlined(unknown);
}

/** Adds the parts of the transaction that can still be shown to PROTOCOL_UNKNOWN. */
function withOutline(error: unknown, transaction: TransactionOutline): unknown {
  if (!isProtocolUnknown(error)) return error;
  const { code, message, remedy, cause, details } = error;
  return new SvcError(code, { message, remedy, cause, details: { ...details, transaction } });
}

/** Returns the failure of the first node, or one for all nodes if none can be reached. */
function failureOfAll(failures: readonly SvcError[]): SvcError {
  const [first, ...others] = failures as [SvcError];
  const code = "NETWORK_UNREACHABLE";
  if (others.length === 0 || failures.some((each) => each.code !== code)) return first;
  const nodes = failures.map(({ details }) => `${details.node}`);
  const isHere = nodes.every((node) => LOCAL_HOSTS.test(node));
  return new SvcError(code, {
    message: failures.map(({ message }) => message).join(" "),
    remedy: isHere
      ? "Is the network running on this machine? Start it, or set other nodes."
      : phrase`Is this machine offline? Check the nodes with ${svc("doctor")}, or set others.`,
    cause: first.cause,
    details: { nodes },
  });
}

/** Throws NODE_LIED, TRANSACTION_INCOMPLETE, and PROTOCOL_UNKNOWN with a TransactionOutline. */
export async function fetchChainRecord(
  dependencies: ChainRecordDependencies,
  located: LocatedTransaction,
  context: FetchContext,
): Promise<OpenedRecord> {
  const { first, requestedHash } = located;
  try {
    return await fetchRecord(dependencies, located, context);
  } catch (error) {
    const { networkPassphrase } = dependencies;
    throw withOutline(error, outlineTransaction(first.answer, requestedHash, networkPassphrase));
  }
}

async function fetchRecord(
  dependencies: ChainRecordDependencies,
  { requestedHash, first, hashesAsked }: LocatedTransaction,
  context: FetchContext,
): Promise<OpenedRecord> {
  const { sources, ledgers } = dependencies;
  const { ledgerSequence } = first.answer;
  const [known, whole, header] = await awaitInOrder([
    askUntilMeta(dependencies, first, hashesAsked, context),
    ledgers.view(ledgerSequence, context),
    askForHeader(sources, ledgerSequence, context),
  ]);
  if (whole !== null) {
    const fromWhole = fromLedger(dependencies, first, whole);
    for (const each of known) checkAgreement(each, fromWhole);
    known.push(fromWhole);
  } else if (known.length === 1) {
    known.push(...(await secondOpinion(dependencies, first, context)));
  }
  const facts = await factsOfLedger(dependencies, known, { whole, header }, context);
  return assemble(dependencies, requestedHash, known, facts);
}

/** Returns the first answer, and more answers only until one has the meta. */
async function askUntilMeta(
  dependencies: ChainRecordDependencies,
  first: CheckedTransaction,
  hashesAsked: AskedSources,
  context: FetchContext,
): Promise<CheckedTransaction[]> {
  const known = [first];
  const { hash } = first.envelope;
  const left = new Set(dependencies.sources.filter((source) => hashesAsked.get(source) !== hash));
  while (known.every(({ meta }) => meta === null)) {
    const { answer } = await askForTransaction(dependencies, [...left], hash, context, (source) =>
      left.delete(source),
    );
    if (answer === null) break;
    for (const each of known) checkAgreement(each, answer);
    known.push(answer);
  }
  return known;
}

/** Asks one more source, so that svc does not trust a single node. */
async function secondOpinion(
  dependencies: ChainRecordDependencies,
  first: CheckedTransaction,
  context: FetchContext,
): Promise<CheckedTransaction[]> {
  const others = dependencies.sources.filter(({ name }) => name !== first.origin);
  const { answer } = await askForTransaction(dependencies, others, first.envelope.hash, context);
  if (answer === null) return [];
  checkAgreement(first, answer);
  return [answer];
}

function askForTransaction(
  { networkPassphrase }: ChainRecordDependencies,
  sources: readonly Source[],
  hash: string,
  context: FetchContext,
  ended: (source: Source) => void = () => {},
): Promise<Asked<CheckedTransaction, Source>> {
  return askInTurn(sources, context, async (source, asking) => {
    const checked: CheckedTransaction[] = [];
    const check = (answer: TransactionAnswer) => {
      checked.push(checkTransaction({ answer, origin: source.name, hash, networkPassphrase }));
    };
    try {
      const fetched = await source.fetchTransaction?.(hash, { ...asking, check });
      if (fetched === null || fetched === undefined) return null;
      // A source that is not a node leaves the check to its caller.
      if (checked.length === 0) check(fetched);
      return checked.at(-1) ?? null;
    } finally {
      if (!asking.signal.aborted) ended(source);
    }
  });
}

function fromLedger(
  { networkPassphrase }: ChainRecordDependencies,
  first: CheckedTransaction,
  { sequence, view, source: origin }: ReadLedger,
): CheckedTransaction {
  const { hash } = first.envelope;
  const answer = decodedAnswer(origin, `ledger ${sequence}`, () => transactionInLedger(view, hash));
  if (answer !== null) return checkTransaction({ answer, origin, hash, networkPassphrase });
  throw new SvcError("NODE_LIED", {
    message: `${first.origin} has ${hash} in ledger ${sequence}, but that ledger from ${origin} does not contain it.`,
    remedy: phrase`Set nodes that you trust with ${flag("horizonUrl")} and ${flag("rpcUrl")}.`,
    details: { hash, sources: [first.origin, origin], ledger: sequence },
  });
}

function assemble(
  { networkPassphrase, sources }: ChainRecordDependencies,
  requestedHash: string,
  known: readonly CheckedTransaction[],
  facts: FoundFacts,
): OpenedRecord {
  const first = known[0] as CheckedTransaction;
  const { envelope } = first;
  const meta = richestMeta(known);
  const fee = known.find(({ answer }) => answer.feeChangesXdr !== null);
  const refund = known.find(({ answer }) => answer.refundChangesXdr !== null);
  const diagnostics = known.find(({ answer }) => answer.diagnosticEventsXdr.length > 0);
  const isFork = sources.some(({ name, isFork: is }) => is === true && name === first.origin);
  const origins: [string, string | undefined][] = [
    ["envelope", first.origin],
    ["result", first.origin],
    ["meta", meta?.origin],
    ["feeChanges", fee?.origin],
    ["refundChanges", refund?.origin],
    ["diagnosticEvents", diagnostics?.origin],
    ["ledger", facts.origin],
  ];
  const record = {
    requestedHash,
    hash: envelope.hash,
    innerHash: envelope.innerHash,
    networkPassphrase,
    envelopeXdr: envelope.xdr,
    resultXdr: first.answer.resultXdr,
    resultMetaXdr: meta?.answer.resultMetaXdr ?? null,
    feeChangesXdr: fee?.answer.feeChangesXdr ?? null,
    refundChangesXdr: refund?.answer.refundChangesXdr ?? null,
    diagnosticEventsXdr: diagnostics?.answer.diagnosticEventsXdr ?? [],
    ledger: isFork ? { ...facts.ledger, isFork } : facts.ledger,
    ...(facts.headerXdr === null ? {} : { ledgerHeaderXdr: facts.headerXdr }),
    applicationOrder: facts.applicationOrder,
    ...(facts.assumed.length === 0 ? {} : { assumedFacts: facts.assumed }),
    origins: Object.fromEntries(
      origins.filter((pair): pair is [string, string] => pair[1] !== undefined),
    ),
  };
  return openRecord(record, envelope, { result: first.result, meta: meta?.meta ?? null });
}

/**
 * Prefers a meta with diagnostic events, which some nodes write, because it allows more
 * comparisons.
 */
function richestMeta(known: readonly CheckedTransaction[]): CheckedTransaction | undefined {
  const withMeta = known.filter(({ meta }) => meta !== null);
  return withMeta.find(({ meta }) => (meta?.diagnosticsXdr.length ?? 0) > 0) ?? withMeta[0];
}
