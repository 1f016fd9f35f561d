// Explains why a transaction was refused before any of its operations ran: what the network
// required, and what the envelope has. For a fee bump, either the outer or the inner transaction is
// refused.

import type { RefusalKind } from "../../model/cause-kinds.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import { resultCodeName } from "../../model/result-code.ts";
import type { OpenedRecord } from "../../xdr/envelope/opened-record.ts";
import { type AccountFacts, readAccount } from "../../xdr/ledger/account.ts";
import { readEntryChanges, type TransactionMetaFacts } from "../../xdr/outcome/meta.ts";
import { failedOperation, isApplied, type ResultFacts } from "../../xdr/outcome/result.ts";
import type { CauseFinding, RefusedEnvelope } from "../words/found-cause.ts";
import type { CauseEvidence, FoundDetail } from "../words/found-evidence.ts";

/** The kinds by transaction result code. */
const KINDS: Readonly<Record<string, RefusalKind>> = {
  txBadSeq: "bad-sequence",
  txTooLate: "too-late",
  txTooEarly: "too-early",
  txInsufficientFee: "insufficient-fee",
  txInsufficientBalance: "insufficient-balance",
  txBadAuth: "bad-auth",
  txBadAuthExtra: "bad-auth-extra",
  txNoAccount: "account-missing",
};

export function refusalCause(opened: OpenedRecord): CauseFinding {
  const { result } = opened.chain;
  const refusal = readRefusal(opened);
  const failing = failedOperation(result);
  const code = failing ? resultCodeName(failing) : (result.innerCode ?? result.code);
  const known = failing === undefined ? KINDS[code] : undefined;
  const own = known ?? "refused";
  const kind = refusal.outer ? (`fee-bump-${own}` as const) : own;
  const inner = opened.envelope.soroban === null ? "classic" : "soroban";
  const refused = refusal.outer ? "outer" : inner;
  const facts = {
    code,
    refused,
    refusal: known === undefined ? null : refusal,
    least: null,
  } as const;
  return { by: "refused", kind, facts, confidence: "known", evidence: [] };
}

/**
 * Reads a node's answer to a submission. No ledger has the transaction, so the network's
 * requirement is unknown. `reported` is what the node reported besides the code.
 */
export function refusalOfAnswer(
  result: ResultFacts,
  reported: {
    readonly evidence: readonly CauseEvidence[];
    readonly details: readonly FoundDetail[];
  },
): CauseFinding {
  const failing = failedOperation(result);
  const code = failing ? resultCodeName(failing) : (result.innerCode ?? result.code);
  const fee = result.feeChargedStroops;
  // stellar-core writes the fee that it needs into the result of a transaction that bids too
  // little.
  const least = code === "txInsufficientFee" && fee !== "0" ? fee : null;
  const ofOperation = isApplied(result) ? "result-code" : "refused";
  const kind = failing === undefined ? (KINDS[code] ?? "refused") : ofOperation;
  const facts = { code, refused: "answer", refusal: null, least } as const;
  return { by: "refused", kind, facts, confidence: "known", ...reported };
}

function readRefusal({ record, envelope, chain }: OpenedRecord): RefusedEnvelope {
  const { result, meta } = chain;
  const { terms } = envelope;
  const outer = envelope.isFeeBump && result.innerCode === null;
  const account = outer ? terms.payer : terms.source;
  const state = accountsBefore(record, meta).find(({ address }) => address === account) ?? null;
  return { result, envelope, terms, ledger: record.ledger, outer, account, state };
}

/** Accounts that the fee phase or the transaction itself changed, in their state before. */
function accountsBefore(
  { feeChangesXdr }: ChainRecord,
  meta: TransactionMetaFacts | null,
): AccountFacts[] {
  const ofFees = readEntryChanges(feeChangesXdr);
  const ofMeta = meta?.changesBefore ?? [];
  return [...ofFees, ...ofMeta].flatMap(({ kind, entryXdr }) => {
    const account = kind === "state" && entryXdr !== null ? readAccount(entryXdr) : null;
    return account ?? [];
  });
}
