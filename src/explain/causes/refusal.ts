// Why a transaction was refused before any of its operations ran: what the network asked for beside
// what the envelope offers. Of a fee-bump either the outer transaction is refused, or the inner.

import { grouped, stroopsInWords } from "../../base/text/grouped.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import type { EnvelopeFacts } from "../../xdr/envelope/envelope.ts";
import { type EnvelopeTerms, readEnvelopeTerms } from "../../xdr/envelope/envelope-terms.ts";
import { type AccountFacts, readAccount } from "../../xdr/ledger/account.ts";
import { readEntryChanges, readTransactionMeta } from "../../xdr/outcome/meta.ts";
import type { ResultFacts } from "../../xdr/outcome/result.ts";
import { showStroops } from "../../xdr/values/value.ts";
import { operationCodeInWords } from "../naming/operation-codes.ts";
import { transactionCodeInWords } from "../naming/transaction-codes.ts";
import type { CauseFacts } from "./failure.ts";

interface Refusal {
  readonly result: ResultFacts;
  readonly envelope: EnvelopeFacts;
  readonly terms: EnvelopeTerms;
  readonly ledger: ChainRecord["ledger"];
  /** The outer transaction of a fee-bump is what was refused. */
  readonly outer: boolean;
  /** Who it is about: the fee source of an outer transaction, the source account otherwise. */
  readonly account: string;
  /** As it was before the ledger's transactions; null when the recording does not show it. */
  readonly state: AccountFacts | null;
}

interface RefusalWords {
  readonly kind: string;
  /** What was asked for and what was offered; empty when the recording does not tell. */
  readonly details: (refusal: Refusal) => string;
  readonly remedy: string | null;
}

/** By transaction result code. */
const BY_CODE: Readonly<Record<string, RefusalWords>> = {
  txBadSeq: {
    kind: "bad-sequence",
    details: sequenceInWords,
    remedy: "Read the account's sequence number again, and sign with the one after it.",
  },
  txTooLate: {
    kind: "too-late",
    details: latestInWords,
    remedy: "Build it again with a later time bound, and send it at once.",
  },
  txTooEarly: { kind: "too-early", details: earliestInWords, remedy: "Send it again later." },
  txInsufficientFee: {
    kind: "insufficient-fee",
    details: bidInWords,
    remedy: "Bid a higher fee.",
  },
  txInsufficientBalance: {
    kind: "insufficient-balance",
    details: balanceInWords,
    remedy: "Give the account more XLM, or let another account pay by a fee-bump.",
  },
  txBadAuth: {
    kind: "bad-auth",
    details: signaturesInWords,
    remedy: "Sign it with keys of that account, for this network's passphrase.",
  },
  txBadAuthExtra: {
    kind: "bad-auth-extra",
    details: signaturesInWords,
    remedy: "Leave out the signatures that no account of the transaction needs.",
  },
  txNoAccount: {
    kind: "account-missing",
    details: ({ account }) => `there is no account ${account}`,
    remedy: "Create the account first, or check the network.",
  },
};

/** `classic`: nothing of it would have run in the contract host. */
export function refusalCause(
  record: ChainRecord,
  result: ResultFacts,
  envelope: EnvelopeFacts,
  classic: boolean,
): CauseFacts {
  const refusal = readRefusal(record, result, envelope);
  const failing = result.operationCodes.find((code) => !code.endsWith("Success"));
  const code = failing ?? result.innerCode ?? result.code;
  const words = transactionCodeInWords(code) ?? operationCodeInWords(code) ?? "it was refused";
  const known = failing === undefined ? BY_CODE[code] : undefined;
  const details = known?.details(refusal) ?? "";
  const told = `${words}${details === "" ? "" : `: ${details}`}.`;
  const summary = refusal.outer
    ? `The fee-bump itself was refused (${code}), so its inner transaction was not tried: ${told}`
    : classic
      ? `${code}: ${told}`
      : `It was refused before the contract host (${code}): ${told}`;
  const kind = `${refusal.outer ? "fee-bump-" : ""}${known?.kind ?? "refused"}`;
  const cause = { kind, summary, confidence: "known" } as const;
  return { cause, evidence: [], remedy: known?.remedy ?? null };
}

function readRefusal(record: ChainRecord, result: ResultFacts, envelope: EnvelopeFacts): Refusal {
  const terms = readEnvelopeTerms(record.envelopeXdr);
  const outer = terms.feeBump !== null && result.innerCode === null;
  const account = outer ? envelope.feeSource : envelope.sourceAccount;
  const state = accountsBefore(record).find(({ address }) => address === account) ?? null;
  return { result, envelope, terms, ledger: record.ledger, outer, account, state };
}

/** Those that the fee phase or the transaction itself changed, as they were. */
function accountsBefore({ feeChangesXdr, resultMetaXdr }: ChainRecord): AccountFacts[] {
  const ofFees = feeChangesXdr === null ? [] : readEntryChanges(feeChangesXdr);
  const ofMeta = resultMetaXdr === null ? [] : readTransactionMeta(resultMetaXdr).changesBefore;
  return [...ofFees, ...ofMeta].flatMap(({ kind, entryXdr }) => {
    const account = kind === "state" && entryXdr !== null ? readAccount(entryXdr) : null;
    return account ?? [];
  });
}

