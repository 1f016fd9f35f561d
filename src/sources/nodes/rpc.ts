// Stellar RPC: transactions and ledgers of its retention window (about a week), and current ledger
// entries. NOT_FOUND is a status. A ledger outside the window and a missing method are not errors
// either.

import * as v from "valibot";
import { askAhead } from "../../base/ask-ahead.ts";
import { nodeAddress } from "../../base/http/node-address.ts";
import { LongText } from "../../base/text/long-texts.ts";
import { ofLedger } from "../../model/protocols.ts";
import { readLedgerHeader } from "../../xdr/ledger/header.ts";
import {
  endOfLedgerCloseMeta,
  ledgerFactsOf,
  ledgerSequenceOf,
} from "../../xdr/ledger/ledger-close-meta.ts";
import { decodeBase64 } from "../../xdr/reader/cursor.ts";
import { decodedAnswer } from "../decoded-answer.ts";
import type { LedgerBytes } from "../files/ledger-stream.ts";
import {
  checked,
  checkedLedgers,
  type FetchContext,
  type LedgerContext,
  type LedgerRange,
  type Source,
  type SourcedFacts,
  sourcedFacts,
  type TransactionAnswer,
  type TransactionContext,
} from "../source.ts";
import { callJsonRpc, type JsonRpcDependencies, unlessRefused } from "./json-rpc.ts";
import { fetchCurrentEntries } from "./rpc-ledger-entries.ts";
import { fetchTip } from "./rpc-tip.ts";

const MAXIMUM_TRANSACTION_BYTES = 32 * 1024 * 1024;
const MAXIMUM_LEDGERS_BYTES = 192 * 1024 * 1024;
/** A mainnet ledger has some megabytes. An answer with this many ledgers is still fast. */
const LEDGERS_PER_CALL = 5;
/** A call for small ledgers asks for as many as have so many bytes. */
const BYTES_PER_CALL = 2 * 1024 * 1024;
/** Stellar RPC gives as many if a request has no limit. */
const MOST_LEDGERS_PER_CALL = 50;
/** The number of calls ahead while the ledgers of one call are used. */
const CALLS_AHEAD = 2;

const sequence = v.pipe(
  v.union([v.number(), v.pipe(v.string(), v.regex(/^\d{1,10}$/), v.transform(Number))]),
  v.integer(),
  v.minValue(0),
  v.maxValue(0xffffffff),
);
const unixSeconds = v.pipe(
  v.union([v.number(), v.string()]),
  v.transform(String),
  v.regex(/^\d{1,18}$/),
);
const rangeFields = { latestLedger: v.nullish(sequence), oldestLedger: v.nullish(sequence) };
const base64 = v.pipe(v.string(), v.nonEmpty());
const transactionSchema = v.variant("status", [
  v.object({ status: v.literal("NOT_FOUND"), ...rangeFields }),
  v.object({
    status: v.picklist(["SUCCESS", "FAILED"]),
    envelopeXdr: base64,
    resultXdr: base64,
    resultMetaXdr: v.nullish(v.string()),
    diagnosticEventsXdr: v.nullish(v.array(v.string())),
    ledger: sequence,
    applicationOrder: v.nullish(sequence),
    createdAt: v.nullish(unixSeconds),
    ...rangeFields,
  }),
]);
type RpcTransaction = v.InferOutput<typeof transactionSchema>;
const longBase64 = v.union([base64, v.instance(LongText)]);
const ledgersSchema = v.object({
  ledgers: v.nullish(v.array(v.object({ sequence, metadataXdr: longBase64 }))),
  ...rangeFields,
});
type LatestLedger = v.InferOutput<typeof latestLedgerSchema>;
const latestLedgerSchema = v.object({
  sequence,
  /** The hash of the header. */
  id: v.nullish(v.string()),
  headerXdr: v.nullish(v.string()),
  metadataXdr: v.nullish(v.string()),
});

/** A node, with the facts that its answers have shown. */
interface Node extends JsonRpcDependencies {
  range: LedgerRange | null;
  latest: LatestLedger | null;
}

/**
 * Opens a node. The name identifies a fork, because its transactions did not happen on the network.
 */
export function openRpc(dependencies: JsonRpcDependencies, isFork = false): Source {
  const node: Node = { ...dependencies, range: null, latest: null };
  return {
    name: `${isFork ? "fork" : "rpc"} ${nodeAddress(dependencies.url)}`,
    ...(isFork && { isFork }),
    range: () => node.range,
    fetchTransaction: (hash, context) => fetchTransaction(node, hash, context),
    fetchLedgerFacts: (ledger, context) => fetchLedgerFacts(node, ledger, context),
    fetchLatestFacts: (context) => fetchLatestFacts(node, context),
    fetchTip: (context) => fetchTip(node, context, isFork),
    fetchLedgerCloseMeta: (ledger, context) => fetchLedgerCloseMeta(node, ledger, context),
    fetchLedgerCloseMetas: (first, last, context) => fetchLedgers(node, first, last, context),
    fetchLedgerEntries: (keysXdr, context) => fetchCurrentEntries(node, keysXdr, context),
  };
}

