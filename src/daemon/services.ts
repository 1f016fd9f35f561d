// What the routes ask for, without HTTP: each is a function of values, and is given to the app.

import type { Clock } from "../base/clock.ts";
import type { SvcError } from "../base/errors/errors.ts";
import type { Waiter } from "./coalesce.ts";
import type { Health } from "./health.ts";
import type { Metrics } from "./metrics.ts";
import type { EventLog } from "./request-log.ts";

/** Unchecked parameters → the result as JSON text. */
export type RpcMethod = (parameters: unknown, waiter: Waiter) => Promise<string>;

export interface Services {
  readonly network: string;
  readonly metrics: Metrics;
  readonly log: EventLog;
  readonly clock: Clock;
  /** The report of `svc debug --json`. Throws what the walk throws, and OVERLOADED. */
  readonly debug: (hash: string, waiter: Waiter) => Promise<string>;
  /**
   * svc-sim's response. `key`: the same for the same request. Throws what `request` throws, what
   * svc-sim reports, and OVERLOADED.
   */
  readonly simulate: (key: string, waiter: Waiter, request: () => unknown) => Promise<string>;
  /** By name. */
  readonly rpcMethods: Readonly<Record<string, RpcMethod>>;
  readonly health: () => Health;
  /** Null: it can simulate now. */
  readonly whyNotReady: (signal: AbortSignal) => Promise<SvcError | null>;
}
