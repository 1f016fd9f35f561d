// Answers as JSON. Errors over HTTP have one form: the code and message of the command line, and a
// remedy for a client, which cannot set flags. The client is a program, or a person with a page
// that sends requests. The status is that of the catalogue. Messages may quote nodes, contracts
// and requests, so they are neutralized.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import { type Audience, flag, HTTP, phrase } from "../../base/phrase.ts";
import { neutralise, neutraliseLines } from "../../base/text/neutralise.ts";
import { httpMessageOf, httpRemedyOf, httpStatusOf } from "../../error-catalogue.ts";
import { Reply, type ReplyOptions } from "./reply.ts";

export const problemSchema = v.strictObject({
  code: v.pipe(
    v.string(),
    v.regex(/^[A-Z_]+$/),
    v.description("Stable: docs/errors.md describes it."),
  ),
  message: v.string(),
  remedy: v.string(),
});
export const errorSchema = v.strictObject({ error: problemSchema });

/** A client that repeats a request sooner only waits again. */
const RETRY_AFTER_SECONDS = "1";
const RETRIED_LATER = new Set(["ANSWER_ROOM_FULL", "OVERLOADED", "SHUTTING_DOWN"]);

export function errorBody(
  error: SvcError,
  client: Audience = HTTP,
): v.InferOutput<typeof problemSchema> {
  const message = neutraliseLines(httpMessageOf(error, client));
  return { code: error.code, message, remedy: neutralise(httpRemedyOf(error, client)) };
}

export function errorResponse(error: SvcError, client: Audience = HTTP): Response {
  const headers = retryHeaders(error);
  const { allow } = error.details;
  if (typeof allow === "string") headers.allow = allow;
  if (error.code === "UNAUTHORIZED") headers["www-authenticate"] = "Bearer";
  return Response.json(
    { error: errorBody(error, client) },
    { status: httpStatusOf(error), headers },
  );
}

export function jsonAnswer(parts: Reply["parts"], { status, headers }: ReplyOptions = {}): Reply {
  return new Reply(parts, {
    ...(status && { status }),
    headers: { "content-type": "application/json", ...headers },
  });
}

/** Says whether there was no room. There may be thousands of such answers a second. */
export function isAtCapacity(error: SvcError | null): boolean {
  return error?.code === "OVERLOADED" || error?.code === "ANSWER_ROOM_FULL";
}

/** The header that says when to repeat a request whose error goes away by itself. */
export function retryHeaders({ code }: SvcError): Record<string, string> {
  return RETRIED_LATER.has(code) ? { "retry-after": RETRY_AFTER_SECONDS } : {};
}

/**
 * The answer to an error. An error without a code is a bug in svc, and its text is only in the log.
 */
export function asAnswer(thrown: unknown): SvcError {
  if (thrown instanceof SvcError) return thrown;
  if (thrown instanceof DOMException && thrown.name === "TimeoutError")
    return new SvcError("NETWORK_TIMEOUT", {
      message: "The time limit of this request was reached.",
      remedy: phrase`Try again, or start this server with a longer ${flag("timeout")}.`,
      cause: thrown,
    });
  return new SvcError("INTERNAL", {
    message: "Internal error in svc (a bug).",
    remedy: "Report it with this server's log of this request.",
    cause: thrown,
  });
}

export function shuttingDown(): SvcError {
  return new SvcError("SHUTTING_DOWN", {
    message: "This server is shutting down.",
    remedy: "Try again: another replica, or the replacement of this one, will answer.",
  });
}
