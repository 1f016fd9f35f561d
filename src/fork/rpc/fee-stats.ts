// getFeeStats of Stellar RPC: the inclusion fees that transactions of the last ledgers paid.

import { openEnvelope } from "../../xdr/envelope/envelope.ts";
import { readTransactionMeta } from "../../xdr/outcome/meta.ts";
import { decode } from "../../xdr/reader/value.ts";
import type { Fork } from "../fork.ts";
import type { ClosedTransaction } from "../ledger/chain.ts";

/** The windows of a node, in ledgers. */
const CLASSIC_LEDGERS = 10;
const SOROBAN_LEDGERS = 50;
const PERCENTILES = [10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99] as const;

interface PaidFee {
  readonly isSoroban: boolean;
  readonly stroops: bigint;
}

export function getFeeStats(fork: Fork) {
  return {
    sorobanInclusionFee: distributionOf(fork, SOROBAN_LEDGERS, true),
    inclusionFee: distributionOf(fork, CLASSIC_LEDGERS, false),
    latestLedger: fork.chain.latest.sequence,
  };
}

function distributionOf(fork: Fork, window: number, soroban: boolean) {
  const ledgers = fork.history.all.slice(-window);
  const fees = ledgers
    .flatMap(({ transactions }) => transactions)
    .map((transaction) => feeOf(transaction, fork.chain.networkPassphrase))
    .flatMap((fee) => (fee?.isSoroban === soroban ? fee.stroops : []))
    .sort((left, right) => (left < right ? -1 : left > right ? 1 : 0));
  /** The value of the nearest rank. */
  const ranked = (percent: number) =>
    String(fees[Math.ceil((percent * fees.length) / 100) - 1] ?? 0n);
  return {
    max: String(fees.at(-1) ?? 0n),
    min: String(fees[0] ?? 0n),
    mode: String(modeOf(fees)),
    ...Object.fromEntries(PERCENTILES.map((percent) => [`p${percent}`, ranked(percent)])),
    transactionCount: String(fees.length),
    ledgerCount: fees.length === 0 ? 0 : ledgers.length,
  };
}

/** The first of the most common fees. */
function modeOf(fees: readonly bigint[]): bigint {
  let mode = fees[0] ?? 0n;
  let most = 0;
  for (const [fee, same] of Map.groupBy(fees, (each) => each)) {
    if (same.length > most) {
      most = same.length;
      mode = fee;
    }
  }
  return mode;
}

const known = new WeakMap<ClosedTransaction, PaidFee | null>();

/** Null if the meta does not show it. */
function feeOf(transaction: ClosedTransaction, networkPassphrase: string): PaidFee | null {
  const before = known.get(transaction);
  if (before !== undefined) return before;
  const fee = readFee(transaction, networkPassphrase);
  known.set(transaction, fee);
  return fee;
}

function readFee(transaction: ClosedTransaction, networkPassphrase: string): PaidFee | null {
  const { envelopeXdr, resultXdr, metaXdr } = transaction;
  const { operationKinds, soroban } = openEnvelope(envelopeXdr, networkPassphrase);
  const { feeCharged } = decode("TransactionResult", resultXdr);
  if (soroban === null)
    return { isSoroban: false, stroops: feeCharged / BigInt(operationKinds.length || 1) };
  const { sorobanFees } = readTransactionMeta(metaXdr);
  if (sorobanFees === null) return null;
  const { nonRefundableStroops, refundableStroops } = sorobanFees;
  const resources = BigInt(nonRefundableStroops) + BigInt(refundableStroops);
  return { isSoroban: true, stroops: feeCharged - resources };
}
