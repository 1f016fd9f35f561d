// The facts of the transaction's ledger as its transactions saw them. A header shows what holds
// after the ledger's own upgrades, which apply last (stellar-core, LedgerManagerImpl::applyLedger),
// so version, base fee and base reserve are the previous ledger's where there was an upgrade.

import { SvcError } from "../../base/errors/errors.ts";
import type { LedgerFacts } from "../../model/chain-record.ts";
import { factsAfter, headerFacts, upgradesFacts } from "../../xdr/ledger/facts-before-upgrades.ts";
import { askInTurn, type FetchContext, type Source } from "../source.ts";
import type { CheckedTransaction } from "./check-transaction.ts";
import type { WholeLedger } from "./whole-ledger.ts";

export interface FoundFacts {
  readonly ledger: LedgerFacts;
  readonly applicationOrder: number;
  readonly origin: string;
  /** What no source said, a sentence each. */
  readonly assumed: readonly string[];
}

const NO_HASH = "0".repeat(64);
const USUAL_BASE_FEE_STROOPS = 100;
const USUAL_BASE_RESERVE_STROOPS = 5_000_000;

/** Throws NODE_LIED when two sources contradict each other, TRANSACTION_INCOMPLETE at worst. */
export async function factsOfLedger(
  { sources }: { readonly sources: readonly Source[] },
  known: readonly CheckedTransaction[],
  whole: WholeLedger | null,
  context: FetchContext,
): Promise<FoundFacts> {
  const { ledgerSequence } = (known[0] as CheckedTransaction).answer;
  const asked = await fetchFacts(sources, ledgerSequence, context);
  const fromLedger = whole === null ? null : headerFacts(whole.view.facts);
  if (asked.answer !== null && fromLedger !== null) {
    checkSame(asked.answer, asked.source?.name ?? "", fromLedger, whole?.origin ?? "");
  }
  const assumed: string[] = [];
  const applicationOrder = orderOf(known);
  if (applicationOrder === null) {
    assumed.push("No source says at which place of its ledger the transaction was applied.");
  }
  const facts = fromLedger ?? asked.answer;
  const origin = (fromLedger === null ? asked.source?.name : whole?.origin) ?? "assumed";
  const order = applicationOrder ?? 1;
  if (facts === null) {
    const ledger = await assumeFacts(sources, known, context, assumed);
    return { ledger, applicationOrder: order, origin, assumed };
  }
  if (whole !== null && !upgradesFacts(whole.view)) {
    return { ledger: facts, applicationOrder: order, origin, assumed };
  }
  const previous = (await fetchFacts(sources, ledgerSequence - 1, context)).answer;
  if (previous === null) {
    const sequence = ledgerSequence - 1;
    assumed.push(`No source has ledger ${sequence}: an upgrade could have changed its version.`);
  }
  const ledger = previous === null ? facts : factsAfter(facts, previous);
  return { ledger, applicationOrder: order, origin, assumed };
}

function fetchFacts(sources: readonly Source[], sequence: number, context: FetchContext) {
  return askInTurn(sources, context, (source) => source.fetchLedgerFacts?.(sequence, context));
}

/** Whole ledgers and RPC count alike; a Horizon paging token is worked out. */
function orderOf(known: readonly CheckedTransaction[]): number | null {
  const orders = known
    .map(({ answer }) => answer.applicationOrder)
    .filter((order) => order !== null);
  return orders.at(-1) ?? null;
}

function checkSame(one: LedgerFacts, origin: string, other: LedgerFacts, otherOrigin: string) {
  const fields = Object.keys(headerFacts(one)) as (keyof LedgerFacts)[];
  const different = fields.find((field) => one[field] !== other[field]);
  if (different === undefined) return;
  throw new SvcError("NODE_LIED", {
    message: `${origin} and ${otherOrigin} contradict each other on ledger ${one.sequence}: ${different} is ${one[different]} and ${other[different]}.`,
    remedy: "Name nodes that you trust with --horizon-url and --rpc-url.",
    details: { sources: [origin, otherOrigin], ledger: one.sequence, field: different },
  });
}

/** Nobody has the header: the newest one tells the version, the rest is filled in. */
async function assumeFacts(
  sources: readonly Source[],
  known: readonly CheckedTransaction[],
  context: FetchContext,
  assumed: string[],
): Promise<LedgerFacts> {
  const { ledgerSequence } = (known[0] as CheckedTransaction).answer;
  const latest = (await askInTurn(sources, context, (each) => each.fetchLatestFacts?.(context)))
    .answer;
  if (latest === null) {
    throw new SvcError("TRANSACTION_INCOMPLETE", {
      message: `No source has the header of ledger ${ledgerSequence}, in which the transaction is.`,
      remedy: "Name a Horizon with --horizon-url, or a node that keeps the ledger with --rpc-url.",
      details: { ledger: ledgerSequence, sources: sources.map(({ name }) => name) },
    });
  }
  const closeTime = known.find(({ answer }) => answer.closeTimeUnixSeconds !== undefined)?.answer
    .closeTimeUnixSeconds;
  assumed.push(
    `No source has the header of ledger ${ledgerSequence}: its version and fees are those of ledger ${latest.sequence}.`,
    "The hash of its transaction set, which seeds random numbers, is not known.",
  );
  if (closeTime === undefined) assumed.push("Its close time is not known.");
  return {
    sequence: ledgerSequence,
    protocolVersion: latest.protocolVersion,
    closeTimeUnixSeconds: closeTime ?? latest.closeTimeUnixSeconds,
    baseFeeStroops: latest.baseFeeStroops || USUAL_BASE_FEE_STROOPS,
    baseReserveStroops: latest.baseReserveStroops || USUAL_BASE_RESERVE_STROOPS,
    transactionSetHash: NO_HASH,
  };
}
