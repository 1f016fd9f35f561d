// The failures of one attempt at a remote call: the error, how many attempts make sense, and how
// long to wait before the next one. Messages contain only the public part of a node's address.

import type { ErrorCode } from "../errors/errors.ts";
import { SvcError, type SvcErrorFields } from "../errors/errors.ts";
import { systemCodeOf } from "../errors/system-code.ts";
import { beginningOf } from "../own-text.ts";
import { flag, phrase } from "../phrase.ts";
import { neutralise } from "../text/neutralise.ts";
import { durationInWords } from "../text/time.ts";
import { nodeAddress } from "./node-address.ts";

export interface FailedAttempt {
  readonly error: SvcError;
  /** The number of attempts after which the call fails. */
  readonly attempts: number;
  /** The wait that the node asked for. Without it the caller chooses one. */
  readonly waitMilliseconds?: number;
}

/** For a node or a proxy that is in trouble for a moment. */
const SEVERAL = 4;
/** For a node that restarts, or a name server that was not reached. */
const TWICE = 2;
const ONCE = 1;
const DEEPEST_CAUSE = 4;
const RETRIED_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);
/** Headers in which nodes and their proxies state their limits. */
const LIMIT_HEADER = /^(retry-after|x-ratelimit-.+|ratelimit(-.+)?)$/;
const MAXIMUM_HEADER_CHARACTERS = 100;
const MAXIMUM_LIMIT_HEADERS = 12;
const STATUS_REMEDY = phrase`Check the node's status page, or set another node or ${flag("network")}.`;

/** Returns null if the status is an answer: 2xx, or one of `answers`. */
export function failedStatus(
  node: string,
  response: Response,
  answers: readonly number[],
  unixMilliseconds: number,
): FailedAttempt | null {
  const { status, headers } = response;
  if ((status >= 200 && status <= 299) || answers.includes(status)) return null;
  const attempts = RETRIED_STATUSES.has(status) ? SEVERAL : ONCE;
  const wait = retryAfter(headers.get("retry-after"), unixMilliseconds);
  const limits = limitHeaders(headers);
  const details = {
    node,
    status,
    rateLimitHeaders: limits,
    ...(wait !== null && { retryAfterMilliseconds: wait }),
  };
  const error =
    status === 429
      ? new SvcError("NETWORK_RATE_LIMITED", {
          message: `${node} refused the request: rate limit reached (status 429)${showHeaders(limits)}.`,
          remedy: "Wait for the time in the node's rate-limit headers, or set another node.",
          details,
        })
      : new SvcError("NETWORK_BAD_STATUS", {
          message: `${node} answered with status ${status}${showHeaders(limits)}.`,
          remedy: STATUS_REMEDY,
          details,
        });
  return { error, attempts, ...(wait === null ? {} : { waitMilliseconds: wait }) };
}

export function failedTime(node: string, milliseconds: number): FailedAttempt {
  const time = durationInWords(milliseconds);
  const fields = {
    message: `${node} did not send a complete answer in the ${time} that it had.`,
    remedy: phrase`Check the node's status page, set another node or ${flag("network")}, or raise ${flag("timeout")}.`,
    details: { node },
  };
  // A node that did not answer once rarely answers the next time. The remaining time is better
  // spent on another node.
  return { error: new SvcError("NETWORK_TIMEOUT", fields), attempts: ONCE };
}

/** `cause` is what fetch threw. */
export function failedConnection(node: string, cause: unknown): FailedAttempt {
  const root = rootOf(cause);
  const code = systemCodeOf(root);
  const [errorCode, event, attempts] = explain(code, root);
  const fields: SvcErrorFields = {
    message: `${node} ${event}${code === null ? "" : ` (${code})`}.`,
    remedy:
      errorCode === "NETWORK_UNREACHABLE"
        ? phrase`Check the URL and the connection, or set another node or ${flag("network")}.`
        : STATUS_REMEDY,
    // The original error is left out, because its text contains the complete URL.
    cause: code === null ? undefined : Object.assign(new Error(event), { code }),
    details: { node },
  };
  return { error: new SvcError(errorCode, fields), attempts };
}

export function foreignRedirect(node: string, target: string | null): FailedAttempt {
  const where = target === null ? "to something that is not a URL" : `to ${nodeAddress(target)}`;
  const error = new SvcError("NETWORK_BAD_ANSWER", {
    message: `${node} redirects ${where}; svc follows redirects only on the same host.`,
    remedy: phrase`Set the URL of the node itself with ${flag("horizonUrl")} or ${flag("rpcUrl")}.`,
    details: { node },
  });
  return { error, attempts: ONCE };
}

function explain(code: string | null, root: unknown): [ErrorCode, string, number] {
  const unreachable = "NETWORK_UNREACHABLE";
  if (code === "ECONNREFUSED") return [unreachable, "refused the connection", TWICE];
  if (code === "ENOTFOUND") {
    return [unreachable, "cannot be resolved: the host name is unknown", ONCE];
  }
  if (code === "EAI_AGAIN") {
    return [unreachable, "cannot be resolved: no name server answers", TWICE];
  }
  if (code === "ECONNRESET" || code === "EPIPE" || code === "UND_ERR_SOCKET") {
    return [unreachable, "closed the connection before it answered", SEVERAL];
  }
  if (code !== null && /TLS|SSL|CERT|EPROTO|SIGNATURE|ALTNAME/.test(code + messageOf(root))) {
    return [unreachable, "cannot be trusted: the TLS handshake failed", ONCE];
  }
  if (code !== null && /^(E[A-Z]+|ConnectionClosed|FailedToOpenSocket|UND_ERR_\w+)$/.test(code)) {
    return [unreachable, "cannot be reached", ONCE];
  }
  // A browser has one error for whatever failed, without a code (Fetch Standard, "network error").
  if (code === null && root instanceof TypeError) {
    return [unreachable, "gave no answer, and the reason is unknown", ONCE];
  }
  return ["NETWORK_BAD_ANSWER", "answered with something that is not HTTP", ONCE];
}

/**
 * Reads seconds or an HTTP date (RFC 9110 §10.2.3). Null means that the header is absent or
 * neither.
 */
function retryAfter(value: string | null, unixMilliseconds: number): number | null {
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - unixMilliseconds);
}

function limitHeaders(headers: Headers): Readonly<Record<string, string>> {
  const limits: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (!LIMIT_HEADER.test(name) || Object.keys(limits).length === MAXIMUM_LIMIT_HEADERS) continue;
    limits[name] = neutralise(beginningOf(value, MAXIMUM_HEADER_CHARACTERS));
  }
  return limits;
}

function showHeaders(headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return lines.length === 0 ? "" : `; its headers: ${lines.join(", ")}`;
}

/** ofetch wraps the error that fetch threw. */
/**
 * The cause with a code of the system, which Node and Bun have at different depths. Without one,
 * the cause of what was thrown.
 */
function rootOf(error: unknown): unknown {
  const first = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  let cause: unknown = first;
  for (let depth = 0; depth < DEEPEST_CAUSE && cause instanceof Error; depth += 1) {
    if (systemCodeOf(cause) !== null) return cause;
    cause = cause.cause;
  }
  return first;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "";
}
