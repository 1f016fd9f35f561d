// POST /rpc: JSON-RPC 2.0, one call or a batch. As JSON-RPC requires, the failure of a method has
// status 200, with svc's error in `data`. A body that is not a JSON-RPC request is refused with
// 400.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import { httpStatusOf } from "../../error-catalogue.ts";
import {
  INTERNAL_ERROR,
  INVALID_PARAMETERS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
} from "../../sources/nodes/json-rpc.ts";
import type { WaitingAnswer } from "../limits/answer-memory.ts";
import type { CallOutcome } from "../metrics.ts";
import type { Services } from "../services.ts";
import { endOfRequest, type RequestContext } from "./handle-request.ts";
import { asAnswer, errorBody, jsonAnswer, problemSchema, retryHeaders } from "./json-answer.ts";
import { parseJsonBody } from "./read-body.ts";
import type { Answer, Part } from "./reply.ts";

/** The limit of a batch, so that one request does not fill the queue. */
const LARGEST_BATCH = 20;
const AT_ONCE = 4;
/** No further call of a batch begins while more bytes of its answers wait to be taken. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;
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

export async function answerRpc(services: Services, context: RequestContext): Promise<Answer> {
  let body: unknown;
  let ids: ExactIds;
  try {
    const text = await context.text();
    body = parseJsonBody(text);
    ids = exactIdsOf(text, body);
  } catch (error) {
    if (!(error instanceof SvcError && error.code === "REQUEST_INVALID")) throw error;
    return refuse(services, context, PARSE_ERROR, error);
  }
  if (!Array.isArray(body)) return answerOne(services, context, body, ids);
  if (body.length === 0 || body.length > LARGEST_BATCH)
    return refuse(services, context, INVALID_REQUEST, batchInvalid(body.length));
  const answers = answersInTurn(context, body, (each) => call(services, context, each, ids));
  if (body.some(hasAnswer)) return jsonAnswer(answers);
  for await (const _ of answers);
  return nothing();
}

/** An invalid call has an answer too. */
function hasAnswer(body: unknown): boolean {
  const parsed = v.safeParse(rpcCallSchema, body);
  return !parsed.success || parsed.output.id !== undefined;
}

/**
 * The answers in the order of the calls, as the text of an array. Some calls run at a time, and no
 * further one begins while large answers wait to be taken.
 */
async function* answersInTurn(
  context: RequestContext,
  calls: readonly unknown[],
  answer: (body: unknown) => Promise<AnsweredCall | null>,
): AsyncGenerator<Part> {
  const failures: FailedCall[] = [];
  const running: Promise<HeldAnswer | null>[] = [];
  let next = 0;
  let waitingBytes = 0;
  const begin = async (body: unknown): Promise<HeldAnswer | null> => {
    const answered = await answer(body);
    const heldReply = answered && heldAnswer(context, answered);
    waitingBytes += heldReply?.bytes ?? 0;
    return heldReply;
  };
  try {
    let separator = "[";
    while (next < calls.length || running.length > 0) {
      while (next < calls.length && running.length < AT_ONCE) {
        if (running.length > 0 && waitingBytes > MOST_WAITING_BYTES) break;
        running.push(begin(calls[next]));
        next += 1;
      }
      const heldReply = await running.shift();
      if (!heldReply) continue;
      const { answered, held, bytes } = heldReply;
      try {
        if (answered.error !== null) failures.push({ ...answered, error: answered.error });
        yield separator;
        yield* answered.parts;
        separator = ",";
      } finally {
        waitingBytes -= bytes;
        held.leave();
      }
    }
    yield "]";
  } finally {
    for (const each of running)
      each.then(
        (answer) => answer?.held.leave(),
        () => {},
      );
    noteFailures(context, failures);
  }
}

interface HeldAnswer {
  readonly answered: AnsweredCall;
  readonly bytes: number;
  readonly held: WaitingAnswer;
}

/** The answer that waits. A call whose answer finds no room fails with that error. */
function heldAnswer({ hold }: RequestContext, answered: AnsweredCall): HeldAnswer {
  const bytes = answered.parts.reduce((sum, part) => sum + part.length, 0);
  try {
    return { answered, bytes, held: hold(bytes) };
  } catch (thrown) {
    const error = asAnswer(thrown);
    const { method, id } = answered;
    const refused = failure(method, id, codeOf(error), error);
    return { answered: refused, bytes: 0, held: { leave() {} } };
  }
}

