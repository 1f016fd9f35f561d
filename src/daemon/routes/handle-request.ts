// The frame around every request: its ID, its time limit, the end of its work when the client
// leaves, the form of errors, a line in the log, and the metrics.

import type { Clock } from "../../base/clock.ts";
import { SvcError } from "../../base/errors/errors.ts";
import type { Waiter } from "../coalesce.ts";
import type { Metrics } from "../metrics.ts";
import type { EventLevel, EventLog } from "../request-log.ts";
import { asAnswer, errorResponse } from "./error-response.ts";
import { type BodyRules, readBodyText } from "./read-body.ts";

export interface RequestContext {
  readonly request: Request;
  readonly id: string;
  /** The body. Throws as `readBodyText`. */
  readonly text: () => Promise<string>;
  /** Aborted when the client leaves, its time limit is reached, or the daemon must end. */
  readonly signal: AbortSignal;
  /** The part of the request that services get. */
  readonly waiter: Waiter;
  /** The answer continues after its headers, until this settles with its error or null. */
  readonly streams: (finished: Promise<SvcError | null>) => void;
}

export type Handler = (context: RequestContext) => Response | Promise<Response>;

export interface HandlingOptions {
  readonly metrics: Pick<Metrics, "answered">;
  readonly log: EventLog;
  readonly clock: Clock;
  /** The time limit of one request. */
  readonly timeoutMilliseconds: number;
  readonly bodyRules: BodyRules;
  /** Aborts all requests in flight. */
  readonly ending: AbortSignal;
}

export interface Handling {
  readonly inFlight: () => number;
  /** `route`: the label of the request in metrics and log. */
  readonly around: (route: string, request: Request, handler: Handler) => Promise<Response>;
}

/** Clients choose IDs to find their requests in the log, not to fill it. */
const ID = /^[\w.:-]{1,64}$/;
const LOGGED_QUIETLY = new Set(["/health", "/ready", "/metrics"]);

export function openHandling(options: HandlingOptions): Handling {
  const { metrics, log, clock, timeoutMilliseconds, bodyRules, ending } = options;
  let inFlight = 0;

  const account = (route: string, request: Request, id: string, begin: number, answer: Answer) => {
    inFlight -= 1;
    const { status, error } = answer;
    const seconds = (clock.monotonicMilliseconds() - begin) / 1000;
    metrics.answered(route, status, seconds);
    log.write(levelOf(route, status), "request", {
      requestId: id,
      method: request.method,
      route,
      status,
      durationMilliseconds: Math.round(seconds * 1e6) / 1e3,
      ...(error === null ? {} : { code: error.code, error: error.message }),
      ...(error?.code === "INTERNAL" ? { stack: stackOf(error.cause) } : {}),
    });
  };

  return {
    inFlight: () => inFlight,
    async around(route, request, handler) {
      const begin = clock.monotonicMilliseconds();
      const given = request.headers.get("x-request-id");
      const id = given !== null && ID.test(given) ? given : crypto.randomUUID();
      const time = AbortSignal.timeout(timeoutMilliseconds);
      const signal = AbortSignal.any([request.signal, time, ending]);
      const traceparent = request.headers.get("traceparent") ?? undefined;
      const waiter: Waiter = { signal, traceparent, progress: () => {} };
      const streaming: Promise<SvcError | null>[] = [];
      const streams = (finished: Promise<SvcError | null>) => {
        streaming.push(finished);
      };
      const text = () => readBodyText(request, bodyRules);
      inFlight += 1;
      let response: Response;
      let error: SvcError | null = null;
      try {
        response = await handler({ request, id, text, signal, waiter, streams });
      } catch (thrown) {
        error = request.signal.aborted ? clientLeft(thrown) : asAnswer(thrown);
        response = errorResponse(error);
      }
      const { status } = response;
      response.headers.set("x-request-id", id);
      const settle = (late: SvcError | null) =>
        account(route, request, id, begin, { status, error: error ?? late });
      const [finished] = streaming;
      if (finished === undefined) settle(null);
      else void finished.then(settle);
      return response;
    },
  };
}

interface Answer {
  readonly status: number;
  readonly error: SvcError | null;
}

function clientLeft(cause: unknown): SvcError {
  return new SvcError("INTERRUPTED", {
    message: "The client closed the connection before the answer.",
    remedy: "Raise the client's timeout.",
    cause,
  });
}

function levelOf(route: string, status: number): EventLevel {
  if (status >= 500) return "error";
  return LOGGED_QUIETLY.has(route) ? "debug" : "info";
}

function stackOf(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
