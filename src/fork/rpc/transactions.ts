// getTransaction and getTransactions of Stellar RPC.

import * as v from "valibot";
import { uint32 } from "../../base/wire.ts";
import type { TypeName } from "../../xdr/reader/schema.ts";
import { type Json, toJson } from "../../xdr/reader/to-json.ts";
import { decode, encode, type Value } from "../../xdr/reader/value.ts";
import type { Fork } from "../fork.ts";
import type { FoundTransaction } from "../ledger-history.ts";
import { operationEvents } from "./events.ts";
import { rangeOf, type ServedLedgers } from "./ledger-range.ts";
import { AnswerPage } from "./page.ts";
import {
  type Format,
  formatOf,
  formatSchema,
  OF_REQUEST,
  readParameters,
  refusal,
} from "./refusal.ts";

const MOST_TRANSACTIONS = 200;
const USUAL_TRANSACTIONS = 50;
const LAST_ORDER = 2 ** 20 - 1;

const paginationSchema = v.nullish(
  v.object({ cursor: v.nullish(v.string(), ""), limit: v.nullish(uint32, 0) }),
);
export const pagedSchema = v.object({
  startLedger: v.nullish(uint32, 0),
  pagination: paginationSchema,
  xdrFormat: formatSchema,
});

const hashSchema = v.object({ hash: v.nullish(v.string(), ""), xdrFormat: formatSchema });

export function getTransaction(fork: Fork, parameters: unknown) {
  const { hash, xdrFormat } = readParameters(hashSchema, parameters);
  const format = formatOf(xdrFormat);
  if (hash.length >> 1 !== 32) throw refusal(`unexpected hash length (${hash.length})`);
  if (!/^[0-9a-fA-F]{64}$/.test(hash)) throw refusal("incorrect hash");
  fork.requireNotDropped(hash.toLowerCase());
  const range = rangeOf(fork);
  const response = {
    latestLedger: range.latestLedger,
    latestLedgerCloseTime: range.latestCloseTime,
    oldestLedger: range.oldestLedger,
    oldestLedgerCloseTime: range.oldestCloseTime,
  };
  const transaction = fork.history.find(hash.toLowerCase());
  if (transaction === null)
    return {
      ...response,
      status: "NOT_FOUND",
      txHash: hash,
      applicationOrder: 0,
      feeBump: false,
      events: {},
      ledger: 0,
      createdAt: "0",
    };
  return {
    ...response,
    ...detailsOf(transaction, format),
    createdAt: transaction.ledger.closeTimeUnixSeconds,
  };
}

export async function getTransactions(fork: Fork, parameters: unknown) {
  const { startLedger, pagination, xdrFormat } = readParameters(pagedSchema, parameters);
  const range = rangeOf(fork);
  checkPage({ startLedger, pagination }, MOST_TRANSACTIONS, range);
  const format = formatOf(xdrFormat);
  const after = pagination?.cursor ? readPlace(pagination.cursor) : null;
  const start = after?.ledger ?? startLedger;
  const limit = pagination?.limit || USUAL_TRANSACTIONS;
  const transactions: object[] = [];
  const page = new AnswerPage(format);
  let cursor = placeOf(range.latestLedger, 0);
  pages: for (const ledger of fork.history.range(start, range.latestLedger)) {
    cursor = placeOf(ledger.sequence, 0);
    for (const transaction of ledger.transactions) {
      const { applicationOrder } = transaction;
      if (after?.ledger === ledger.sequence && applicationOrder <= after.order) continue;
      cursor = placeOf(ledger.sequence, applicationOrder);
      transactions.push({
        ...detailsOf({ ledger, transaction }, format),
        createdAt: Number(ledger.closeTimeUnixSeconds),
      });
      const { envelopeXdr, resultXdr, metaXdr } = transaction;
      const characters = envelopeXdr.length + resultXdr.length + metaXdr.length;
      page.add(characters);
      if (transactions.length === limit || page.isFull) break pages;
      await page.portion(characters);
    }
  }
  return {
    transactions,
    latestLedger: range.latestLedger,
    latestLedgerCloseTimestamp: Number(range.latestCloseTime),
    oldestLedger: range.oldestLedger,
    oldestLedgerCloseTimestamp: Number(range.oldestCloseTime),
    cursor,
  };
}

