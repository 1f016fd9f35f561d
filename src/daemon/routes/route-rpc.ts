// POST /rpc: JSON-RPC 2.0, one call or a batch. As JSON-RPC requires, the failure of a method has
// status 200, with svc's error in `data`. A body that is not a JSON-RPC request is refused with
// 400.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import { inParallel } from "../../base/in-parallel.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import { httpStatusOf } from "../../error-catalogue.ts";
import {
  INTERNAL_ERROR,
  INVALID_PARAMETERS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
} from "../../sources/nodes/json-rpc.ts";
import type { Run } from "../../tools/tools.ts";
import type { CallOutcome } from "../metrics.ts";
import type { Services } from "../services.ts";
import type { RequestContext } from "./handle-request.ts";
import { asAnswer, errorBody, jsonAnswer, problemSchema, retryHeaders } from "./json-answer.ts";
import { parseJsonText } from "./read-body.ts";

/** One request must not fill the queue. */
const LARGEST_BATCH = 20;
const AT_ONCE = 4;
const LONGEST_SHOWN_METHOD = 60;

const SERVER_ERROR = -32000;
const OF_PARAMETERS = new Set(["REQUEST_INVALID", "HASH_INVALID"]);

const idSchema = v.union([v.string(), v.number(), v.null()]);
/** One JSON-RPC call. */
export const rpcCallSchema = v.strictObject({
  jsonrpc: v.literal("2.0"),
  id: v.optional(idSchema),
  method: v.string(),
  params: v.optional(v.unknown()),
});
export const rpcRequestSchema = v.union([
  rpcCallSchema,
  v.pipe(
    v.array(v.unknown()),
    v.minLength(1),
    v.maxLength(LARGEST_BATCH),
    v.description("A batch. An item that is not a call gets an error of its own."),
  ),
]);
const answered = { jsonrpc: v.literal("2.0"), id: idSchema };
const failed = v.strictObject({
  code: v.pipe(v.number(), v.integer()),
  message: v.string(),
  data: problemSchema,
});
export const rpcReplySchema = v.union([
  v.strictObject({ ...answered, result: v.unknown() }),
  v.strictObject({ ...answered, error: failed }),
]);
export const rpcAnswerSchema = v.union([rpcReplySchema, v.array(rpcReplySchema)]);
type RpcCall = v.InferOutput<typeof rpcCallSchema>;

export async function answerRpc(services: Services, context: RequestContext): Promise<Response> {
  let body: unknown;
  let ids: ExactIds;
  try {
    const text = await context.text();
    body = parseJsonText(text);
    ids = exactIdsOf(text, body);
  } catch (error) {
    if (!(error instanceof SvcError && error.code === "REQUEST_INVALID")) throw error;
    return refuse(services, context, PARSE_ERROR, error);
  }
  if (!Array.isArray(body)) return answerOne(services, context, body, ids);
  if (body.length === 0 || body.length > LARGEST_BATCH)
    return refuse(services, context, INVALID_REQUEST, batchInvalid(body.length));
  const answers = await inParallel(body, AT_ONCE, (each) => call(services, context, each, ids));
  noteFailures(context, answers);
  const texts = answers.flatMap((answer) => (answer === null ? [] : [answer.text]));
  return texts.length === 0 ? nothing() : jsonAnswer(`[${texts.join(",")}]`);
}

/** There is no call that could have an answer of its own. */
function refuse(
  { metrics }: Services,
  { failed }: RequestContext,
  code: number,
  error: SvcError,
): Response {
  metrics.called("other", "invalid");
  failed(error, {});
  return jsonAnswer(failureText("null", code, error), 400);
}

/** The ids of calls as they are written, where a number of JavaScript does not hold them. */
type ExactIds = ReadonlyMap<unknown, string>;

function exactIdsOf(text: string, body: unknown): ExactIds {
  const ids = new Map<unknown, string>();
  const isInexact = (call: unknown) => {
    const id = (call as { readonly id?: unknown } | null)?.id;
    return typeof id === "number" && !Number.isSafeInteger(id);
  };
  if (![body].flat().some(isInexact)) return ids;
  const sources = new Map<unknown, string>();
  const read = function (this: unknown, key: string, value: unknown, context?: unknown) {
    const { source } = context as { readonly source?: string };
    if (key === "id" && source !== undefined) sources.set(this, source);
    return value;
  };
  // The same structure once more, with the texts of its numbers.
  const again = [JSON.parse(text, read)].flat();
  for (const [index, call] of [body].flat().entries()) {
    const source = sources.get(again[index]);
    if (isInexact(call) && source !== undefined) ids.set(call, source);
  }
  return ids;
}

