// Finds answers of nodes in JSON that people have saved: a JSON-RPC response, its result alone, a
// Horizon resource or problem, or a file with several of them. Their fields identify them.

import * as v from "valibot";
import { jsonWithin } from "../../base/json-within.ts";
import type { NodeAnswer } from "../../model/node-answer.ts";

/** A saved session has its answers a few levels down. */
const DEEPEST = 8;
const MOST_ANSWERS = 200;

const text = v.pipe(v.string(), v.nonEmpty());
const base64 = v.pipe(v.string(), v.regex(/^[A-Za-z0-9+/]{8,}={0,2}$/));
/** A TransactionResult that begins with a fee below 2^34 stroops. A word could be base64, too. */
const resultInBase64 = v.pipe(v.string(), v.regex(/^AAAAA[A-Za-z0-9+/]{15,}={0,2}$/));
const optionalText = v.nullish(v.string());
const events = v.nullish(v.array(v.string()));
/** Some SDKs write an absent field as null or as an empty text. */
const noText = v.nullish(v.literal(""));
const restorePreamble = v.nullish(v.unknown());
const sequence = v.nullish(v.pipe(v.union([v.number(), v.string()]), v.transform(Number)));

/** An answer without any part. */
export const EMPTY_ANSWER: NodeAnswer = {
  kind: "request",
  status: null,
  hash: null,
  ledger: null,
  envelopeXdr: null,
  resultXdr: null,
  resultMetaXdr: null,
  diagnosticEventsXdr: [],
  error: null,
  restoresFirst: false,
};

const got = v.pipe(
  v.object({
    status: v.picklist(["SUCCESS", "FAILED"]),
    resultXdr: base64,
    envelopeXdr: v.nullish(base64),
    resultMetaXdr: v.nullish(base64),
    diagnosticEventsXdr: events,
    txHash: optionalText,
    ledger: sequence,
  }),
  v.transform(
    (answer): NodeAnswer => ({
      ...EMPTY_ANSWER,
      kind: "getTransaction",
      status: answer.status,
      hash: hashOf(answer.txHash),
      ledger: answer.ledger ?? null,
      envelopeXdr: answer.envelopeXdr ?? null,
      resultXdr: answer.resultXdr,
      resultMetaXdr: answer.resultMetaXdr ?? null,
      diagnosticEventsXdr: answer.diagnosticEventsXdr ?? [],
    }),
  ),
);

const notFound = v.pipe(
  v.object({ status: v.literal("NOT_FOUND"), txHash: optionalText }),
  v.transform(
    ({ status, txHash }): NodeAnswer => ({
      ...EMPTY_ANSWER,
      kind: "getTransaction",
      status,
      hash: hashOf(txHash),
    }),
  ),
);

const sent = v.pipe(
  v.object({
    status: v.picklist(["PENDING", "DUPLICATE", "TRY_AGAIN_LATER", "ERROR"]),
    hash: optionalText,
    errorResultXdr: v.nullish(base64),
    diagnosticEventsXdr: events,
  }),
  v.transform(
    (answer): NodeAnswer => ({
      ...EMPTY_ANSWER,
      kind: "sendTransaction",
      status: answer.status,
      hash: hashOf(answer.hash),
      resultXdr: answer.errorResultXdr ?? null,
      diagnosticEventsXdr: answer.diagnosticEventsXdr ?? [],
    }),
  ),
);

/** The answer of stellar-core's `tx` command. */
const submittedToCore = v.pipe(
  v.object({
    status: v.picklist(["PENDING", "DUPLICATE", "TRY_AGAIN_LATER", "ERROR"]),
    error: resultInBase64,
  }),
  v.transform(
    ({ status, error }): NodeAnswer => ({
      ...EMPTY_ANSWER,
      kind: "sendTransaction",
      status,
      resultXdr: error,
    }),
  ),
);