async function fetchTransaction(
  node: Node,
  hash: string,
  context: TransactionContext,
): Promise<TransactionAnswer | null> {
  const check = checked(context);
  const toResult = (answer: RpcTransaction) => {
    remember(node, answer);
    return answer.status === "NOT_FOUND" ? null : check(toAnswer(answer));
  };
  const call = {
    method: "getTransaction",
    parameters: { hash },
    schema: v.pipe(transactionSchema, v.transform(toResult)),
    maximumBytes: MAXIMUM_TRANSACTION_BYTES,
  };
  return callJsonRpc(node, call, context);
}

function toAnswer(answer: Exclude<RpcTransaction, { status: "NOT_FOUND" }>): TransactionAnswer {
  return {
    envelopeXdr: answer.envelopeXdr,
    resultXdr: answer.resultXdr,
    resultMetaXdr: answer.resultMetaXdr || null,
    feeChangesXdr: null,
    refundChangesXdr: null,
    diagnosticEventsXdr: answer.diagnosticEventsXdr ?? [],
    ledgerSequence: answer.ledger,
    applicationOrder: answer.applicationOrder || null,
    succeeded: answer.status === "SUCCESS",
    ...(answer.createdAt ? { closeTimeUnixSeconds: answer.createdAt } : {}),
  };
}

async function fetchLedgerFacts(
  node: Node,
  ledger: number,
  context: FetchContext,
): Promise<SourcedFacts | null> {
  const meta = await fetchLedgerCloseMeta(node, ledger, context);
  if (meta !== null) return sourcedFacts(ledgerFactsOf(meta));
  const latest = await fetchLatestFacts(node, context, ledger);
  return latest?.sequence === ledger ? latest : null;
}

async function fetchLatestFacts(
  node: Node,
  context: FetchContext,
  ledger?: number,
): Promise<SourcedFacts | null> {
  const latest = await fetchLatestLedger(node, context, ledger);
  if (!latest?.headerXdr) return null;
  const { headerXdr, sequence, id } = latest;
  const read = () => ofLedger(sequence, () => sourcedFacts(readLedgerHeader(headerXdr, id)));
  const facts = decodedAnswer(nodeAddress(node.url), `the header of ledger ${sequence}`, read);
  return facts.sequence === sequence ? facts : null;
}

async function fetchLedgerCloseMeta(
  node: Node,
  ledger: number,
  context: LedgerContext,
): Promise<Uint8Array | null> {
  for await (const ledgerBytes of fetchLedgers(node, ledger, ledger, context)) {
    return ledgerBytes.ledgerCloseMeta;
  }
  // Some nodes do not have getLedgers, but return the complete latest ledger.
  const latest = await fetchLatestLedger(node, context, ledger);
  if (latest?.sequence !== ledger || !latest.metadataXdr) return null;
  const { metadataXdr } = latest;
  try {
    const answer = ledgersFrom(node, [{ sequence: ledger, metadataXdr }], ledger, context);
    const { ledgers } = await checkedAnswer(answer, context);
    return ledgers[0]?.ledgerCloseMeta ?? null;
  } catch (error) {
    node.latest = null;
    throw error;
  }
}

/** Ends early at the end of the node's window, or at a gap in its ledgers. */
async function* fetchLedgers(
  node: Node,
  first: number,
  last: number,
  context: LedgerContext,
): AsyncGenerator<LedgerBytes> {
  const askFor = (start: number, limit: number, signal: AbortSignal) => {
    const call = {
      method: "getLedgers",
      parameters: { startLedger: start, pagination: { limit } },
      schema: v.pipe(
        ledgersSchema,
        v.transform(({ ledgers, ...range }) => {
          const firstLedgers = (ledgers ?? []).slice(0, limit);
          return { ...range, ...ledgersFrom(node, firstLedgers, start, context) };
        }),
      ),
      check: (answer: LedgersAnswer) => checkedAnswer(answer, context),
      maximumBytes: MAXIMUM_LEDGERS_BYTES,
      hasLongTexts: true,
    };
    return unlessRefused(callJsonRpc<LedgersAnswer>(node, call, { signal }));
  };
  const ask = async ({ start, limit }: LedgersCall, signal: AbortSignal) => {
    const answer = await askFor(start, limit, signal);
    // A node may allow fewer ledgers at a time.
    const isRefused = answer === null && limit > LEDGERS_PER_CALL;
    const fewer = isRefused ? await askFor(start, LEDGERS_PER_CALL, signal) : answer;
    return fewer && { ...fewer, end: start + limit };
  };
  const sizes = { perCall: LEDGERS_PER_CALL };
  let next = first;
  let ahead = CALLS_AHEAD;
  // The node's own window is not checked, because nodes with a data lake have older ledgers.
  while (next <= last) {
    const before = next;
    const answers = askAhead(pages(next, last, sizes), ahead, ask, context.signal);
    for await (const answer of answers) {
      if (answer === null) return;
      remember(node, answer);
      if (ahead > 0) sizes.perCall = perCallOf(answer.ledgers);
      for (const ledger of answer.ledgers) {
        if (ledger.sequence !== next) return;
        yield ledger;
        next += 1;
      }
      if (answer.hasGap) return;
      if (next === answer.end) continue;
      // The node returned fewer or more ledgers than requested, so each call now waits for the one
      // before.
      ahead = 0;
      sizes.perCall = LEDGERS_PER_CALL;
      break;
    }
    if (next === before) return;
  }
}

