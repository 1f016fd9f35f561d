// Records an answered request: a line in the log, and the metrics.

import type { Clock } from "../../base/clock.ts";
import type { SvcError } from "../../base/errors/errors.ts";
import { httpStatusOf } from "../../error-catalogue.ts";
import type { Metrics } from "../metrics.ts";
import type { EventLevel, EventLog, LogFields } from "../request-log.ts";

export interface Answered {
  readonly route: string;
  readonly method: string;
  readonly id: string;
  /** The start on the monotonic clock. */
  readonly begin: number;
  readonly status: number;
  readonly error: SvcError | null;
  /** Additional fields of the log line. */
  readonly fields?: LogFields;
}

export interface AccountsOptions {
  readonly metrics: Pick<Metrics, "answered" | "failed">;
  readonly log: EventLog;
  readonly clock: Clock;
}

const LOGGED_QUIETLY = new Set(["/health", "/ready", "/metrics"]);
const REFUSALS_LOGGED_EVERY_MILLISECONDS = 1_000;
const NEVER = new AbortController().signal;

export function openAccounts({ metrics, log, clock }: AccountsOptions) {
  let refusals = new Map<string, number>();
  const secondsSince = (begin: number) => (clock.monotonicMilliseconds() - begin) / 1000;
  const logRefusals = () => {
    for (const [route, requests] of refusals) log.write("warn", "refused", { route, requests });
    refusals = new Map();
  };
  return {
    answered({ route, method, id, begin, status, error, fields }: Answered): void {
      const seconds = secondsSince(begin);
      metrics.answered(route, status, seconds);
      if (error !== null) metrics.failed(route, error);
      log.write(levelOf(route, error === null ? status : httpStatusOf(error)), "request", {
        requestId: id,
        method,
        route,
        status,
        durationMilliseconds: Math.round(seconds * 1e6) / 1e3,
        ...fields,
        ...(error === null ? {} : { code: error.code, error: error.message }),
        ...(error?.code === "INTERNAL" ? { stack: stackOf(error.cause) } : {}),
      });
    },
    /**
     * Notes a request that was not admitted. Many share one line, because there may be thousands a
     * second.
     */
    refused({ route, begin, status, error }: Answered): void {
      metrics.answered(route, status, secondsSince(begin));
      if (error !== null) metrics.failed(route, error);
      if (refusals.size === 0)
        clock.sleep(REFUSALS_LOGGED_EVERY_MILLISECONDS, NEVER).then(logRefusals, () => {});
      refusals.set(route, (refusals.get(route) ?? 0) + 1);
    },
  };
}

function levelOf(route: string, status: number): EventLevel {
  if (status >= 500) return "error";
  return LOGGED_QUIETLY.has(route) ? "debug" : "info";
}

function stackOf(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
