// Horizon, the ledger-history API: a transaction by its outer or inner hash, and the header of a
// ledger. It may leave out result_meta_xdr; fee_meta_xdr has the changes of the fee phase.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import type { Http } from "../../base/http/http.ts";
import type { HttpAnswer } from "../../base/http/http-body.ts";
import { parseAnswer } from "../../base/http/http-body.ts";
import { nodeAddress } from "../../base/http/node-address.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { ofLedger } from "../../model/protocols.ts";
import { readLedgerHeader } from "../../xdr/ledger/header.ts";
import { decodedAnswer } from "../decoded-answer.ts";
import {
  checked,
  type FetchContext,
  type Source,
  type SourcedFacts,
  sourcedFacts,
  type TransactionAnswer,
  type TransactionContext,
} from "../source.ts";
import { badNodeAnswer } from "./bad-answer.ts";
import type { NetworkOfNode } from "./of-network.ts";

const MAXIMUM_BYTES = 32 * 1024 * 1024;
const NOT_FOUND = 404;
/** Horizon's status for ledgers before its history. */
const BEFORE_HISTORY = 410;
const LEDGER_SHIFT = 32n;
/** A TOID is ledger (32 bits), application order (20 bits), operation (12 bits); SEP-35. */
const ORDER_SHIFT = 12n;
const ORDER_MASK = 0xfffffn;

const base64 = v.pipe(v.string(), v.nonEmpty());
const transactionSchema = v.object({
  envelope_xdr: base64,
  result_xdr: base64,
  result_meta_xdr: v.nullish(v.string()),
  fee_meta_xdr: v.nullish(v.string()),
  ledger: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(0xffffffff)),
  successful: v.fallback(v.nullish(v.boolean()), null),
  paging_token: v.nullish(v.pipe(v.string(), v.regex(/^\d{1,20}$/))),
});
const rootSchema = v.object({
  network_passphrase: v.nullish(v.string()),
  current_protocol_version: v.fallback(v.nullable(v.number()), null),
  core_supported_protocol_version: v.fallback(v.nullish(v.number()), null),
});
const ledgerSchema = v.pipe(
  v.object({
    sequence: v.number(),
    hash: v.nullish(v.pipe(v.string(), v.hexadecimal())),
    header_xdr: base64,
  }),
  v.transform(({ sequence, hash, header_xdr }) =>
    ofLedger(sequence, () => sourcedFacts(readLedgerHeader(header_xdr, hash ?? null))),
  ),
);

export interface HorizonDependencies {
  readonly http: Http;
  readonly url: string;
}

export function openHorizon(dependencies: HorizonDependencies): Source {
  return {
    name: `horizon ${nodeAddress(dependencies.url)}`,
    fetchTransaction: (hash, context) => fetchTransaction(dependencies, hash, context),
    fetchLedgerFacts: (sequence, context) => fetchLedgerFacts(dependencies, sequence, context),
  };
}

async function fetchTransaction(
  dependencies: HorizonDependencies,
  hash: string,
  context: TransactionContext,
): Promise<TransactionAnswer | null> {
  const label = `transaction ${hash}`;
  const schema = v.pipe(transactionSchema, v.transform(toAnswer), v.transform(checked(context)));
  return get(dependencies, `transactions/${hash}`, schema, label, context);
}

function toAnswer(answer: v.InferOutput<typeof transactionSchema>): TransactionAnswer {
  return {
    envelopeXdr: answer.envelope_xdr,
    resultXdr: answer.result_xdr,
    // Absent, null or empty if Horizon is configured to skip metas.
    resultMetaXdr: answer.result_meta_xdr || null,
    feeChangesXdr: answer.fee_meta_xdr || null,
    refundChangesXdr: null,
    diagnosticEventsXdr: [],
    ledgerSequence: answer.ledger,
    applicationOrder: applicationOrder(answer.paging_token, answer.ledger),
    ...(typeof answer.successful === "boolean" && { succeeded: answer.successful }),
  };
}

export async function fetchHorizonNetwork(
  dependencies: HorizonDependencies,
  context: FetchContext,
): Promise<NetworkOfNode> {
  const root = await get(dependencies, "", rootSchema, "its network", context);
  return {
    passphrase: root?.network_passphrase ?? null,
    protocolVersion: root?.current_protocol_version ?? null,
    supportedProtocol: root?.core_supported_protocol_version ?? null,
  };
}

async function fetchLedgerFacts(
  dependencies: HorizonDependencies,
  sequence: number,
  context: FetchContext,
): Promise<SourcedFacts | null> {
  const label = `ledger ${sequence}`;
  const check = (facts: SourcedFacts) => {
    if (facts.sequence === sequence) return facts;
    const node = nodeAddress(dependencies.url);
    throw new SvcError("NODE_LIED", {
      message: `${node} returned the header of ledger ${facts.sequence} for ledger ${sequence}.`,
      remedy: phrase`Set another Horizon with ${flag("horizonUrl")}.`,
      details: { node, sequence },
    });
  };
  const schema = v.pipe(ledgerSchema, v.transform(check));
  return get(dependencies, `ledgers/${sequence}`, schema, label, context);
}

/** Null if Horizon does not have it. */
function get<T>(
  { http, url }: HorizonDependencies,
  path: string,
  schema: v.GenericSchema<unknown, T>,
  label: string,
  context: FetchContext,
): Promise<T | null> {
  const base = new URL(url);
  // The query stays, because some providers expect their API key there.
  base.pathname = `${base.pathname.replace(/\/+$/, "")}/${path}`;
  return http.ask(
    {
      url: base.href,
      nodeUrl: url,
      method: "GET",
      maximumBytes: MAXIMUM_BYTES,
      answers: [NOT_FOUND, BEFORE_HISTORY],
    },
    (answer) => (isAbsent(answer) ? null : parse(schema, answer, label)),
    context,
  );
}

/** True if Horizon answered 404 or 410. Throws NETWORK_BAD_ANSWER if the answer is a web page. */
function isAbsent(answer: HttpAnswer): boolean {
  if (answer.status !== NOT_FOUND && answer.status !== BEFORE_HISTORY) return false;
  if (new TextDecoder().decode(answer.body.subarray(0, 256)).trimStart().startsWith("<")) {
    parseAnswer(answer);
  }
  return true;
}

function parse<T>(schema: v.GenericSchema<unknown, T>, answer: HttpAnswer, label: string): T {
  const parsed = decodedAnswer(answer.node, label, () => v.safeParse(schema, parseAnswer(answer)));
  if (parsed.success) return parsed.output;
  throw badNodeAnswer(answer.node, "Horizon", label, parsed.issues);
}

function applicationOrder(pagingToken: string | null | undefined, ledger: number): number | null {
  if (typeof pagingToken !== "string") return null;
  const token = BigInt(pagingToken);
  if (token >> LEDGER_SHIFT !== BigInt(ledger)) return null;
  return Number((token >> ORDER_SHIFT) & ORDER_MASK) || null;
}
