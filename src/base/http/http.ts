// Makes all remote calls. Only this file imports ofetch.
// Invariants: no call outlives its signal or its time limit, no answer exceeds its size limit, each
// attempt is observed once, and only the public part of a URL leaves this folder.
// ofetch only sends the request. Its `timeout` is ignored beside a signal and ends with the
// headers, its retries cannot be aborted or clocked, and it has no size limit for bodies.

import { ofetch } from "ofetch";
import type { Clock } from "../clock.ts";
import { SvcError } from "../errors/errors.ts";
import { type AnswerRoom, openAnswerRoom } from "./answer-room.ts";
import { type HttpAnswer, readBody, withoutSecrets } from "./http-body.ts";
import {
  type FailedAttempt,
  failedConnection,
  failedStatus,
  failedTime,
  foreignRedirect,
} from "./http-failure.ts";
import { nodeAddress, nodeLabel } from "./node-address.ts";

export interface HttpRequest {
  readonly url: string;
  /** The node's URL in the settings, if `url` is below it. Attempts are counted for this URL. */
  readonly nodeUrl?: string;
  readonly method: "GET" | "POST";
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly maximumBytes: number;
  /** The first and the last byte of the wanted part. */
  readonly range?: readonly [number, number];
  /** Statuses besides 2xx that count as answers. All others are errors. */
  readonly answers?: readonly number[];
  /** Lowers the number of attempts: a request with an effect is sent once. */
  readonly mostAttempts?: number;
  /**
   * True if a client chose how much to ask for. An answer that is too large is then not the node's
   * failure.
   */
  readonly anySize?: boolean;
}

export interface HttpOptions {
  readonly signal: AbortSignal;
  /** True if another node can be asked. The call then has one retry and no long wait. */
  readonly brief?: boolean;
}

export interface Http {
  /** Throws NETWORK_*, and the signal's reason if that is a SvcError. */
  send(request: HttpRequest, options: HttpOptions): Promise<HttpAnswer>;
  /**
   * Returns the result of `read`. If `read` throws, the attempt counts as a failure of the node.
   */
  ask<T>(
    request: HttpRequest,
    read: (answer: HttpAnswer) => T | Promise<T>,
    options: HttpOptions,
  ): Promise<T>;
}

/** One request to one node. Each retry is another attempt. */
export interface HttpAttempt {
  /** The node's name, from `nodeLabel`. */
  readonly node: string;
  readonly method: string;
  /** The HTTP status, or why there is none: `timeout`, `unreachable`, `aborted`. */
  readonly status: string;
  /** True if the node answered as its API says, even if it answered that the request is wrong. */
  readonly succeeded: boolean;
  readonly durationSeconds: number;
}

export interface HttpDependencies {
  readonly clock: Clock;
  /** Limits one call, with all its attempts and waits. */
  readonly timeoutMilliseconds: number;
  /**
   * Null in a browser, which names itself. It also follows no redirect, because a page does not see
   * where one leads, and sends no header for which it would have to ask the node first.
   */
  readonly userAgent: string | null;
  readonly observe?: ((attempt: HttpAttempt) => void) | undefined;
  /** The memory of all answers that are being read (default: one for these calls alone). */
  readonly answers?: AnswerRoom | undefined;
  /** Headers of every attempt, such as the context of a trace. */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
  /** Secret headers for the node of this URL. A redirect to another origin does not get them. */
  readonly secretHeaders?: ((url: string) => Readonly<Record<string, string>>) | undefined;
}

const FIRST_WAIT_MILLISECONDS = 250;
const BRIEF = { attempts: 2, waitMilliseconds: 1_000 } as const;
const MAXIMUM_REDIRECTS = 3;
/** The longest wait for one node, so that enough time remains for another. */
const MAXIMUM_ATTEMPT_MILLISECONDS = 15_000;

type OpenDependencies = HttpDependencies & { readonly answers: AnswerRoom };

export function openHttp(options: HttpDependencies): Http {
  const dependencies = { ...options, answers: options.answers ?? openAnswerRoom() };
  return {
    send: (request, options) => ask(dependencies, request, (answer) => answer, options),
    ask: (request, read, options) => ask(dependencies, request, read, options),
  };
}

async function ask<T>(
  dependencies: OpenDependencies,
  request: HttpRequest,
  read: (answer: HttpAnswer) => T | Promise<T>,
  { signal, brief = false }: HttpOptions,
): Promise<T> {
  const { clock, timeoutMilliseconds } = dependencies;
  const { mostAttempts = brief ? BRIEF.attempts : Number.POSITIVE_INFINITY } = request;
  const longestWait = brief ? BRIEF.waitMilliseconds : timeoutMilliseconds;
  const deadline = clock.monotonicMilliseconds() + timeoutMilliseconds;
  for (let attempt = 1; ; attempt += 1) {
    throwIfInterrupted(signal);
    const outcome = await attemptOnce(dependencies, request, read, signal, deadline);
    if ("taken" in outcome) return outcome.taken;
    throwIfInterrupted(signal);
    const usual = FIRST_WAIT_MILLISECONDS * 2 ** (attempt - 1);
    const wait = Math.max(usual, outcome.waitMilliseconds ?? 0);
    const tooLong = wait > longestWait || clock.monotonicMilliseconds() + wait >= deadline;
    if (attempt >= Math.min(outcome.attempts, mostAttempts) || tooLong) throw outcome.error;
    try {
      await clock.sleep(wait, signal);
    } catch {
      throwIfInterrupted(signal);
      // The time limit of the run was reached. The node's last answer explains more than that
      // would.
      throw outcome.error;
    }
  }
}

