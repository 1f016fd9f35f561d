// Applies ledgers of the real network to a fork: their transactions run on the fork's state. A
// transaction that the fork cannot apply is taken over as the network recorded it, whatever the
// fork's state of its entries is. Invariant: each ledger follows the one before by its hash, up to
// the forked one.

import { SvcError } from "../base/errors/errors.ts";
import { resultCodeName } from "../model/result-code.ts";
import { isFailureOfNode } from "../sources/source.ts";
import { openEnvelope } from "../xdr/envelope/envelope.ts";
import { forgedPart } from "../xdr/ledger/check-ledger.ts";
import { closedAtMilliseconds } from "../xdr/ledger/close-time.ts";
import {
  type LedgerCloseMetaView,
  type LedgerTransaction,
  readLedgerCloseMeta,
} from "../xdr/ledger/ledger-close-meta.ts";
import { isSuccess, type ResultFacts, readTransactionResult } from "../xdr/outcome/result.ts";
import type { Fork } from "./fork.ts";
import type { ClosedLedger, Followed, Placed, ReadContext } from "./ledger/chain.ts";
import { unsupportedOperation } from "./ledger/known-operations.ts";
import { NotApplied } from "./ledger/layers.ts";
import { refusal } from "./rpc/refusal.ts";

/** The outcome of a network's transaction in the fork. */
export interface FollowedTransaction {
  readonly hash: string;
  /** `same` means the network's result, except for the fee. */
  readonly outcome: "same" | "different" | "taken-over";
  /** The network's result, such as `txFailed (opNoTrust)`. */
  readonly network: string;
  readonly fork: string;
}

/** Operations that a fork supports, except when offers or pools hold what is revoked. */
const MAY_REMOVE_OFFERS = new Set(["allowTrust", "setTrustLineFlags"]);

/**
 * Applies LedgerCloseMetas without a gap as one ledger of the fork. Its number is that of the last,
 * or a later one if the fork is ahead. Throws REQUEST_INVALID, XDR_INVALID, FORK_UNSUPPORTED after
 * an upgrade, and the failures of nodes; nothing has changed then.
 */
export async function applyNetworkLedgers(
  fork: Fork,
  ledgers: readonly Uint8Array[],
  context: ReadContext,
): Promise<FollowedTransaction[]> {
  let { followed } = fork;
  if (followed === null)
    throw refusal("only a fork of a network's ledger can follow the network", {
      remedy: "Start a fork of a ledger of the network.",
    });
  const views = ledgers.map((bytes) => {
    const view = readLedgerCloseMeta(bytes, fork.chain.networkPassphrase);
    followed = next(followed as Followed, view);
    return view;
  });
  const last = views.at(-1);
  if (last === undefined) return [];
  const transactions = views.flatMap((view) => view.transactions);
  const { sequence, transactionSetHash } = last.facts;
  const closeTimeUnixMilliseconds = closedAtMilliseconds(last.facts);
  const facts = { sequence, transactionSetHash, closeTimeUnixMilliseconds, followed };
  const takenOver: TakenOver = { partlyKnown: false, hashes: new Set() };
  for (;;) {
    const placed = transactions.map((each) => placedIn(fork, each, takenOver));
    try {
      const ledger = await fork.follow({ ...facts, transactions: placed }, context);
      return transactions.map((each, i) =>
        outcomeOf(each, placed[i]?.recorded !== undefined, ledger),
      );
    } catch (error) {
      if (!(error instanceof NotApplied)) throw error;
      takeOver(error, takenOver, context);
    }
  }
}

/** The network's transactions that the fork does not apply itself. */
interface TakenOver {
  /** True to take over all transactions with an operation that is only partly supported. */
  partlyKnown: boolean;
  readonly hashes: Set<string>;
}

/** Takes a transaction over. Throws the cause if the network's record does not help. */
function takeOver(
  { hash, cause }: NotApplied,
  takenOver: TakenOver,
  { signal }: ReadContext,
): void {
  const isPassing = signal.aborted || isFailureOfNode(cause) || takenOver.hashes.has(hash);
  if (isPassing) throw cause;
  const isUnsupported = cause instanceof SvcError && cause.code === "FORK_UNSUPPORTED";
  if (isUnsupported && !takenOver.partlyKnown) takenOver.partlyKnown = true;
  else takenOver.hashes.add(hash);
}

function next(before: Followed, view: LedgerCloseMetaView): Followed {
  const { sequence, previousHash, hash } = view.facts;
  if (sequence !== before.sequence + 1 || previousHash !== before.hash || hash === null)
    throw refusal(
      `ledger ${sequence} does not follow ledger ${before.sequence}, the last one of the fork`,
    );
  if (forgedPart(view) !== null || view.transactions.some(({ hasEnvelope }) => !hasEnvelope))
    throw refusal(`ledger ${sequence} does not belong to the network`);
  if (view.upgrades.length > 0)
    throw new SvcError("FORK_UNSUPPORTED", {
      message: `Ledger ${sequence} upgrades the network, and a fork keeps the settings of its base.`,
      remedy: `Fork ledger ${sequence} or a later one.`,
      details: { ledger: sequence },
    });
  return { sequence, hash };
}

function placedIn(
  fork: Fork,
  transaction: LedgerTransaction,
  { partlyKnown, hashes }: TakenOver,
): Placed {
  const { placed, envelopeXdr, resultXdr, metaXdr, feeChangesXdr, refundChangesXdr } = transaction;
  const { stage, cluster, baseFeeStroops } = placed;
  const envelope = openEnvelope(envelopeXdr, fork.chain.networkPassphrase);
  const mayRemoveOffers = envelope.operationKinds.some((kind) => MAY_REMOVE_OFFERS.has(kind));
  const takes =
    unsupportedOperation(envelope) !== null ||
    (partlyKnown && mayRemoveOffers) ||
    hashes.has(envelope.hash);
  return {
    envelopeXdr,
    baseFeeStroops,
    ...(stage !== null && cluster !== null && { stage, cluster }),
    ...(takes && { recorded: { resultXdr, metaXdr, feeChangesXdr, refundChangesXdr } }),
  };
}

function outcomeOf(
  { hash, resultXdr, envelopeXdr }: LedgerTransaction,
  isTakenOver: boolean,
  { transactions, leftOut }: ClosedLedger,
): FollowedTransaction {
  const recorded = readTransactionResult(resultXdr);
  const network = codesOf(recorded);
  if (isTakenOver) return { hash, outcome: "taken-over", network, fork: network };
  const closed = transactions.find((each) => each.hash === hash);
  if (closed === undefined) {
    const left = leftOut.find((each) => each.envelopeXdr === envelopeXdr);
    return { hash, outcome: "different", network, fork: left?.refusal.code ?? "left out" };
  }
  const ended = readTransactionResult(closed.resultXdr);
  const outcome = withoutFees(ended) === withoutFees(recorded) ? "same" : "different";
  return { hash, outcome, network, fork: codesOf(ended) };
}

function codesOf({ code, innerCode, operationResults }: ResultFacts): string {
  const failed = operationResults.filter((each) => !isSuccess(each)).map(resultCodeName);
  return `${innerCode ?? code}${failed.length === 0 ? "" : ` (${failed.join(", ")})`}`;
}

/**
 * The result without its fees, which depend on a ledger's own traffic and on the size of the
 * network's state.
 */
function withoutFees({ code, innerCode, operationResultsXdr }: ResultFacts): string {
  return [code, innerCode, ...operationResultsXdr].join();
}
