// JSON-RPC 2.0 over HTTP POST, as Stellar RPC uses it: errors have status 200.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import type { Http } from "../../base/http/http.ts";
import type { HttpAnswer } from "../../base/http/http-body.ts";
import {
  parseAnswer,
  parseAnswerSkeleton,
  parseAnswerWithLongTexts,
} from "../../base/http/http-body.ts";
import { beginningOf } from "../../base/own-text.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { jsonMember } from "../../base/text/json-member.ts";
import { neutralise, quotedText, SHOWN_QUOTE } from "../../base/text/neutralise.ts";
import type { FetchContext } from "../source.ts";
import { badNodeAnswer } from "./bad-answer.ts";

export interface JsonRpcDependencies {
  readonly http: Http;
  readonly url: string;
}

export interface JsonRpcCall<T> {
  readonly method: string;
  /** Null means the same as no parameters. */
  readonly parameters?: unknown;
  readonly schema: v.GenericSchema<unknown, T>;
  /**
   * Checks what passed the schema. If it rejects, the attempt counts as a failure of the node
   * (default: nothing more is checked).
   */
  readonly check?: (result: T) => Promise<T>;
  readonly maximumBytes: number;
  /** True if long strings of a large answer may be of the class LongText for the schema. */
  readonly hasLongTexts?: boolean;
  /** The same as in `HttpRequest`. */
  readonly mostAttempts?: number;
  readonly anySize?: boolean;
}

/**
 * A gateway in front of a node answers with these statuses where the node would answer in JSON-RPC.
 */
const BAD_REQUEST = 400;
const NOT_FOUND = 404;
const METHOD_NOT_ALLOWED = 405;
/** The node, or a gateway in front of it, accepts no request of this size. */
const CONTENT_TOO_LARGE = 413;
export const PARSE_ERROR = -32700;
export const INTERNAL_ERROR = -32603;
export const INVALID_PARAMETERS = -32602;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_REQUEST = -32600;
/** Codes of an invalid request, an unknown method and invalid parameters. The node itself works. */
const REFUSALS_OF_THE_REQUEST = new Set([INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMETERS]);
const MAXIMUM_MESSAGE = 300;

/** Each HTTP request has one call. */
const ID = 1;
const error = v.object({ code: v.number(), message: v.optional(v.string(), "") });
/** An error has no id if the node could not read the request (JSON-RPC 2.0, section 5). */
const responseSchema = v.union([
  v.object({ id: v.literal(ID), result: v.custom<unknown>((value) => value !== undefined) }),
  v.object({ id: v.nullish(v.literal(ID)), error }),
]);

/** True if the node works but refuses this call: its method or its parameters. */
export function isRefusal({ details }: SvcError): boolean {
  return details.refused === true && REFUSALS_OF_THE_REQUEST.has(Number(details.code));
}

/** Null if the node refuses the request. */
export async function unlessRefused<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof SvcError && error.details.refused === true) return null;
    throw error;
  }
}

/**
 * Calls a method. Throws NETWORK_*. If the node refuses the request, `details.refused` of the error
 * is true.
 */
export async function callJsonRpc<T>(
  dependencies: JsonRpcDependencies,
  call: JsonRpcCall<T>,
  context: FetchContext,
): Promise<T> {
  const parse = call.hasLongTexts ? parseAnswerWithLongTexts : parseAnswer;
  return askJsonRpc(dependencies, call, context, { parse, take: (result) => result });
}

/**
 * The result as the node wrote it, after it passed the schema. Throws the errors of `callJsonRpc`.
 */
export async function passJsonRpc(
  dependencies: JsonRpcDependencies,
  call: JsonRpcCall<unknown>,
  context: FetchContext,
): Promise<Uint8Array> {
  const take = (_: unknown, body: Uint8Array) => {
    const written = jsonMember(body, "result");
    if (written !== null) return written;
    throw new Error("the answer has a result, and its text has none");
  };
  return askJsonRpc(dependencies, call, context, { parse: parseAnswerSkeleton, take });
}