async function attemptOnce<T>(
  dependencies: OpenDependencies,
  request: HttpRequest,
  read: (answer: HttpAnswer) => T | Promise<T>,
  signal: AbortSignal,
  deadline: number,
): Promise<{ readonly taken: T } | FailedAttempt> {
  const { clock, observe, timeoutMilliseconds } = dependencies;
  const node = nodeAddress(request.url);
  const begin = clock.monotonicMilliseconds();
  const allowed = Math.min(
    MAXIMUM_ATTEMPT_MILLISECONDS,
    Math.ceil(timeoutMilliseconds / 2),
    Math.max(1, deadline - begin),
  );
  const timer = new AbortController();
  const late = new AbortController();
  const givenUp = new AbortController();
  clock.sleep(allowed, timer.signal).then(
    () => late.abort(),
    () => {},
  );
  let status = "aborted";
  let succeeded = false;
  try {
    const response = await fetchRedirected(
      dependencies,
      request,
      AbortSignal.any([signal, late.signal, givenUp.signal]),
    );
    if (!(response instanceof Response)) return response;
    status = String(response.status);
    const refused = failedStatus(node, response, request.answers ?? [], clock.unixMilliseconds());
    if (refused !== null) {
      await response.body?.cancel();
      return refused;
    }
    const { maximumBytes } = request;
    const giveUp = () => givenUp.abort();
    // A page sees only some headers of another origin's answer (the Fetch standard, CORS).
    const limits = { node, maximumBytes, showsHeaders: dependencies.userAgent !== null };
    using body = await readBody(response, limits, dependencies.answers, giveUp);
    const bytes = withoutSecrets(body.bytes, dependencies.secretHeaders?.(request.url) ?? {});
    const totalBytes = totalOf(response.headers.get("content-range"));
    const etag = response.headers.get("etag");
    const taken = await read({ node, status: response.status, body: bytes, totalBytes, etag });
    succeeded = true;
    return { taken };
  } catch (cause) {
    if (cause instanceof SvcError) {
      if (cause.code === "ANSWER_ROOM_FULL") status = "aborted";
      // A ledger of a later protocol than svc knows is a correct answer of the node.
      succeeded =
        cause.code === "PROTOCOL_UNKNOWN" ||
        (cause.code === "NETWORK_ANSWER_TOO_LARGE" && request.anySize === true);
      return { error: cause, attempts: 1 };
    }
    if (late.signal.aborted || isTimeout(signal)) {
      status = "timeout";
      return failedTime(node, clock.monotonicMilliseconds() - begin);
    }
    if (signal.aborted) status = "aborted";
    else if (status === "aborted") status = "unreachable";
    return failedConnection(node, cause);
  } finally {
    timer.abort();
    const durationSeconds = (clock.monotonicMilliseconds() - begin) / 1000;
    const { method, url, nodeUrl = url } = request;
    observe?.({ node: nodeLabel(nodeUrl), method, status, succeeded, durationSeconds });
  }
}

/** Follows redirects only on the same host: a node must not choose other hosts for svc. */
async function fetchRedirected(
  { userAgent, headers, secretHeaders }: HttpDependencies,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<Response | FailedAttempt> {
  const first = new URL(request.url);
  let url = first;
  for (let redirects = 0; ; redirects += 1) {
    const response = await ofetch.raw(url.href, {
      method: request.method,
      ...(request.json === undefined ? {} : { body: JSON.stringify(request.json) }),
      headers: {
        ...headers?.(),
        ...(url.origin === first.origin ? secretHeaders?.(request.url) : {}),
        accept: "*/*",
        ...(userAgent === null ? {} : { "user-agent": userAgent }),
        ...(request.json === undefined ? {} : { "content-type": "application/json" }),
        ...(request.range === undefined ? {} : asStored(request.range)),
      },
      // Some servers name a file's own compression as the encoding. Such a file must stay
      // compressed.
      ...(request.range === undefined ? {} : { decompress: false }),
      responseType: "stream",
      ignoreResponseError: true,
      redirect: userAgent === null ? "error" : "manual",
      retry: false,
      signal,
    });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await response.body?.cancel();
    const next = URL.canParse(location, url.href) ? new URL(location, url.href) : null;
    const allowed = next !== null && next.hostname === url.hostname && !isDowngrade(url, next);
    // 301, 302 and 303 may turn a POST into a GET, which the nodes do not support.
    const keepsMethod = request.method === "GET" || response.status >= 307;
    if (!allowed || !keepsMethod || redirects === MAXIMUM_REDIRECTS) {
      return foreignRedirect(nodeAddress(request.url), next?.href ?? null);
    }
    url = next;
  }
}

/**
 * A range counts bytes of the stored file, so no server or proxy may compress the file on the way.
 */
function asStored(range: readonly [number, number]): Record<string, string> {
  return { range: `bytes=${range.join("-")}`, "accept-encoding": "identity" };
}

/** Reads the total from `bytes 0-99/1234`. */
function totalOf(contentRange: string | null): number | null {
  const [, total] = /^bytes \d+-\d+\/(\d+)$/.exec(contentRange ?? "") ?? [];
  return total === undefined ? null : Number(total);
}

function isDowngrade(from: URL, to: URL): boolean {
  if (to.protocol === "https:") return false;
  return from.protocol === "https:" || to.protocol !== "http:";
}

/**
 * An interruption has its own SvcError. A time limit that was reached counts as the node's failure.
 */
function throwIfInterrupted(signal: AbortSignal): void {
  if (!signal.aborted || isTimeout(signal)) return;
  throw signal.reason;
}

function isTimeout(signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  return signal.reason instanceof DOMException && signal.reason.name === "TimeoutError";
}
