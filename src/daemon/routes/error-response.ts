// The one shape of an error over HTTP: code, message and remedy, as the command line has them; the
// status is the catalogue's. Messages may quote nodes, contracts and requests: they are neutral.

import { SvcError } from "../../base/errors/errors.ts";
import { neutralise, neutraliseLines } from "../../base/text/neutralise.ts";

export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

/** A client that comes back sooner only waits again. */
const RETRY_AFTER_SECONDS = "1";
const RETRIED_LATER = new Set(["OVERLOADED", "SHUTTING_DOWN"]);

export function errorBody(error: SvcError): ErrorBody {
  const { code, message, remedy } = error;
  return { code, message: neutraliseLines(message), remedy: neutralise(remedy) };
}

export function errorResponse(error: SvcError): Response {
  const headers = retryHeaders(error);
  const { allow } = error.details;
  if (typeof allow === "string") headers.allow = allow;
  if (error.code === "UNAUTHORIZED") headers["www-authenticate"] = "Bearer";
  return Response.json({ error: errorBody(error) }, { status: error.httpStatus, headers });
}

/** When to come back, of an error that goes away by itself. */
export function retryHeaders({ code }: SvcError): Record<string, string> {
  return RETRIED_LATER.has(code) ? { "retry-after": RETRY_AFTER_SECONDS } : {};
}

/** What svc has no code for is a defect: its own text stays in the log. */
export function asAnswer(thrown: unknown): SvcError {
  if (thrown instanceof SvcError) return thrown;
  if (thrown instanceof DOMException && thrown.name === "TimeoutError")
    return new SvcError("NETWORK_TIMEOUT", {
      message: "The time allowed for this request ran out.",
      remedy: "Try again, or start the daemon with a longer --timeout.",
      cause: thrown,
    });
  return new SvcError("INTERNAL", {
    message: "A defect in svc.",
    remedy: "Report it with the daemon's log of this request.",
    cause: thrown,
  });
}

export function shuttingDown(): SvcError {
  return new SvcError("SHUTTING_DOWN", {
    message: "The daemon is about to end.",
    remedy: "Try again: another replica, or the next one, answers.",
  });
}