/** Throws REQUEST_INVALID, as `ValidatePagination` of Stellar RPC. */
export function checkPage(
  { startLedger, pagination }: Omit<v.InferOutput<typeof pagedSchema>, "xdrFormat">,
  most: number,
  { oldestLedger, latestLedger }: ServedLedgers,
): void {
  const isWithin = startLedger >= oldestLedger && startLedger <= latestLedger;
  if (pagination?.cursor) {
    if (startLedger !== 0)
      throw refusal(
        `startLedger (${startLedger}) and cursor (${pagination.cursor.slice(0, 60)}) cannot both be set`,
        OF_REQUEST,
      );
  } else if (!isWithin)
    throw refusal(
      `start ledger (${startLedger}) must be between the oldest ledger: ${oldestLedger} and the ` +
        `latest ledger: ${latestLedger} for this rpc instance`,
      OF_REQUEST,
    );
  if ((pagination?.limit ?? 0) > most) throw refusal(`limit must not exceed ${most}`, OF_REQUEST);
}

function detailsOf({ ledger, transaction }: FoundTransaction, format: Format) {
  const { envelopeXdr, resultXdr, metaXdr } = transaction;
  const meta = decode("TransactionMeta", metaXdr);
  const isJson = format === "json";
  const shown = isJson
    ? {
        envelopeJson: toJson("TransactionEnvelope", decode("TransactionEnvelope", envelopeXdr)),
        resultJson: toJson("TransactionResult", decode("TransactionResult", resultXdr)),
        resultMetaJson: toJson("TransactionMeta", meta),
      }
    : { envelopeXdr, resultXdr, resultMetaXdr: metaXdr };
  const write = <Name extends TypeName>(type: Name, value: Value<Name>): Json =>
    isJson ? toJson(type, value) : encode(type, value);
  const ending = isJson ? "Json" : "Xdr";
  const diagnostics = diagnosticsOf(meta).map((each) => write("DiagnosticEvent", each));
  const ofTransaction = (meta.v === 4 ? meta.v4.events : []).map((each) =>
    write("TransactionEvent", each),
  );
  const ofOperations = operationEvents(meta).map((events) =>
    events.map((each) => write("ContractEvent", each)),
  );
  return {
    status: transaction.isSuccess ? "SUCCESS" : "FAILED",
    txHash: transaction.hash,
    applicationOrder: transaction.applicationOrder,
    feeBump: transaction.innerHash !== null,
    ...shown,
    ...(diagnostics.length > 0 && { [`diagnosticEvents${ending}`]: diagnostics }),
    events: {
      ...(ofTransaction.length > 0 && { [`transactionEvents${ending}`]: ofTransaction }),
      ...(ofOperations.length > 0 && { [`contractEvents${ending}`]: ofOperations }),
    },
    ledger: ledger.sequence,
  };
}

function diagnosticsOf(meta: Value<"TransactionMeta">): readonly Value<"DiagnosticEvent">[] {
  if (meta.v === 4) return meta.v4.diagnosticEvents;
  return meta.v === 3 ? (meta.v3.sorobanMeta?.diagnosticEvents ?? []) : [];
}

/** The place of a transaction in the network's history (SEP-35). */
function placeOf(ledger: number, order: number): string {
  return String((BigInt(ledger) << 32n) | (BigInt(order) << 12n) | 1n);
}

/** Throws REQUEST_INVALID. */
function readPlace(cursor: string): { readonly ledger: number; readonly order: number } {
  if (!/^\d{1,19}$/.test(cursor))
    throw refusal(`the cursor "${cursor.slice(0, 60)}" is not a number`);
  const place = BigInt(cursor);
  return { ledger: Number(place >> 32n), order: Number((place >> 12n) & BigInt(LAST_ORDER)) };
}