const simulated = v.pipe(
  v.union([
    v.object({
      error: text,
      events,
      restorePreamble,
      latestLedger: v.union([v.number(), v.string()]),
    }),
    v.object({
      error: noText,
      events,
      restorePreamble,
      transactionData: text,
      latestLedger: sequence,
    }),
    v.object({ error: noText, events, restorePreamble: v.object({}), latestLedger: sequence }),
  ]),
  v.transform(
    (answer): NodeAnswer => ({
      ...EMPTY_ANSWER,
      kind: "simulateTransaction",
      // 0 means that the node did not run the host.
      ledger: Number(answer.latestLedger ?? 0) || null,
      diagnosticEventsXdr: answer.error ? (answer.events ?? []) : [],
      error: answer.error || null,
      restoresFirst: Boolean(answer.restorePreamble),
    }),
  ),
);

const horizonTransaction = v.pipe(
  v.object({
    hash: text,
    successful: v.boolean(),
    result_xdr: base64,
    envelope_xdr: v.nullish(base64),
    result_meta_xdr: v.nullish(base64),
    ledger: sequence,
  }),
  v.transform(
    (answer): NodeAnswer => ({
      ...EMPTY_ANSWER,
      kind: "getTransaction",
      status: answer.successful ? "SUCCESS" : "FAILED",
      hash: hashOf(answer.hash),
      ledger: answer.ledger ?? null,
      envelopeXdr: answer.envelope_xdr ?? null,
      resultXdr: answer.result_xdr,
      resultMetaXdr: answer.result_meta_xdr || null,
    }),
  ),
);

/** Horizon's answer to a refused submission. */
const horizonProblem = v.pipe(
  v.object({ extras: v.object({ result_xdr: base64, envelope_xdr: v.nullish(base64) }) }),
  v.transform(
    ({ extras }): NodeAnswer => ({
      ...EMPTY_ANSWER,
      kind: "sendTransaction",
      status: "ERROR",
      envelopeXdr: extras.envelope_xdr ?? null,
      resultXdr: extras.result_xdr,
    }),
  ),
);

const refused = v.pipe(
  v.object({ jsonrpc: v.literal("2.0"), error: v.object({ code: v.number(), message: text }) }),
  v.transform(
    ({ error }): NodeAnswer => ({
      ...EMPTY_ANSWER,
      error: `${error.message} (JSON-RPC error ${error.code})`,
    }),
  ),
);

/** The events alone, from an answer that was saved in part. */
const eventsAlone = v.pipe(
  v.object({ diagnosticEventsXdr: v.pipe(v.array(base64), v.minLength(1)) }),
  v.transform((answer): NodeAnswer => ({ ...EMPTY_ANSWER, kind: "xdr", ...answer })),
);

const ANSWERS = [
  got,
  notFound,
  submittedToCore,
  sent,
  simulated,
  horizonTransaction,
  horizonProblem,
  refused,
  eventsAlone,
];
const request = v.object({ params: v.object({ transaction: base64 }) });

/** The answers in the order of the file; empty if there is none. */
export function findNodeAnswers(json: unknown): NodeAnswer[] {
  const answers: NodeAnswer[] = [];
  const visit = (part: unknown, envelopeXdr: string | null, depth: number): void => {
    const value = jsonWithin(part);
    if (typeof value !== "object" || value === null || depth > DEEPEST) return;
    if (answers.length >= MOST_ANSWERS) return;
    for (const schema of ANSWERS) {
      const { success, output } = v.safeParse(schema, value);
      if (!success) continue;
      answers.push({ ...output, envelopeXdr: output.envelopeXdr ?? envelopeXdr });
      return;
    }
    const parsedRequest = v.safeParse(request, value);
    const sentXdr = parsedRequest.success ? parsedRequest.output.params.transaction : envelopeXdr;
    for (const each of Object.values(value)) visit(each, sentXdr, depth + 1);
  };
  visit(json, null, 0);
  return answers;
}

function hashOf(text: string | null | undefined): string | null {
  return /^[0-9a-f]{64}$/i.test(text ?? "") ? (text ?? "").toLowerCase() : null;
}
