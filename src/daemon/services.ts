// The services behind the routes, without HTTP: functions of values, passed to the app.

import type { Clock } from "../base/clock.ts";
import type { SvcError } from "../base/errors/errors.ts";
import type { BodyRoom } from "./admission.ts";
import type { AgentServicesOf } from "./agent-services.ts";
import type { Waiter } from "./coalesce.ts";
import type { Health } from "./health.ts";
import type { Metrics } from "./metrics.ts";
import type { PageService } from "./page/page-service.ts";
import type { EventLog } from "./request-log.ts";

/** Unchecked parameters → the result as JSON text. */
export type RpcMethod = (parameters: unknown, waiter: Waiter) => Promise<string>;

export interface Services {
  readonly network: string;
  readonly metrics: Metrics;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly bodies: BodyRoom;
  /** The report of `svc debug --json`. Throws as the walk, and OVERLOADED. */
  readonly debug: (hash: string, waiter: Waiter) => Promise<string>;
  /**
   * svc-sim's response. `key`: equal for equal requests. Throws as `request`, the error that
   * svc-sim reports, and OVERLOADED.
   */
  readonly simulate: (key: string, waiter: Waiter, request: () => unknown) => Promise<string>;
  readonly pages: PageService;
  readonly agents: AgentServicesOf;
  /** By name. */
  readonly rpcMethods: Readonly<Record<string, RpcMethod>>;
  /** Programs that are not there, without which the daemon does less. */
  readonly missing: readonly string[];
  readonly health: () => Health;
  /** Null: the daemon can simulate now. */
  readonly whyNotReady: () => Promise<SvcError | null>;
}