interface Reading<T, Taken> {
  readonly parse: (answer: HttpAnswer) => unknown;
  readonly take: (result: T, body: Uint8Array) => Taken;
}

async function askJsonRpc<T, Taken>(
  { http, url }: JsonRpcDependencies,
  call: JsonRpcCall<T>,
  context: FetchContext,
  { parse, take }: Reading<T, Taken>,
): Promise<Taken> {
  const { method, parameters, maximumBytes, mostAttempts, anySize } = call;
  const json = {
    jsonrpc: "2.0",
    id: ID,
    method,
    ...(parameters === undefined || parameters === null ? {} : { params: parameters }),
  };
  const answers = [BAD_REQUEST, NOT_FOUND, METHOD_NOT_ALLOWED, CONTENT_TOO_LARGE];
  const limits = {
    maximumBytes,
    ...(mostAttempts && { mostAttempts }),
    ...(anySize && { anySize }),
  };
  const request = { url, method: "POST", json, ...limits, answers } as const;
  const { check } = call;
  const read = async (each: HttpAnswer) => {
    const answer = readAnswer(each, call, parse);
    if ("refusal" in answer) return answer;
    const result = check === undefined ? answer.result : await check(answer.result);
    return { taken: take(result, each.body) };
  };
  const answer = await http.ask(request, read, context);
  if ("refusal" in answer) throw answer.refusal;
  return answer.taken;
}

/** A refusal because of the node's own trouble is thrown, so that the attempt counts as failed. */
function readAnswer<T>(
  answer: HttpAnswer,
  { method, schema }: JsonRpcCall<T>,
  parse: Reading<T, unknown>["parse"],
): { readonly result: T } | { readonly refusal: SvcError } {
  if (answer.status === CONTENT_TOO_LARGE) return { refusal: tooLarge(answer, method) };
  const response = v.safeParse(responseSchema, parse(answer));
  if (!response.success) {
    if (answer.status >= BAD_REQUEST) throw noJsonRpc(answer, method);
    throw badNodeAnswer(answer.node, "Stellar RPC", method, response.issues);
  }
  if ("error" in response.output) {
    const error = refusal(answer.node, method, response.output.error);
    if (!REFUSALS_OF_THE_REQUEST.has(response.output.error.code)) throw error;
    return { refusal: error };
  }
  const result = v.safeParse(schema, response.output.result);
  if (result.success) return { result: result.output };
  throw badNodeAnswer(answer.node, "Stellar RPC", method, result.issues);
}

/** The error of a request that is too large, with the code of JSON-RPC. */
function tooLarge({ node, status }: HttpAnswer, method: string): SvcError {
  const said = "the request is too large";
  return new SvcError("NETWORK_BAD_STATUS", {
    message: `${node} refused ${method}: ${said} (status ${status}).`,
    remedy: "Ask for less at once.",
    details: { node, method, code: INVALID_REQUEST, said, refused: true },
  });
}

function noJsonRpc({ node, status }: HttpAnswer, method: string): SvcError {
  return new SvcError("NETWORK_BAD_STATUS", {
    message: `${node} answered ${method} with status ${status}.`,
    remedy: phrase`Check that ${flag("rpcUrl")} is a Stellar RPC node, or set another.`,
    details: { node, method, status, refused: true },
  });
}

function refusal(
  node: string,
  method: string,
  { code, message }: { readonly code: number; readonly message: string },
): SvcError {
  const text = neutralise(beginningOf(message, MAXIMUM_MESSAGE));
  const internal = code === INTERNAL_ERROR || code === PARSE_ERROR;
  return new SvcError(internal ? "NETWORK_BAD_STATUS" : "NETWORK_BAD_ANSWER", {
    message: `${node} refused ${method}: ${quotedText(text, SHOWN_QUOTE)} (JSON-RPC error ${code}).`,
    remedy: phrase`Check that ${flag("rpcUrl")} is a Stellar RPC node of the right network, or set another.`,
    details: { node, method, code, said: text, refused: true },
  });
}
