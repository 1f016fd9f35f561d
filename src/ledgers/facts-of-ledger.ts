// Finds the facts of the transaction's ledger as its transactions saw them. A header has the values
// after the ledger's upgrades, which apply last (stellar-core, LedgerManagerImpl::applyLedger). If
// there was an upgrade, version, base fee and base reserve are therefore those of the previous
// ledger.

import { SvcError } from "../base/errors/errors.ts";
import { flag, phrase } from "../base/phrase.ts";
import type { LedgerFacts } from "../model/chain-record.ts";
import { BASE_FEE_STROOPS, BASE_RESERVE_STROOPS } from "../model/networks.ts";
import { type Asked, askInTurn } from "../sources/ask-in-turn.ts";
import type { CheckedTransaction } from "../sources/check-transaction.ts";
import {
  type FetchContext,
  type Source,
  type SourcedFacts,
  sourcedFacts,
} from "../sources/source.ts";
import {
  differentFact,
  factsAfter,
  headerFacts,
  upgradesFacts,
} from "../xdr/ledger/facts-before-upgrades.ts";
import { ledgerFactsOf } from "../xdr/ledger/ledger-close-meta.ts";
import type { LedgerReader, ReadLedger } from "./ledger-reader.ts";

export interface FoundFacts {
  readonly ledger: LedgerFacts;
  readonly headerXdr: string | null;
  readonly applicationOrder: number;
  readonly origin: string;
  /** The facts that no source has, one sentence each. */
  readonly assumed: readonly string[];
}

/** The answer about a header. Its `source` is null if no source has it. */
export type AskedHeader = Asked<SourcedFacts, Source>;

const NO_HASH = "0".repeat(64);

/**
 * Asks for the header if one source has only headers. The other sources are asked if that one has
 * none, or takes long. Without such a source it returns null, because a whole ledger has its own
 * header.
 */
export async function askForHeader(
  sources: readonly Source[],
  sequence: number,
  context: FetchContext,
): Promise<AskedHeader | null> {
  return sources.some(hasHeadersOnly) ? fetchFacts(sources, sequence, context) : null;
}

export interface FactsDependencies {
  readonly sources: readonly Source[];
  readonly ledgers: LedgerReader;
}

/** Throws NODE_LIED if two sources contradict each other, and TRANSACTION_INCOMPLETE. */
export async function factsOfLedger(
  { sources, ledgers }: FactsDependencies,
  known: readonly CheckedTransaction[],
  { whole, header }: { readonly whole: ReadLedger | null; readonly header: AskedHeader | null },
  context: FetchContext,
): Promise<FoundFacts> {
  const { ledgerSequence } = (known[0] as CheckedTransaction).answer;
  const left = whole === null ? sources : [];
  const headerAnswer = header ?? (await fetchFacts(left, ledgerSequence, context));
  const fromLedger = whole === null ? null : headerFacts(whole.view.facts);
  if (headerAnswer.answer !== null && fromLedger !== null) {
    checkSame(
      headerAnswer.answer,
      headerAnswer.source?.name ?? "",
      fromLedger,
      whole?.source ?? "",
    );
  }
  const assumed: string[] = [];
  const applicationOrder = orderOf(known);
  if (applicationOrder === null) {
    assumed.push("No source has the transaction's position in its ledger.");
  }
  const seen = whole?.view.facts ?? headerAnswer.answer;
  const origin = (fromLedger === null ? headerAnswer.source?.name : whole?.source) ?? "assumed";
  const order = applicationOrder ?? 1;
  if (seen === null) {
    const ledger = await assumeFacts({ sources, ledgers }, known, context, assumed);
    return { ledger, headerXdr: null, applicationOrder: order, origin, assumed };
  }
  const headerXdr = whole?.view.facts.header.toBase64() ?? headerAnswer.answer?.headerXdr ?? null;
  const facts = headerFacts(seen);
  if (whole !== null && !upgradesFacts(whole.view)) {
    return { ledger: facts, headerXdr, applicationOrder: order, origin, assumed };
  }
  const previous = (await fetchFacts(sources, ledgerSequence - 1, context)).answer;
  if (previous === null) {
    const sequence = ledgerSequence - 1;
    assumed.push(
      `No source has ledger ${sequence}, so an upgrade may have changed the protocol version.`,
    );
  }
  const ledger = previous === null ? facts : factsAfter(facts, previous);
  return { ledger, headerXdr, applicationOrder: order, origin, assumed };
}

function hasHeadersOnly({ fetchLedgerCloseMeta }: Source): boolean {
  return fetchLedgerCloseMeta === undefined;
}

/** A source without headers may have the ledger. */
export function fetchFacts(sources: readonly Source[], sequence: number, context: FetchContext) {
  return askInTurn(
    sources,
    context,
    (source, asking) =>
      source.fetchLedgerFacts?.(sequence, asking) ??
      source.fetchLedgerCloseMeta?.(sequence, asking).then((ledger) => {
        return ledger === null ? null : sourcedFacts(ledgerFactsOf(ledger));
      }),
  );
}

/**
 * The last answer counts: ledgers and RPC have the order, and a Horizon paging token only implies
 * it.
 */
function orderOf(known: readonly CheckedTransaction[]): number | null {
  const orders = known
    .map(({ answer }) => answer.applicationOrder)
    .filter((order) => order !== null);
  return orders.at(-1) ?? null;
}

function checkSame(left: LedgerFacts, origin: string, right: LedgerFacts, otherOrigin: string) {
  const different = differentFact(left, right);
  if (different === null) return;
  throw new SvcError("NODE_LIED", {
    message: `${origin} and ${otherOrigin} contradict each other on ledger ${left.sequence}: ${different} is ${left[different]} and ${right[different]}.`,
    remedy: phrase`Set nodes that you trust with ${flag("horizonUrl")} and ${flag("rpcUrl")}.`,
    details: { sources: [origin, otherOrigin], ledger: left.sequence, field: different },
  });
}

/** Takes version and fees from the latest ledger, because no source has the header. */
async function assumeFacts(
  { sources, ledgers }: FactsDependencies,
  known: readonly CheckedTransaction[],
  context: FetchContext,
  assumed: string[],
): Promise<LedgerFacts> {
  const { ledgerSequence } = (known[0] as CheckedTransaction).answer;
  const latest = await ledgers.latest(context);
  if (latest === null) {
    throw new SvcError("TRANSACTION_INCOMPLETE", {
      message: `No source has the header of ledger ${ledgerSequence}, the ledger of the transaction.`,
      remedy: phrase`Set ${flag("horizonUrl")} to a Horizon, or ${flag("rpcUrl")} to a node that still has the ledger.`,
      details: { ledger: ledgerSequence, sources: sources.map(({ name }) => name) },
    });
  }
  const closeTime = known.find(({ answer }) => answer.closeTimeUnixSeconds !== undefined)?.answer
    .closeTimeUnixSeconds;
  assumed.push(
    `No source has the header of ledger ${ledgerSequence}. Its protocol version and fees were taken from ledger ${latest.sequence}.`,
    "The hash of the ledger's transaction set, which seeds random numbers, is unknown.",
  );
  if (closeTime === undefined) assumed.push("The close time of the ledger is unknown.");
  return {
    sequence: ledgerSequence,
    protocolVersion: latest.protocolVersion,
    closeTimeUnixSeconds: closeTime ?? latest.closeTimeUnixSeconds,
    baseFeeStroops: latest.baseFeeStroops || BASE_FEE_STROOPS,
    baseReserveStroops: latest.baseReserveStroops || BASE_RESERVE_STROOPS,
    transactionSetHash: NO_HASH,
  };
}