interface Answered {
  /** `other` for a method that does not exist. */
  readonly method: string;
  readonly text: string;
  readonly error: SvcError | null;
}

/** The line of a batch has the number of failed calls, and the failure with the highest status. */
function noteFailures({ failed }: RequestContext, answers: readonly (Answered | null)[]): void {
  const failures = answers.flatMap((answer) =>
    answer !== null && answer.error !== null
      ? [{ method: answer.method, error: answer.error }]
      : [],
  );
  const status = ({ error }: (typeof failures)[number]) => httpStatusOf(error);
  const [worst] = failures.toSorted((one, other) => status(other) - status(one));
  if (worst === undefined) return;
  failed(worst.error, { rpcMethod: worst.method, failedCalls: failures.length });
}

async function answerOne(
  services: Services,
  context: RequestContext,
  body: unknown,
  ids: ExactIds,
): Promise<Response> {
  const answer = await call(services, context, body, ids);
  if (answer === null) return nothing();
  const { error, method } = answer;
  if (error !== null) context.failed(error, { rpcMethod: method });
  if (!v.is(rpcCallSchema, body)) return jsonAnswer(answer.text, 400);
  const headers = error === null ? {} : retryHeaders(error);
  const response = jsonAnswer(answer.text, "retry-after" in headers ? 503 : 200);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/** Null for a notification: it has no answer. */
async function call(
  services: Services,
  { run }: RequestContext,
  body: unknown,
  ids: ExactIds,
): Promise<Answered | null> {
  const parsed = v.safeParse(rpcCallSchema, body);
  const answer = parsed.success
    ? await answerCall(services, parsed.output, idText(body, parsed.output, ids), run)
    : failure("other", "null", INVALID_REQUEST, notACall());
  services.metrics.called(answer.method, outcomeOf(answer.error));
  return parsed.success && parsed.output.id === undefined ? null : answer;
}

function idText(body: unknown, { id = null }: RpcCall, ids: ExactIds): string {
  return ids.get(body) ?? JSON.stringify(id);
}

/** `id`: its text. */
async function answerCall(
  services: Services,
  { method, params }: RpcCall,
  id: string,
  asked: Run,
): Promise<Answered> {
  const { rpcMethods } = services;
  const run = Object.hasOwn(rpcMethods, method) ? rpcMethods[method] : undefined;
  if (run === undefined)
    return failure("other", id, METHOD_NOT_FOUND, methodUnknown(services, method));
  try {
    const result = await run(params, asked);
    const text = `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
    return { method, text, error: null };
  } catch (thrown) {
    const error = asAnswer(thrown);
    return failure(method, id, codeOf(error), error);
  }
}

function failure(method: string, id: string, code: number, error: SvcError): Answered {
  return { method, text: failureText(id, code, error), error };
}

function outcomeOf(error: SvcError | null): CallOutcome {
  if (error === null) return "success";
  return httpStatusOf(error) >= 500 ? "error" : "invalid";
}

function failureText(id: string, code: number, error: SvcError): string {
  const data = errorBody(error);
  const text = JSON.stringify({ code, message: data.message, data });
  return `{"jsonrpc":"2.0","id":${id},"error":${text}}`;
}

function codeOf({ code, details }: SvcError): number {
  // The node that refused the call has a code of its own, which clients know.
  if (typeof details.rpcCode === "number") return details.rpcCode;
  if (OF_PARAMETERS.has(code)) return INVALID_PARAMETERS;
  return code === "INTERNAL" ? INTERNAL_ERROR : SERVER_ERROR;
}

function nothing(): Response {
  return new Response(null, { status: 204 });
}

function notACall(): SvcError {
  return new SvcError("REQUEST_INVALID", {
    message: "The body is not a JSON-RPC 2.0 request.",
    remedy: 'Send {"jsonrpc":"2.0","id":1,"method":"…","params":{…}}.',
  });
}

function batchInvalid(length: number): SvcError {
  return new SvcError("REQUEST_INVALID", {
    message: `The batch has ${length} requests.`,
    remedy: `Send 1 to ${LARGEST_BATCH} requests in one batch.`,
  });
}

/** Clients such as stellar-sdk show only the message. */
function methodUnknown({ rpcMethods }: Services, method: string): SvcError {
  const asked = neutralise(method.slice(0, LONGEST_SHOWN_METHOD));
  const methods = Object.keys(rpcMethods).sort().join(", ");
  return new SvcError("REQUEST_INVALID", {
    message: `This daemon does not have the method "${asked}". It has ${methods}.`,
    remedy: "Use one of these methods.",
  });
}