function sequenceInWords({ terms, state, account }: Refusal): string {
  const own = `it carries ${terms.sequence}`;
  if (state === null) return own;
  const asked = terms.leastSequence === null ? "" : ` (it accepts ${terms.leastSequence} or more)`;
  const stood = `${account} stood at ${state.sequence} before this ledger's transactions${asked}`;
  const taken =
    state.sequence + 1n === terms.sequence
      ? ", so an earlier transaction of this ledger took the number"
      : "";
  return `${own}, and ${stood}${taken}`;
}

function latestInWords({ terms, ledger }: Refusal): string {
  const { latestSeconds, endLedger } = terms;
  if (endLedger !== null && ledger.sequence >= endLedger)
    return `it was good before ledger ${endLedger}, and this is ledger ${ledger.sequence}`;
  if (latestSeconds === null) return "";
  return `it was good until ${timeOf(latestSeconds)}, and ${closedAt(ledger)}`;
}

function earliestInWords({ terms, ledger }: Refusal): string {
  const { earliestSeconds, earliestLedger } = terms;
  if (earliestLedger !== null && ledger.sequence < earliestLedger)
    return `it is good from ledger ${earliestLedger}, and this is ledger ${ledger.sequence}`;
  if (earliestSeconds === null) return "";
  return `it is good from ${timeOf(earliestSeconds)}, and ${closedAt(ledger)}`;
}

function closedAt({ sequence, closeTimeUnixSeconds }: ChainRecord["ledger"]): string {
  return `ledger ${sequence} closed at ${timeOf(BigInt(closeTimeUnixSeconds))}`;
}

/** A Date ends at 8.64e12 seconds; a TimePoint does not. */
function timeOf(seconds: bigint): string {
  if (seconds >= 8_640_000_000_000n) return `${seconds} seconds after 1970`;
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return `${text.replace("T", " ")} UTC`;
}

/**
 * stellar-core, FeeBumpTransactionFrame::commonValidPreSeqNum: an outer transaction pays for one
 * operation more, not less for each than the inner bids; the fee it needed stands in the result.
 */
function bidInWords({ outer, terms, envelope, result, ledger }: Refusal): string {
  const resources = BigInt(envelope.soroban?.resourceFeeStroops ?? 0);
  const forInclusion = (bid: bigint, operations: number) =>
    `${stroopsInWords(bid - resources)} for inclusion ` +
    `(${operations} operation${operations === 1 ? "" : "s"})`;
  const ofResources = resources === 0n ? "" : `, beside ${stroopsInWords(resources)} for resources`;
  const inner = forInclusion(terms.feeStroops, terms.operations);
  if (!outer || terms.feeBump === null) {
    const least = BigInt(ledger.baseFeeStroops) * BigInt(terms.operations);
    return `it bids ${inner}${ofResources}; the least was ${grouped(least)}`;
  }
  const operations = terms.operations + 1;
  const asked = BigInt(ledger.baseFeeStroops) * BigInt(operations);
  const needed = BigInt(result.feeChargedStroops);
  const least = needed > asked ? needed : asked;
  const bids = `it bids ${forInclusion(terms.feeBump.feeStroops, operations)}${ofResources}`;
  return `${bids}, its inner transaction ${inner}; ${grouped(least)} were needed`;
}

function balanceInWords({ state, outer, terms, ledger, account }: Refusal): string {
  const bid = outer && terms.feeBump !== null ? terms.feeBump.feeStroops : terms.feeStroops;
  const offered = `the bid is ${showStroops(bid)} XLM`;
  if (state === null) return offered;
  const reserve = state.reserves * BigInt(ledger.baseReserveStroops);
  const liabilities = state.sellingLiabilitiesStroops;
  const bound = liabilities === 0n ? "" : ` and ${showStroops(liabilities)} bound by offers`;
  const held = `${account} held ${showStroops(state.balanceStroops)} XLM before the fee`;
  return `${held}, of which ${showStroops(reserve)} are its reserve${bound}; ${offered}`;
}

/** A hint does not prove a signature: what fits by its hint may still be of other bytes. */
function signaturesInWords({ outer, terms, state, account }: Refusal): string {
  const hints = outer ? (terms.feeBump?.signatureHints ?? []) : terms.signatureHints;
  const count = `it carries ${hints.length} signature${hints.length === 1 ? "" : "s"}`;
  if (state === null) return `${count} for ${account}`;
  const weights = hints.map(
    (hint) => state.signers.find((signer) => signer.hint === hint)?.weight ?? 0,
  );
  const fitting = weights.filter((weight) => weight > 0).length;
  const weight = weights.reduce((sum, each) => sum + each, 0);
  // Without a threshold, a signature is still needed.
  const needed = Math.max(1, state.thresholds[0]);
  if (fitting === 0) return `${count}, none by a signer of ${account}`;
  const of = `${count}, ${fitting} by signers of ${account} of weight ${weight}`;
  if (weight < needed) return `${of}, and ${needed} is needed`;
  return `${of}, which is enough, so they are of other bytes or another network`;
}