interface LedgersCall {
  readonly start: number;
  /** The number of ledgers. */
  readonly limit: number;
}

/** The ledgers of each call. Their number is read when the call is made. */
function* pages(
  first: number,
  last: number,
  sizes: { readonly perCall: number },
): Generator<LedgersCall> {
  for (let start = first; start <= last; ) {
    const limit = Math.min(sizes.perCall, last - start + 1);
    yield { start, limit };
    start += limit;
  }
}

/** The number of ledgers to ask for after these ones. */
function perCallOf(ledgers: readonly LedgerBytes[]): number {
  const bytes = ledgers.reduce((sum, { ledgerCloseMeta }) => sum + ledgerCloseMeta.length, 0);
  const fitting = Math.floor((BYTES_PER_CALL * ledgers.length) / Math.max(bytes, 1));
  return Math.max(LEDGERS_PER_CALL, Math.min(MOST_LEDGERS_PER_CALL, fitting));
}

interface FoundLedgers {
  readonly ledgers: readonly LedgerBytes[];
  /** True if the answer has no ledger, or another one, in the place of the next. */
  readonly hasGap: boolean;
}

interface LedgersAnswer extends FoundLedgers {
  readonly latestLedger?: number | null | undefined;
  readonly oldestLedger?: number | null | undefined;
}

/**
 * The ledgers from `first` on, up to a gap, a ledger whose bytes belong to another one, or one that
 * cannot be read. Throws if the first one cannot be read.
 */
function ledgersFrom(
  { url }: Node,
  answered: readonly { readonly sequence: number; readonly metadataXdr: string | LongText }[],
  first: number,
  { check }: LedgerContext,
): FoundLedgers {
  const ledgers: LedgerBytes[] = [];
  for (const { sequence, metadataXdr } of answered) {
    if (sequence !== first + ledgers.length) return { ledgers, hasGap: true };
    const read = () => {
      const ledgerCloseMeta = decodeBase64(String(metadataXdr), `ledger ${sequence}`);
      // The beginning of a ledger that is cut off can still be read.
      if (check === undefined) ofLedger(sequence, () => endOfLedgerCloseMeta(ledgerCloseMeta));
      if (ofLedger(sequence, () => ledgerSequenceOf(ledgerCloseMeta)) !== sequence) return null;
      return { sequence, ledgerCloseMeta };
    };
    try {
      const ledger = decodedAnswer(nodeAddress(url), `ledger ${sequence}`, read);
      if (ledger === null) return { ledgers, hasGap: true };
      ledgers.push(ledger);
    } catch (error) {
      if (ledgers.length === 0) throw error;
      break;
    }
  }
  return { ledgers, hasGap: false };
}

/** The answer up to the first invalid ledger. Rejects if the first one is invalid. */
async function checkedAnswer<Answer extends FoundLedgers>(
  answer: Answer,
  context: LedgerContext,
): Promise<Answer> {
  const ledgers = await checkedLedgers(answer.ledgers, context);
  return { ...answer, ledgers, hasGap: answer.hasGap && ledgers.length === answer.ledgers.length };
}

/**
 * The answer can have megabytes, so it is fetched again only for a later ledger, or if the latest
 * ledger is required.
 */
async function fetchLatestLedger(
  node: Node,
  context: FetchContext,
  ledger?: number,
): Promise<LatestLedger | null> {
  const { latest } = node;
  if (latest !== null && ledger !== undefined && ledger <= latest.sequence) return latest;
  const call = {
    method: "getLatestLedger",
    schema: latestLedgerSchema,
    maximumBytes: MAXIMUM_LEDGERS_BYTES,
  };
  node.latest = await unlessRefused(callJsonRpc(node, call, context));
  return node.latest;
}

function remember(
  node: Node,
  window: {
    readonly latestLedger?: number | null | undefined;
    readonly oldestLedger?: number | null | undefined;
  },
): void {
  const { oldestLedger, latestLedger } = window;
  if (!oldestLedger || !latestLedger) return;
  node.range = { first: oldestLedger, last: latestLedger };
}
