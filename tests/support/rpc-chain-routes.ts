// The methods of Stellar RPC that wallets and dapps use and svc itself does not: events, lists of
// transactions, fees, and sending. A transaction that is sent is found from the second request on,
// with the outcome of a recorded one.

import { TransactionBuilder } from "@stellar/stellar-sdk";
import type { RecordedNetwork } from "./recorded-network.ts";

type Parameters = Readonly<Record<string, unknown>>;

/** Whose outcome the sent transactions have. */
const MODEL = "same ledger: inc main #3";
const FEES = Object.fromEntries(
  ["max", "min", "mode", "p10", "p50", "p90", "p99", "transactionCount", "ledgerCount"].map(
    (name) => [name, "100"],
  ),
);

/** By hash: how often the transaction was asked for since it was sent. */
const sentTransactions = new WeakMap<RecordedNetwork, Map<string, number>>();

export function feeStats({ latestLedger }: RecordedNetwork) {
  return { sorobanInclusionFee: FEES, inclusionFee: FEES, latestLedger };
}

export function events(network: RecordedNetwork, { startLedger }: Parameters) {
  const event = {
    type: "contract",
    ledger: Number(startLedger),
    ledgerClosedAt: "2026-11-21T02:41:50Z",
    contractId: "CAU7Z44L44WAY4H6HXAWSR3T6QBMYORRDBNYYHTJMV6CNICSJRHRZUBV",
    id: "0001748728844165120-0000000001",
    operationIndex: 0,
    transactionIndex: 1,
    txHash: "ab".repeat(32),
    inSuccessfulContractCall: true,
    // Symbol("inc"), U32(7)
    topic: ["AAAADwAAAANpbmMA"],
    value: "AAAAAwAAAAc=",
  };
  return { events: [event], cursor: event.id, ...closeTimes(network) };
}

export function transactions(network: RecordedNetwork, { startLedger }: Parameters) {
  const found = network.transactions.filter(({ ledger }) => ledger >= Number(startLedger));
  const list = found.map((each) => {
    const { result } = network.file(each).rpcGetTransaction;
    return { ...result, createdAt: Number(result.createdAt) };
  });
  return { transactions: list, cursor: "1", ...closeTimes(network) };
}

export function send(network: RecordedNetwork, { transaction }: Parameters) {
  const sent = sentTransactions.get(network) ?? new Map<string, number>();
  sentTransactions.set(network, sent);
  const envelope = TransactionBuilder.fromXdr(String(transaction), network.passphrase);
  const hash = Buffer.from(envelope.hash()).toString("hex");
  const status = sent.has(hash) ? "DUPLICATE" : "PENDING";
  if (status === "PENDING") sent.set(hash, 0);
  const { latestLedger, latestLedgerCloseTime } = closeTimes(network);
  return { status, hash, latestLedger, latestLedgerCloseTime };
}

/** Null for a transaction that was not sent here. */
export function sentTransaction(network: RecordedNetwork, hash: string) {
  const asked = sentTransactions.get(network)?.get(hash);
  if (asked === undefined) return null;
  sentTransactions.get(network)?.set(hash, asked + 1);
  if (asked === 0) return { status: "NOT_FOUND", txHash: hash };
  const model = network.transactions.find(({ name }) => name === MODEL);
  if (model === undefined) throw new Error(`no transaction is named ${MODEL}`);
  return { ...network.file(model).rpcGetTransaction.result, txHash: hash };
}

function closeTimes(network: RecordedNetwork) {
  const { latestLedger } = network;
  const time = String(network.closeTime(latestLedger));
  return {
    latestLedger,
    latestLedgerCloseTime: time,
    oldestLedger: 71,
    oldestLedgerCloseTime: time,
  };
}