/** Refuses a body that has no call with an answer of its own. */
function refuse(
  { metrics }: Services,
  { failed }: RequestContext,
  code: number,
  error: SvcError,
): Answer {
  metrics.called("other", "invalid");
  failed(error, {});
  return jsonAnswer([failureText("null", code, error)], { status: 400 });
}

/** The ids of calls as they are written, if a JavaScript number cannot hold them. */
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
  // The same structure again, with the texts of its numbers.
  const again = [JSON.parse(text, read)].flat();
  for (const [index, call] of [body].flat().entries()) {
    const source = sources.get(again[index]);
    if (isInexact(call) && source !== undefined) ids.set(call, source);
  }
  return ids;
}

interface AnsweredCall {
  /** The method, or `other` if it does not exist. */
  readonly method: string;
  /** The text of the call's id. */
  readonly id: string;
  readonly parts: readonly Part[];
  readonly error: SvcError | null;
}

type FailedCall = AnsweredCall & { readonly error: SvcError };

/**
 * Notes the failures of a batch on one line: their number, and the failure with the highest status.
 */
function noteFailures({ failed }: RequestContext, failures: readonly FailedCall[]): void {
  const status = ({ error }: FailedCall) => httpStatusOf(error);
  const [worst] = failures.toSorted((left, right) => status(right) - status(left));
  if (worst === undefined) return;
  failed(worst.error, { rpcMethod: worst.method, failedCalls: failures.length });
}

async function answerOne(
  services: Services,
  context: RequestContext,
  body: unknown,
  ids: ExactIds,
): Promise<Answer> {
  const answer = await call(services, context, body, ids);
  if (answer === null) return nothing();
  const { error, method } = answer;
  if (error !== null) context.failed(error, { rpcMethod: method });
  if (!v.is(rpcCallSchema, body)) return jsonAnswer(answer.parts, { status: 400 });
  const headers = error === null ? {} : retryHeaders(error);
  return jsonAnswer(answer.parts, { status: "retry-after" in headers ? 503 : 200, headers });
}

/** Makes a call. Null for a notification, which has no answer. */
async function call(
  services: Services,
  context: RequestContext,
  body: unknown,
  ids: ExactIds,
): Promise<AnsweredCall | null> {
  const parsed = v.safeParse(rpcCallSchema, body);
  const answer = parsed.success
    ? await answerCall(services, parsed.output, idText(body, parsed.output, ids), context)
    : failure("other", "null", INVALID_REQUEST, notACall());
  services.metrics.called(answer.method, outcomeOf(answer.error));
  const isNotification = parsed.success && parsed.output.id === undefined;
  if (!isNotification) return answer;
  // Only the log and the metrics show its failure.
  if (answer.error !== null) context.failed(answer.error, { rpcMethod: answer.method });
  return null;
}

function idText(body: unknown, { id = null }: RpcCall, ids: ExactIds): string {
  return ids.get(body) ?? JSON.stringify(id);
}

/** Answers a call. `id` is its text. */
async function answerCall(
  services: Services,
  { method, params }: RpcCall,
  id: string,
  { request, run: callerRun }: RequestContext,
): Promise<AnsweredCall> {
  const { rpcMethods } = services;
  const run = Object.hasOwn(rpcMethods, method) ? rpcMethods[method] : undefined;
  if (run === undefined)
    return failure("other", id, METHOD_NOT_FOUND, methodUnknown(services, method));
  try {
    const result = await run(params, callerRun);
    const parts = [`{"jsonrpc":"2.0","id":${id},"result":`, result, "}"];
    return { method, id, parts, error: null };
  } catch (thrown) {
    const error = endOfRequest(request, thrown);
    return failure(method, id, codeOf(error), error);
  }
}

function failure(method: string, id: string, code: number, error: SvcError): AnsweredCall {
  return { method, id, parts: [failureText(id, code, error)], error };
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
function methodUnknown({ rpcMethods, whyRefused }: Services, method: string): SvcError {
  const refused = whyRefused(method);
  if (refused !== null) return refused;
  const name = neutralise(method.slice(0, LONGEST_SHOWN_METHOD));
  const methods = Object.keys(rpcMethods).sort().join(", ");
  return new SvcError("REQUEST_INVALID", {
    message: `This server does not have the method "${name}". It has ${methods}.`,
    remedy: "Use one of these methods.",
  });
}
